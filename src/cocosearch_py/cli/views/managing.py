"""Indexes and runs on a terminal, made from JSON: the answers of this program, or of a server."""

from collections.abc import Sequence

from cocosearch_py.cli.session import Session
from cocosearch_py.render.layout import shown
from cocosearch_py.tools.answers import Json


def show_results(session: Session, items: Sequence[Json]) -> None:
    """Show the results of a search on a server, then its notes."""
    console, found = session.console, False
    for item in (one for one in items if "file_path" in one):
        if found:
            console.print()
        found = True
        name = f"  [bold]{shown(item['symbol_name'])}[/]" if item.get("symbol_name") else ""
        place = f"[bold cyan]{shown(item['file_path'])}[/]:{item['start_line']}-{item['end_line']}"
        console.print(f"{place}{name}  [dim]{item['score']:.2f}[/]", soft_wrap=True)
        for line in item.get("content", "").rstrip("\n").split("\n"):
            console.print(f"  {shown(line)}", soft_wrap=True, highlight=False)
    if not found:
        console.print("[yellow]nothing found[/]")
    for item in (one for one in items if "message" in one):
        level = f"confidence: {item['level']}: " if item.get("type") == "confidence" else ""
        session.note(f"{level}{item['message']}")
