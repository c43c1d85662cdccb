"""The answer to a question on a terminal: the lines that answer, what found them, how sure that is."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from cocosearch_py.model.counts import counted
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import cut, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_SHOWN_WHOLE = 3  # pieces of evidence with their lines; of each other piece, the first line
_MAX_LINES = 12  # of each piece of evidence
_TAB_COLUMNS = 4


def show_answer(screen: Screen, answer: Json) -> None:
    """Show the evidence with its lines, then the steps and the confidence."""
    console = screen.console
    for number, item in enumerate(answer["evidence"]):
        _piece(console, answer["root"], item, brief=number >= _SHOWN_WHOLE)
    if not answer["evidence"]:
        console.print("[yellow]nothing found[/]")
    for text in answer.get("hints", ()):
        screen.note(text)
    steps = (f"{one['intent']} '{one['query']}' {one['results_count']:,}" for one in answer["reasoning_steps"])
    screen.note(f"looked up: {', '.join(steps)}")
    sure = answer["confidence"]
    screen.note(f"confidence: {sure['level']} ({sure['value']:.2f}): {sure['reason']}")


def _piece(console: Console, root: str, item: Mapping[str, Any], *, brief: bool) -> None:
    """Print a piece of evidence: its place and lines, or both on one line."""
    first, last = item["lines"]
    place = f"{first}" if first == last else f"{first}-{last}"
    named = f"  [bold]{shown(item['name'])}[/]" if "name" in item else ""
    heading = f"[bold cyan]{shown(local_path(root, item['path']))}[/]:{place}{named}  [green]{shown(item['via'])}[/]"
    lines = [visible(line.removesuffix("\r").expandtabs(_TAB_COLUMNS)) for line in item["content"]["text"].split("\n")]
    if brief:
        told = Text.from_markup(heading).append(f"  {lines[0].strip()}", "dim")
        console.print(cut(told, console.width, mark="..."), soft_wrap=True)
        return
    console.print(heading, soft_wrap=True)
    digits = len(str(first + min(len(lines), _MAX_LINES) - 1))
    for number, line in enumerate(lines[:_MAX_LINES], start=first):
        console.print(cut(Text(f"  {number:>{digits}} {line}"), console.width, mark="..."), soft_wrap=True)
    if (hidden := len(lines) - _MAX_LINES) > 0:
        console.print(f"  [dim]{counted(hidden, 'more line')}[/]")
