"""Answers about runs of indexing, of every process."""

from msgspec import structs

from cocosearch_py.errors import CocosearchError, NotFoundError, ValidationError
from cocosearch_py.features.jobs.tools import (
    CancelArguments,
    Cancelled,
    Event,
    Job,
    JobLogArguments,
    ListJobsArguments,
)
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.tools.answers import timestamp
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Waiting
from cocosearch_py.tools.runs import find_job, no_job, progress, run_stats

_WAIT_S = 10.0  # A batch takes less than a second; to commit what is done may take longer.


def list_jobs(call: Call, asked: ListJobsArguments) -> list[Job]:
    """Return the latest runs, newest first."""
    return [_job(call, job) for job in call.jobs.all()[: max(1, asked.limit)]]


def _job(call: Call, job: JobStatus) -> Job:
    fields = structs.asdict(progress(job))
    del fields["eta_s"]
    return Job(**fields, error=None if job.error is None else call.told(job.error))


def get_job_log(call: Call, asked: JobLogArguments) -> list[Event]:
    """Return the events of a run, in order.

    Raises:
        NotFoundError: no such job, or nothing has been indexed yet.
    """
    runs = call.jobs
    named = asked.job and (runs.of_index(asked.job) or runs.get(asked.job))
    job = named or next(iter(runs.all()), None)
    if not job:
        raise NotFoundError("nothing has been indexed yet", hint="run cocosearch-py index")
    return [
        Event(at=timestamp(event.at), kind=event.kind, message=call.told(CocosearchError(event.message)))
        for event in runs.log(job.job_id)
    ]


def cancel_indexing(call: Call, asked: CancelArguments) -> Waiting[Cancelled]:
    """Ask a run to stop, and wait until it has.

    Raises:
        NotFoundError: no such job, or nothing is being indexed.
        ValidationError: the job must be named.
    """
    if asked.job_id is None and asked.index_name is None:
        return Waiting(call.jobs.cancel(_only_job(call).job_id), _WAIT_S, _cancelled)
    job = _named_job(call, asked)
    if job is None and asked.index_name is not None:
        job = find_job(call.jobs, None, call.name_of(call.app(), asked.index_name))
    if job is None:
        raise no_job(asked.index_name or "")
    return Waiting(call.jobs.cancel(job.job_id), _WAIT_S, _cancelled)


def _only_job(call: Call) -> JobStatus:
    """Return the one running job. Only a person need not name it."""
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


def _named_job(call: Call, asked: CancelArguments) -> JobStatus | None:
    """Return the job of an id, or of an index, whose name may stand in place of the id."""
    try:
        return find_job(call.jobs, asked.job_id, asked.index_name)
    except NotFoundError:
        job = find_job(call.jobs, None, call.name_of(call.app(), asked.job_id or ""))
        if job is None:
            raise
        return job


def _cancelled(job: JobStatus) -> Cancelled:
    kept = run_stats(job.result) if job.result is not None else None
    fields = structs.asdict(progress(job))
    return Cancelled(**fields, ok=True, success=True, message=f"the job is {job.state}", kept=kept)
