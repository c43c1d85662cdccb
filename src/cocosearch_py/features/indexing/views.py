"""Indexes and the runs that build them on a terminal."""

from collections.abc import Sequence

from cocosearch_py.render.layout import print_pairs, shown
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json


def show_verdicts(screen: Screen, verdicts: Sequence[Json]) -> None:
    """Show the reason for each file, and how to continue where there is no index or no such file."""
    print_pairs(screen.console, [(f"[bold]{shown(item['path'])}[/]", shown(item["message"])) for item in verdicts])
    if "hint" in verdicts[0]:
        screen.note(verdicts[0]["hint"])
    if all(item["verdict"] == "missing" for item in verdicts):
        words = " ".join(item["path"] for item in verdicts)
        screen.note(f"to search for these words instead: cocosearch-py search why {words}")
