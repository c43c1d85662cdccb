"""`cancel_indexing`, `cocosearch-py cancel`: stop a run of indexing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, Operation, Waiting
from cocosearch_py.tools.runs import Progress, RunStats, find_job, no_job, progress, run_stats

if TYPE_CHECKING:
    from cocosearch_py.jobs.registry import JobStatus

_WAIT_S = 10.0  # a batch takes well under a second; the commit of what is done may take some


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of cancel_indexing."""

    job_id: Annotated[
        str | None,
        About("From index_codebase"),
        Flag(metavar="[JOB]", help="Job ID or index name (default: the only running job)."),
    ] = None
    index_name: Annotated[
        str | None,
        About("Or the index being built"),
        Flag(
            names=("-n", "--name"), metavar="NAME", filled=True, help="Name of the index being built, instead of JOB."
        ),
    ] = None


class Stopped(Progress):
    """The job, and what of it is kept."""

    ok: bool
    success: bool
    message: str
    kept: RunStats | None


def cancel_indexing(call: Call, asked: Arguments) -> Waiting[Json]:
    """Stop a running index job; its work so far is kept."""
    if asked.job_id is None and asked.index_name is None:
        return Waiting(call.jobs.cancel(_current(call).job_id), _WAIT_S, _stopped)
    job = _named(call, asked)
    if job is None and asked.index_name is not None:
        job = find_job(call.jobs, None, call.name_of(call.app(), asked.index_name))
    if job is None:
        raise no_job(asked.index_name or "")
    return Waiting(call.jobs.cancel(job.job_id), _WAIT_S, _stopped)


def _current(call: Call) -> "JobStatus":
    """Return the one job that goes on. Only a person need not name it.

    Raises:
        ValidationError: the job must be named.
        NotFoundError: no job goes on.
    """
    if not call.settles:
        raise ValidationError("no job given", hint="give job_id or index_name")
    jobs = [job for job in call.jobs.all() if not job.ended]
    if not jobs:
        raise NotFoundError("nothing is being indexed", hint="list_jobs shows finished jobs")
    if len(jobs) > 1:
        named = ", ".join(f"{job.job_id} ({job.subject})" for job in jobs)
        raise ValidationError(
            f"{len(jobs)} jobs are running: {named}", hint="name one of them: cocosearch-py cancel JOB"
        )
    return jobs[0]


def _named(call: Call, asked: Arguments) -> "JobStatus | None":
    """Return the job of an id, or of an index, whose name may stand in place of the id. Raises NotFoundError."""
    try:
        return find_job(call.jobs, asked.job_id, asked.index_name)
    except NotFoundError:
        job = find_job(call.jobs, None, call.name_of(call.app(), asked.job_id or ""))
        if job is None:
            raise
        return job


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
    command=Command(name="cancel", help="Stop an indexing run of any process; its work so far is kept."),
    aliases=(Alias(name="cancel", program="Mimir", dialect="cancel.OPERATION"),),
)
