"""Context of a task: passages to begin with, and their neighbourhood in the graph."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal

from cocosearch_py.model.code import CodeRequest, CodeTarget
from cocosearch_py.model.definitions import DefinitionRequest
from cocosearch_py.model.graph import Direction, WalkReport, WalkRequest
from cocosearch_py.model.search import Confidence, SearchFilters, SearchReport, SearchRequest
from cocosearch_py.model.usages import Place, Usage, UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.search.unmatched import explain_words_only
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.members import Inside

Entry = tuple[str, Json]  # what it belongs to in the answer, and itself
Reason = Literal["named", "changed", "found"]

_FOLLOWED = 5  # definitions whose uses are looked up
_MOST_USES = 8  # of each
_MOST_LINES = 60  # of a definition
_MOST_ENTRIES = 20  # of a file that is named
_SIGNATURE_CHARS = 160
_MOST_EDGES = 100
_MOST_NEIGHBOURS = 10  # tests, and others, that nothing but an import joins
_TESTS = SearchFilters(content=("tests",))
_NO_TESTS = SearchFilters(excluded_content=("tests",))


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines of a file, from 1, inclusive, and why they are here."""

    place: Place  # its name is empty where no definition is known
    text: str
    because: Reason


@dataclass(slots=True)
class Gathered:
    """Passages and definitions gathered so far."""

    call: Call
    found: Found
    member: Inside
    passages: list[Passage] = field(default_factory=list)
    seeds: list[Place] = field(default_factory=list)  # definitions to go on from, the most telling first
    files: list[str] = field(default_factory=list)
    outlines: list[Entry] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)

    def read(self, targets: Sequence[CodeTarget], because: Reason) -> None:
        """Take the text of definitions."""
        record, app = self.found.records[0], self.found.app
        most = app.settings.indexing.max_file_size_kb * 1024
        request = CodeRequest(
            targets=tuple(targets), folder=self._folder, inside=self.member.folder, max_file_bytes=most
        )
        report = self.call.look(app, record, lambda: app.navigation.read_code(request, record))
        for part in report.parts:
            lines = part.lines[:_MOST_LINES]
            if not lines:
                continue
            left = part.end_line - lines[-1][0]
            text = "\n".join([*(text for _, text in lines), *([f"... {left} more lines"] if left > 0 else [])])
            name = part.name or ""
            self._add(Passage(Place(part.path, part.kind or "", name, part.start_line, lines[-1][0]), text, because))
        self.missing += [one.text for one in report.missing]
        self.doubt(report.stale)

    def search(self, request: SearchRequest) -> tuple[Confidence, SearchReport]:
        """Take what a search finds."""
        _, report = self.call.search(self.found.app, request, self.found.records[0])
        for hit in report.hits:
            place = Place(hit.file_path, hit.symbol_type or "", hit.symbol_name or "", hit.start_line, hit.end_line)
            self._add(Passage(place, hit.content.removesuffix("\n"), "found"))
        self.doubt(explain_words_only(report))
        return report.confidence, report

    def outline(self, path: str) -> None:
        """Take a file with what it defines."""
        record, app = self.found.records[0], self.found.app
        inner = self.member.path(path)
        report = self.call.look(app, record, lambda: app.navigation.outline_file(inner, self._folder, record))
        self.doubt(report.stale)
        if (outline := report.outline) is None:
            self.missing.append(path)
            return
        self._name(outline.path)
        for one in [one for one in outline.entries if not one.function_depth][:_MOST_ENTRIES]:
            place = Place(outline.path, one.kind, one.qualified_name, one.start_line, one.end_line)
            self.seeds.append(place)
            self.outlines.append(("symbols", _symbol(place, one.signature)))

    def shows(self, path: str, line: int) -> bool:
        """Whether a line is part of a passage."""
        return any(
            one.place.path == path and one.place.start_line <= line <= one.place.end_line for one in self.passages
        )

    @property
    def _folder(self) -> str | None:
        place = self.call.selection.place
        return str(place.folders[0]) if place else None

    def _add(self, passage: Passage) -> None:
        """Take the lines that are not here yet, and go on from the definition that they are of."""
        place = passage.place
        numbered = enumerate(passage.text.split("\n"), start=place.start_line)
        fresh = [(number, text) for number, text in numbered if not self.shows(place.path, number)]
        for _, group in groupby(enumerate(fresh), key=lambda one: one[1][0] - one[0]):
            lines = [line for _, line in group]
            told = [number for number, text in lines if text.strip()]
            if told:
                kept = [text for number, text in lines if told[0] <= number <= told[-1]]
                at = replace(place, start_line=told[0], end_line=min(told[-1], place.end_line))
                self.passages.append(Passage(at, "\n".join(kept), passage.because))
        self._name(place.path)
        if place.qualified_name:
            self.seeds.append(place)

    def _name(self, path: str) -> None:
        if path not in self.files:
            self.files.append(path)

    def doubt(self, stale: str | None) -> None:
        if stale and stale not in self.stale:
            self.stale.append(stale)


