"""Edits and the log of changes on a terminal."""

from collections.abc import Iterable
from datetime import datetime

from rich.console import Console

from cocosearch_py.render.layout import Table, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_STYLES = {"+": "green", "-": "red", "@": "cyan", "\\": "dim"}


def show_diff(console: Console, diff: Iterable[str], indent: str = "") -> None:
    """Print the lines of a diff."""
    for line in diff:
        style = _STYLES.get(line[:1])
        text = f"{indent}{shown(line)}"
        console.print(f"[{style}]{text}[/]" if style else text, soft_wrap=True, highlight=False)


def show_edit(screen: Screen, answer: Json) -> None:
    """Print the diff, then the written file, its hash, and the number of the change."""
    show_diff(screen.console, answer["diff"].split("\n") if answer["diff"] else ())
    path = local_path("", answer["file_path"])
    if answer["applied"]:
        change = f"  [dim]{answer['hash']}[/]  change {answer['seq']}"
        screen.console.print(f"[bold]{shown(path)}[/]{change}")
    elif answer.get("dry_run"):
        screen.note(f"{path} was not changed: --dry-run")


def show_changes(screen: Screen, answer: Json) -> None:
    """Show one line for each change, the last one at the end."""
    if not answer["changes"]:
        screen.note(answer["hint"])
        return
    rows = Table("seq", "when", "what", "file", "by", right=("seq",))
    for change in answer["changes"]:
        undoes = f" of {change['undoes']}" if "undoes" in change else ""
        unsure = " (unsure)" if change.get("unsure") else ""
        when = datetime.fromisoformat(change["at"]).astimezone().strftime("%Y-%m-%d %H:%M:%S")
        author = change.get("author") or change["source"]
        rows.add_row(
            str(change["seq"]), when, shown(change["op"] + undoes + unsure), shown(change["path"]), shown(author)
        )
    rows.print_to(screen.console)
    if answer.get("truncated"):
        screen.note("there are more: --limit shows more, --since-seq N those after change N")


def show_undone(screen: Screen, answer: Json) -> None:
    """Show each edit that was undone, with its diff."""
    verb = "would take back" if answer["dry_run"] else "took back"
    for edit in answer["undone"]:
        kept = ", later changes are kept" if edit["merged"] else ""
        change = "" if edit["seq"] is None else f": change {edit['seq']}"
        screen.console.print(f"[bold]{verb} {edit['undid']}[/] of {shown(edit['path'])}{kept}{change}", soft_wrap=True)
        if edit["hash"] is None:
            screen.console.print("  the file is removed")
            continue
        show_diff(screen.console, edit["diff"].splitlines()[2:], indent="  ")
