"""Tools that build indexes and show their state; the command `why`."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.errors import CocosearchError, OperationCancelled
from cocosearch_py.model.answers import Count, Part, Percent
from cocosearch_py.model.verdicts import Verdict
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments, Json, plain
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, tool
from cocosearch_py.tools.runs import JobState, Progress, RunStats
from cocosearch_py.tools.sizes import PATHS, PATTERNS

EXIT_UNKNOWN = 1
MAX_WAIT_S = 20.0  # Many clients give up on a call after 30 to 60 s.


class IndexCodebaseArguments(Arguments):
    """Parameters of index_codebase. Those without a description for agents override settings, and do no more."""

    path: Annotated[
        str,
        About("Folder to index; relative to the project"),
        PATHS,
        Flag(
            metavar="[PATH]...",
            type=list[str] | None,
            default=None,
            starts=True,
            several="paths",
            help="Folder (default: the current one). With several, one failure does not stop the others.",
        ),
    ]
    paths: Annotated[list[str] | None, About("Several folders instead, at most 50"), PATHS, UNLISTED] = None
    paths_from: Annotated[
        str | None,
        Flag(
            names=("--paths-from",),
            metavar="FILE",
            help="File that lists folders to index, one per line, relative to the file; - reads standard input.",
        ),
    ] = None
    members: Annotated[
        list[str] | None,
        About("Only these workspace members, by name or folder"),
        UNLISTED,
        Flag(
            names=("--member",),
            metavar="NAME",
            help="Only this workspace member, by name or folder. Repeat the option or separate several with commas.",
        ),
    ] = None
    workspace: Annotated[
        bool,
        About("false: one project, whatever the manifests say"),
        UNLISTED,
        Flag(
            names=("--no-workspace",),
            default=False,
            read=lambda off: not off,
            help="Treat the folder as one project, whatever its manifests say.",
        ),
    ] = True
    index_name: Annotated[
        str | None,
        About("Name for the index; null: derived from the path"),
        Flag(names=("-n", "--name"), metavar="NAME", filled=True, help="Index name (default: the folder's name)."),
    ] = None
    fresh: Annotated[
        bool,
        About("Rebuild even unchanged files"),
        Flag(names=("--fresh",), help="Rebuild from scratch, even if nothing has changed."),
    ] = False
    include: Annotated[
        list[str] | None,
        About("Only files that match these globs"),
        PATTERNS,
        Flag(
            names=("-i", "--include"),
            metavar="GLOB",
            setting="indexing.includePatterns",
            help="Index only files that match; can be repeated.",
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        About("Leave out files that match these globs"),
        PATTERNS,
        Flag(
            names=("-e", "--exclude"),
            metavar="GLOB",
            setting="indexing.excludePatterns",
            help="Leave out files that match; can be repeated.",
        ),
    ] = None
    wait_s: Annotated[float, About("Seconds to wait, 0-20")] = MAX_WAIT_S
    wait: Annotated[
        bool | Literal["auto"],
        About("true: wait until done; false: do not wait; auto: wait_s"),
        UNLISTED,
    ] = "auto"
    respect_gitignore: Annotated[
        bool,
        Flag(
            names=("--no-gitignore",),
            default=False,
            read=lambda off: False if off else None,
            setting="indexing.respectGitignore",
            help="Also index files that git ignores.",
        ),
    ] = True
    max_file_size: Annotated[
        int | None,
        Flag(
            names=("--max-file-size",),
            metavar="KB",
            setting="indexing.maxFileSizeKb",
            help="Skip files larger than this.",
        ),
    ] = None
    max_depth: Annotated[
        int | None,
        Flag(
            names=("--max-depth",),
            metavar="N",
            setting="indexing.maxDepth",
            help="Maximum folder depth; 1 means the folder alone.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        Flag(
            names=("-j", "--jobs"),
            metavar="N",
            setting="indexing.workers",
            help="Number of worker processes (default: one per core).",
        ),
    ] = None
    mode: Annotated[
        str | None,
        About("incremental, full (= fresh) or estimate (= dry_run, with the time per workspace)"),
        UNLISTED,
        Flag(names=("--mode",), metavar="MODE", help="incremental, full (like --fresh) or estimate (like --dry-run)."),
    ] = None
    strategy: Annotated[
        str | None,
        About("How to split files: treesitter, lines or tokens"),
        UNLISTED,
        Flag(
            names=("--strategy",), metavar="HOW", help="How to split files into passages: treesitter, lines or tokens."
        ),
    ] = None
    languages: Annotated[
        list[str] | None,
        About("Only files in these languages"),
        UNLISTED,
        Flag(
            names=("--lang",),
            hidden_names=("--language",),
            metavar="LANG",
            help="Index only files in this language; can be repeated.",
        ),
    ] = None
    features: Annotated[
        dict[str, bool] | None,
        About('vector, symbol or graph to leave out: {"vector": false}'),
        UNLISTED,
        Flag(
            names=("--without",),
            metavar="FEATURE",
            type=list[str] | None,
            default=None,
            read=lambda names: dict.fromkeys(names, False) if names else None,
            help="Feature to leave out: vector, symbol or graph; can be repeated.",
        ),
    ] = None
    profile: Annotated[
        str | None,
        About("fast: split at lines, large batches, no large files"),
        UNLISTED,
        Flag(names=("--profile",), metavar="NAME", help="fast: split at lines, use large batches, skip large files."),
    ] = None
    overrides: Annotated[dict[str, Any] | None, About("Code Index's ConfigurationOverride, for this run"), UNLISTED] = (
        None
    )
    embed_timeout: Annotated[
        float | None,
        About("Seconds for one response of the embedding model"),
        UNLISTED,
        Flag(
            names=("--embed-timeout",),
            metavar="S",
            help="Time limit for one response of the embedding model, in seconds.",
        ),
    ] = None
    max_files_to_embed: Annotated[
        int | None,
        About("Maximum files to embed, those with most dependents first"),
        UNLISTED,
        Flag(
            names=("--max-files-to-embed",),
            metavar="N",
            minimum=1,
            help="Maximum number of files to embed; files with the most dependents come first.",
        ),
    ] = None
    only_failed: Annotated[
        bool,
        About("Only files that failed or timed out in embedding"),
        UNLISTED,
        Flag(names=("--only-failed",), help="Only files that failed, or timed out in embedding, the last time."),
    ] = False
    confirmed: Annotated[
        bool,
        Flag(names=("-y", "--yes"), help="Do not ask before indexing a very large folder, a home folder or /."),
    ] = False
    dry_run: Annotated[
        bool,
        About("Only report what would be done"),
        UNLISTED,
        Flag(
            names=("--dry-run",),
            help="Show which files would be indexed or left out and why, with time and size; write nothing.",
        ),
    ] = False
    detach: Annotated[bool, Flag(names=("--detach",), help="Run in the background; `jobs` shows the progress.")] = False
    watch: Annotated[
        bool, Flag(names=("--watch",), help="Keep running and update after each change, until Ctrl-C.")
    ] = False
    context_lines: int | None = None  # of Mimir's index_opts
    debounce_ms: Annotated[
        int | None,
        Flag(
            names=("--debounce-ms",),
            metavar="MS",
            setting="indexing.watchDebounceMs",
            help="With --watch: milliseconds without a change before a run.",
        ),
    ] = None
    rev: Annotated[
        str | None,
        About("Branch, tag or commit to index separately, without a checkout"),
        UNLISTED,
        Flag(
            names=("--rev",),
            metavar="REV",
            filled=True,
            help="Build a separate index, NAME@COMMIT, of this branch, tag or commit, without a checkout.",
        ),
    ] = None


class WhyArguments(Arguments):
    """Parameters of why."""

    paths: Annotated[list[str], Flag(metavar="FILE...", help="Files or folders.")]
    index_name: given.IndexName = None


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
    checked_files: tuple[Verdict, ...] | UnsetType = UNSET
    job_id: str | UnsetType = UNSET
    stage: str | UnsetType = UNSET
    files_done: Count | UnsetType = UNSET
    files_total: Count | UnsetType = UNSET
    seconds: float | UnsetType = UNSET
    eta_s: float | UnsetType | None = UNSET


def _command_json(answer: Any, _: IndexCodebaseArguments) -> Json:
    """Return an answer as the command prints it: a run that has ended has no job any more."""
    printed: Json = plain(answer)
    for item in printed.get("results", [printed]):
        if "interrupted" in item:
            del item["state"], item["job_id"]
    return printed


def index_exit_code(answer: Any, _: IndexCodebaseArguments) -> int:
    """Return the exit code of the command: interrupted, failed for a folder, or 0."""
    printed: Json = plain(answer)
    items = printed.get("results", [printed])
    if any(item.get("interrupted") or item.get("error_type") == OperationCancelled.error_type for item in items):
        return OperationCancelled.exit_code
    return 0 if printed["success"] else CocosearchError.exit_code


def _why_exit_code(verdicts: list[Verdict], _: WhyArguments) -> int:
    return EXIT_UNKNOWN if any(item.verdict in ("missing", "outside") for item in verdicts) else 0


INDEX_CODEBASE = tool(
    __package__,
    "index_codebase",
    title="Index a folder",
    about="""Index a folder for search, or update its index; unchanged files are not read again.

