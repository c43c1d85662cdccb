"""`analyze` on a terminal: the stages of one search, top to bottom."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_STAGES = (
    ("query_analysis", "Query"),
    ("search_mode", "Mode"),
    ("vector_search", "Meaning"),
    ("keyword_search", "Words"),
    ("fusion", "Fusion"),
    ("definition_boost", "Definitions"),
    ("filtering", "Filters"),
    ("timings", "Times"),
)


def show_analysis(console: Console, analysis: dict[str, Any]) -> None:
    """Print the object of `analyze_query` as one table per stage and one of the results."""
    stages = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for key, title in _STAGES:
        for number, (name, value) in enumerate(analysis[key].items()):
            stages.add_row(f"[bold]{title}[/]" if number == 0 else "", f"[dim]{name}[/]", escape(_shown(value)))
    console.print(stages)
    console.print()
    console.print(_results(analysis["results"]))


def _results(items: list[dict[str, Any]]) -> Table:
    table = Table(box=None, header_style="bold")
    for title, justify in (("#", "right"), ("score", "right"), ("by", "left"), ("where", "left"), ("why", "left")):
        table.add_column(title, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for number, item in enumerate(items, start=1):
        why = sorted(item["why"].items(), key=lambda pair: -abs(pair[1]))
        table.add_row(
            str(number),
            f"{item['score']:.2f}",
            item["match_type"],
            escape(f"{item['file_path']}:{item['start_line']}  {item['symbol_name'] or ''}"),
            escape(", ".join(f"{name} {value:+.2f}" for name, value in why[:4] if value)),
        )
    return table


def _shown(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "-"}[value]
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
