"""Tools that build indexes and show their state; the command `why`."""

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part, Percent
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments, Json
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, tool
from cocosearch_py.tools.runs import JobState, Progress, RunStats

EXIT_UNKNOWN = 1


class WhyArguments(Arguments):
    """Parameters of why."""

    paths: Annotated[list[str], Flag(metavar="FILE...", help="Files or folders.")]
    index_name: given.IndexName = None


class VerdictItem(Part):
    """The rule that decided about a file, and the effect of the next run; `files` counts those of a folder."""

    path: str
    verdict: str
    message: str
    status: str | None
    next_run: str | None
    reason: str | None
    rule: str | None
    error: str | None
    decided_by: str | None
    language: str | UnsetType | None = UNSET
    content_class: str | UnsetType | None = UNSET
    class_rule: str | UnsetType | None = UNSET
    chunks: Count | UnsetType = UNSET
    symbols: Count | UnsetType = UNSET
    parse_status: str | UnsetType | None = UNSET
    parse_error: str | UnsetType | None = UNSET
    files: dict[str, Count] | UnsetType = UNSET
    hint: str = ""


class IndexStatusArguments(Arguments):
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


class Indexed(Part):
    """Result of a run that has ended."""

    success: bool
    index_name: str
    index_id: str
    path: str
    stats: RunStats
    interrupted: bool
    timeout_files: tuple[str, ...]
    warnings: tuple[str, ...]
    state: JobState
    job_id: str


class StillRunning(Progress):
    """A run that goes on, and how to ask for it."""

    success: bool
    index_id: str | None
    path: str
    message: str
    warnings: tuple[str, ...] = ()


class SeveralIndexed(Part):
    """Runs of several folders, each as for one; those that failed with their error."""

    success: bool
    results: tuple[Json, ...]
    warnings: tuple[str, ...] = ()


class Ended(Part):
    """The current file of a run, or its error or counts once it has ended."""

    success: bool
    current_operation: str = ""
    error: str = ""
    error_type: str = ""
    message: str = ""
    details: Any = UNSET
    actionable_guidance: tuple[str, ...] = ()
    stats: RunStats | UnsetType = UNSET
    warnings: tuple[str, ...] = ()


class JobItem(Ended, kw_only=True):
    """A run; `eta_s` is null while it cannot be known."""

    job_id: str
    index_name: str
    state: JobState
    progress: Percent
    stage: str
    files_done: Count
    files_total: Count
    seconds: float
    eta_s: float | None


class AllJobs(Part):
    """The latest runs of all processes, newest first."""

    success: bool
    jobs: tuple[JobItem, ...]
    hint: str = ""
    warnings: tuple[str, ...] = ()


class FailedItem(Part):
    """A file that could not be indexed, or (`indexed`) that has no vectors, since the model did not answer in time."""

    path: str
    status: str
    error: str


class Stale(Part):
    """Why an index is not as its folder is."""

    reason: str


class IndexState(Ended, kw_only=True):
    """Contents of an index, and the run requested last if it is known; `state` and `progress` are that run's.

    `seq` grows with every run that changed the index; `stale` says how its folder moved since. `dirty`: the folder
    differs from its commit. `pending_changes`: files that are new, changed or gone. Both are null where they are not
    known at once, as during a run.
    """

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
    stale: Stale | None
    failed_files: tuple[FailedItem, ...] | UnsetType = UNSET
    checked_files: tuple[VerdictItem, ...] | UnsetType = UNSET
    job_id: str | UnsetType = UNSET
    stage: str | UnsetType = UNSET
    files_done: Count | UnsetType = UNSET
    files_total: Count | UnsetType = UNSET
    seconds: float | UnsetType = UNSET
    eta_s: float | UnsetType | None = UNSET


def _why_exit_code(verdicts: list[VerdictItem], _: WhyArguments) -> int:
    return EXIT_UNKNOWN if any(item.verdict in ("missing", "outside") for item in verdicts) else 0


TOOLS = (
    tool(
        __package__,
        "index_status",
        module="status",
        title="Progress of indexing",
        about="Show indexing progress, or the state of an index.",
        arguments=IndexStatusArguments,
        answer=JobItem | AllJobs | IndexState,
        view="show_status",
        toolset="index",
        order=5,
        minimal=True,
        command=Command(name="status", help="Show the progress of indexing runs, or the state of an index."),
        aliases=(Alias(name="status", program="Lexa", dialect="status.OPERATION"),),
    ),
    tool(
        __package__,
        "why",
        module="verdicts",
        title="Why a file is indexed or not",
        arguments=WhyArguments,
        answer=list[VerdictItem],
        view="show_verdicts",
        about_indexes=True,
        command=Command(
            name="why",
            help="""Explain which rule put a file into the index, or left it out.

            It checks the file as it is now, the rules, and the result of the last run. Exits with 1 if a file does not
            exist or is outside the index's folder.
            """,
            exit_code=_why_exit_code,
        ),
    ),
)
