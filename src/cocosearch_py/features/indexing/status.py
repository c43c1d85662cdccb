"""Reports the progress of runs, the state of indexes, and why files are in them or not."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from msgspec import structs

from cocosearch_py.app import App
from cocosearch_py.catalog.selection import project_root
from cocosearch_py.discovery.revisions import changed_paths
from cocosearch_py.errors import IndexNotFoundError, NotFoundError, NotIndexedError, ValidationError
from cocosearch_py.features.indexing.tools import (
    AllJobs,
    FailedItem,
    IndexState,
    IndexStatusArguments,
    JobItem,
    Stale,
    WhyArguments,
)
from cocosearch_py.indexing.pending import MOST_FILES, count_pending
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.verdicts import Verdict
from cocosearch_py.tools.answers import timestamp
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Waiting, with_values
from cocosearch_py.tools.runs import find_job, index_of, progress, run_stats

Status = JobItem | AllJobs | IndexState
MAX_WAIT_S = 30.0
MOST_CHECKED = 50
MOST_FAILED = 200  # Maximum number of files in a list.
_DONE = 100
_NO_RUN = "no index run found: index_codebase starts one, list_indexes shows all indexes"


def index_status(call: Call, asked: IndexStatusArguments) -> Status | Waiting[Status]:
    """Return the latest runs, one run, or the state of an index.

    Raises:
        ValidationError: too many files, or files without an index.
        NotFoundError, IndexNotFoundError: there is no such run or index.
    """
    if len(asked.check_files or ()) > MOST_CHECKED:
        raise ValidationError(
            f"{len(asked.check_files or ())} files are too many", hint=f"check at most {MOST_CHECKED} at once"
        )
    bounded = Bounded()
    wait_s = math.inf if asked.follow else bounded.value("wait_s", asked.wait_s, 0.0, MAX_WAIT_S)
    status = _status(call, asked, wait_s)
    if not bounded.notes:
        return status
    warnings = tuple(bounded.notes)
    if not isinstance(status, Waiting):
        return structs.replace(status, warnings=warnings)
    return replace(status, then=lambda job: structs.replace(status.then(job), warnings=warnings))


def _status(call: Call, asked: IndexStatusArguments, wait_s: float) -> Status | Waiting[Status]:
    of_files = bool(asked.files or asked.check_files)
    if of_files and asked.index_name is None and asked.job_id is None:
        raise ValidationError("no index given for these files", hint="name it with index_name (see list_indexes)")
    if asked.job_id is None and asked.index_name is None:
        return _all_jobs(call, asked, wait_s)
    try:
        job = find_job(call.jobs, asked.job_id, asked.index_name)
    except NotFoundError:
        if (named := _index_named(call, asked)) is None:
            raise
        return _status(call, named, wait_s)
    if asked.job_id is not None and job is not None and not of_files:
        return Waiting(job, wait_s, partial(_job, call))
    app = call.app()
    name = call.name_of(app, asked.index_name or "") if job is None else index_of(job)
    job = job or find_job(call.jobs, None, name)
    if job is None:
        return _index(call, app, name, asked)
    return Waiting(job, wait_s, partial(_both, call, app, name, asked))


def _all_jobs(call: Call, asked: IndexStatusArguments, wait_s: float) -> Status | Waiting[Status]:
    """Return all runs; the first that has not ended if it is to be followed."""
    jobs = call.jobs.all()
    current = next((job for job in jobs if not job.ended), None)
    if asked.follow and current is not None:
        return Waiting(current, wait_s, partial(_job, call))
    return AllJobs(success=True, jobs=tuple(_job(call, job) for job in jobs), hint="" if jobs else _NO_RUN)


def _index_named(call: Call, asked: IndexStatusArguments) -> IndexStatusArguments | None:
    """Return the arguments about the index whose name was given as a job; None if there is none."""
    if asked.job_id is None or asked.index_name is not None:
        return None
    app = call.app()
    name = call.name_of(app, asked.job_id)
    if all(record.name != name for record in (*call.visible(app), *call.unfinished(app))):
        return None
    return with_values(asked, {"job_id": None, "index_name": name})


def _both(call: Call, app: App, name: str, asked: IndexStatusArguments, job: JobStatus) -> JobItem | IndexState:
    """Return the state of an index with the run requested last; that run alone before the index exists."""
    run = _job(call, job)
    try:
        state = _index(call, app, name, asked, is_settled=job.ended)
    except IndexNotFoundError:
        if job.state == "completed":  # The index has been deleted since.
            raise
        return run
    return structs.replace(state, **structs.asdict(run))


def _index(call: Call, app: App, name: str, asked: IndexStatusArguments, *, is_settled: bool = True) -> IndexState:
    """Return the state of an index.

    Args:
        is_settled: whether no run of the index goes on.
    Raises:
        IndexNotFoundError: there is no such index.
    """
    unfinished = next((record for record in call.unfinished(app) if record.name == name), None)
    record = unfinished or call.named(app, name)
    moved = call.ask_drift(app, record)()
    is_there = unfinished is None
    symbols, words = app.catalog.count_content(record) if is_there else (0, 0)
    dirty, pending = _changes(call, record) if is_there and is_settled else (None, None)
    state = IndexState(
        success=True,
        index_name=record.name,
        index_id=record.ulid,
        state="completed" if record.status == "complete" else record.status,
        progress=int(_DONE * record.file_count / max(record.file_count + record.pending_file_count, 1)),
        files=record.file_count,
        chunks=record.chunk_count,
        symbols=symbols,
        words=words,
        seq=record.generation,
        last_indexed_at=timestamp(record.updated_at),
        branch=record.git_branch,
        commit=record.git_commit,
        dirty=dirty,
        pending_changes=pending,
        stale=None if moved is None else Stale(reason=moved),
    )
    if asked.files:
        failed = app.catalog.failed_files(record, MOST_FAILED) if is_there else []
        items = tuple(FailedItem(path=path, status=status, error=error) for path, status, error in failed)
        state = structs.replace(state, failed_files=items)
    if asked.check_files:
        checked = _checked(call, record if is_there else None, record, asked.check_files)
        state = structs.replace(state, checked_files=checked)
    return state


def _changes(call: Call, record: IndexRecord) -> tuple[bool | None, int | None]:
    """Return whether the folder of an index differs from its commit, and the number of new, changed and gone files."""
    root = Path(record.root_path)
    if record.commit is not None:
        return False, 0
    if record.is_detached or record.file_count > MOST_FILES or not root.is_dir():
        return None, None
    changes = changed_paths(root, "HEAD", None)
    app = call.app(root)
    return None if changes is None else bool(changes), count_pending(record, app.indexing_options(), app.database)


def _checked(call: Call, index: IndexRecord | None, record: IndexRecord, files: Sequence[str]) -> tuple[Verdict, ...]:
    """Return the verdicts on files, in their order, with the paths as they were given.

    Args:
        index: None while the first run goes on.
    """
    root = Path(record.root_path)
    if index is not None and index.is_detached:
        raise ValidationError(
            "the folder of this index is not on this machine", hint="list_files shows the files in the index"
        )
    verdicts = call.app(root).explain_files(root, [str(root / file) for file in files], index)
    return tuple(structs.replace(verdict, path=file) for file, verdict in zip(files, verdicts, strict=True))


def _job(call: Call, job: JobStatus) -> JobItem:
    error = {} if job.error is None else call.described(job.error)
    item = JobItem(success=True, **structs.asdict(progress(job)), **error)
    if not job.ended and job.current:
        item = structs.replace(item, current_operation=job.current)
    return item if job.result is None else structs.replace(item, stats=run_stats(job.result))


def why(call: Call, asked: WhyArguments) -> list[Verdict]:
    """Explain files of the caller's index; without one, of the project around the caller.

    Raises:
        ValidationError: no file is given.
        IndexNotFoundError: there is no such index.
    """
    if not asked.paths:
        raise ValidationError("no file given", hint="name files or folders: cocosearch-py why FILE")
    app, record, place = call.app(), _record(call), call.selection.place
    if record is None and place is not None:
        root = project_root(place.folders[0])
    else:
        root = Path(record.root_path if record is not None else ".")
    verdicts = app.explain_files(root, asked.paths, record)
    if record is not None:
        return verdicts
    hint = f"{root} has no index; `cocosearch-py index` creates one"
    return [structs.replace(verdict, hint=hint) for verdict in verdicts]


def _record(call: Call) -> IndexRecord | None:
    if call.selection.place is not None and not call.app().database.is_there:
        return None
    try:
        return call.find().records[0]
    except NotIndexedError:
        return None
