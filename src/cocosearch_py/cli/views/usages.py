"""Uses on a terminal: a heading for each file, then a line for each with its place, kind, certainty and text."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.terminal import visible
from cocosearch_py.model.usages import Usage
from cocosearch_py.render.layout import cut, shown
from cocosearch_py.render.paths import shown_path

_STYLES = {"resolved": "green", "scoped": "cyan", "name_only": "yellow"}
_MARKS = {"resolved": "=", "scoped": "~", "name_only": "?"}


def show_usages(console: Console, found: Sequence[tuple[IndexRecord, Usage]], *, several: bool) -> None:
    """Print uses in their order, those that follow each other in one file together; or say that there are none.

    Args:
        several: of several indexes, whose names are shown.
    """
    digits = max((len(str(one.line)) for _, one in found), default=0)
    kinds = max((len(one.kind) for _, one in found), default=0)
    last: tuple[str, str] | None = None
    for record, one in found:
        if (record.name, one.path) != last:
            if last is not None:
                console.print()
            last = (record.name, one.path)
            index = f"[dim]{shown(record.name)}[/] " if several else ""
            path = shown(shown_path(record.root_path, one.path))
            console.print(f"{index}[bold cyan]{path}[/]", soft_wrap=True)
        around = f"  {visible(one.around.qualified_name)}" if one.around is not None else ""
        line = Text.assemble(
            (f"{'  ' * one.distance if one.distance > 1 else '  '}{one.line:>{digits}} ", "dim"),
            (f"{_MARKS[one.confidence]} {one.kind:<{kinds}} ", _STYLES[one.confidence]),
            visible(one.text),
            (around, "dim"),
        )
        mark = "..." if console.options.ascii_only else "\N{HORIZONTAL ELLIPSIS}"
        console.print(cut(line, console.width, mark=mark), soft_wrap=True)
    if not found:
        console.print("[yellow]nothing found[/]")
