"""Which builds two connections fill or complete at once, and where these come from."""

from collections.abc import Iterator
from contextlib import contextmanager

from cocosearch_py.indexing.run import Run
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.schema.partitions import is_shared
from cocosearch_py.storage.schema.registry import HNSW_MIN_CHUNKS

# Chunks of such builds: less takes no time, and HNSW the memory for two at once.
_CHUNKS = range(10_000, HNSW_MIN_CHUNKS)


def is_for_two(run: Run, chunk_count: int) -> bool:
    """Whether it is a build of that size whose tables a second connection may be lent."""
    is_possible = run.resumable and not is_shared(run.writer.index_id) and run.resources.database.has_many_connections
    return is_possible and chunk_count in _CHUNKS


@contextmanager
def beside(run: Run) -> Iterator[Connection | None]:
    """Lend a further connection, with a transaction of its own; None if none is to be had."""
    with run.resources.database.writing_beside() as conn:
        yield conn
