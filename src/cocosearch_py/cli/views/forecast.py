"""`index --dry-run` on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.tools.answers import pretty_bytes

_MINUTE_S, _HOUR_S = 60, 3600
_RULES_SHOWN = 15  # the others are one line, unless -v


def show_forecast(console: Console, item: Mapping[str, Any], told: str, *, verbose: bool) -> None:
    """Show the forecast of a run from its JSON; `told` are the counts in words."""
    estimate = item["estimate"]
    console.print(f"[bold green]{shown(item['index_name'])}[/]  {shown(item['path'])}", soft_wrap=True)
    reused = item["stats"]["files_reused"]
    basis = "at the speed of the last run" if estimate["measured"] else "no earlier run to compare with"
    facts = {
        "would be": shown(told or "no files"),
        "rebuilt": shown(item["rebuild_reason"] or ""),
        "to read": f"{pretty_bytes(estimate['read_bytes'])} of {pretty_bytes(estimate['source_bytes'])} source",
        "to copy": f"{pretty_bytes(estimate['copied_bytes'])} of other indexes ({counted(reused, 'file')})"
        if reused
        else "",
        "time": f"about {_span(estimate['seconds'])} ({basis})",
        "size": f"about {estimate['storage_size_pretty']} in the database",
    }
    print_pairs(console, ((f"[dim]{name}[/]", value) for name, value in facts.items() if value))
    _folders(console, item["folders"])
    _rules(console, item["rules"], verbose=verbose)
    console.print("[dim]nothing was written[/]")


def _span(seconds: float) -> str:
    """A time that is only estimated."""
    if seconds < 2 * _MINUTE_S:
        return f"{seconds:.1f} s"
    return f"{seconds / _MINUTE_S:.0f} min" if seconds < 2 * _HOUR_S else f"{seconds / _HOUR_S:.1f} h"


def _folders(console: Console, folders: Sequence[Mapping[str, Any]]) -> None:
    if folders:
        rows = Table("indexed below", "files", "size", right=("files", "size"))
        for row in folders:
            rows.add_row(shown(row["folder"]), f"{row['files']:,}", pretty_bytes(row["bytes"]))
        rows.print_to(console)


def _rules(console: Console, rules: Sequence[Mapping[str, Any]], *, verbose: bool) -> None:
    listed = rules if verbose else rules[:_RULES_SHOWN]
    if listed:
        table = Table("not indexed", "rule", "files", right=("files",))
        for row in listed:
            table.add_row(shown(row["reason"]), shown(row["rule"]), f"{row['files']:,}")
        table.print_to(console)
    if len(listed) < len(rules):
        console.print(f"[dim]and {counted(len(rules) - len(listed), 'more rule')}, shown with -v[/]")
