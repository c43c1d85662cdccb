"""`index_status`, `cocosearch-py status`: how far indexing is, or what state an index is in."""

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from cocosearch_py.errors import IndexNotFoundError, NotFoundError, ValidationError
from cocosearch_py.features.indexing.tools import VerdictItem
from cocosearch_py.model.answers import Count
from cocosearch_py.tools.answer import plain
from cocosearch_py.tools.answers import Json, timestamp
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation, Waiting
from cocosearch_py.tools.runs import Progress, RunStats, find_job, index_of, progress, run_stats

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.jobs.registry import JobStatus
    from cocosearch_py.model.indexes import IndexRecord

MAX_WAIT_S = 30.0
MOST_CHECKED = 50
MOST_FAILED = 200  # files of a list
_DONE = 100
_NO_RUN = "no index run found: index_codebase starts one, list_indexes shows all indexes"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of index_status."""

    job_id: Annotated[
        str | None,
        About("From index_codebase"),
        Flag(metavar="[JOB]", help="Job ID or index name (default: all jobs)."),
    ] = None
    index_name: Annotated[
        str | None,
        About("Or the index; neither: all jobs"),
        Flag(names=("-n", "--name"), metavar="NAME", filled=True, help="Index name, instead of JOB."),
    ] = None
    wait_s: Annotated[float, About("Seconds to wait, 0-30")] = 0.0
    files: Annotated[
        bool,
        About("List files that failed or timed out in embedding"),
        UNLISTED,
        Flag(names=("--files",), help="List files that failed or timed out in embedding."),
    ] = False
    check_files: Annotated[
        list[str] | None,
        About("Report whether these files are indexed, and why not (at most 50, relative to the index's folder)"),
        UNLISTED,
        Flag(
            names=("--check",),
            metavar="FILE",
            help="Report whether FILE is indexed, and why not; can be repeated.",
        ),
    ] = None
    follow: Annotated[bool, Flag(names=("--watch",), help="Follow the job, or the running one, until it ends.")] = False


class Ended(TypedDict):
    """How a job ended: its error, or what it did."""

    error: NotRequired[str]
    error_type: NotRequired[str]
    message: NotRequired[str]
    details: NotRequired[Any]
    actionable_guidance: NotRequired[list[str]]
    stats: NotRequired[RunStats]


class JobItem(Progress, Ended):
    """A job, with how it ended when it has."""

    success: bool
    current_operation: NotRequired[str]
    warnings: NotRequired[list[str]]


class AllJobs(TypedDict):
    """The latest jobs of all processes, the newest first."""

    success: bool
    jobs: list[JobItem]
    hint: NotRequired[str]
    warnings: NotRequired[list[str]]


class FailedItem(TypedDict):
    """A file that could not be indexed, or (`indexed`) that only words find, since the model did not answer in time."""

    path: str
    status: str
    error: str


class IndexFacts(TypedDict):
    """What an index holds; `seq` grows with every run that changed it, `stale` says how its folder moved since.

    `dirty`: the folder differs from its commit. `pending_changes`: files that are new, changed or gone. Both are null
    where that cannot be told at once, as while a run goes on.
    """

    success: bool
    index_name: str
    index_id: str
    state: str
    progress: Count
    files: Count
    chunks: Count
    symbols: Count
    words: Count
    seq: Count
    last_indexed_at: str
    branch: str | None
    commit: str | None
    dirty: bool | None
    pending_changes: Count | None
    stale: "Stale | None"
    failed_files: NotRequired[list[FailedItem]]
    checked_files: NotRequired[list[VerdictItem]]
    warnings: NotRequired[list[str]]


class Stale(TypedDict):
    """Why an index is not as its folder is."""

    reason: str


class IndexState(IndexFacts, Ended):
    """An index, with the run that was asked for last if that is known; `state` and `progress` are of that."""

    job_id: NotRequired[str]
    stage: NotRequired[str]
    current_operation: NotRequired[str]
    files_done: NotRequired[Count]
    files_total: NotRequired[Count]
    seconds: NotRequired[float]
    eta_s: NotRequired[float | None]


def index_status(call: Call, asked: Arguments) -> Json | Waiting[Json]:
    """Show indexing progress, or the state of an index."""
    if len(asked.check_files or ()) > MOST_CHECKED:
        raise ValidationError(
            f"{len(asked.check_files or ())} files are too many", hint=f"check at most {MOST_CHECKED} at once"
        )
    bounded = Bounded()
    wait_s = math.inf if asked.follow else bounded.value("wait_s", asked.wait_s, 0.0, MAX_WAIT_S)
    status = _status(call, asked, wait_s)
    if not bounded.notes:
        return status
    if not isinstance(status, Waiting):
        return {**status, "warnings": bounded.notes}
    return replace(status, then=lambda job: {**status.then(job), "warnings": bounded.notes})


def _status(call: Call, asked: Arguments, wait_s: float) -> Json | Waiting[Json]:
    of_files = bool(asked.files or asked.check_files)
    if of_files and asked.index_name is None and asked.job_id is None:
        raise ValidationError("no index given for these files", hint="name it with index_name (see list_indexes)")
    if asked.job_id is None and asked.index_name is None:
        jobs = call.jobs.all()
        current = next((job for job in jobs if not job.ended), None)
        if asked.follow and current is not None:
            return Waiting(current, wait_s, partial(_job, call))
        told: Json = {"success": True, "jobs": [_job(call, job) for job in jobs]}
        return told if jobs else {**told, "hint": _NO_RUN}
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


def _index_named(call: Call, asked: Arguments) -> Arguments | None:
    """Return the arguments about the index whose name was given as a job; None if there is none."""
    if asked.job_id is None or asked.index_name is not None:
        return None
    app = call.app()
    name = call.name_of(app, asked.job_id)
    if all(record.name != name for record in (*call.visible(app), *call.unfinished(app))):
        return None
    return replace(asked, job_id=None, index_name=name)


def _both(call: Call, app: "App", name: str, asked: Arguments, job: "JobStatus") -> Json:
    """What an index holds, and the run that was asked for last."""
    told = _job(call, job)
    try:
        return {**_index(call, app, name, asked, is_settled=job.ended), **told}
    except IndexNotFoundError:
        if job.state == "completed":  # it was deleted since
            raise
        return told


def _index(call: Call, app: "App", name: str, asked: Arguments, *, is_settled: bool = True) -> Json:
    """What an index holds; `is_settled` unless a run of it goes on. Raises IndexNotFoundError."""
    unfinished = next((record for record in call.unfinished(app) if record.name == name), None)
    record = unfinished or call.named(app, name)
    moved = call.ask_drift(app, record)()
    is_there = unfinished is None
    symbols, words = app.catalog.count_content(record) if is_there else (0, 0)
    dirty, pending = _moved_on(call, record) if is_there and is_settled else (None, None)
    told: Json = {
        "success": True,
        "index_name": record.name,
        "index_id": record.ulid,
        "state": "completed" if record.status == "complete" else record.status,
        "progress": int(_DONE * record.file_count / max(record.file_count + record.pending_file_count, 1)),
        "files": record.file_count,
        "chunks": record.chunk_count,
        "symbols": symbols,
        "words": words,
        "seq": record.generation,
        "last_indexed_at": timestamp(record.updated_at),
        "branch": record.git_branch,
        "commit": record.git_commit,
        "dirty": dirty,
        "pending_changes": pending,
        "stale": None if moved is None else {"reason": moved},
    }
    if asked.files:
        failed = app.catalog.failed_files(record, MOST_FAILED) if is_there else []
        told["failed_files"] = [{"path": path, "status": status, "error": error} for path, status, error in failed]
    if asked.check_files:
        told["checked_files"] = _checked(call, record if is_there else None, record.root_path, asked.check_files)
    return told


def _moved_on(call: Call, record: "IndexRecord") -> tuple[bool | None, int | None]:
    """Whether the folder of an index differs from its commit, and how many files are new, changed or gone."""
    from cocosearch_py.discovery.revisions import changed_paths
    from cocosearch_py.indexing.pending import MOST_FILES, count_pending

    root = Path(record.root_path)
    if record.commit is not None:
        return False, 0
    if record.is_detached or record.file_count > MOST_FILES or not root.is_dir():
        return None, None
    changes = changed_paths(root, "HEAD", None)
    app = call.app(root)
    return None if changes is None else bool(changes), count_pending(record, app.indexing_options(), app.database)


def _checked(call: Call, record: "IndexRecord | None", root_path: str, files: list[str]) -> list[Json]:
    """What is with each file, in their order; paths are as they were given."""
    from cocosearch_py.features.indexing.verdicts import verdict_item

    root = Path(root_path)
    if record is not None and record.is_detached:
        raise ValidationError(
            "the folder of this index is not on this machine", hint="list_files shows the files in the index"
        )
    verdicts = call.app(root).explain_files(root, [str(root / file) for file in files], record)
    return [{**plain(verdict_item(verdict)), "path": file} for file, verdict in zip(files, verdicts, strict=True)]


def _job(call: Call, job: "JobStatus") -> Json:
    status: Json = {"success": True, **progress(job)}
    if not job.ended and job.current:
        status["current_operation"] = job.current
    if job.error is not None:
        status |= call.described(job.error)
    if job.result is not None:
        status["stats"] = plain(run_stats(job.result))
    return status


OPERATION = Operation(
    name="index_status",
    title="Progress of indexing",
    arguments=Arguments,
    run=index_status,
    shape=lambda answer, _: answer,
    answer=JobItem | AllJobs | IndexState,
    toolset="index",
    order=5,
    minimal=True,
    command=Command(name="status", help="Show the progress of indexing runs, or the state of an index."),
    aliases=(Alias(name="status", program="Lexa", dialect="status.OPERATION"),),
)
