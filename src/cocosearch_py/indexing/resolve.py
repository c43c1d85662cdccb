"""The stage for work that needs all files: it runs once their rows are written, before the index is put in place.

A step reads and writes through the run's writer, whose rows nobody else sees yet.
"""

from collections.abc import Callable

from cocosearch_py.indexing.run import Run
from cocosearch_py.storage.write.writer import IndexWriter

Step = Callable[[IndexWriter], None]


def resolve(run: Run) -> None:
    """Take all steps, in their order."""
    for step in STEPS:
        step(run.writer)


def count_terms(writer: IndexWriter) -> None:
    """Bring the vocabulary and its document frequencies up to date."""
    writer.write_vocabulary()


def find_dependencies(writer: IndexWriter) -> None:
    """Bring table `dependencies` up to date, unless all of it was copied."""
    if not writer.has_dependencies:
        from cocosearch_py.indexing import dependencies  # brings all languages

        dependencies.find_dependencies(writer)


STEPS: tuple[Step, ...] = (count_terms, find_dependencies)
