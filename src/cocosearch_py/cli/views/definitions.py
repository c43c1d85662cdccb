"""Definitions on a terminal: a heading for each file, then a line for each with its place, kind, name and signature.

An outline is a tree of the same lines; a definition that is explained has its comment and its members below it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from cocosearch_py.model.counts import counted
from cocosearch_py.model.definitions import Definition, Explained, Outline, OutlineEntry
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import cut, shown
from cocosearch_py.render.paths import shown_path

if TYPE_CHECKING:
    from cocosearch_py.operations.explain_symbol import Counts


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
            console.print(f"{index}{_path(record, one.path)}", soft_wrap=True)
        _show(console, place, one, columns)
        if with_doc and one.doc:
            _print(console, Text("      " + visible(one.doc.split("\n", 1)[0]), style="dim"))
    if not found:
        console.print("[yellow]nothing found[/]")


def show_outline(
    console: Console, record: IndexRecord, outline: Outline, wanted: Sequence[tuple[int, OutlineEntry]]
) -> None:
    """Print definitions of a file with their levels, from 0, as a tree."""
    count = counted(len(outline.entries), "definition")
    broken = f"  [yellow]{outline.parse_status}: {shown(outline.parse_error)}[/]" if outline.parse_error else ""
    told = f"[dim]{shown(outline.language_id)}, {counted(outline.line_count, 'line')}, {count}[/]{broken}"
    console.print(f"{_path(record, outline.path)}  {told}", soft_wrap=True)
    if outline.imports:
        told = ", ".join(dict.fromkeys(one.module for one in outline.imports))
        _print(console, Text.assemble(("  imports ", "green"), (visible(told), "dim")))
    guides = _guides([level for level, _ in wanted], ascii_only=console.options.ascii_only)
    _show_entries(console, [(guide, one) for guide, (_, one) in zip(guides, wanted, strict=True)])
    if not wanted and not outline.imports:
        console.print("[yellow]nothing found[/]")


def show_explained(
    console: Console, explained: "Sequence[tuple[IndexRecord, Explained, Counts]]", *, members: int, several: bool
) -> None:
    """Print definitions with their comments and, of each, so many of the definitions inside it."""
    for number, (record, told, counts) in enumerate(explained):
        if number:
            console.print()
        one = told.definition
        index = f"[dim]{shown(record.name)}[/] " if several else ""
        place = f"{index}{_path(record, one.path)}:{one.start_line}-{one.end_line}"
        named = f"[bold]{shown(one.qualified_name)}[/] [dim]{shown(one.kind)}, {shown(one.visibility)}[/]"
        console.print(f"{place}  {named}", soft_wrap=True)
        console.print(Text("  " + visible(one.signature)), soft_wrap=True)
        for line in visible(one.doc).split("\n") if one.doc else ():
            console.print(Text(f"    {line}".rstrip(), style="dim"), soft_wrap=True)
        console.print(
            f"  [green]called[/] [dim]{counted(counts.calls, 'time')} ({counts.in_tests:,} in tests), "
            f"{counts.by_name:,} more by its name[/]"
        )
        for what, names in (("inherits", told.inherits), ("inherited by", told.heirs)):
            if names:
                console.print(f"  [green]{what}[/] [dim]{shown(', '.join(names))}[/]", soft_wrap=True)
        inside = [member for member in told.members if not member.function_depth]
        _show_entries(console, [("", member) for member in inside[:members]])
        if len(inside) > members:
            console.print(f"  [dim]{len(inside) - members} more[/]")
    if not explained:
        console.print("[yellow]nothing found[/]")


def _show_entries(console: Console, entries: Sequence[tuple[str, OutlineEntry]]) -> None:
    """Print definitions of one file, each behind what leads to it in a tree."""
    places = [f"{one.start_line}-{one.end_line}" for _, one in entries]
    width = max(map(len, places), default=0)
    for place, (guide, one) in zip(places, entries, strict=True):
        line = Text.assemble(
            (f"  {place:>{width}} {guide}", "dim"),
            (f"{visible(one.kind)} ", "green"),
            (visible(one.name), "bold"),
            (f"  {visible(one.signature)}", "dim"),
        )
        _print(console, line)


def _guides(levels: Sequence[int], *, ascii_only: bool) -> list[str]:
    """Return the lines drawn before each entry of a tree, from the levels of the entries."""
    branch, last, through = ("|-- ", "`-- ", "|   ") if ascii_only else ("├── ", "└── ", "│   ")
    found = [""] * len(levels)
    open_levels: set[int] = set()  # those on which an entry follows
    for at in range(len(levels) - 1, -1, -1):
        level = levels[at]
        open_levels = {one for one in open_levels if one <= level}
        if level:
            before = "".join(through if one in open_levels else "    " for one in range(1, level))
            found[at] = before + (branch if level in open_levels else last)
        open_levels.add(level)
    return found


def _path(record: IndexRecord, path: str) -> str:
    """The path of a file, as markup."""
    told = shown(shown_path(record.root_path, path))
    return f"[bold cyan]{told}[/]"


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
