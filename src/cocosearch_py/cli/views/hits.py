"""Search hits on a terminal: one heading and a few coloured lines of code each, those that match marked."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from cocosearch_py.cli.views.layout import cut, shown
from cocosearch_py.languages import lexer_name
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import FurtherPassage, Hit
from cocosearch_py.model.terminal import visible
from cocosearch_py.operations.common.surroundings import outline
from cocosearch_py.search.matches import telling_lines

SNIPPET_LINES = 12  # ten hits with their headings are then about three screens
_FURTHER_LINES = 6  # of a second passage
_OUTLINE_LINES = 8
_SHOWN_PART = 0.005  # of a score that is shown with two digits
_TAB_COLUMNS = 4
_HIGHLIGHTED_CHARS = 20_000  # of one hit; colouring more, which is data, would take seconds


@dataclass(frozen=True, slots=True)
class HitView:
    """What the hits are shown with. `words` choose which lines of a long hit are shown, and are marked."""

    words: Sequence[str]
    with_context: bool = False
    full: bool = False  # all lines of each passage
    explain: bool = False
    several: bool = False  # of several indexes


def show_hits(
    console: Console, hits: Iterable[tuple[IndexRecord, Hit]], view: HitView, *, lacking: str | None = None
) -> None:
    """Print the hits, best first, or say that there are none; `lacking`, the reason why they may be wrong, first."""
    if lacking:
        console.print(f"[yellow]{shown(lacking)}[/]", soft_wrap=True)
    found = bool(lacking)
    for record, hit in hits:
        if found:
            console.print()
        found = True
        _heading(console, record, hit, view)
        first, lines = _snippet(hit, view)
        _code(console, (first, lines), hit.language_id, _matched(first, lines, view, hit.answering))
        if not view.with_context:
            _say_more(console, hit.end_line - hit.start_line + 1 - len(lines), "line")
        _outline(console, hit, view)
        if hit.further is not None:
            _further(console, hit.further, hit.language_id, view)
        if view.explain:
            console.print("     [dim]" + shown(_reasons(hit)) + "[/]", soft_wrap=True)
    if not found:
        console.print("[yellow]nothing found[/]")


def show_joined(console: Console, root: str, items: Sequence[Mapping[str, Any]]) -> None:
    """Print files that imports join to the hits, one a line."""
    console.print()
    for item in items:
        relation = "imports" if "imports" in item else "imported_by"
        near = ", ".join(shown_path(root, path) for path in item[relation])
        place = f"{shown_path(root, item['file_path'])}:{item['start_line']}"
        told = f"[magenta]{shown(place)}[/]  [dim]{relation.replace('_', ' ')}[/] {shown(near)}"
        console.print(told, soft_wrap=True)


def _say_more(console: Console, hidden: int, what: str) -> None:
    if hidden > 0:
        console.print(f"     [dim]{hidden} more {what}{'s' if hidden > 1 else ''}[/]")


def _outline(console: Console, hit: Hit, view: HitView) -> None:
    """The members of a type that is not shown whole."""
    listed = hit.members if view.full else hit.members[:_OUTLINE_LINES]
    for line in outline(listed):
        console.print(f"  [dim]{shown(line)}[/]", soft_wrap=True)
    _say_more(console, len(hit.members) - len(listed), "member")


def _further(console: Console, further: FurtherPassage, language: str, view: HitView) -> None:
    """The second passage of a hit under a heading of its own."""
    symbol = further.symbol_name or further.hierarchy
    named = f"  [bold]{shown(symbol)}[/] [dim]{further.symbol_type or ''}[/]".rstrip() if symbol else ""
    console.print(f"  [dim]and[/] :{further.start_line}-{further.end_line}{named}", soft_wrap=True)
    lines = further.content.rstrip("\n").split("\n")
    matched = _matched(further.start_line, lines, view)
    start, count = (
        (0, len(lines)) if view.full else (_densest(further.start_line, lines, matched, _FURTHER_LINES), _FURTHER_LINES)
    )
    _code(console, (further.start_line + start, lines[start : start + count]), language, matched)
    _say_more(console, len(lines) - len(lines[start : start + count]), "line")


def _matched(first: int, lines: Sequence[str], view: HitView, answering: Collection[int] = ()) -> dict[int, int]:
    """Number of each line that matches, how well."""
    return telling_lines(view.words, "\n".join(lines), first, answering)


def _code(console: Console, numbered_lines: tuple[int, Sequence[str]], language: str, matched: Collection[int]) -> None:
    """Print lines from a number, cut with a mark where the console is narrower; those that match are marked."""
    first, lines = numbered_lines
    text = visible("\n".join(line.expandtabs(_TAB_COLUMNS) for line in lines))
    coloured = Text(text)
    if len(text) <= _HIGHLIGHTED_CHARS:
        coloured = Syntax("", lexer_name(language), theme="ansi_dark").highlight(text)
    mark, matching = (
        ("...", ">")
        if console.options.ascii_only
        else ("\N{HORIZONTAL ELLIPSIS}", "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}")
    )
    digits = len(str(first + len(lines) - 1))
    for number, line in enumerate(coloured.split("\n")[: len(lines)], start=first):
        gutter = (
            f"{matching if number in matched else ' '} {number:>{digits}} ",
            "yellow" if number in matched else "dim",
        )
        numbered = Text.assemble(gutter, line)
        numbered.rstrip()
        console.print(cut(numbered, console.width, mark=mark), soft_wrap=True)


def _heading(console: Console, record: IndexRecord, hit: Hit, view: HitView) -> None:
    index = f"[dim]{shown(record.name)}[/] " if view.several else ""
    path = shown(shown_path(record.root_path, hit.file_path).replace("\n", r"\x0a"))
    place = f"{index}[bold cyan]{path}[/]:{hit.start_line}-{hit.end_line}"
    symbol = hit.symbol_name or hit.hierarchy
    named = f"  [bold]{shown(symbol)}[/] [dim]{hit.symbol_type or ''}[/]".rstrip() if symbol else ""
    stale = f" [yellow]stale: {hit.stale}[/]" if hit.stale else ""
    console.print(f"{place}{named}  [green]{hit.score:.2f}[/] [dim]{hit.match_type}[/]{stale}", soft_wrap=True)


def shown_path(root: str, path: str) -> str:
    """The path from the current folder where that helps: inside of the root, or above the file; else absolute."""
    full, here = os.path.join(root, path), Path.cwd()
    if here.is_relative_to(root):
        return os.path.relpath(full, here)
    return str(Path(full).relative_to(here)) if Path(full).is_relative_to(here) else full


def _snippet(hit: Hit, view: HitView) -> tuple[int, list[str]]:
    """Number of the first shown line, and the lines."""
    if view.with_context:
        lines = hit.content.removesuffix("\n").split("\n")
        before = hit.context_before.split("\n") if hit.context_before else []
        after = hit.context_after.split("\n") if hit.context_after else []
        return hit.start_line - len(before), [*before, *lines, *after]
    lines = hit.content.rstrip("\n").split("\n")
    if view.full:
        return hit.start_line, lines
    matched = _matched(hit.start_line, lines, view, hit.answering)
    shows_head = hit.members and not hit.answering  # of a type
    start = 0 if shows_head else _densest(hit.start_line, lines, matched, SNIPPET_LINES)
    return hit.start_line + start, lines[start : start + SNIPPET_LINES]


def _densest(first: int, lines: Sequence[str], matched: Mapping[int, int], size: int) -> int:
    """Where the window of `size` lines that match best starts, from 0; a single line stands in the middle."""
    last = len(lines) - size
    if last <= 0 or not matched:
        return 0
    if len(matched) == 1:
        return min(last, max(0, next(iter(matched)) - first - size // 2))
    found = [matched.get(number, 0) for number in range(first, first + len(lines))]
    return max(range(last + 1), key=lambda start: (sum(found[start : start + size]), -start))


def _reasons(hit: Hit) -> str:
    """Ranks and scores in the legs, then what makes up the file's score."""
    told = sorted(hit.parts.items(), key=lambda item: -abs(item[1]))
    words, meaning = (f" (#{hit.ranks[leg]:.0f})" if leg in hit.ranks else "" for leg in ("keyword", "vector"))
    legs = f"meaning {_score(hit.vector_score)}{meaning}, words {_score(hit.keyword_score)}{words}"
    fused = f", fused {hit.ranks['fused']:.4f}" if "fused" in hit.ranks else ""
    return f"{legs}{fused}; " + ", ".join(f"{name} {value:+.2f}" for name, value in told if abs(value) >= _SHOWN_PART)


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
