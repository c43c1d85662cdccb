"""One run over one folder: plan, prepare in workers, write, commit.

Everything of a run is one transaction: readers see the index as it was until it ends, and a crash leaves it so. An
interrupted run commits what is complete file by file and says so.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from cocosearch_py.discovery.git import repository_state
from cocosearch_py.discovery.walk import discover
from cocosearch_py.errors import IndexCollisionError, ValidationError, WorkspaceError
from cocosearch_py.indexing.options import FORMAT_VERSION, IndexingOptions
from cocosearch_py.indexing.plan import Plan, make_plan
from cocosearch_py.indexing.pool import WorkerPool
from cocosearch_py.indexing.prepare import BatchTask, FileTask, PreparedBatch, add_vectors, prepare_batch
from cocosearch_py.indexing.progress import Progress, ProgressSink, RunReport
from cocosearch_py.model.files import FileStatus
from cocosearch_py.model.ports import Embedder
from cocosearch_py.storage import partitions
from cocosearch_py.storage.indexes import (
    IndexRecord,
    find_by_name,
    free_table_name,
    lock_for_writing,
    next_id,
    save,
    storable_path,
)
from cocosearch_py.storage.lexemes import position
from cocosearch_py.storage.rows import FileRow, file_row, lexeme_row
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.writer import IndexWriter, load_ledger

_BATCH_BYTES = 200_000  # about 0.2 s of a worker: smooth progress, little overhead per batch
_BATCH_FILES = 64
_IN_PROCESS_BYTES = 300_000  # starting workers costs more than preparing this much here
_REPORT_INTERVAL_S = 0.1
MAX_NAME_CHARS = 100


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with. `embed_here` is set when vectors are made by this process, not by the workers."""

    database: Database
    pool: WorkerPool
    embedder: Embedder
    embed_here: bool


@dataclass(frozen=True, slots=True)
class Watch:
    """How a run talks to its caller."""

    progress: ProgressSink
    cancelled: Callable[[], bool]


def check_name(name: str) -> str:
    """Return the name if an index can have it.

    Raises:
        ValidationError: empty, over MAX_NAME_CHARS, or with characters that break command lines and SQL names.
    """
    bad = sorted({char for char in name if not (char.isalnum() or char in "._- ")})
    if name.strip() != name or not name or len(name) > MAX_NAME_CHARS or bad:
        detail = f" (not allowed: {' '.join(map(repr, bad))})" if bad else ""
        raise ValidationError(
            f"'{name[:60]}' cannot be an index name{detail}",
            hint=f"use 1 to {MAX_NAME_CHARS} letters, digits, '.', '_', '-' or inner spaces",
        )
    return name


def run_indexing(root: Path, name: str, options: IndexingOptions, tools: Tools, watch: Watch) -> RunReport:
    """Bring index `name` up to date with the folder `root`, creating it if needed.

    Raises:
        WorkspaceError: no such folder, or nothing in it to index.
        IndexCollisionError: the name belongs to another folder.
        BusyError: another process is writing this index.
    """
    started = time.monotonic()
    check_name(name)
    root = root.resolve()
    watch.progress(Progress("scanning"))
    found = discover(root, options.discovery)
    with tools.database.writing() as conn:
        lock_for_writing(conn, name)
        record = _open_record(conn, root, name, options, tools.embedder)
        old = find_by_name(conn, name)
        building = old is None or options.fresh or not _same_shape(old, record)
        stored = {} if building else load_ledger(conn, record.table_name)
        plan = make_plan(found, stored)
        if old is None and not (plan.to_read or plan.ledger_only):
            raise WorkspaceError(f"no files in {root}", hint="give a folder that holds source files")
        run = _Run(conn, record, plan, tools, watch, building)
        if not plan.is_empty or building:
            run.execute(root, options, started)
        elif old is not None:
            save(conn, replace(record, status="complete", pending_file_count=0))
    if run.worth_analyzing:
        with tools.database.writing() as conn:
            partitions.analyze(conn, record.table_name)
    rebuilt = building and old is not None and not run.report.interrupted
    return replace(run.report, seconds=time.monotonic() - started, rebuilt=rebuilt)


