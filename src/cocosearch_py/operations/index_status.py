"""`index_status`, `cocosearch-py status`: how far indexing is, or what state an index is in."""

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.operations.common.answers import Json, timestamp
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import About, Alias, Command, Flag, Operation, Waiting
from cocosearch_py.operations.common.runs import Progress, RunStats, find_job, index_of, progress, run_stats
from cocosearch_py.operations.common.schema import Count

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.jobs.registry import JobStatus

MAX_WAIT_S = 30.0
_DONE = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of index_status."""

    job_id: Annotated[
        str | None, About("From index_codebase"), Flag(metavar="[JOB]", help="Its id; by default all jobs.")
    ] = None
    index_name: Annotated[
        str | None,
        About("Or the index; neither: all jobs"),
        Flag(names=("-n", "--name"), metavar="NAME", filled=True, help="Or the index."),
    ] = None
    wait_s: Annotated[float, About("Seconds to wait for the end, 0-30")] = 0.0
    follow: Annotated[
        bool, Flag(names=("--watch",), help="Follow it until it has ended: the job, or the one that goes on.")
    ] = False


class JobItem(Progress):
    """A job, with its error or what it did when it has ended."""

    success: bool
    error: NotRequired[str]
    error_type: NotRequired[str]
    message: NotRequired[str]
    details: NotRequired[Any]
    actionable_guidance: NotRequired[list[str]]
    stats: NotRequired[RunStats]
    current_operation: NotRequired[str]


class AllJobs(TypedDict):
    """The latest jobs of all processes, the newest first."""

    success: bool
    jobs: list[JobItem]


class IndexFacts(TypedDict):
    """What an index holds; `seq` grows with every run that changed it, `stale` says how its folder moved since."""

    success: bool
    index_name: str
    index_id: str
    state: str
    progress: Count
    files: Count
    chunks: Count
    seq: Count
    last_indexed_at: str
    branch: str | None
    commit: str | None
    stale: "Stale | None"


class Stale(TypedDict):
    """Why an index is not as its folder is."""

    reason: str


class IndexState(IndexFacts):
    """An index, with the run that was asked for last if that is known; `state` and `progress` are of that."""

    job_id: NotRequired[str]
    stage: NotRequired[str]
    current_operation: NotRequired[str]
    files_done: NotRequired[Count]
    files_total: NotRequired[Count]
    seconds: NotRequired[float]
    eta_s: NotRequired[float | None]
    error: NotRequired[str]
    error_type: NotRequired[str]
    message: NotRequired[str]
    details: NotRequired[Any]
    actionable_guidance: NotRequired[list[str]]
    stats: NotRequired[RunStats]


def index_status(call: Call, asked: Arguments) -> Json | Waiting[Json]:
    """Tell how far indexing is, or what state an index is in."""
    wait_s = math.inf if asked.follow else min(asked.wait_s, MAX_WAIT_S)
    if asked.job_id is None and asked.index_name is None:
        jobs = call.jobs.all()
        current = next((job for job in jobs if not job.ended), None)
        if asked.follow and current is not None:
            return Waiting(current, wait_s, partial(_job, call))
        return {"success": True, "jobs": [_job(call, job) for job in jobs]}
    job = find_job(call.jobs, asked.job_id, asked.index_name)
    if asked.job_id is not None and job is not None:
        return Waiting(job, wait_s, partial(_job, call))
    app = call.app()
    name = call.name_of(app, asked.index_name or "") if job is None else index_of(job)
    job = job or find_job(call.jobs, None, name)
    if job is None:
        return _index(call, app, name)
    return Waiting(job, wait_s, partial(_both, call, app, name))


def _both(call: Call, app: "App", name: str, job: "JobStatus") -> Json:
    """What an index holds, and the run that was asked for last."""
    told = _job(call, job)
    try:
        return {**_index(call, app, name), **told}
    except IndexNotFoundError:
        if job.state == "completed":  # it was deleted since
            raise
        return told


def _index(call: Call, app: "App", name: str) -> Json:
    """What an index holds. Raises IndexNotFoundError."""
    unfinished = (record for record in call.unfinished(app) if record.name == name)
    record = next(unfinished, None) or call.named(app, name)
    moved = call.ask_drift(app, record)()
    return {
        "success": True,
        "index_name": record.name,
        "index_id": record.ulid,
        "state": "completed" if record.status == "complete" else record.status,
        "progress": int(_DONE * record.file_count / max(record.file_count + record.pending_file_count, 1)),
        "files": record.file_count,
        "chunks": record.chunk_count,
        "seq": record.generation,
        "last_indexed_at": timestamp(record.updated_at),
        "branch": record.git_branch,
        "commit": record.git_commit,
        "stale": None if moved is None else {"reason": moved},
    }


def _job(call: Call, job: "JobStatus") -> Json:
    status: Json = {"success": True, **progress(job)}
    if not job.ended and job.current:
        status["current_operation"] = job.current
    if job.error is not None:
        status |= call.described(job.error)
    if job.result is not None:
        status["stats"] = run_stats(job.result)
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
    command=Command(name="status", help="Show how far runs of indexing are, or what state an index is in."),
    aliases=(Alias(name="status", program="Lexa", dialect="status.OPERATION"),),
)
