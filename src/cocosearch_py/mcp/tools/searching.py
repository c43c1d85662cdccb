"""The blocking half of the search tools. Imports the engine, so it is imported by the first call."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from cocosearch_py import answers
from cocosearch_py.errors import CocosearchError, NotFoundError
from cocosearch_py.indexes.stats import STALE_DAYS
from cocosearch_py.mcp.site import Found, Selection, Site
from cocosearch_py.mcp.tools.shaping import Shape, shaped
from cocosearch_py.model.search import MAX_CONTEXT_LINES, MAX_LIMIT, Hit, SearchReport, SearchRequest
from cocosearch_py.search.request import build_filters, build_weights
from cocosearch_py.storage.indexes import IndexRecord

if TYPE_CHECKING:  # the tools import this module
    from cocosearch_py.app import App
    from cocosearch_py.mcp.tools.search import AnalyzeArguments, SearchArguments

Json = dict[str, Any]
N = TypeVar("N", int, float)
_DRIFT_WAIT_S = 0.3  # a slow disk's git must not hold an answer
_git = ThreadPoolExecutor(1, thread_name_prefix="git")


@dataclass(frozen=True, slots=True)
class Searched:
    """What several searches brought; hits best first."""

    hits: tuple[tuple[IndexRecord, Hit], ...]
    several: bool
    head: tuple[Json, ...]
    foot: tuple[Json, ...]


def search_all(site: Site, selection: Selection, asked: "SearchArguments") -> Searched:
    """Search every selected index and merge by score; an index that fails is told of, unless none is left.

    Raises:
        CocosearchError: nothing is found for the selection; or that of the first index, when all of them failed.
    """
    found = site.find(selection)
    notes: list[Json] = [_note("warning", f"Index '{name[:100]}' not found") for name in found.missing]
    request = _request(asked, notes)
    drifts = [_ask_git(site, found.app, record) for record in found.records]
    hits: list[tuple[IndexRecord, Hit]] = []
    failed: list[CocosearchError] = []
    searched: list[IndexRecord] = []
    for record in found.records:
        try:
            used, report = site.search(found.app, request, record, use_cache=found.app.settings.search.cache)
        except CocosearchError as error:
            failed.append(error)
            why = site.explainer.clean(error.message, {})
            notes.append(_note("warning", f"Index '{record.name}' could not be searched: {why}"))
            continue
        searched.append(used)
        hits += [(used, hit) for hit in report.hits]
    if not searched:
        raise failed[0]
    ordered = sorted(hits, key=lambda pair: -pair[1].score) if len(searched) > 1 else hits
    start = max(0, asked.offset)
    page = tuple(ordered[start : start + _clamp(asked.limit, 1, MAX_LIMIT)])
    foot = [*notes, *_stale(searched), *_moved(found.records, [drift() for drift in drifts])]
    return Searched(page, len(found.records) > 1, _header(found, searched), tuple(foot))


def answer_search(asked: "SearchArguments", searched: Searched) -> Any:
    """The array of `search_code`, or columns and rows."""
    items = []
    for record, hit in searched.hits:
        item = answers.search_item(record, hit)
        items.append({**item, "index_name": record.name} if searched.several else item)
    shape = Shape(
        include_content=asked.include_content,
        compact=asked.compact,
        snippet_chars=asked.snippet_chars,
        max_tokens=asked.max_tokens,
    )
    return shaped(items, searched.head, searched.foot, shape)


def analyze(site: Site, selection: Selection, asked: "AnalyzeArguments") -> Json:
    """The object of `analyze_query`."""
    found = site.find(selection)
    notes: list[Json] = []
    request = replace(_request(asked, notes), min_score=_clamp(asked.min_score, 0.0, 1.0))
    record, report = site.search(found.app, request, found.records[0])
    answer = answers.query_analysis(record, report, use_hybrid=asked.use_hybrid_search, min_score=request.min_score)
    if asked.explain_path is not None:
        answer["explain_path"] = _explain(found, record, report, asked.explain_path)
    answer["index_name"] = record.name
    answer["warnings"] = [note["message"] for note in notes]
    return answer


def _explain(found: Found, record: IndexRecord, report: SearchReport, path: str) -> Json:
    if "\0" in path:
        raise NotFoundError("explain_path is no path", hint="give a path relative to the project")
    return found.app.explain_path(record, report, path)


def _request(asked: "SearchArguments | AnalyzeArguments", notes: list[Json]) -> SearchRequest:
    """The checked request; values out of range are moved into it and told of. Raises ValidationError."""
    globs = [asked.path_glob] if isinstance(asked.path_glob, str) else asked.path_glob or []
    filters = build_filters(
        language=asked.language,
        symbol_type=asked.symbol_type,
        symbol_name=asked.symbol_name,
        path_globs=globs,
        exclude_globs=asked.exclude or (),
    )
    limit = _clamped("limit", asked.limit, 1, MAX_LIMIT, notes)
    request = SearchRequest(
        query=asked.query,
        limit=limit,
        filters=filters,
        use_hybrid=asked.use_hybrid_search,
        min_score=_clamped("min_score", asked.min_score, 0.0, 1.0, notes),
        weights=build_weights(asked.weights),
    )
    before, after = getattr(asked, "context_before", None), getattr(asked, "context_after", None)
    both, offset = getattr(asked, "context_lines", None), getattr(asked, "offset", 0)
    before, after = both if before is None else before, both if after is None else after
    if (offset := _clamped("offset", offset, 0, MAX_LIMIT, notes)) and limit + offset > MAX_LIMIT:
        notes.append(_note("warning", f"results after number {MAX_LIMIT} are not ranked; narrow the query"))
    return replace(
        request,
        limit=min(MAX_LIMIT, limit + offset),
        smart_context=getattr(asked, "smart_context", True),
        context_before=before if before is None else _clamped("context_before", before, 0, MAX_CONTEXT_LINES, notes),
        context_after=after if after is None else _clamped("context_after", after, 0, MAX_CONTEXT_LINES, notes),
    )


def _clamp(value: N, low: N, high: N) -> N:
    return max(low, min(high, value))


def _clamped(name: str, value: N, low: N, high: N, notes: list[Json]) -> N:
    inside = _clamp(value, low, high) if value == value else low  # noqa: PLR0124  # NaN is not equal to itself
    if inside != value:
        notes.append(_note("warning", f"{name} is out of range: {inside} was used ({low} to {high} are allowed)"))
    return inside


def _note(kind: str, message: str) -> Json:
    return {"type": kind, "message": message}


def _header(found: Found, searched: list[IndexRecord]) -> tuple[Json, ...]:
    """What was searched, for a caller that did not name it."""
    if found.place is None:
        return ()
    record = searched[0]
    header = {
        "type": "search_context",
        "index_name": record.name,
        "root_path": record.root_path,
        "last_indexed_at": answers.timestamp(record.updated_at),
        "detected_by": found.place.source,
    }
    if len(searched) > 1:
        header["linked_indexes"] = [other.name for other in searched[1:]]  # type: ignore[assignment]
    return (header,)


def _stale(records: list[IndexRecord]) -> list[Json]:
    notes = []
    for record in records:
        days = (datetime.now(UTC) - record.updated_at).days
        if days > STALE_DAYS:
            note = _note("staleness_warning", f"Index is stale ({days} days since last update)")
            notes.append(
                {
                    **note,
                    "index_name": record.name,
                    "staleness_days": days,
                    "last_indexed_at": answers.timestamp(record.updated_at),
                    "remedy": f"call index_codebase with path {record.root_path}",
                }
            )
    return notes


def _moved(records: tuple[IndexRecord, ...], told: list[str | None]) -> list[Json]:
    return [
        {
            **_note("branch_staleness_warning", drift),
            "index_name": record.name,
            "indexed_branch": record.git_branch,
            "indexed_commit": record.git_commit,
            "remedy": f"call index_codebase with path {record.root_path}",
        }
        for record, drift in zip(records, told, strict=True)
        if drift
    ]


def _ask_git(site: Site, app: "App", record: IndexRecord) -> Callable[[], str | None]:
    """Begin to ask how the checkout moved, unless that is known; the result waits for a moment at most."""
    if site.knows_drift(record):
        told = site.drift(app, record)
        return lambda: told
    asked = _git.submit(site.drift, app, record)
    return lambda: asked.result() if wait([asked], timeout=_DRIFT_WAIT_S).done else None
