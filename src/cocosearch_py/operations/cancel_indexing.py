"""`cancel_indexing`, `cocosearch-py cancel`: stop a run of indexing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cocosearch_py.errors import ValidationError
from cocosearch_py.operations.common.answers import Json
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import About, Alias, Command, Flag, Operation, Waiting
from cocosearch_py.operations.common.runs import Progress, RunStats, find_job, no_job, progress, run_stats

if TYPE_CHECKING:
    from cocosearch_py.jobs.registry import JobStatus

_WAIT_S = 10.0  # a batch takes well under a second; the commit of what is done may take some


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of cancel_indexing."""

    job_id: Annotated[
        str | None, About("From index_codebase"), Flag(metavar="[JOB]", help="Its id, as `jobs` shows it.")
    ] = None
    index_name: Annotated[
        str | None,
        About("Or the index that is being made"),
        Flag(names=("-n", "--name"), metavar="NAME", filled=True, help="Or the index that is being made."),
    ] = None


class Stopped(Progress):
    """The job, and what of it is kept."""

    ok: bool
    success: bool
    message: str
    kept: RunStats | None


def cancel_indexing(call: Call, asked: Arguments) -> Waiting[Json]:
    """Stop a running index job; what it has done so far is kept."""
    if asked.job_id is None and asked.index_name is None:
        raise ValidationError("no job is named", hint="give job_id or index_name")
    job = find_job(call.jobs, asked.job_id, asked.index_name)
    if job is None and asked.index_name is not None:
        job = find_job(call.jobs, None, call.name_of(call.app(), asked.index_name))
    if job is None:
        raise no_job(asked.index_name or "")
    return Waiting(call.jobs.cancel(job.job_id), _WAIT_S, _stopped)


def _stopped(job: "JobStatus") -> Json:
    kept = run_stats(job.result) if job.result is not None else None
    return {"ok": True, "success": True, "message": f"the job is {job.state}", **progress(job), "kept": kept}


OPERATION = Operation(
    name="cancel_indexing",
    title="Stop indexing",
    arguments=Arguments,
    run=cancel_indexing,
    shape=lambda answer, _: answer,
    answer=Stopped,
    toolset="index",
    order=6,
    listed=False,
    writes=True,
    command=Command(name="cancel", help="Stop an indexing run of any process; what it has done is kept."),
    aliases=(Alias(name="cancel", program="Mimir", dialect="cancel.OPERATION"),),
)
