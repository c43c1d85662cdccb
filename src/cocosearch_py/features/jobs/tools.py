"""Tools for runs of indexing: list_jobs, get_job_log, cancel_indexing."""

from typing import Annotated

from cocosearch_py.model.answers import Count, Part, Percent
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, tool
from cocosearch_py.tools.runs import JobState, Progress, RunStats


class ListJobsArguments(Arguments):
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


class Job(Part):
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


class JobLogArguments(Arguments):
    """Parameters of get_job_log."""

    job: Annotated[
        str | None,
        About("Job ID, or index name for its latest job; null: the latest job"),
        Flag(metavar="[JOB]", help="Job ID, or index name for its latest job (default: the latest job)."),
    ] = None


class Event(Part):
    """An event of a run."""

    at: str
    kind: str
    message: str


class CancelArguments(Arguments):
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


class Cancelled(Progress):
    """The job and what it keeps."""

    ok: bool
    success: bool
    message: str
    kept: RunStats | None


TOOLS = (
    tool(
        __package__,
        "cancel_indexing",
        title="Stop indexing",
        about="Stop a running index job; its work so far is kept.",
        arguments=CancelArguments,
        answer=Cancelled,
        view="show_cancelled",
        toolset="index",
        order=6,
        listed=False,
        writes=True,
        command=Command(name="cancel", help="Stop an indexing run of any process; its work so far is kept."),
        aliases=(Alias(name="cancel", program="Mimir", dialect="mimir.CANCEL"),),
    ),
    tool(
        __package__,
        "list_jobs",
        title="List jobs",
        about="List the latest indexing runs of all processes, newest first.",
        arguments=ListJobsArguments,
        answer=list[Job],
        view="show_jobs",
        toolset="index",
        order=10,
        listed=False,
        command=Command(
            name="jobs",
            help="""List the latest indexing runs: waiting, running and finished.

            The list includes the runs of all processes: commands, servers and workers.
            """,
        ),
    ),
    tool(
        __package__,
        "get_job_log",
        title="Log of a job",
        about="Show the log of an indexing run, in order.",
        arguments=JobLogArguments,
        answer=list[Event],
        view="show_log",
        toolset="index",
        order=11,
        listed=False,
        command=Command(name="log", help="Show the log of an indexing run: the latest, or the run of a job or index."),
    ),
)
