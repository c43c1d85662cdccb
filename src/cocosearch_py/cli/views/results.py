"""Results of a search on a terminal: the verdict, the hits, and how to go on with them."""

from collections.abc import Sequence

from cocosearch_py.cli.results import Result, remember
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views import hits as views
from cocosearch_py.features.search.arguments import SearchCodeArguments
from cocosearch_py.features.search.service import Searched
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import shown
from cocosearch_py.tools.answers import Json

_AFTERWARDS = "open N opens a result, read N prints it"
_MORE = ", --full shows all lines"
_IN_DIALOGUE = "N prints a result, :open N opens it, :more shows further ones"


def show_hits(session: Session, searched: Searched, asked: SearchCodeArguments) -> None:
    """Print how sure the answer is, and its results; remember them by their numbers."""
    request, console = searched.request, session.console
    view = views.HitView(
        words=searched.reports[0][1].analysis.words,
        with_context=request.context_before is not None or request.context_after is not None,
        full=asked.full,
        explain=asked.explain,
        several=len(searched.reports) > 1,
        first=max(0, asked.offset) + 1,
    )
    results = [Result.of(record, hit, views.line_of(hit, view.words)) for record, hit in searched.hits]
    remember(session.data_folder, results, view.first)
    _verdict(session, searched)
    if searched.hits:
        views.show_hits(console, searched.hits, view)
    if searched.joined:
        views.show_joined(console, searched.reports[0][0].root_path, searched.joined)
    if searched.hits and not session.quiet:
        advice = _IN_DIALOGUE if asked.interactive else _AFTERWARDS + _MORE * view.is_brief
        console.print(f"\n[dim]{advice}[/]", soft_wrap=True)


def _verdict(session: Session, searched: Searched) -> None:
    """Print how sure the answer is, or what it lacks, and where it was found."""
    console, sureness = session.console, searched.foot[0]
    if searched.lacking is not None:
        console.print(f"[yellow]{shown(searched.lacking)}[/]", soft_wrap=True)
    elif not searched.hits:
        console.print("[yellow]nothing found[/]")
    elif not session.quiet:
        views.show_verdict(console, sureness["level"], sureness["message"])
    if searched.hits and not session.quiet:
        ranked = sum(len(report.ranked_paths) for _, report in searched.reports)
        names = ", ".join(f"'{record.name}'" for record, _ in searched.reports)
        total_ms = sum(report.timings_ms.get("total_ms", 0.0) for _, report in searched.reports)
        figures = f"{len(searched.hits)} of {counted(ranked, 'file')}, index {names}, {total_ms:.0f} ms"
        console.print(f"[dim]{shown(figures)}[/]", soft_wrap=True)
    if searched.hits and (searched.lacking is not None or not session.quiet):
        console.print()


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
