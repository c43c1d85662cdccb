"""The stage that ends a run: the index in its place and its row written, or everything as it was before."""

import time
from dataclasses import replace
from datetime import UTC, datetime

from cocosearch_py.errors import CocosearchError
from cocosearch_py.indexing.change_counts import seen_changes
from cocosearch_py.indexing.checkpoint import keep
from cocosearch_py.indexing.file_counts import FileCounts
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.indexing.run import Run
from cocosearch_py.model.indexes import IndexRecord, Status
from cocosearch_py.storage.queries import builds
from cocosearch_py.storage.queries.indexes import save
from cocosearch_py.storage.queries.stats import storage_bytes
from cocosearch_py.storage.schema.partitions import is_shared
from cocosearch_py.storage.schema.registry import GIN_MIN_CHUNKS

# Of what the tables take: keys and search indexes a quarter, one over vectors some more, as does sorting meanwhile.
_SEARCH_INDEXES = 0.5
_TELLING_EFFORT = 50_000.0  # a run that does less spends its time on starting and ending, one that copies on that


def finish(run: Run) -> None:
    """Put the index in its place and write its row; with files pending it is `interrupted`.

    Raises:
        DatabaseFullError: the disk has no room for its search indexes.
    """
    run.seen = seen_changes(run)  # the rows of the old index may be gone afterwards
    if not run.writer.completed:
        _require_room(run)
    chunk_count, file_count = run.chunk_count, run.writer.count_indexed_files()
    if run.writer.completed:  # nearly all was copied
        run.writer.complete(chunk_count)
        run.has_statistics = True
    run.record = replace(
        run.record,
        index_id=run.writer.finish(chunk_count, run.resources.database.own_leaf_chunks),
        generation=run.record.generation + 1,
        chunk_count=chunk_count,
        file_count=file_count,
        updated_at=datetime.now(UTC),
        seconds=time.monotonic() - run.started,
        bytes_per_second=_rate(run),
    )
    _save(run, run.record)
    builds.forget(run.conn, run.record.name)
    run.report = replace(run.report, chunks=chunk_count)


def _require_room(run: Run) -> None:
    """Nobody looks while search indexes are made."""
    if run.writer.building and not is_shared(run.writer.index_id):
        written = storage_bytes(run.conn, run.writer.index_id)
        run.resources.database.require_room(int(written * _SEARCH_INDEXES))


def _rate(run: Run) -> float | None:
    """How fast such files are prepared here, if the run tells."""
    if run.effort < _TELLING_EFFORT or run.counts.files_reused:
        return run.record.bytes_per_second
    from cocosearch_py.indexing.cost_model import rate_of  # brings all languages

    return rate_of(run.effort, time.monotonic() - run.connected)


def finish_unchanged(run: Run) -> None:
    """Write the row of an index whose content is as it was; when it was read, and what is checked out, may be new."""
    _save(run, run.record)


def keep_old(run: Run) -> None:
    """Leave the old index as it is instead of putting an unfinished rebuild in its place."""
    kept = run.resumable and keep(run)
    if not kept:
        run.conn.rollback()
    record = run.record
    run.counts, run.symbols = FileCounts(files_unchanged=record.file_count), 0
    run.report = RunReport(
        *(record.name, record.root_path, record.table_name),
        files_pending=run.files_total,
        chunks=record.chunk_count,
        interrupted=True,
        warnings=(
            "the rebuild was stopped; the index is unchanged" + (", and the next run continues" if kept else ""),
        ),
    )


def worth_analyzing(run: Run) -> bool:
    """Whether so much has changed that the planner's statistics mislead."""
    if run.keeps_old or run.has_statistics:
        return False
    changed = run.writer.chunks_written + run.writer.chunks_removed
    if run.record.index_id != run.writer.index_id:  # it moved
        return True
    return changed > max(GIN_MIN_CHUNKS, run.report.chunks // 10)


def explained_failure(run: Run, failure: CocosearchError) -> CocosearchError:
    """Add to an error that ended a run early what is kept of the run."""
    kept = f"{run.files_done:,} of {run.files_total:,} files are done; index the folder again to continue from there"
    if run.keeps_old:
        kept = "the index is unchanged and can still be searched"
    failure.hint = f"{failure.hint}; {kept}" if failure.hint else kept
    return failure


def _save(run: Run, record: IndexRecord) -> None:
    status: Status = "interrupted" if run.pending else "complete"
    record = replace(record, status=status, pending_file_count=run.pending, read_at=_read_at(run))
    save(run.conn, record, changed=run.changed)
    run.report = replace(run.report, interrupted=run.pending > 0, files_pending=run.pending)


def _read_at(run: Run) -> datetime | None:
    """Up to when the index has what the system changed; see `IndexRecord`.

    An update that has not looked at all files knows that of none: what it left out may have changed before it began. A
    build has no files but those that it read.
    """
    if run.record.commit is not None:
        return None
    is_partial = run.pending > 0 or run.options.only_failed
    return run.record.read_at if is_partial and not run.writer.building else run.began_at
