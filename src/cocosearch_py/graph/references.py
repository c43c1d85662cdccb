"""Uses of a definition, or by it: found by name, bound by imports and scopes, the surest first."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from cocosearch_py.graph.binding import Bound
from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.graph.completeness import Outcome, judge
from cocosearch_py.graph.context import Found, Looked, know
from cocosearch_py.graph.resolve import definitions_of, follow, look, look_inside, single
from cocosearch_py.model.completeness import CONFIDENCES, Confidence
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.usages import Place, Usage, UsageReport, UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import Defined, KnownFile
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.texts import lines_of

_MOST_COMPARED = 5_000  # uses whose files are compared with the disk
_TEXT_CHARS = 200


def find_references(request: UsageRequest, record: IndexRecord, conn: Connection, facts: IndexFacts) -> UsageReport:
    """A page of uses of what a request names; see `UsageReport`."""
    everywhere = Target(record.index_id, record.chunk_count, SearchFilters())
    filtered = replace(everywhere, filters=request.filters)
    wanted, others, names = definitions_of(conn, everywhere, request.symbol)
    looked = Looked(conn, facts, wanted, others, names)
    if request.callees:
        look_inside(looked, request)
    else:
        look(looked, filtered, request, by_definition=request.depth > 1)
        follow(looked, filtered, request)
    if "definition" in request.kinds and not request.callees:
        looked.found += [
            Found(one.file_id, one.start_line, 1, "definition", one.name, "", None, Bound("resolved", one), 0)
            for one in wanted
        ]
    return _report(looked, request, facts)


def _report(looked: Looked, request: UsageRequest, facts: IndexFacts) -> UsageReport:
    know(looked, (one.file_id for one in looked.found))
    if request.callees:
        looked.found = [one for one in looked.found if one.file_id in looked.files]
        page = looked.found[request.offset : request.offset + request.limit]
    else:
        page = _page(looked, request.offset, request.limit)
    places = {(one.file_id, one.symbol_no) for one in page if one.symbol_no is not None}
    around = store.definitions_around(looked.conn, looked.everywhere, places, looked.files)
    texts = _texts(looked, page)
    usages = tuple(
        _usage(
            one,
            looked.files,
            around.get((one.file_id, one.symbol_no or 0)) if one.symbol_no is not None else None,
            text,
        )
        for one, text in zip(page, texts, strict=True)
    )
    confidences, kinds = Counter[Confidence](), Counter[str]()
    for one in looked.found:
        confidences[one.bound.confidence] += one.times
        kinds[one.kind] += one.times
    imports = {(one.file_id, one.line) for one in looked.found if one.kind == "import"}
    outcome = Outcome(
        looked.wanted,
        looked.others,
        confidences,
        looked.is_cut,
        lambda files: _lines(looked, files),
        imports,
        is_renamed=looked.is_renamed,
        further=looked.further,
    )
    return UsageReport(
        usages=usages,
        definitions=tuple(map(_place, looked.wanted)),
        kinds=dict(sorted(kinds.items())),
        confidences={one: confidences[one] for one in CONFIDENCES if confidences[one]},
        completeness=judge(looked.conn, facts, request, outcome),
        versions=_versions(looked, page),
    )


def _versions(looked: Looked, page: Sequence[Found]) -> dict[str, FileVersion]:
    """Files of the definitions and of the page; where none is asked for, of what is counted."""
    named = [*(one.file_id for one in looked.wanted), *(one.file_id for one in page or looked.found)]
    know(looked, named[: len(looked.wanted)])
    return {looked.files[one].path: looked.files[one].version for one in named[:_MOST_COMPARED] if one in looked.files}


def _lines(looked: Looked, files: Collection[int]) -> list[tuple[int, int]]:
    return [(one.file_id, one.line) for one in single(looked, (one for one in looked.found if one.file_id in files))]


def _page(looked: Looked, offset: int, limit: int) -> list[Found]:
    """The nearest and surest first, then by path and line; uses are looked at one by one only where they are shown."""

    def sureness(one: Found) -> tuple[int, int]:
        return one.distance, CONFIDENCES.index(one.bound.confidence)

    def place(one: Found) -> tuple[bool, str]:
        known = looked.files[one.file_id]
        return known.content_class == "tests", known.path

    near, before = _around(looked.found, sureness, offset, limit)
    shown, skipped = _around(near, lambda one: (*sureness(one), *place(one)), offset - before, limit)
    singles = single(looked, shown)
    singles.sort(key=lambda one: (*sureness(one), *place(one), one.line, one.column))
    return singles[offset - before - skipped :][:limit]


def _around(
    found: Iterable[Found], key: Callable[[Found], tuple[object, ...]], offset: int, limit: int
) -> tuple[list[Found], int]:
    """Of uses that are to be put in order by a key, all with the keys of a page, and how many are before them."""
    parts: dict[tuple[object, ...], list[Found]] = defaultdict(list)
    for one in found:
        parts[key(one)].append(one)
    shown: list[Found] = []
    before = count = 0
    for part in sorted(parts):
        size = sum(one.times for one in parts[part])
        if count + size <= offset:
            before += size
        elif count < offset + limit:
            shown += parts[part]
        count += size
    return shown, before


def _usage(one: Found, files: dict[int, KnownFile], around: Defined | None, text: str) -> Usage:
    return Usage(
        path=files[one.file_id].path,
        line=one.line,
        column=one.column,
        kind=one.kind,  # type: ignore[arg-type]  # the table has no other
        name=one.name,
        qualifier=one.qualifier,
        confidence=one.bound.confidence,
        around=None if around is None else _place(around),
        target=None if one.bound.definition is None else _place(one.bound.definition),
        text=text,
        distance=one.distance,
        receiver=one.receiver,
    )


def _place(one: Defined) -> Place:
    return Place(one.path, one.kind, one.qualified_name, one.start_line, one.end_line)


def _texts(looked: Looked, page: Sequence[Found]) -> list[str]:
    """The line of each use."""
    if not page:
        return []
    ranges = [(one.file_id, one.line, one.line) for one in page]
    chunks = lines_of(looked.conn, looked.everywhere, list(dict.fromkeys(ranges)))
    texts = []
    for key in ranges:
        parts = []
        for start, content in chunks.get(key, []):
            lines = content.split("\n")
            if 0 <= key[1] - start < len(lines):
                parts.append(lines[key[1] - start])
        texts.append("".join(parts).strip()[:_TEXT_CHARS])
    return texts
