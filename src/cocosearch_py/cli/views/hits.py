"""Search hits on a terminal: the first few with lines of code, one line for each other hit.

With `--full` or lines of context, every hit shows its code.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.syntax import Syntax
from rich.text import Text

from cocosearch_py.languages import lexer_name
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import FurtherPassage, Hit
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.layout import cut, shown
from cocosearch_py.render.paths import shown_path
from cocosearch_py.search.matches import best_line, telling_lines
from cocosearch_py.tools.surroundings import outline

_CODE_LINES = (6, 4, 3)  # of the first hits; ten hits and the notes then fit 40 rows
_FEW_CODE_LINES = 9  # of each hit where no others follow
_PLACE_PART = 0.45  # of the width for the path of a hit that has one line
_SHOWN_PART = 0.005  # of a score that is shown with two digits
_TAB_COLUMNS = 4
_HIGHLIGHTED_CHARS = 20_000  # of one hit; colouring more, which is data, would take seconds
_LEVEL_STYLES = {"high": "green", "medium": "yellow", "low": "red"}


@dataclass(frozen=True, slots=True)
class HitView:
    """Choices for showing hits. The `words` are marked, and choose the shown lines of a long hit."""

    words: Sequence[str]
    with_context: bool = False
    full: bool = False  # all lines of each passage
    explain: bool = False
    several: bool = False  # of several indexes
    first: int = 1  # number of the first hit

    @property
    def is_brief(self) -> bool:
        return not self.full and not self.with_context


def show_verdict(console: Console, level: str, reason: str) -> None:
    """Print how sure the answer is, and why."""
    console.print(f"[{_LEVEL_STYLES[level]}]{level} confidence[/]: {shown(reason)}", soft_wrap=True)


def show_hits(console: Console, hits: Sequence[tuple[IndexRecord, Hit]], view: HitView) -> None:
    """Print the hits, best first, each with its number."""
    digits = len(str(view.first + len(hits) - 1))
    for at, (record, hit) in enumerate(hits):
        number = f"{view.first + at:>{digits}}"
        if view.is_brief and at >= len(_CODE_LINES):
            if at == len(_CODE_LINES):
                console.print()
            _line(console, number, record, hit, view)
        else:
            if at:
                console.print()
            _heading(console, number, record, hit, view)
            if view.is_brief:
                _brief(console, hit, view, _CODE_LINES[at] if len(hits) > len(_CODE_LINES) else _FEW_CODE_LINES)
            else:
                _whole(console, hit, view)
        if view.explain:
            console.print(f"{' ' * digits}  [dim]{shown(_reasons(hit))}[/]", soft_wrap=True)


def show_joined(console: Console, root: str, items: Sequence[Mapping[str, Any]]) -> None:
    """Print files that imports join to the hits, one a line."""
    console.print()
    for item in items:
        relation = "imports" if "imports" in item else "imported_by"
        near = ", ".join(shown_path(root, path) for path in item[relation])
        place = f"{shown_path(root, item['file_path'])}:{item['start_line']}"
        told = f"[magenta]{shown(place)}[/]  [dim]{relation.replace('_', ' ')}[/] {shown(near)}"
        console.print(told, soft_wrap=True)


def line_of(hit: Hit, words: Sequence[str]) -> int:
    """Line at which a hit is opened: the one that was asked for, else that of its definition, else the best one."""
    lines = _lines_of(hit)
    asked = [line for line in hit.answering if line in lines]
    return asked[0] if asked else _defining_line(hit, lines) or _best(hit, words, lines)


def _lines_of(hit: Hit) -> dict[int, str]:
    return dict(enumerate(hit.content.rstrip("\n").split("\n"), start=hit.start_line))


def _defining_line(hit: Hit, lines: Mapping[int, str]) -> int | None:
    """The line with which the hit's definition begins, None if it begins before these lines."""
    signature = hit.symbol_signature or ""
    told = ((number, " ".join(text.split())) for number, text in lines.items())
    found = (number for number, text in told if text and (signature.startswith(text) or text.startswith(signature)))
    return next(found, None) if signature else None