def related(gathered: Gathered) -> list[Entry]:
    """Return callees and callers of the first definitions, their tests, and files on either side of imports.

    Each once, and none that a passage shows. The nearer to the first definitions, the earlier.
    """
    seen: set[tuple[str, int]] = set()
    callees, callers, tests = [], [], []
    for seed in list(dict.fromkeys(gathered.seeds))[:_FOLLOWED]:
        called = _uses(gathered, seed, SearchFilters(), callees=True)
        targets = [one.target for one in called if one.target is not None]
        callees += [_symbol(place, _signature(gathered, place)) for place in _fresh(gathered, targets, seen)]
        callers += list(_callers(gathered, seed, _uses(gathered, seed, _NO_TESTS), seen))
        tests += list(_callers(gathered, seed, _uses(gathered, seed, _TESTS), seen))
    listed = [one for _, one in gathered.outlines if not gathered.shows(one["file_path"], one["line"])]
    defined = [one for one in listed if (one["file_path"], one["line"]) not in seen]
    known = {*gathered.files, *(one["file_path"] for one in (*callees, *callers, *tests))}
    testing, imports = _neighbours(gathered, known)
    parts = {"symbols": [*defined, *callees], "callers": callers, "tests": [*tests, *testing], "imports": imports}
    return [(name, one) for name, items in parts.items() for one in items]


def _uses(gathered: Gathered, seed: Place, filters: SearchFilters, *, callees: bool = False) -> Sequence[Usage]:
    """Calls and heirs of a definition, or its own calls, without those of which only the name says so."""
    record, app = gathered.found.records[0], gathered.found.app
    request = UsageRequest(
        symbol=read_name(f"{seed.path}#{seed.qualified_name}"),
        kinds=("call",) if callees else ("call", "inherit"),
        callees=callees,
        filters=filters,
        limit=_MOST_USES,
    )
    report = gathered.call.look(app, record, lambda: app.graphs.find_references(request, record))
    gathered.doubt(report.stale)
    return [one for one in report.usages if one.confidence != "name_only"]


def _fresh(gathered: Gathered, places: Sequence[Place], seen: set[tuple[str, int]]) -> Iterator[Place]:
    for place in places:
        key = (place.path, place.start_line)
        if key not in seen and not gathered.shows(*key):
            seen.add(key)
            yield place


def _callers(gathered: Gathered, seed: Place, usages: Sequence[Usage], seen: set[tuple[str, int]]) -> Iterator[Json]:
    for one in usages:
        around = one.around
        key = (one.path, around.start_line if around else one.line)
        if key in seen or gathered.shows(one.path, one.line):
            continue
        seen.add(key)
        item: Json = {"file_path": one.path, "line": one.line, "uses": seed.qualified_name, "text": one.text}
        yield item if around is None else {**item, "signature": _short(_signature(gathered, around))}


def _signature(gathered: Gathered, place: Place) -> str:
    """Return the signature of a definition; its name where the index has none."""
    symbol = read_name(f"{place.path}#{place.qualified_name}")
    report = gathered.found.app.navigation.find_definitions(
        DefinitionRequest(symbol=symbol, limit=_MOST_USES), gathered.found.records[0]
    )
    same = (one.signature for one in report.definitions if (one.path, one.start_line) == (place.path, place.start_line))
    return next(same, "") or place.qualified_name


def _short(signature: str) -> str:
    return signature if len(signature) <= _SIGNATURE_CHARS else signature[: _SIGNATURE_CHARS - 1] + "…"


def _symbol(place: Place, signature: str) -> Json:
    return {
        "file_path": place.path,
        "line": place.start_line,
        "kind": place.kind,
        "name": place.qualified_name,
        "signature": _short(signature),
    }


def _neighbours(gathered: Gathered, known: set[str]) -> tuple[list[Json], list[Json]]:
    """Files of tests, then other files, that imports join to the files of the task; the most joined first."""
    weights: dict[str, float] = {}
    items: dict[str, Json] = {}
    tests: set[str] = set()
    ways: Sequence[tuple[Direction, str]] = (("dependencies", "imported_by"), ("dependents", "imports"))
    for direction, relation in ways if gathered.files else ():
        report = _walked(gathered, direction)
        tests |= report.tests
        for edge in report.edges:
            far, near = (edge.target, edge.source) if direction == "dependencies" else (edge.source, edge.target)
            if far not in known and near in gathered.files:
                weights[far] = weights.get(far, 0) + 1 / (1 + gathered.files.index(near))
                items.setdefault(far, {"file_path": far}).setdefault(relation, []).append(near)
    ranked = sorted(items, key=lambda path: (-weights[path], path))
    testing, others = ([path for path in ranked if (path in tests) == is_test] for is_test in (True, False))
    return [items[path] for path in testing[:_MOST_NEIGHBOURS]], [items[path] for path in others[:_MOST_NEIGHBOURS]]


def _walked(gathered: Gathered, direction: Direction) -> WalkReport:
    record, app = gathered.found.records[0], gathered.found.app
    request = WalkRequest(files=tuple(gathered.files), direction=direction, limit=_MOST_EDGES)
    report = gathered.call.look(app, record, lambda: app.graphs.walk(request, record))
    gathered.doubt(report.stale)
    return report
