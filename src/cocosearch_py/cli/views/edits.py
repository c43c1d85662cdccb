"""An edit on a terminal: its diff, then what came of it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cocosearch_py.cli.session import Session
from cocosearch_py.render.layout import shown
from cocosearch_py.tools.editing import EditMade, edit_answer

if TYPE_CHECKING:
    from rich.console import Console

_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def show_lines(console: "Console", diff: Iterable[str]) -> None:
    """Print the lines of a diff."""
    for line in diff:
        style = _STYLES.get(line[:1])
        console.print(f"[{style}]{shown(line)}[/]" if style else shown(line), soft_wrap=True)


def show_edit(session: Session, made: EditMade, asked: Any) -> None:
    """Print the diff; then which file was written, its hash, and the number of the change."""
    answer, report = edit_answer(made, asked.preview), made.report
    show_lines(session.console, answer["diff"].split("\n") if answer["diff"] else ())
    if report.applied:
        session.console.print(f"[bold]{shown(report.path)}[/]  [dim]{report.hash}[/]  change {report.seq}")
    elif report.dry_run:
        session.note(f"{report.path} was not changed: --dry-run")
    for text in answer.get("warnings", ()):
        session.warn(text)
