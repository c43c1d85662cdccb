"""`index_codebase`, `cocosearch-py index`: make the index of a folder, or bring it up to date."""

import math
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cocosearch_py.errors import OperationCancelled, ValidationError
from cocosearch_py.operations.common.answers import Json
from cocosearch_py.operations.common.bounds import Bounded
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import UNLISTED, About, Alias, Command, Flag, Operation, Waiting
from cocosearch_py.operations.common.ran import Report, Run, answer, command_answer, exit_code
from cocosearch_py.operations.common.revisions import revision_meant
from cocosearch_py.operations.common.runs import Indexed, SeveralIndexed, StillRunning, index_of
from cocosearch_py.operations.common.several import MOST_PATHS, listed_paths, run_each
from cocosearch_py.operations.common.shaping import mode_of, narrowed, options_of
from cocosearch_py.operations.common.sizes import PATHS, PATTERNS

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.indexing.forecast import Forecast
    from cocosearch_py.indexing.progress import RunReport
    from cocosearch_py.jobs.registry import JobStatus

MAX_WAIT_S = 20.0  # many clients give up on a call after 30 to 60 s


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of index_codebase. Those without a meaning for agents override settings, and do no more."""

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
            help="Folder; by default the current one. Of several, each fails alone.",
        ),
    ]
    paths: Annotated[list[str] | None, About("Several folders instead, 50 at most"), PATHS, UNLISTED] = None
    paths_from: Annotated[
        str | None,
        Flag(
            names=("--paths-from",),
            metavar="FILE",
            help="Index the folders that this file names, one per line, relative to it; - is standard input.",
        ),
    ] = None
    members: Annotated[
        list[str] | None,
        About("Only these members of the workspace, by name or folder"),
        UNLISTED,
        Flag(
            names=("--member",),
            metavar="NAME",
            help="Only this member of the workspace, by name or folder; may be repeated, or separated by commas.",
        ),
    ] = None
    workspace: Annotated[
        bool,
        About("false: the folder is one project, whatever its manifests say"),
        UNLISTED,
        Flag(
            names=("--no-workspace",),
            default=False,
            read=lambda off: not off,
            help="Take the folder as one project, whatever its manifests say.",
        ),
    ] = True
    index_name: Annotated[
        str | None,
        About("Name for the index; null: derived from the path"),
        Flag(names=("-n", "--name"), metavar="NAME", filled=True, help="Name of the index; by default the folder's."),
    ] = None
    fresh: Annotated[
        bool,
        About("Build anew, also what has not changed"),
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
            help="Only files that match; may be repeated.",
        ),
    ] = None
    exclude: Annotated[
        list[str] | None,
        About("No files that match these globs"),
        PATTERNS,
        Flag(
            names=("-e", "--exclude"),
            metavar="GLOB",
            setting="indexing.excludePatterns",
            help="Not files that match; may be repeated.",
        ),
    ] = None
    wait_s: Annotated[float, About("Seconds to wait for the end, 0-20")] = MAX_WAIT_S
    wait: Annotated[
        bool | Literal["auto"],
        About("true: wait for the end, however long; false: not at all; auto: as wait_s says"),
        UNLISTED,
    ] = "auto"
    respect_gitignore: Annotated[
        bool,
        Flag(
            names=("--no-gitignore",),
            default=False,
            read=lambda off: False if off else None,
            setting="indexing.respectGitignore",
            help="Index what git ignores too.",
        ),
    ] = True
    max_file_size: Annotated[
        int | None,
        Flag(names=("--max-file-size",), metavar="KB", setting="indexing.maxFileSizeKb", help="Skip larger files."),
    ] = None
    max_depth: Annotated[
        int | None,
        Flag(
            names=("--max-depth",),
            metavar="N",
            setting="indexing.maxDepth",
            help="Folder levels to look at; 1 is the folder alone.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        Flag(
            names=("-j", "--jobs"),
            metavar="N",
            setting="indexing.workers",
            help="Worker processes; by default one per core.",
        ),
    ] = None
    mode: Annotated[
        str | None,
        About("incremental, full (= fresh) or estimate (= dry_run, with the time by workspace)"),
        UNLISTED,
        Flag(names=("--mode",), metavar="MODE", help="incremental; full, as --fresh; estimate, as --dry-run."),
    ] = None
    strategy: Annotated[
        str | None,
        About("How files are cut: treesitter, lines or tokens"),
        UNLISTED,
        Flag(
            names=("--strategy",), metavar="HOW", help="How files are cut into passages: treesitter, lines or tokens."
        ),
    ] = None
    languages: Annotated[
        list[str] | None,
        About("Only files of these languages"),
        UNLISTED,
        Flag(
            names=("--lang",),
            hidden_names=("--language",),
            metavar="LANG",
            help="Only files in this language; may be repeated.",
        ),
    ] = None
    features: Annotated[
        dict[str, bool] | None,
        About('Of vector, symbol and graph, what is left out: {"vector": false}'),
        UNLISTED,
        Flag(
            names=("--without",),
            metavar="FEATURE",
            type=list[str] | None,
            default=None,
            read=lambda names: dict.fromkeys(names, False) if names else None,
            help="Leave out vector, symbol or graph; may be repeated.",
        ),
    ] = None
    profile: Annotated[
        str | None,
        About("fast: by lines, in large batches, without large files"),
        UNLISTED,
        Flag(names=("--profile",), metavar="NAME", help="fast: by lines, in large batches, without large files."),
    ] = None
    overrides: Annotated[dict[str, Any] | None, About("Code Index's ConfigurationOverride, for this run"), UNLISTED] = (
        None
    )
    embed_timeout: Annotated[
        float | None,
        About("Seconds for one answer of the embedding model"),
        UNLISTED,
        Flag(names=("--embed-timeout",), metavar="S", help="Seconds that the embedding model may take for an answer."),
    ] = None
    max_files_to_embed: Annotated[
        int | None,
        About("Only so many files get vectors, those that most others depend on"),
        UNLISTED,
        Flag(
            names=("--max-files-to-embed",),
            metavar="N",
            minimum=1,
            help="Only so many files get vectors, those that most others depend on.",
        ),
    ] = None
    only_failed: Annotated[
        bool,
        About("Only files that failed, or could not be embedded in time"),
        UNLISTED,
        Flag(names=("--only-failed",), help="Only files that failed the last time, or were not embedded in time."),
    ] = False
    confirmed: Annotated[
        bool,
        Flag(names=("-y", "--yes"), help="Do not ask before indexing a very large folder, a home folder or /."),
    ] = False
    dry_run: Annotated[
        bool,
        About("Write nothing; tell what would be done"),
        UNLISTED,
        Flag(
            names=("--dry-run",),
            help="Write nothing: show what would be indexed or left out and why, the time and the size.",
        ),
    ] = False
    detach: Annotated[
        bool, Flag(names=("--detach",), help="Do not wait: a process of its own does it. See `jobs`.")
    ] = False
    watch: Annotated[
        bool, Flag(names=("--watch",), help="Stay, and run again after each change of files, until Ctrl-C.")
    ] = False
    context_lines: int | None = None  # of Mimir's index_opts
    debounce_ms: Annotated[
        int | None,
        Flag(
            names=("--debounce-ms",),
            metavar="MS",
            setting="indexing.watchDebounceMs",
            help="With --watch: how long nothing must have changed before a run.",
        ),
    ] = None
    rev: Annotated[
        str | None,
        About("Branch, tag or commit to index from git, as an index of its own; nothing is checked out"),
        UNLISTED,
        Flag(
            names=("--rev",),
            metavar="REV",
            filled=True,
            help="Index a branch, tag or commit of git as an index of its own, NAME@COMMIT; nothing is checked out.",
        ),
    ] = None


def index_codebase(call: Call, asked: Arguments) -> "Waiting[Any] | Report":
    """Index a folder so that it can be searched, or bring its index up to date; unchanged files are not read again.

    Waits at most 20 s: an answer with state "running" has a job_id for index_status. Files that git ignores and
    secrets are left out.
    """
    paths = folders_of(call, asked)
    if paths is None:
        return _begin(call, asked, asked.path)
    if asked.index_name:
        raise ValidationError(
            "several folders cannot have one index_name", hint="leave out index_name=NAME, or index one folder"
        )
    if call.settles:
        paths = _once(call, paths)
    return run_each(call, paths, lambda own, path: _begin(own, asked, path, is_entry=True), _seconds(asked))


def folders_of(call: Call, asked: Arguments) -> list[str] | None:
    """The folders that are to be indexed where there may be several; None: that of `path`. Raises ValidationError."""
    named = [asked.path, *(asked.paths or ())] if asked.paths_from else asked.paths
    if asked.paths_from == "-" and sys.stdin.isatty():
        call.tell("reading folders from the terminal, one a line, until Ctrl-D")
    return listed_paths(named, asked.paths_from, most=None if call.settles else MOST_PATHS)


def _once(call: Call, paths: Sequence[str]) -> list[str]:
    """The same without further names of a folder; a person hears of them."""
    firsts: dict[str, str] = {}
    for path in paths:
        first = firsts.setdefault(os.path.realpath(call.folder_to_index(path)), path)
        if first != path:
            call.tell(f"{path} is the folder {first}, which is indexed once")
    return list(firsts.values())


def _begin(call: Call, asked: Arguments, path: str, *, is_entry: bool = False) -> "Waiting[Run | Forecast] | Forecast":
    folder = call.folder_to_index(path)
    app = call.app_of_entry(folder) if is_entry else call.app(folder)
    if is_entry and call.settles:
        asked = replace(asked, include=None, exclude=None)
    options = replace(
        options_of(app, folder, asked),
        revision=revision_meant(folder, asked.rev),
        context_lines=asked.context_lines,
    )
    if asked.members:
        options = replace(options, discovery=narrowed(call, folder, options.discovery, asked))
    name = call.name_of(app, asked.index_name) if asked.index_name else None
    if mode_of(asked) == "estimate":
        return call.forecast(app, folder, name, options)
    job = call.start_run(app, folder, name, options)
    return Waiting(job, _seconds(asked), partial(_ended, app, folder), stops=(job,))


def _seconds(asked: Arguments, bounded: Bounded | None = None) -> float:
    """How long a call waits; `bounded` is told where it may not wait as long."""
    if asked.detach:
        return 0.0
    if asked.wait == "auto":
        return (bounded or Bounded()).value("wait_s", asked.wait_s, 0.0, MAX_WAIT_S)
    return math.inf if asked.wait else 0.0


def _answer(run: "Report", asked: Arguments) -> Json:
    told, bounded = answer(run, asked), Bounded()
    _seconds(asked, bounded)
    return {**told, "warnings": [*told.get("warnings", ()), *bounded.notes]} if bounded.notes else told


def _ended(app: "App", folder: Path, job: "JobStatus") -> Run:
    """The run as it is now.

    Raises:
        OperationCancelled: it was stopped before it began; else the error of a failed job.
    """
    if job.error is not None:
        raise job.error
    if job.ended and job.result is None:
        raise OperationCancelled(
            f"job {job.job_id} was cancelled before it began, nothing was changed", hint="call index_codebase again"
        )
    run_report: RunReport | None = job.result
    index_id = run_report.index_id if run_report is not None else app.catalog.identity_of(index_of(job))
    return Run(folder, job, index_id)


OPERATION: "Operation[Arguments, Report]" = Operation(
    name="index_codebase",
    title="Index a folder",
    arguments=Arguments,
    run=index_codebase,
    shape=_answer,
    answer=Indexed | StillRunning | SeveralIndexed,
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
        help="""Index a folder, or bring its index up to date.

        Unchanged files are not read again. Ctrl-C stops cleanly and keeps what is done.
        """,
        shape=command_answer,
        exit_code=exit_code,
    ),
    aliases=(
        Alias(name="regenerate_index", program="indxr", dialect="regenerate_index.OPERATION"),
        Alias(name="reindex", program="Lexa", means={"path": ".", "fresh": True}),
        Alias(name="index", program="Code Index", dialect="index.OPERATION"),
        Alias(name="ensure_repo_index", program="Mimir", dialect="ensure_repo_index.OPERATION"),
    ),
)
