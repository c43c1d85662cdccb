"""`analyze` on a terminal: the stages of one search, top to bottom."""

from typing import Any

from rich.console import Console

from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.paths import shown_path

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


def show_analysis(console: Console, analysis: dict[str, Any]) -> None:
    """Print the object of `analyze_query` as one table per stage and one of the results."""
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


def _print_stages(console: Console, analysis: dict[str, Any]) -> None:
    """Each stage below its title, for narrow terminals."""
    for key, title in _STAGES:
        console.print(f"[bold]{title}[/]")
        print_pairs(console, ((f"[dim]{name}[/]", shown(_text(value))) for name, value in analysis[key].items()))


def _results(items: list[dict[str, Any]]) -> Table:
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
