"""Definitions on a terminal: a heading for each file, then a line for each with its place, kind, name and signature."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from cocosearch_py.cli.views.hits import shown_path
from cocosearch_py.cli.views.layout import cut, shown, visible
from cocosearch_py.model.definitions import Definition
from cocosearch_py.model.indexes import IndexRecord


def show_definitions(
    console: Console, found: Sequence[tuple[IndexRecord, Definition]], *, several: bool, with_doc: bool
) -> None:
    """Print definitions in their order, those that follow each other in one file together; or say that there are none.

    Args:
        several: of several indexes, whose names are shown.
        with_doc: with the first line of their comments.
    """
    places = [f"{one.start_line}-{one.end_line}" for _, one in found]
    columns = (max(map(len, places), default=0), max((len(one.kind) for _, one in found), default=0))
    last: tuple[str, str] | None = None
    for place, (record, one) in zip(places, found, strict=True):
        if (record.name, one.path) != last:
            if last is not None:
                console.print()
            last = (record.name, one.path)
            index = f"[dim]{shown(record.name)}[/] " if several else ""
            path = shown(shown_path(record.root_path, one.path).replace("\n", r"\x0a"))
            console.print(f"{index}[bold cyan]{path}[/]", soft_wrap=True)
        _show(console, place, one, columns)
        if with_doc and one.doc:
            _print(console, Text("      " + visible(one.doc.split("\n", 1)[0]), style="dim"))
    if not found:
        console.print("[yellow]nothing found[/]")


def _show(console: Console, place: str, one: Definition, columns: tuple[int, int]) -> None:
    line = Text.assemble(
        (f"  {place:>{columns[0]}} ", "dim"),
        (f"{visible(one.kind):<{columns[1]}} ", "green"),
        (visible(one.qualified_name), "bold"),
        (f"  {visible(one.signature)}", "dim"),
    )
    _print(console, line)


def _print(console: Console, line: Text) -> None:
    mark = "..." if console.options.ascii_only else "\N{HORIZONTAL ELLIPSIS}"
    console.print(cut(line, console.width, mark=mark), soft_wrap=True)
