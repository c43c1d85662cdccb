"""What tables grams and posted_files say of an index, so that exact text is found without looking at every chunk.

Both are made of all texts at once, and only where these are many (docs/adr/0014). Until they are made again, files that
changed since are listed as such, and searches look at all of their chunks.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from cocosearch_py.analysis.grams import SEGMENT_CHUNKS
from cocosearch_py.indexing.run import Run
from cocosearch_py.storage.queries.postings import files_to_post, how_much, texts_of_files
from cocosearch_py.storage.schema.registry import POSTING_MIN_CHUNKS
from cocosearch_py.storage.write import partitions
from cocosearch_py.storage.write.rows import gram_row, posted_file_row
from cocosearch_py.storage.write.writer import IndexWriter

# An index that shrinks keeps them down to half of what it takes to get them: else a file that comes and goes would cost
# seconds each time.
_KEPT_CHUNKS = POSTING_MIN_CHUNKS // 2
# One part of so many may be newer: looking at its chunks takes a text 0.1 ms for 100, making all lists anew 4 s of CPU
# for 100,000.
_MOST_NEWER = 10
_FILES_AT_ONCE = 100
_LISTS_AT_ONCE = 1_000


def note_newer(writer: IndexWriter) -> None:
    """A step: files that were written or got another class since the lists were made, and those that went."""
    newer = writer.files_written - writer.files_posted
    writer.mark_newer(newer | writer.files_removed | writer.files_classified)


def post(run: Run) -> None:
    """Make the lists if the index is large and has none, or too much is newer; a small one needs none."""
    before = 0 if run.writer.building else run.record.chunk_count
    chunk_count = run.chunk_count
    if max(chunk_count, before) < _KEPT_CHUNKS and not run.writer.files_posted:
        return
    known = how_much(run.conn, run.writer.index_id)
    if known is None and chunk_count < POSTING_MIN_CHUNKS:
        return
    if known is not None and chunk_count >= _KEPT_CHUNKS and known.newer * _MOST_NEWER <= chunk_count:
        return
    if known is not None:
        run.writer.clear("grams", None)
        run.writer.clear("posted_files", None)
    if chunk_count >= _KEPT_CHUNKS:
        _post_all(run.writer)
        if not run.writer.building:
            partitions.analyze(run.conn, run.writer.index_id, ("grams", "posted_files"))


def _post_all(writer: IndexWriter) -> None:
    from cocosearch_py.indexing.gram_lists import lists_of  # brings numpy

    files = files_to_post(writer.conn, writer.index_id)
    first, rows = 0, []
    for file_id, chunk_count in files:
        rows.append(posted_file_row(writer.index_id, file_id, first))
        first += chunk_count
    writer.write({"posted_files": rows})
    writer.add_key("chunks")
    texts = _texts(writer, [file_id for file_id, _ in files])
    for segment in range(-(-first // SEGMENT_CHUNKS)):
        lists = lists_of(islice(texts, SEGMENT_CHUNKS))
        while some := list(islice(lists, _LISTS_AT_ONCE)):
            rows = [gram_row(writer.index_id, gram, segment, count, chunks) for gram, count, chunks in some]
            writer.write({"grams": rows})


def _texts(writer: IndexWriter, file_ids: Sequence[int]) -> Iterator[str]:
    """Texts of all chunks in the order of their numbers."""
    for start in range(0, len(file_ids), _FILES_AT_ONCE):
        yield from texts_of_files(writer.conn, writer.index_id, file_ids[start : start + _FILES_AT_ONCE])
