"""Search by meaning and by name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from cocosearch_py.errors import CocosearchError
from cocosearch_py.features.search.arguments import SearchCodeArguments
from cocosearch_py.features.search.neighbours import Neighbours, Wanted, find_neighbours, wants_graph
from cocosearch_py.features.search.notes import (
    branch_notes,
    common_doubts,
    context_header,
    index_doubts,
    stale_results,
    sureness,
)
from cocosearch_py.features.search.packing import packed
from cocosearch_py.features.search.request import Showing, make_request, with_features
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import MAX_LIMIT, Hit, SearchReport, SearchRequest
from cocosearch_py.search.matches import telling_lines
from cocosearch_py.search.unmatched import explain_missing_phrases
from cocosearch_py.tools.answer import Fitted
from cocosearch_py.tools.answers import Json, hit_item, quoted, warned
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.details import DETAILS, hit_details
from cocosearch_py.tools.fitting import DEFAULT_MAX_TOKENS, MIN_MAX_TOKENS, cut, fit, fits, marked, room, table
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.members import inside
from cocosearch_py.tools.revisions import found_at

_TEXTS = ("content", "context_before", "context_after")
_MIN_SNIPPET_CHARS = 80
_NOTE_CHARS = 80  # of each text in a note where there is little room
_MAX_NEAR = 3  # Maximum results that only resemble a quoted text which nothing holds.
_COMMAND_NOTES = ("warning", "stale_results", "incomplete_index")  # notes that a command gives, too


@dataclass(frozen=True, slots=True, eq=False)
class Searched(Fitted):
    """Hits of all indexes, best first, with the notes before and after them."""

    request: SearchRequest
    reports: tuple[tuple[IndexRecord, SearchReport], ...]
    hits: tuple[tuple[IndexRecord, Hit], ...]
    head: tuple[Json, ...]
    foot: tuple[Json, ...]
    neighbours: Neighbours | None = None
    detailed: bool = False

    @property
    def items(self) -> list[Json]:
        """Results, each with its index when there are several, and with files that imports join to its own."""
        named = self.neighbours.named if self.neighbours else {}
        items = [
            {**hit_item(one, hit), **named.get((one.name, hit.file_path), {}), **self._details(one, hit)}
            for one, hit in self.hits
        ]
        if len(self.reports) == 1:
            return items
        return [{**item, "index_name": record.name} for item, (record, _) in zip(items, self.hits, strict=True)]

    def _details(self, record: IndexRecord, hit: Hit) -> Json:
        return hit_details(record, hit) if self.detailed else {}

    @property
    def lacking(self) -> str | None:
        """Sentence about quoted texts that no index holds, where the hits only resemble them."""
        return explain_missing_phrases(self.reports[0][1]) if _only_resembles(self.reports) else None

    @property
    def joined(self) -> list[Json]:
        """Further results, which only imports join to the others."""
        return list(self.neighbours.joined) if self.neighbours else []

    def fitted(self, asked: SearchCodeArguments) -> Any:
        """Return results and notes, as many as fit. See `Fitted`."""
        return _fitted(self, asked)

    def for_command(self, asked: SearchCodeArguments) -> Any:
        """Return the results and the notes on what is wrong with them; see `Fitted`.

        A person named the index or stands in its folder, and needs no note on it.
        """
        items = self.items
        if asked.files_only:
            return list(dict.fromkeys(item["file_path"] for item in items))
        if asked.explain:
            words = self.reports[0][1].analysis.words
            items = [{**item, **_explanation(hit, words)} for item, (_, hit) in zip(items, self.hits, strict=True)]
        return [*items, *self.joined, *(note for note in self.foot if note["type"] in _COMMAND_NOTES)]


def search_code(call: Call, asked: SearchCodeArguments) -> Searched:
    """Search each index of the call and join their hits, best first.

    Raises:
        ValidationError: a filter or weight is wrong.
        CocosearchError: no index could be searched; the error of the first one.
    """
    found = found_at(call, asked.rev)
    request, remarks = _request(asked)
    if asked.member is not None:
        request = replace(request, filters=inside(found, asked.member).filters(request.filters))
    notes = [warned(text) for text in found.remarks]
    notes += [warned(f"Index '{name[:100]}' not found") for name in found.missing] + [warned(text) for text in remarks]
    drifts = [call.ask_drift(found.app, record) for record in found.records]
    reports, failures = _search_all(call, found, request)
    notes += [warned(text) for text in (*failures, *common_doubts(reports))]
    hits = _hits(reports)
    start = max(0, asked.offset)
    page = tuple(hits[start : start + max(1, min(MAX_LIMIT, asked.limit))])
    if start and hits and not page:
        notes.append(warned(f"offset {start} is beyond the last of {len(hits)} results"))
    neighbours = _neighbours(call, found, page, asked)
    if neighbours is not None:
        notes += [warned(text) for text in neighbours.remarks]
    doubts = index_doubts(reports)
    foot = (
        sureness(reports),
        *notes,
        *stale_results(reports),
        *doubts,
        *branch_notes(found.records, [drift() for drift in drifts]),
    )
    head = context_header(found, reports[0][0])
    return Searched(request, tuple(reports), page, head, foot, neighbours, asked.details)


def _neighbours(
    call: Call, found: Found, page: Sequence[tuple[IndexRecord, Hit]], asked: SearchCodeArguments
) -> Neighbours | None:
    """Return the files that imports join to the hits, where they are asked for."""
    if not asked.include_deps and not asked.features:
        return None
    wanted = Wanted(named=asked.include_deps, joined=wants_graph(asked.features), detailed=asked.details)
    return find_neighbours(call, found, page, wanted)


def _request(asked: SearchCodeArguments) -> tuple[SearchRequest, list[str]]:
    before = asked.context_lines if asked.context_before is None else asked.context_before
    after = asked.context_lines if asked.context_after is None else asked.context_after
    showing = Showing(
        smart_context=asked.smart_context, context_before=before, context_after=after, offset=asked.offset
    )
    request, remarks = make_request(asked, showing)
    request = with_features(request, asked.features)
    bounded = Bounded()
    if asked.max_tokens is not None:
        bounded.value("max_tokens", asked.max_tokens, MIN_MAX_TOKENS, DEFAULT_MAX_TOKENS)
    if asked.snippet_chars is not None and asked.snippet_chars < _MIN_SNIPPET_CHARS:
        bounded.notes.append(f"snippet_chars is out of range: {_MIN_SNIPPET_CHARS} was used, the minimum")
    if asked.rewrite_query:
        bounded.notes.append("rewrite_query has no effect: the query was searched as it is")
    return replace(request, explain=asked.explain), [*remarks, *bounded.notes]


def _search_all(
    call: Call, found: Found, request: SearchRequest
) -> tuple[list[tuple[IndexRecord, SearchReport]], list[str]]:
    """The reports, and why an index could not be searched; raises the first error when none could."""
    reports, failures = [], []
    first: CocosearchError | None = None
    for record in found.records:
        try:
            reports.append(call.search(found.app, request, record, use_cache=found.app.settings.search.cache))
        except CocosearchError as error:
            first = first or error
            failures.append(f"Index '{record.name}' could not be searched: {call.told(error)}")
    if not reports and first is not None:
        raise first
    return reports, failures


def _hits(reports: list[tuple[IndexRecord, SearchReport]]) -> list[tuple[IndexRecord, Hit]]:
    """All hits, best first; where an index holds what is quoted, what only resembles it elsewhere is left out."""
    holding = [pair for pair in reports if not pair[1].missing_phrases and not pair[1].unknown_name]
    hits = [(record, hit) for record, report in holding or reports for hit in report.hits]
    ordered = sorted(hits, key=lambda pair: -pair[1].score) if len(reports) > 1 else hits
    return ordered[:_MAX_NEAR] if _only_resembles(reports) else ordered


def _only_resembles(reports: Sequence[tuple[IndexRecord, SearchReport]]) -> bool:
    """Whether no index holds what the query quotes."""
    return all(report.missing_phrases for _, report in reports)


def _fitted(searched: Searched, asked: SearchCodeArguments) -> Any:
    items, shortened = _shown(searched, asked)
    joined = [_with_texts(item, asked) for item in searched.joined]
    items = [_flat(item) if asked.compact else item for item in (*items, *joined)]

    # No item of its own: clients of CocoSearch count them.
    sure, *rest = searched.foot
    mark = quoted([item for item in items if item.get("content") or item.get("symbol_signature")])
    whole_foot = ({**sure, **mark}, *rest)

    def build(kept: Sequence[Json], head: Sequence[Json] = searched.head, foot: Sequence[Json] = whole_foot) -> Any:
        is_cut = len(kept) < len(items) or any(one is not other for one, other in zip(kept, items, strict=False))
        cuts = [_truncated(len(kept), len(items))] if is_cut else [_packed(shortened, len(kept))] if shortened else []
        if is_cut and not foot:  # The notes are left out, the mark is not.
            cuts = [{**cuts[0], **mark}]
        notes = [*foot, *cuts]
        return {**table(kept), "notes": [*head, *notes]} if asked.compact else [*head, *kept, *notes]

    # Notes are cut, and then left out, rather than the first result that they are about; at last so are its details
    # and its text.
    first, tokens = [cut(item, _NOTE_CHARS) for item in items[:1]], room(asked.max_tokens)
    short = cut((searched.head, whole_foot), _NOTE_CHARS)
    for head, foot in ((searched.head, whole_foot), short, ((), ())):
        if fits(build(first, head, foot), tokens):
            break
    else:
        bare = [{name: one for name, one in item.items() if name not in DETAILS} for item in items]
        items = [{**item, **marked([name for name in _TEXTS if item.get(name)], tokens)} for item in bare]
    return fit(items, lambda kept: build(kept, head, foot), asked.max_tokens)


def _flat(item: Json) -> Json:
    """Return an item whose values are texts and numbers."""

    def flat(value: Any) -> Any:
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return ", ".join(value)
        return to_json(value) if isinstance(value, list | dict) else value

    return {name: flat(value) for name, value in item.items()}


def _shown(searched: Searched, asked: SearchCodeArguments) -> tuple[list[Json], int]:
    """Return the results with the texts that are wanted, and how many are shortened since no length is given."""
    said = (asked.max_tokens, asked.snippet_chars, asked.context_lines, asked.context_before, asked.context_after)
    if asked.full or not asked.smart_context or not asked.include_content or any(one is not None for one in said):
        return [_with_texts(item, asked) for item in searched.items], 0
    words = searched.reports[0][1].analysis.words
    return packed(searched.items, [hit for _, hit in searched.hits], words)


def _with_texts(item: Json, asked: SearchCodeArguments) -> Json:
    if not asked.include_content:
        return {name: value for name, value in item.items() if name not in _TEXTS}
    if asked.snippet_chars is None:
        return item
    return {**item, "content": cut(item["content"], max(_MIN_SNIPPET_CHARS, asked.snippet_chars))}


def _truncated(returned: int, available: int) -> Json:
    rest = "more: offset" if returned < available else "the first is cut; for all of it: snippet_chars"
    return {
        "type": "truncated",
        "message": f"{returned} of {available} fit; {rest}, max_tokens or include_content=false",
        "returned": returned,
        "available": available,
    }


def _packed(shortened: int, results: int) -> Json:
    message = f'{shortened} shortened, lines left out at "..."; full=true shows all'
    return {"type": "truncated", "message": message, "returned": results, "available": results}


def _explanation(hit: Hit, words: Sequence[str]) -> Json:
    """Return the reasons for the rank of a hit."""
    lines = sorted(telling_lines(words, hit.content, hit.start_line, hit.answering))
    return {"why": hit.why, "parts": hit.parts, "ranks": hit.ranks, "matched_lines": lines}
