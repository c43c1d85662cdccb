"""`index`: bring the index of a folder up to date."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cocosearch_py.cli.options import not_empty
from cocosearch_py.cli.session import Session
from cocosearch_py.errors import CocosearchError, OperationCancelled

if TYPE_CHECKING:
    from cocosearch_py.indexing.progress import RunReport


def index(
    session: Session,
    *,
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="Folder to index; the current one by default.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "-n", "--name", metavar="NAME", callback=not_empty, help="Name of the index; by default the folder's."
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option("-i", "--include", metavar="GLOB", help="Only files that match; may be repeated."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option("-e", "--exclude", metavar="GLOB", help="No file that matches; may be repeated.")
    ] = None,
    no_gitignore: Annotated[bool, typer.Option("--no-gitignore", help="Index what git ignores too.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Build anew, whatever has changed.")] = False,
    max_file_size: Annotated[
        int | None, typer.Option("--max-file-size", metavar="KB", help="Skip larger files.", show_default=False)
    ] = None,
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", metavar="N", help="Folder levels to look at; 1 is the folder alone.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("-j", "--jobs", metavar="N", help="Worker processes; by default one per core.")
    ] = None,
    strategy: Annotated[
        str | None, typer.Option("--strategy", metavar="HOW", help="How files are cut: treesitter or lines.")
    ] = None,
) -> int:
    """Index a folder, or bring its index up to date.

    Unchanged files are not read again. Ctrl-C stops cleanly and keeps what is done.
    """
    overrides: dict[str, object] = {
        "indexing.includePatterns": include or None,
        "indexing.excludePatterns": exclude or None,
        "indexing.respectGitignore": False if no_gitignore else None,
        "indexing.maxFileSizeKb": max_file_size,
        "indexing.maxDepth": max_depth,
        "indexing.workers": jobs,
        "indexing.strategy": strategy,
    }
    try:
        report = _run(session, path, name, overrides, fresh=fresh)
    except OperationCancelled:
        raise
    except CocosearchError as error:
        if session.json:
            session.emit({"success": False, "error": f"Failed to index codebase: {error.message}"})
        raise
    return _show(session, report)


def _run(
    session: Session, path: Path | None, name: str | None, overrides: dict[str, object], *, fresh: bool
) -> "RunReport":
    from cocosearch_py.cli.progress import open_progress

    folder = path if path is not None else session.folder
    loaded = session.load(overrides, start=folder)
    app = session.open(loaded)
    with _stopping(quiet=session.quiet) as cancelled, open_progress(session) as progress:
        return app.index(
            folder,
            name=name,
            options=app.indexing_options(fresh=fresh),
            progress=progress,
            cancelled=cancelled,
        )


_STOPPING = b"\nstopping; keeping what is done (Ctrl-C again aborts and keeps nothing of this run)\n"


@contextmanager
def _stopping(*, quiet: bool) -> Iterator[Callable[[], bool]]:
    """Lend a flag that the first Ctrl-C sets; the second one aborts."""
    asked = False

    def stop(_number: int, _frame: object) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        if not quiet:
            # Straight to the descriptor: the signal may have come while a stream was being written.
            os.write(sys.stderr.fileno(), _STOPPING)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield lambda: asked
    except KeyboardInterrupt:
        raise OperationCancelled(
            "aborted: nothing of this run is kept, the index is as it was before", hint="run the same command again"
        ) from None
    finally:
        signal.signal(signal.SIGINT, before)


def _show(session: Session, report: "RunReport") -> int:
    from cocosearch_py import answers

    if session.json:
        session.emit(answers.index_run(report))
    else:
        session.console.print(_summary(report), soft_wrap=True)
        for warning in report.warnings:
            session.warn(warning)
    if not report.interrupted:
        return 0
    if report.warnings:
        return OperationCancelled.exit_code
    session.note(
        f"interrupted: {report.files_added + report.files_updated:,} files are kept and can be searched, "
        f"{report.files_pending:,} are left; run the same command again to go on"
    )
    sys.stdout.flush()
    return OperationCancelled.exit_code


def _summary(report: "RunReport") -> str:
    from rich.markup import escape

    counts = [
        (report.files_added, "added"),
        (report.files_updated, "updated"),
        (report.files_removed, "removed"),
        (report.files_unchanged, "unchanged"),
        (report.files_skipped, "skipped"),
        (report.files_failed, "failed"),
    ]
    told = ", ".join(f"{count:,} {what}" for count, what in counts if count) or "no files"
    lines = [
        f"[bold green]{escape(report.index_name)}[/]  {escape(report.root_path)}",
        f"{told}; {report.chunks:,} chunks in {report.seconds:.1f} s",
    ]
    if report.files_failed:
        lines.append(f"[yellow]see what failed: cocosearch-py stats {escape(report.index_name)} --show-failures[/]")
    return "\n".join(lines)
