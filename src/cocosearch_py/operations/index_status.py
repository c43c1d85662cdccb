"""`index_status`: how far indexing is, or what state an index is in."""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from cocosearch_py.operations.common.answers import Json, timestamp
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import About, Alias, Operation, Waiting
from cocosearch_py.operations.common.runs import Progress, RunStats, find_job, progress, run_stats
from cocosearch_py.operations.common.schema import Count

if TYPE_CHECKING:
    from cocosearch_py.jobs.registry import JobStatus

MAX_WAIT_S = 30.0
_DONE = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of index_status."""

    job_id: Annotated[str | None, About("From index_codebase")] = None
    index_name: Annotated[str | None, About("Or the index; neither: all jobs")] = None
    wait_s: Annotated[float, About("Seconds to wait for the end, 0-30")] = 0.0


class JobItem(Progress):
    """A job, with its error or what it did when it has ended."""

    success: bool
    error: NotRequired[str]
    error_type: NotRequired[str]
    message: NotRequired[str]
    details: NotRequired[Any]
    actionable_guidance: NotRequired[list[str]]
    stats: NotRequired[RunStats]


class AllJobs(TypedDict):
    """All jobs that the server remembers, the newest first."""

    success: bool
    jobs: list[JobItem]


class IndexState(TypedDict):
    """An index that no job of this server made."""

    success: bool
    index_name: str
    index_id: str
    state: str
    progress: Count
    files: Count
    chunks: Count
    last_indexed_at: str
    branch: str | None
    commit: str | None


def index_status(call: Call, asked: Arguments) -> Json | Waiting[Json]:
    """Tell how far indexing is, or what state an index is in."""
    job = find_job(call.jobs, asked.job_id, asked.index_name)
    if job is not None:
        return Waiting(job, min(asked.wait_s, MAX_WAIT_S), partial(_job, call))
    if asked.index_name is None:
        return {"success": True, "jobs": [_job(call, job) for job in call.jobs.all()]}
    app = call.app()
    job = find_job(call.jobs, None, name := call.name_of(app, asked.index_name))
    if job is not None:
        return Waiting(job, min(asked.wait_s, MAX_WAIT_S), partial(_job, call))
    unfinished = (record for record in call.unfinished(app) if record.name == name)
    record = next(unfinished, None) or call.named(app, name)
    return {
        "success": True,
        "index_name": record.name,
        "index_id": record.ulid,
        "state": "completed" if record.status == "complete" else record.status,
        "progress": int(_DONE * record.file_count / max(record.file_count + record.pending_file_count, 1)),
        "files": record.file_count,
        "chunks": record.chunk_count,
        "last_indexed_at": timestamp(record.updated_at),
        "branch": record.git_branch,
        "commit": record.git_commit,
    }


def _job(call: Call, job: "JobStatus") -> Json:
    status: Json = {"success": True, **progress(job)}
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
    aliases=(Alias(name="status", program="Lexa", dialect="status.OPERATION"),),
)
