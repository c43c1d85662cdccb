"""The stage that copies what another index of the database already has: the same file with the same content.

A new worktree, or a branch that another worktree has checked out, is hashed and not parsed; only the difference is
left to be read. What tells whether rows can be copied is in docs/adr/0012.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from cocosearch_py.discovery.origin import open_reader
from cocosearch_py.discovery.reading import hash_of
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.indexing.checkpoint import keep
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.plan import class_in_copy
from cocosearch_py.indexing.progress import PARSE
from cocosearch_py.indexing.run import Resources, Run
from cocosearch_py.indexing.tasks import FileTask
from cocosearch_py.model.files import FileStatus
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.stats import storage_bytes
from cocosearch_py.storage.schema.partitions import is_shared
from cocosearch_py.storage.write.reuse import (
    SameFile,
    Source,
    copy_files,
    copy_whole,
    hold,
    ledger_of,
    most_alike,
    of_same_shape,
)
from cocosearch_py.storage.write.writer import Copied, StoredFile

_SAMPLE_FILES = 32  # an index that has a tenth of the files is missed once in thirty times
_MOST_SOURCES = 3  # what the nearest has not is mostly new, or in the next one


def reuse(run: Run) -> None:
    """Copy the rows of files that other indexes have with the same path and content; the others are left to be read."""
    for source in _sources(run.conn, run.record, run.options, run.left, run.resources):
        if run.left:
            _copy_from(run, source)


def foretell_reuse(
    conn: Connection,
    root: Path,
    record: IndexRecord,
    options: IndexingOptions,
    files: Sequence[FileTask],
    resources: Resources,
) -> set[int]:
    """Return the ids of the files that a run would copy."""
    found: set[int] = set()
    for source in _sources(conn, record, options, files, resources):
        left = [file for file in files if file.file_id not in found]
        stored = ledger_of(conn, source.index_id, [file.file_id for file in left])
        found |= _same_files(root, options, left, stored, lambda: False).keys()
    return found


def _sources(
    conn: Connection, record: IndexRecord, options: IndexingOptions, files: Sequence[FileTask], resources: Resources
) -> list[Source]:
    """Where to look for the files, the best first.

    Not for little: preparing it takes no longer than asking. Not for a run that is to build anew.
    """
    size = sum(file.size_bytes for file in files if file.known_error is None)  # it will hardly be readable now
    if options.fresh or not (size > resources.thresholds.copy_bytes or (resources.embed_here and files)):
        return []
    sources = of_same_shape(conn, record, options.may_see)
    if not sources:
        return []
    step = -(-len(files) // _SAMPLE_FILES)
    sample = [(file.file_id, file.size_bytes) for file in files[::step]]
    return most_alike(conn, sources, sample, _MOST_SOURCES)


def _copy_from(run: Run, source: Source) -> None:
    left = run.left
    stored = ledger_of(run.conn, source.index_id, [file.file_id for file in left])
    same = _same_files(run.root, run.options, left, stored, run.control.cancelled)
    if not same or run.control.cancelled():
        return
    copied = _copied(run, source, same)
    if copied is None:
        return
    run.writer.count_copied(copied)
    for file_id in copied.files:
        run.counts.change(run.plan.replaced.get(file_id), same[file_id].status)
        run.counts.files_reused += same[file_id].status == FileStatus.INDEXED
    run.left = [file for file in left if file.file_id not in copied.files]
    run.files_done += len(copied.files)
    run.bytes_done += sum(file.size_bytes for file in left if file.file_id in copied.files)
    run.changed |= bool(copied.files)
    run.tell(PARSE)


def _copied(run: Run, source: Source, same: dict[int, SameFile]) -> Copied | None:
    """Copy rows, by two connections where that pays; None when the source has gone."""
    index_id, files, is_all = run.writer.index_id, list(same.values()), len(same) == len(run.left)
    if _is_whole(run, source, same):
        database = run.resources.database
        with database.writing_beside() as first, database.writing_beside() as second:
            if first and second and keep(run, to_go_on=False):
                if not hold(run.conn, source.index_id):
                    return None
                database.require_room(storage_bytes(run.conn, source.index_id))
                return copy_whole(first, second, source, index_id, files, is_all=is_all)
    if not hold(run.conn, source.index_id):
        return None
    run.remove([run.plan.replaced[file_id] for file_id in same if file_id in run.plan.replaced])
    return copy_files(run.conn, source, index_id, files, is_empty=run.writer.is_empty, is_all=is_all)


def _is_whole(run: Run, source: Source, same: dict[int, SameFile]) -> bool:
    """Whether two connections copy: nearly all of a large build, and most of the source.

    The rest comes into complete tables.
    """
    thresholds, writer = run.resources.thresholds, run.writer
    if not (run.resumable and writer.is_empty and run.resources.database.has_many_connections):
        return False
    chunks = sum(file.chunk_count for file in same.values())
    size = sum(file.size_bytes for file in run.left if file.file_id not in same)
    is_most = 2 * chunks >= source.chunk_count and size <= thresholds.read_share * run.bytes_total
    return is_most and chunks in thresholds.copied_by_two and not is_shared(writer.index_id)


def _same_files(
    root: Path,
    options: IndexingOptions,
    files: Sequence[FileTask],
    stored: dict[str, StoredFile],
    cancelled: Callable[[], bool],
) -> dict[int, SameFile]:
    """Those of the files, by their ids, that have the content of the stored file of their path."""
    same: dict[int, SameFile] = {}
    limit = options.discovery.max_file_size_bytes
    with open_reader(str(root), limit, of_commit=options.revision is not None) as folder:
        for file in files:
            other = stored.get(file.path)
            if other is None or other.size_bytes != file.size_bytes or other.content_hash is None:
                continue
            told = class_in_copy(file, other)
            if told is None:
                continue
            try:
                data = folder.read(file.source)
            except OSError:  # which whoever prepares it records
                continue
            if not isinstance(data, Skip) and file.known_hash != hash_of(data) == other.content_hash:
                same[file.file_id] = SameFile(
                    file.file_id, other.content_hash, other.status, other.chunk_count, file.mtime_ns, *told
                )
            if cancelled():
                break
    return same