def _open_record(
    conn: psycopg.Connection, root: Path, name: str, options: IndexingOptions, embedder: Embedder
) -> IndexRecord:
    """The row this run will write, counts still those of the last run."""
    old = find_by_name(conn, name)
    root_path = storable_path(str(root))
    if old is not None and old.root_path != root_path:
        raise IndexCollisionError(
            f"index '{name}' belongs to {old.root_path}, not to {root_path}",
            hint=f"choose another name with --name, or remove the old index with `cocosearch-py clear {name}`",
        )
    state = repository_state(root)
    now = datetime.now(UTC)
    return IndexRecord(
        index_id=old.index_id if old else next_id(conn),
        name=name,
        table_name=old.table_name if old else free_table_name(conn, name),
        root_path=root_path,
        status=old.status if old else "complete",
        generation=old.generation if old else 0,
        format_version=FORMAT_VERSION,
        options=options.stored(),
        embedding_model=embedder.name,
        embedding_dimension=embedder.dimension,
        chunk_count=old.chunk_count if old else 0,
        file_count=old.file_count if old else 0,
        git_branch=state.branch if state else None,
        git_commit=state.commit if state else None,
        weights=old.weights if old else None,
        created_at=old.created_at if old else now,
        updated_at=now,
        seconds=old.seconds if old else 0.0,
    )


def _same_shape(old: IndexRecord, new: IndexRecord) -> bool:
    """Whether unchanged files of the old index can stay as they are."""
    return (old.format_version, old.options, old.embedding_model, old.embedding_dimension) == (
        *(new.format_version, new.options, new.embedding_model, new.embedding_dimension),
    )


