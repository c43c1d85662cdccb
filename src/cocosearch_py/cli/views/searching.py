"""An answer of `search` on a terminal: the verdict, the results, and how to go on with them."""

from typing import TYPE_CHECKING

from cocosearch_py.cli.results import Result, remember
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views import hits as views
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import shown

if TYPE_CHECKING:
    from cocosearch_py.features.search.arguments import SearchCodeArguments
    from cocosearch_py.features.search.service import Searched

_AFTERWARDS = "open N opens a result, read N prints it"
_MORE = ", --full shows all lines"
_IN_DIALOGUE = "N prints a result, :open N opens it, :more shows further ones"


def show_search(session: Session, searched: "Searched", asked: "SearchCodeArguments") -> None:
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


def _verdict(session: Session, searched: "Searched") -> None:
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
