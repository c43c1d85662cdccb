"""Matching lines, and the stages of a search, on a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from cocosearch_py.model.counts import counted
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.entries import print_cut
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.paths import on_one_line, shown_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_TAB_COLUMNS = 4
_STAGES = (
    ("query_analysis", "Query"),
    ("search_mode", "Mode"),
    ("vector_search", "Meaning"),
    ("keyword_search", "Words"),
    ("fusion", "Fusion"),
    ("definition_boost", "Definitions"),
    ("filtering", "Filters"),
    ("confidence", "Confidence"),
    ("timings", "Times"),
)


def show_matches(screen: Screen, answer: Json) -> None:
    """Show a heading for each file, then its lines with the matches, no line twice; and their number."""
    if answer.get("total") == 1:
        lines = "1 line"
    else:
        lines = f"{answer['total']:,} lines" if "total" in answer else f"{answer['total_at_least']:,} or more lines"
    figures = f"{lines} in {counted(answer['files_matched'], 'file')}"
    if "matches" not in answer:
        screen.console.print(figures)
    else:
        _show_files(screen, answer["matches"])
        screen.note(figures)
        if "next_cursor" in answer:
            screen.note(f"{len(answer['matches'])} shown: --limit shows more, --lang and --path narrow the list")


def path_lines(answer: Json) -> list[str] | None:
    """Return the paths of an answer of paths alone."""
    return [on_one_line(path) for path in answer["paths"]] if "paths" in answer else None


def _show_files(screen: Screen, items: Sequence[Json]) -> None:
    console = screen.console
    files: dict[tuple[str, str], list[Json]] = {}
    for item in items:
        files.setdefault((item.get("index_name", ""), item["file_path"]), []).append(item)
    for number, ((index_name, path), matches) in enumerate(files.items()):
        if number:
            console.print()
        index = f"[dim]{shown(index_name)}[/] " if index_name else ""
        console.print(f"{index}[bold cyan]{shown(screen.near(path))}[/]", soft_wrap=True)
        _show_lines(console, matches)
    if not files:
        console.print("[yellow]nothing found[/]")


def _show_lines(console: Console, matches: Sequence[Json]) -> None:
    """Print the lines of one file, with a mark where some are left out between lines of context."""
    texts: dict[int, str] = {}
    for match in matches:
        before, after = match.get("before", ()), match.get("after", ())
        matching = match["text"].split("\n") if "end_line" in match else [match["text"]]
        texts.update(enumerate((*before, *matching), start=match["line"] - len(before)))
        last = match["end_line"] if "end_line" in match else match["line"]
        texts.update(enumerate(after, start=last + 1))
    scopes = {match["line"]: _scope(match) for match in matches}
    digits = len(str(max(texts)))
    has_context = any(match.get("before") or match.get("after") for match in matches)
    for number in sorted(texts):
        if has_context and number - 1 not in texts and number > min(texts):
            console.print(f"  {'-' * digits}", style="dim")
        line = Text.assemble(
            (f"  {number:>{digits}} ", "dim"),
            (visible(texts[number].expandtabs(_TAB_COLUMNS)), "bold" if has_context and number in scopes else ""),
            (visible(scopes.get(number, "")), "dim"),
        )
        print_cut(console, line)


def _scope(match: Json) -> str:
    scope = match.get("scope")
    return f"  [{scope['kind']} {scope['name']}]" if scope and scope["start_line"] != match["line"] else ""


def show_analysis(screen: Screen, analysis: Json) -> None:
    """Show one table per stage, and one of the results."""
    console = screen.console
    stages = Table("stage", "figure", "value", headed=False)
    for key, title in _STAGES:
        for number, (name, value) in enumerate(analysis[key].items()):
            stages.add_row(f"[bold]{title}[/]" if number == 0 else "", f"[dim]{name}[/]", shown(_text(value)))
    if stages.fits(console):
        stages.print_to(console)
    else:
        _print_stages(console, analysis)
    console.print()
    _results(analysis["results"]).print_to(console)
    screen.note(f"index '{analysis['index_name']}'")


def _print_stages(console: Console, analysis: Json) -> None:
    """Print each stage below its title, for narrow terminals."""
    for key, title in _STAGES:
        console.print(f"[bold]{title}[/]")
        print_pairs(console, ((f"[dim]{name}[/]", shown(_text(value))) for name, value in analysis[key].items()))


def _results(items: list[Json]) -> Table:
    rows = Table("#", "score", "by", "where", "why", right=("#", "score"))
    for number, item in enumerate(items, start=1):
        why = sorted(item["parts"].items(), key=lambda pair: -abs(pair[1]))
        rows.add_row(
            str(number),
            f"{item['score']:.2f}",
            item["match_type"],
            shown(f"{shown_path('', item['file_path'])}:{item['start_line']}  {item['symbol_name'] or ''}"),
            shown(", ".join(f"{name} {value:+.2f}" for name, value in why[:4] if value)),
        )
    return rows


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