class _Run:
    """The writing part of one run."""

    def __init__(
        self, conn: psycopg.Connection, record: IndexRecord, plan: Plan, tools: Tools, watch: Watch, building: bool
    ) -> None:
        self._record, self._plan, self._tools, self._watch = record, plan, tools, watch
        self._conn = conn
        self._writer = IndexWriter(conn, record.index_id, record.table_name, building)
        self._building = building
        self._done = 0
        self._symbols = 0
        self._last_report = 0.0
        self.worth_analyzing = False
        self.report = RunReport(
            record.name,
            record.root_path,
            record.table_name,
            files_unchanged=plan.unchanged,
            files_skipped=plan.unchanged_skipped,
            chunks=record.chunk_count,
        )

    def execute(self, root: Path, options: IndexingOptions, started: float) -> None:
        self._writer.begin()
        self._write_ledger_only()
        interrupted = self._write_content(root, options)
        if interrupted and self._building and self._record.generation:
            self._give_up()
            return
        self._watch.progress(Progress("finishing", self._done, len(self._plan.to_read), self._writer.chunks_written))
        self._finish(interrupted, started)

    def _give_up(self) -> None:
        """Keep the complete old generation instead of an unfinished rebuild."""
        self._conn.rollback()
        self.report = RunReport(
            *(self._record.name, self._record.root_path, self._record.table_name),
            files_unchanged=self._record.file_count,
            files_pending=len(self._plan.to_read),
            chunks=self._record.chunk_count,
            interrupted=True,
            warnings=("the rebuild was stopped; the index is as it was before",),
        )

    def _write_ledger_only(self) -> None:
        """Rows that need no reading: skipped, failed at the walk, gone."""
        gone = self._plan.gone
        self._remove([file.file_id for file in gone if file.chunk_count], with_content=True)
        self._remove([file.file_id for file in gone if not file.chunk_count], with_content=False)
        rows = self._plan.ledger_only
        old = [self._plan.replaced[row.file_id] for row in rows if row.file_id in self._plan.replaced]
        self._remove([file.file_id for file in old], with_content=any(file.chunk_count for file in old))
        self._writer.write({"files": [file_row(self._record.index_id, row) for row in rows]}, {})
        removed = sum(file.status == FileStatus.INDEXED for file in [*gone, *old])
        self.report = replace(
            self.report,
            files_removed=removed,
            files_skipped=self.report.files_skipped + sum(row.status == FileStatus.SKIPPED for row in rows),
            files_failed=self.report.files_failed + sum(row.status == FileStatus.FAILED for row in rows),
        )

    def _write_content(self, root: Path, options: IndexingOptions) -> bool:
        """Read, prepare and write what changed; True when the caller cancelled."""
        tasks = _batches(self._plan.to_read, root, self._record.index_id, options)
        results: Iterator[tuple[BatchTask, PreparedBatch | None]]
        if sum(file.size_bytes for file in self._plan.to_read) <= _IN_PROCESS_BYTES:
            embedder = None if self._tools.embed_here else self._tools.embedder
            results = ((task, prepare_batch(task, embedder)) for task in tasks)
        else:
            results = self._tools.pool.run(tasks)
        with closing(results):  # type: ignore[type-var]
            for task, batch in results:
                self._write_batch(task, batch)
                if self._watch.cancelled():
                    return self._done < len(self._plan.to_read)
        return False

    def _write_batch(self, task: BatchTask, batch: PreparedBatch | None) -> None:
        if batch is None:
            batch = _crashed(task)
        if batch.to_embed:
            add_vectors(batch, self._record.index_id, self._tools.embedder)
        replaced = self._plan.replaced
        old = [replaced[file.file_id] for file in (*batch.written, *batch.vanished) if file.file_id in replaced]
        self._remove([file.file_id for file in old], with_content=any(file.chunk_count for file in old))
        self._writer.write(batch.rows, batch.document_frequencies)
        self._writer.touch((file.file_id, file.mtime_ns) for file in batch.touched)
        self._count(batch, {file.file_id for file in old if file.status == FileStatus.INDEXED})
        self._done += len(task.files)
        if time.monotonic() - self._last_report > _REPORT_INTERVAL_S:
            self._last_report = time.monotonic()
            total = len(self._plan.to_read)
            self._watch.progress(Progress("indexing", self._done, total, self._writer.chunks_written))

    def _count(self, batch: PreparedBatch, old_indexed: set[int]) -> None:
        updated = len(batch.indexed_ids & old_indexed)
        touched = sum(self._plan.replaced[file.file_id].status == FileStatus.INDEXED for file in batch.touched)
        report = self.report
        self._symbols += batch.symbols
        self.report = replace(
            report,
            files_added=report.files_added + batch.indexed - updated,
            files_updated=report.files_updated + updated,
            files_removed=report.files_removed + len(old_indexed) - updated,
            files_unchanged=report.files_unchanged + touched,
            files_skipped=report.files_skipped + batch.skipped + len(batch.touched) - touched,
            files_failed=report.files_failed + batch.failed,
        )

    def _remove(self, file_ids: list[int], *, with_content: bool) -> None:
        self._writer.remove(file_ids, with_content=with_content)

    def _finish(self, interrupted: bool, started: float) -> None:
        changes = self._writer.document_frequencies()
        index_id = self._record.index_id
        lexemes = [lexeme_row(index_id, term, position(term), df) for term, df in changes.items()]
        before = 0 if self._building else self._record.chunk_count
        chunk_count = before + self._writer.chunks_written - self._writer.chunks_removed
        file_count = self._writer.count_indexed_files()
        self._writer.finish(lexemes, chunk_count)
        pending = len(self._plan.to_read) - self._done
        save(
            self._conn,
            replace(
                self._record,
                status="interrupted" if interrupted else "complete",
                generation=self._record.generation + 1,
                chunk_count=chunk_count,
                file_count=file_count,
                pending_file_count=pending if interrupted else 0,
                updated_at=datetime.now(UTC),
                seconds=time.monotonic() - started,
            ),
        )
        changed = self._writer.chunks_written + self._writer.chunks_removed
        self.worth_analyzing = changed > max(partitions.GIN_MIN_CHUNKS, chunk_count // 10)
        self.report = replace(
            self.report, interrupted=interrupted, files_pending=pending, chunks=chunk_count, symbols=self._symbols
        )


def _batches(files: list[FileTask], root: Path, index_id: int, options: IndexingOptions) -> Iterator[BatchTask]:
    """Cut the work into batches of like size, in path order so that readers of the disk stay local."""
    batch: list[FileTask] = []
    size = 0
    for file in files:
        batch.append(file)
        size += file.size_bytes
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_FILES:
            yield BatchTask(str(root), index_id, tuple(batch), options.content)
            batch, size = [], 0
    if batch:
        yield BatchTask(str(root), index_id, tuple(batch), options.content)


def _crashed(task: BatchTask) -> PreparedBatch:
    """Ledger rows for files that killed or hung their worker."""
    batch = PreparedBatch()
    for file in task.files:
        row = FileRow(
            file.file_id,
            file.path,
            FileStatus.FAILED,
            size_bytes=file.size_bytes,
            mtime_ns=file.mtime_ns,
            error="the parser crashed or did not end on this file",
        )
        batch.rows["files"].append(file_row(task.index_id, row))
        batch.written.append(file)
        batch.failed += 1
    return batch
