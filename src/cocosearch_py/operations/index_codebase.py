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
from cocosearch_py.features.indexing.tools import Indexed, SeveralIndexed, StillRunning
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation, Waiting
from cocosearch_py.tools.ran import Report, Run, answer, command_answer, exit_code
from cocosearch_py.tools.revisions import revision_meant
from cocosearch_py.tools.runs import index_of
from cocosearch_py.tools.several import MOST_PATHS, listed_paths, run_each
from cocosearch_py.tools.shaping import mode_of, narrowed, options_of
from cocosearch_py.tools.sizes import PATHS, PATTERNS

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


def index_codebase(call: Call, asked: Arguments) -> "Waiting[Any] | Report":
    """Index a folder for search, or update its index; unchanged files are not read again.

    Waits at most 20 s: an answer with state "running" has a job_id for index_status. Files that git ignores and secrets
    are left out.
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
            call.tell(f"{path} is the same folder as {first}; it is indexed once")
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
            f"job {job.job_id} was cancelled before it started; nothing was changed", hint="call index_codebase again"
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
        help="""Index a folder, or update its index.

        Unchanged files are not read again. Ctrl-C stops cleanly and keeps finished work.
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