Waits at most 20 s: an answer with state "running" has a job_id for index_status. Files that git ignores and secrets
are left out.""",
    arguments=IndexCodebaseArguments,
    answer=Indexed | StillRunning | SeveralIndexed,
    view="show_indexed",
    remarks="remark_on_runs",
    error_is_text=True,
    toolset="index",
    order=4,
    verbatim=True,
    about_project=True,
    implied={"paths": {"path": "."}},
    writes=True,
    minimal=True,
    failure="Failed to index codebase: ",
    command=Command(
        name="index",
        help="""Index a folder, or update its index.

        Unchanged files are not read again. Ctrl-C stops cleanly and keeps finished work.
        """,
        shape=_command_json,
        exit_code=index_exit_code,
    ),
    aliases=(
        Alias(name="regenerate_index", program="indxr", dialect="indxr.REGENERATE_INDEX"),
        Alias(name="reindex", program="Lexa", means={"path": ".", "fresh": True}),
        Alias(name="index", program="Code Index", dialect="code_index.INDEX"),
        Alias(name="ensure_repo_index", program="Mimir", dialect="mimir.ENSURE_REPO_INDEX"),
    ),
)
TOOLS = (
    INDEX_CODEBASE,
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
        aliases=(Alias(name="status", program="Lexa", dialect="lexa.STATUS"),),
    ),
    tool(
        __package__,
        "why",
        module="status",
        title="Why a file is indexed or not",
        arguments=WhyArguments,
        answer=list[Verdict],
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
