"""One run over one folder, stage by stage: plan, contents, what needs all files, finish.

Everything that readers see of a run is one transaction: the index is as it was until it ends, and a crash leaves it so.
A run that is stopped, or whose embedder gives up, commits what is complete file by file and says so.
"""

import time
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from cocosearch_py.discovery.extent import bulky_folders, confirmation_needed, is_wide
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.indexing.checkpoint import discard_build, drop_abandoned
from cocosearch_py.indexing.finish import explained_failure, finish_unchanged, worth_analyzing
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.plan import Plan
from cocosearch_py.indexing.progress import ACQUIRE, Progress, RunReport
from cocosearch_py.indexing.run import Resources, Run, RunControl
from cocosearch_py.indexing.start import Start, find_start, plan_folder
from cocosearch_py.model.indexes import base_name, check_name
from cocosearch_py.model.paths import storable_path
from cocosearch_py.storage.connection import Connection, commit_lazily
from cocosearch_py.storage.queries import identities
from cocosearch_py.storage.queries.changes import add_seen
from cocosearch_py.storage.queries.cleared import drop_expired
from cocosearch_py.storage.queries.indexes import (
    PATIENCE_S,
    free_table_name,
    lock_for_writing,
)
from cocosearch_py.storage.write import partitions
from cocosearch_py.storage.write.writer import IndexWriter

# How much of what a chunk may hold one holds, as it ends where a definition does: the median of 21 repositories.
_CHUNK_FILLED = 0.8


def run_indexing(
    root: Path, name: str, options: IndexingOptions, resources: Resources, control: RunControl
) -> RunReport:
    """Bring index `name` up to date with the folder `root`, creating it if needed.

    Raises:
        WorkspaceError: no such folder, or nothing in it to index.
        IndexCollisionError: the name belongs to another folder.
        BusyError: another process is writing this index.
        SafetyError: the folder would be indexed for the first time, is very wide or large, and nobody confirmed it.
        CocosearchError: embedder or workers gave up; the hint says what is kept.
    """
    started = time.monotonic()
    if not options.hidden:
        check_name(base_name(name) if options.revision else name)
    root = root.resolve()
    with resources.database.writing() as conn:
        connected = time.monotonic()
        ulid = identities.reserve(conn, name, storable_path(str(root)))
        conn.commit()  # others may ask for it while the run goes on
        run = _open_run(conn, root, name, options, resources, control)
        run.started, run.kept_at, run.connected = started, started, connected
        run.record = replace(run.record, ulid=run.record.ulid or ulid)
        if run.writer.building or run.left or not run.plan.is_empty:
            from cocosearch_py.indexing.stages import execute  # brings all parsers, which many runs do without

            execute(run)
        else:
            finish_unchanged(run)
            commit_lazily(conn)  # what is undone is found again
        drop_expired(conn)
        unused = partitions.unused(conn)
        drop_abandoned(conn)
        add_seen(conn, str(root), run.seen)  # last: it holds the log of the folder
        control.fence(conn)
    if unused or worth_analyzing(run):
        _tidy_up(run)
    if run.failure is not None:
        raise explained_failure(run, run.failure)
    rebuilt = run.writer.building and not run.is_new and not run.report.interrupted
    return replace(
        run.report,
        **asdict(run.counts),
        symbols=run.symbols,
        seconds=time.monotonic() - started,
        rebuilt=rebuilt,
        index_id=run.record.ulid,
        timeout_files=tuple(sorted(run.late.values())),
    )


def _tidy_up(run: Run) -> None:
    """After the commit, so that no reader waits for it: planner statistics, and leaves that no index has any more."""
    with run.resources.database.writing() as conn:
        if worth_analyzing(run):
            partitions.analyze(conn, run.record.index_id)
        partitions.drop_unused(conn)


def _open_run(
    conn: Connection,
    root: Path,
    name: str,
    options: IndexingOptions,
    resources: Resources,
    control: RunControl,
) -> Run:
    """Lock the index, then look at ledger and folder: both have what another run added before."""
    lock_for_writing(conn, name, PATIENCE_S)
    control.progress(Progress(ACQUIRE))
    tries_killed = control.tries_killed and not control.is_suspect
    start = find_start(conn, root, name, options, resources.model, tries_killed=tries_killed)
    old, record, build, options = start.old, start.record, start.build, start.options
    if build is None:
        discard_build(conn, name)
    if old is None:
        record = replace(record, table_name=free_table_name(conn, name))
    began_at = datetime.now(UTC) - resources.thresholds.clock_tick
    plan = _plan(root, start)
    warnings = bulky_folders(file.path for file in plan.to_read) if old is None else ()
    report = RunReport(
        *(record.name, record.root_path, record.table_name),
        chunks=record.chunk_count,
        warnings=(*options.remarks, *warnings),
    )
    if start.building and build is None:
        size_bytes = sum(file.size_bytes for file in plan.to_read)
        chunks = int(size_bytes / (_CHUNK_FILLED * options.content.chunk_bytes))
        record = replace(record, index_id=partitions.new_id(conn, own=chunks >= resources.database.own_leaf_chunks))
    writer = IndexWriter(conn, record.index_id, old.index_id if old else None)
    if build is not None:
        plan = plan.of_build()
        writer.go_on(without=[file.file_id for file in plan.forgotten])
    run = Run(conn, root, record, old is None, plan, writer, options, resources, control, report)
    run.began_at = began_at
    run.other_settings = old is not None and old.options != record.options
    run.resumable = start.building and (old is None or not options.fresh)
    return run


def _plan(root: Path, start: Start) -> Plan:
    """Plan the run; of a new index, refuse an empty folder, and ask about one that is too much."""
    options = start.options
    asks = not (start.old or start.build or options.confirmed)
    plan = plan_folder(root, options, start.ledger, start.read_ns, commit=options.commit, bounded=asks)
    if asks and is_wide(root, options.home):
        raise confirmation_needed(root, len(plan.to_read), sum(file.size_bytes for file in plan.to_read), wide=True)
    if start.old is None and not plan.has_files:
        where = f"{root} at commit {options.commit[:12]}" if options.commit else str(root)
        raise WorkspaceError(f"no files in {where}", hint="name a folder that contains source files")
    return plan
