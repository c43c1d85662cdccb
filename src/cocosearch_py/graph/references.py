"""Uses of a definition, or by it: found by name, bound by imports and scopes, the surest first."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from cocosearch_py.graph.binding import Bound
from cocosearch_py.graph.completeness import Outcome, judge
from cocosearch_py.graph.kept import IndexFacts
from cocosearch_py.graph.looking import Found, Looked, definitions_of, follow, know, look, look_inside
from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.usages import CONFIDENCES, Confidence, Place, Usage, UsageReport, UsageRequest
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
        look(looked, filtered, request)
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
        ordered: Iterable[Found] = looked.found
    else:
        ordered = _in_order(looked)
    page = list(islice(ordered, request.offset, request.offset + request.limit))
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
    confidences = Counter(one.bound.confidence for one in looked.found)
    versions = _versions(looked, page)
    lines = ((one.file_id, one.line) for one in looked.found)
    imports = {(one.file_id, one.line) for one in looked.found if one.kind == "import"}
    outcome = Outcome(
        looked.wanted, looked.others, lines, confidences, looked.is_cut, imports, is_renamed=looked.is_renamed
    )
    return UsageReport(
        usages=usages,
        definitions=tuple(map(_place, looked.wanted)),
        kinds=dict(sorted(Counter(one.kind for one in looked.found).items())),
        confidences={one: confidences[one] for one in CONFIDENCES if confidences[one]},
        completeness=judge(looked.conn, facts, request, outcome),
        versions=versions,
    )


def _versions(looked: Looked, page: Sequence[Found]) -> dict[str, FileVersion]:
    """Files of the definitions and of the page; where none is asked for, of what is counted."""
    named = [*(one.file_id for one in looked.wanted), *(one.file_id for one in page or looked.found)]
    know(looked, named[: len(looked.wanted)])
    return {looked.files[one].path: looked.files[one].version for one in named[:_MOST_COMPARED] if one in looked.files}


def _in_order(looked: Looked) -> Iterator[Found]:
    """The nearest and surest first, then by path and line; only as much is put in order as is taken."""
    parts: dict[tuple[int, Confidence, int], list[Found]] = defaultdict(list)
    for one in looked.found:
        parts[one.distance, one.bound.confidence, one.file_id].append(one)

    def place(part: tuple[int, Confidence, int]) -> tuple[object, ...]:
        known = looked.files[part[2]]
        return (part[0], CONFIDENCES.index(part[1]), known.content_class == "tests", known.path)

    for part in sorted(parts, key=place):
        yield from sorted(parts[part], key=lambda one: (one.line, one.column))


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
