"""Ask one question and show the answer in the wanted form; shared by `search` and its dialogue."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cocosearch_py import answers
from cocosearch_py.cli.session import Session
from cocosearch_py.indexes.stats import STALE_DAYS

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.model.search import SearchReport, SearchRequest
    from cocosearch_py.storage.indexes import IndexRecord


@dataclass(frozen=True, slots=True)
class Style:
    """How much of an answer is shown."""

    files_only: bool = False
    explain: bool = False


def answer(session: Session, app: "App", request: "SearchRequest", index_name: str | None, style: Style) -> int:
    """Search, show the hits, return how many there are."""
    record, report = app.search(request, index_name=index_name, folder=session.folder)
    items = answers.search_items(record, report)
    if style.explain:
        items = [{**item, "why": hit.why} for item, hit in zip(items, report.hits, strict=True)]
    if style.files_only:
        paths = list(dict.fromkeys(str(item["file_path"]) for item in items))
        # Lines, even into a pipe: that is what other programs take paths from.
        if session.asked_json:
            session.emit(paths)
        for path in () if session.asked_json else paths:
            session.say(path)
    elif session.json:
        session.emit(items)
    else:
        _show(session, record, report, request, explain=style.explain)
    return len(items)


def _show(
    session: Session, record: "IndexRecord", report: "SearchReport", request: "SearchRequest", *, explain: bool
) -> None:
    from cocosearch_py.cli.views.hits import HitView, show_hits

    view = HitView(
        root=record.root_path,
        with_context=request.context_before is not None or request.context_after is not None,
        words=report.analysis.words,
        explain=explain,
    )
    show_hits(session.console, report.hits, view)
    total_ms = report.timings_ms.get("total_ms", 0.0)
    session.note(f"{len(report.hits)} of {len(report.ranked_paths)} files, index '{record.name}', {total_ms:.0f} ms")
    days = (datetime.now(UTC) - record.updated_at).days
    if days > STALE_DAYS:
        session.warn(f"the index is {days} days old; `cocosearch-py index {record.root_path}` brings it up to date")
