"""One run over one folder, stage by stage: plan, contents, what needs all files, finish.

Everything that readers see of a run is one transaction: the index is as it was until it ends, and a crash leaves it so.
A run that is stopped, or whose embedder gives up, commits what is complete file by file and says so.
"""

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from cocosearch_py.discovery.extent import bulky_folders, confirmation_needed, is_wide
from cocosearch_py.discovery.git import repository_state
from cocosearch_py.discovery.origin import open_origin
from cocosearch_py.errors import IndexCollisionError, IndexNotFoundError, WorkspaceError
from cocosearch_py.indexing.checkpoint import drop_abandoned, take_up
from cocosearch_py.indexing.classes import Classifier
from cocosearch_py.indexing.finish import explained_failure, finish_unchanged, worth_analyzing
from cocosearch_py.indexing.options import ContentOptions, IndexingOptions
from cocosearch_py.indexing.plan import Plan, make_plan, retry_plan, without_killed
from cocosearch_py.indexing.postings import post
from cocosearch_py.indexing.progress import ACQUIRE, Progress, RunReport
from cocosearch_py.indexing.run import Resources, Run, RunControl
from cocosearch_py.model.files import FileStatus
from cocosearch_py.model.indexes import CLOCK_TICK, FORMAT_VERSION, IndexRecord, base_name, check_name, in_ns
from cocosearch_py.model.paths import storable_path
from cocosearch_py.model.ports import Embedder
from cocosearch_py.storage.connection import Connection, commit_lazily
from cocosearch_py.storage.queries import identities
from cocosearch_py.storage.queries.changes import add_seen
from cocosearch_py.storage.queries.cleared import drop_expired
from cocosearch_py.storage.queries.indexes import (
    PATIENCE_S,
    find_by_name,
    free_table_name,
    lock_for_writing,
)
from cocosearch_py.storage.write import partitions
from cocosearch_py.storage.write.writer import IndexWriter, StoredFile, load_ledger

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
        if run.writer.building or not run.plan.is_empty:
            from cocosearch_py.indexing.stages import execute  # brings all parsers, which many runs do without

            execute(run)
        else:
            post(run)
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
    """Lock the index, then look at folder and ledger: what another run added before is seen by both."""
    lock_for_writing(conn, name, PATIENCE_S)
    old = find_by_name(conn, name)
    control.progress(Progress(ACQUIRE))
    if options.only_failed:
        options = _as_before(name, old, options)
    record = intended_record(root, name, old, options, resources.model(vector=options.content.vector))
    if options.only_failed and old is not None:
        _check_same(old, record, options)
        record = replace(record, git_branch=old.git_branch, git_commit=old.git_commit)
    if old is None:
        record = replace(record, table_name=free_table_name(conn, name))
    building = old is None or why_rebuilt(old, record, options) is not None
    kept = take_up(conn, record, useful=building and not options.fresh)
    if kept is not None:
        record = replace(record, index_id=kept.index_id)
    stored = load_ledger(conn, record.index_id) if kept or not building else {}
    if control.tries_killed and not control.is_suspect:
        stored = without_killed(stored)
    read_ns = in_ns(kept.read_at) if kept else record.read_ns
    began_at = datetime.now(UTC) - CLOCK_TICK
    plan = _plan(root, options, (stored, read_ns), is_new=old is None, asks=not (old or kept or options.confirmed))
    report = RunReport(
        record.name,
        record.root_path,
        record.table_name,
        files_unchanged=plan.unchanged[FileStatus.INDEXED],
        files_skipped=plan.unchanged[FileStatus.SKIPPED],
        files_failed=plan.unchanged[FileStatus.FAILED],
        folders_skipped=plan.unchanged_folders,
        files_in_skipped_folders=plan.files_in_unchanged_folders,
        chunks=record.chunk_count,
        warnings=(
            *options.remarks,
            *(bulky_folders(file.path for file in plan.to_read) if old is None else ()),
        ),
    )
    if building and kept is None:
        size_bytes = sum(file.size_bytes for file in plan.to_read)
        chunks = int(size_bytes / (_CHUNK_FILLED * options.content.chunk_bytes))
        record = replace(record, index_id=partitions.new_id(conn, chunks))
    writer = IndexWriter(conn, record.index_id, old.index_id if old else None)
    if kept is not None:
        writer.go_on(without=[file.file_id for file in plan.forget_replaced()])
    run = Run(conn, root, record, old is None, plan, writer, options, resources, control, report)
    run.began_at = began_at
    run.other_settings = old is not None and old.options != record.options
    run.resumable = building and (old is None or not options.fresh)
    return run


