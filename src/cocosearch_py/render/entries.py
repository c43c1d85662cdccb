"""Definitions of a file as lines: place, kind, name and signature."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import cut


def show_entries(console: Console, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
    """Print definitions of one file, each behind the lines that lead to it in a tree."""
    places = [f"{item['start_line']}-{item['end_line']}" for _, item in entries]
    width = max(map(len, places), default=0)
    for place, (guide, item) in zip(places, entries, strict=True):
        line = Text.assemble(
            (f"  {place:>{width}} {guide}", "dim"),
            (f"{visible(item['kind'])} ", "green"),
            (visible(item["name"]), "bold"),
            (f"  {visible(item['signature'])}", "dim"),
        )
        print_cut(console, line)


def print_cut(console: Console, line: Text) -> None:
    """Print text on one line of the terminal, cut with a mark if it is longer."""
    mark = "..." if console.options.ascii_only else "\N{HORIZONTAL ELLIPSIS}"
    console.print(cut(line, console.width, mark=mark), soft_wrap=True)