def _best(hit: Hit, words: Sequence[str], lines: Mapping[int, str]) -> int:
    held = telling_lines(words, "\n".join(lines.values()), hit.start_line, hit.answering)
    return best_line(lines, held, hit.symbol_signature or "")


def _line(console: Console, number: str, record: IndexRecord, hit: Hit, view: HitView) -> None:
    """Print a hit as one line: number, place, name, and the line that says most, or the signature."""
    lines = _lines_of(hit)
    best = _best(hit, view.words, lines)
    is_telling = bool(telling_lines(view.words, lines[best], best, hit.answering))
    text = lines[best] if is_telling or not hit.symbol_signature else hit.symbol_signature
    mark = _mark(console)
    path, line = _path(record, hit, view), f":{line_of(hit, view.words)}"
    room = max(int(console.width * _PLACE_PART) - len(line), 1)
    path = path if len(path) <= room else mark + path[len(path) - room + len(mark) :]
    told = Text.assemble((number, "bold"), "  ", (visible(path), "cyan"), line)
    if name := hit.hierarchy or hit.symbol_name:
        told.append(f"  {visible(name)}", "bold")
    if hit.stale:
        told.append(f"  stale: {hit.stale}", "yellow")
    told.append(f"  {visible(' '.join(text.split()))}", "dim")
    console.print(cut(told, console.width, mark=mark), soft_wrap=True)


def _brief(console: Console, hit: Hit, view: HitView, count: int) -> None:
    """Print the line with which the definition begins and the lines that match best, `count` in all."""
    lines = _lines_of(hit)
    head = _defining_line(hit, lines)
    held = _matched(hit.start_line, list(lines.values()), view, hit.answering)
    if head is None and hit.symbol_signature and len(lines) >= count:
        text = Text(" " * (len(str(hit.end_line)) + 3) + visible(hit.symbol_signature), "dim")
        console.print(cut(text, console.width, mark=_mark(console)), soft_wrap=True)
        count -= 1
    kept = _kept(lines, held, head, count)
    _code(console, hit.start_line, list(lines.values()), kept, hit.language_id, held)
    names = [one.name for one in hit.members]
    if names:
        text = Text(f"  members: {visible(', '.join(names))}", "dim")
        console.print(cut(text, console.width, mark=_mark(console)), soft_wrap=True)
    if hit.further is not None:
        named = hit.further.hierarchy or hit.further.symbol_name or ""
        told = f"  [dim]also[/] {_lines_told(hit.further)}  {shown(named)}"
        console.print(told.rstrip(), soft_wrap=True)


def _kept(lines: Mapping[int, str], held: Mapping[int, int], head: int | None, count: int) -> list[int]:
    """Numbers of the lines to show: those that match best side by side, and the head of the definition."""
    texts, first = list(lines.values()), min(lines)
    start = first + _densest(first, texts, held, count)
    if head is not None and not start <= head < start + count:
        start = first + _densest(first, texts, held, count - 1)
        if not start <= head < start + count:
            return sorted([head, *range(start, start + count - 1)])
    return [number for number in range(start, start + count) if number in lines]


def _whole(console: Console, hit: Hit, view: HitView) -> None:
    """Print all lines of a hit, with its context where that is asked for, and what else of its file answers."""
    first, lines = _snippet(hit, view)
    matched = _matched(first, lines, view, hit.answering)
    _code(console, first, lines, range(first, first + len(lines)), hit.language_id, matched)
    for line in outline(hit.members):
        console.print(f"  [dim]{shown(line)}[/]", soft_wrap=True)
    if hit.further is not None:
        _further(console, hit.further, hit.language_id, view)


