"""Parts of answers about runs: what a run did, how far a job is."""

import time
from typing import TYPE_CHECKING, Literal, cast

from cocosearch_py.errors import NotFoundError
from cocosearch_py.model.answers import Count, Part, Percent

if TYPE_CHECKING:
    from cocosearch_py.indexing.progress import RunReport
    from cocosearch_py.jobs.registry import JobStatus
    from cocosearch_py.jobs.run_store import Runs

JobState = Literal["queued", "running", "completed", "failed", "cancelled"]
_PERCENT = 100


class RunStats(Part):
    """Counts of a run. `files_skipped` includes the files in skipped folders; `chunks` counts the whole index."""

    files_added: Count
    files_removed: Count
    files_updated: Count
    files_unchanged: Count
    files_skipped: Count
    files_failed: Count
    folders_skipped: Count
    files_reused: Count
    files_pending: Count
    chunks: Count
    seconds: float
    files_in_skipped_folders: Count = 0


class Progress(Part):
    """How far a job is; `eta_s` is null while it cannot be known."""

    index_name: str
    state: JobState
    job_id: str
    stage: str
    progress: Percent
    files_done: Count
    files_total: Count
    seconds: float
    eta_s: float | None


def run_stats(report: "RunReport") -> RunStats:
    """Return the counts of a run."""
    return RunStats(
        files_added=report.files_added,
        files_removed=report.files_removed,
        files_updated=report.files_updated,
        files_unchanged=report.files_unchanged,
        files_skipped=report.files_skipped,
        files_failed=report.files_failed,
        folders_skipped=report.folders_skipped,
        files_reused=report.files_reused,
        files_pending=report.files_pending,
        chunks=report.chunks,
        seconds=round(report.seconds, 3),
        files_in_skipped_folders=report.files_in_skipped_folders,
    )


def progress(job: "JobStatus") -> Progress:
    """Return the progress of a job."""
    by_files = int(_PERCENT * job.done / job.total) if job.total else 0
    share = _PERCENT if job.state == "completed" else by_files if job.percent is None else job.percent
    running_s = (job.ended_s or time.monotonic()) - (job.started_s or time.monotonic())
    left = job.total - job.done
    return Progress(
        index_name=index_of(job),
        state=cast("JobState", job.state),
        job_id=job.job_id,
        stage="" if job.state == "queued" else job.stage,
        progress=share,
        files_done=job.done,
        files_total=job.total,
        seconds=round(max(0.0, running_s), 1),
        eta_s=round(running_s * left / job.done, 1) if job.done and left and not job.ended else None,
    )


def index_of(job: "JobStatus") -> str:
    """Name of the index that a job makes."""
    return str(job.result.index_name) if job.result is not None else job.subject


def find_job(jobs: "Runs", job_id: str | None, index_name: str | None) -> "JobStatus | None":
    """The job of an id, or the latest of this index (see `Runs.of_index`) or None. Raises NotFoundError."""
    if job_id is not None:
        return jobs.look(job_id)
    return None if index_name is None else jobs.of_index(index_name)


def no_job(index_name: str) -> NotFoundError:
    """The error for an index that no known job makes."""
    return NotFoundError(f"no job is building index '{index_name}'", hint="index_status lists the runs")
