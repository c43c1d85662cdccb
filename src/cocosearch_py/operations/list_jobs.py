"""`list_jobs`, `cocosearch-py jobs`: the latest runs of indexing, of every process."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypedDict

from cocosearch_py.model.answers import Count, Percent
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.runs import JobState, progress

if TYPE_CHECKING:
    from cocosearch_py.jobs.registry import JobStatus


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of list_jobs."""

    limit: Annotated[
        int,
        About("Maximum runs, 1-100"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=100,
            help="Maximum number of runs, newest first (1–100).",
        ),
    ] = 20


class JobRow(TypedDict):
    """A run."""

    job_id: str
    index_name: str
    state: JobState
    stage: str
    progress: Percent
    files_done: Count
    files_total: Count
    seconds: float
    error: str | None


def list_jobs(call: Call, asked: Arguments) -> list[Json]:
    """List the latest indexing runs of all processes, newest first."""
    return [_row(call, job) for job in call.jobs.all()[: max(1, asked.limit)]]


def _row(call: Call, job: "JobStatus") -> Json:
    told = progress(job)
    kept = ("job_id", "index_name", "state", "stage", "progress", "files_done", "files_total", "seconds")
    return {**{name: told[name] for name in kept}, "error": None if job.error is None else call.told(job.error)}


OPERATION = Operation(
    name="list_jobs",
    title="List jobs",
    arguments=Arguments,
    run=list_jobs,
    shape=lambda rows, _: rows,
    answer=list[JobRow],
    toolset="index",
    order=10,
    listed=False,
    command=Command(
        name="jobs",
        help="""List the latest indexing runs: waiting, running and finished.

        The list includes the runs of all processes: commands, servers and workers.
        """,
    ),
)