def _further(console: Console, further: FurtherPassage, language: str, view: HitView) -> None:
    """Print the second passage of a hit under a heading of its own."""
    symbol = further.hierarchy or further.symbol_name
    named = f"  [bold]{shown(symbol)}[/] [dim]{further.symbol_type or ''}[/]".rstrip() if symbol else ""
    console.print(f"  [dim]also[/] {_lines_told(further)}{named}", soft_wrap=True)
    lines = further.content.rstrip("\n").split("\n")
    numbers = range(further.start_line, further.start_line + len(lines))
    _code(console, further.start_line, lines, numbers, language, _matched(further.start_line, lines, view))


def _matched(first: int, lines: Sequence[str], view: HitView, answering: Collection[int] = ()) -> dict[int, int]:
    """Number of each line that matches, how well."""
    return telling_lines(view.words, "\n".join(lines), first, answering)


def _code(
    console: Console,
    first: int,
    lines: Sequence[str],
    kept: Iterable[int],
    language: str,
    matched: Collection[int],
) -> None:
    """Print the kept ones of these lines, cut to the width; those that match are marked.

    Args:
        first: number of the first line.
    """
    text = visible("\n".join(line.expandtabs(_TAB_COLUMNS) for line in lines))
    coloured = Text(text)
    if len(text) <= _HIGHLIGHTED_CHARS:
        coloured = Syntax("", lexer_name(language), theme="ansi_dark").highlight(text)
    matching = ">" if console.options.ascii_only else "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}"
    digits = len(str(first + len(lines) - 1))
    split = coloured.split("\n", allow_blank=True)
    for number in kept:
        gutter = (
            f"{matching if number in matched else ' '} {number:>{digits}} ",
            "yellow" if number in matched else "dim",
        )
        numbered = Text.assemble(gutter, split[number - first])
        numbered.rstrip()
        console.print(cut(numbered, console.width, mark=_mark(console)), soft_wrap=True)


def _lines_told(one: Hit | FurtherPassage) -> str:
    return f":{one.start_line}-{one.end_line}" if one.end_line > one.start_line else f":{one.start_line}"


def _mark(console: Console) -> str:
    """Mark where text is cut."""
    return "..." if console.options.ascii_only else "\N{HORIZONTAL ELLIPSIS}"


def _path(record: IndexRecord, hit: Hit, view: HitView) -> str:
    index = f"{record.name} " if view.several else ""
    return index + shown_path(record.root_path, hit.file_path)


def _heading(console: Console, number: str, record: IndexRecord, hit: Hit, view: HitView) -> None:
    place = f"[bold]{number}[/]  [bold cyan]{shown(_path(record, hit, view))}[/]{_lines_told(hit)}"
    symbol = hit.hierarchy or hit.symbol_name
    named = f"  [bold]{shown(symbol)}[/] [dim]{hit.symbol_type or ''}[/]".rstrip() if symbol else ""
    stale = f" [yellow]stale: {hit.stale}[/]" if hit.stale else ""
    if Text.from_markup(place + named + stale).cell_len > console.width:
        named = f"\n{' ' * len(number)}{named}"
    console.print(f"{place}{named}{stale}", soft_wrap=True)


def _snippet(hit: Hit, view: HitView) -> tuple[int, list[str]]:
    """Number of the first shown line, and the lines."""
    if view.with_context:
        lines = hit.content.removesuffix("\n").split("\n")
        before = hit.context_before.split("\n") if hit.context_before else []
        after = hit.context_after.split("\n") if hit.context_after else []
        return hit.start_line - len(before), [*before, *lines, *after]
    return hit.start_line, hit.content.rstrip("\n").split("\n")


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
    parts = ", ".join(f"{name} {value:+.2f}" for name, value in told if abs(value) >= _SHOWN_PART)
    return f"score {hit.score:.2f} ({hit.match_type}): {legs}{fused}; {parts}"


def _score(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