def _as_before(name: str, old: IndexRecord | None, options: IndexingOptions) -> IndexingOptions:
    """The options with which the index was made; raises IndexNotFoundError."""
    if old is None:
        hint = "index the whole folder first"
        raise IndexNotFoundError(f"no index '{name}' exists whose failed files could be retried", hint=hint)
    return replace(options, content=ContentOptions.from_stored(old.options), fresh=False)


def _check_same(old: IndexRecord, new: IndexRecord, options: IndexingOptions) -> None:
    reason = why_rebuilt(old, new, options) if old.status == "complete" else "it is incomplete"
    if reason is not None:
        raise WorkspaceError(
            f"index '{old.name}' needs a full run ({reason}), not only a retry of failed files",
            hint=f"run `cocosearch-py index {old.root_path}`",
        )


def _plan(
    root: Path, options: IndexingOptions, known: tuple[dict[str, StoredFile], int], *, is_new: bool, asks: bool
) -> Plan:
    """Walk the folder and compare; of a new index, refuse what is nothing, and ask about what is too much.

    `known`: the ledger, and `Plan.read_ns`.
    """
    origin = open_origin(root, options.commit)
    found = origin.walk(replace(options.discovery, bounded=asks))
    classes = Classifier(root, [one.path for one in found], options.content_classes, origin.attributes)
    make = retry_plan if options.only_failed else make_plan
    plan = make(found, known[0], classes.name, known[1])
    if asks and is_wide(root, options.home):
        raise confirmation_needed(root, len(plan.to_read), sum(file.size_bytes for file in plan.to_read), wide=True)
    if is_new and not (plan.to_read or plan.ledger_only or plan.unchanged):
        where = f"{root} at commit {options.commit[:12]}" if options.commit else str(root)
        raise WorkspaceError(f"no files in {where}", hint="name a folder that contains source files")
    return plan


def intended_record(
    root: Path, name: str, old: IndexRecord | None, options: IndexingOptions, embedder: Embedder
) -> IndexRecord:
    """The row that a run will write, counts still those of the last run; a new index has no `table_name` yet.

    Raises:
        IndexCollisionError: the name belongs to another folder, or to another commit.
    """
    root_path = storable_path(str(root))
    if old is not None and old.root_path != root_path:
        raise IndexCollisionError(
            f"index '{name}' belongs to {old.root_path}, not to {root_path}",
            hint=f"choose another name with --name, or remove the old index with `cocosearch-py clear {name}`",
        )
    if old is not None and options.commit not in (None, old.git_commit):
        raise IndexCollisionError(
            f"index '{name}' is of commit {old.git_commit}, whose id starts like {options.commit}",
            hint=f"remove it with `cocosearch-py clear {name}`",
        )
    branch, commit = options.revision or _checked_out(root)
    now = datetime.now(UTC)
    return IndexRecord(
        index_id=old.index_id if old else 0,  # a build takes one
        name=name,
        table_name=old.table_name if old else "",
        root_path=root_path,
        status=old.status if old else "complete",
        generation=old.generation if old else 0,
        format_version=FORMAT_VERSION,
        options=options.stored(),
        embedding_model=embedder.name,
        embedding_dimension=embedder.dimension,
        chunk_count=old.chunk_count if old else 0,
        file_count=old.file_count if old else 0,
        git_branch=branch,
        git_commit=commit,
        weights=old.weights if old else None,
        created_at=old.created_at if old else now,
        updated_at=now,
        seconds=old.seconds if old else 0.0,
        bytes_per_second=old.bytes_per_second if old else None,
        ulid=old.ulid if old else "",  # a run reserves one
        read_at=old.read_at if old else None,
    )


def _checked_out(root: Path) -> tuple[str | None, str | None]:
    """Branch and commit of the folder's work tree."""
    state = repository_state(root)
    return (state.branch, state.commit) if state else (None, None)


def why_rebuilt(old: IndexRecord, new: IndexRecord, options: IndexingOptions) -> str | None:
    """Why unchanged files of the old index cannot stay as they are, in words; None when they can."""
    if options.fresh:
        return "a full rebuild was requested"
    if old.format_version != new.format_version:
        return "it was built by another version of the program"
    if (old.embedding_model, old.embedding_dimension) != (new.embedding_model, new.embedding_dimension):
        return f"its vectors come from the model {old.embedding_model}"
    changed = sorted(key for key in {*old.options, *new.options} if old.options.get(key) != new.options.get(key))
    return f"settings changed: {', '.join(changed)}" if changed else None
