"""Snippets for a task, and their neighbours in the graph."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from cocosearch_py.features.context.tools import NearDefinition, Neighbour, Reason, Snippet, Use
from cocosearch_py.model.answers import Part
from cocosearch_py.model.code import CodeRequest, CodeTarget
from cocosearch_py.model.definitions import DefinitionRequest
from cocosearch_py.model.graph import Direction, WalkReport, WalkRequest
from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.model.usages import Place, Usage, UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.search.unmatched import explain_words_only
from cocosearch_py.tools.index import Index

Entry = tuple[str, Part | str]  # list of the answer, and an item of the list

_FOLLOWED = 5  # Maximum definitions whose uses are looked up.
_MOST_USES = 8  # Maximum uses of each of these definitions.
_MOST_LINES = 60  # Maximum lines of a named definition.
_MOST_ENTRIES = 20  # Maximum definitions of a named file.
_SIGNATURE_CHARS = 160
_MOST_EDGES = 100
_MOST_NEIGHBOURS = 10  # Maximum tests, and other files, that only an import connects.
_TESTS = SearchFilters(content=("tests",))
_NO_TESTS = SearchFilters(excluded_content=("tests",))


@dataclass(slots=True)
class Gathering:
    """Results so far; `seeds` are definitions whose neighbours are listed, most relevant first."""

    index: Index
    snippets: list[Snippet] = field(default_factory=list)
    seeds: list[Place] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    outlined: list[NearDefinition] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)

    def read(self, targets: Sequence[CodeTarget], because: Reason) -> None:
        """Add the text of definitions."""
        app = self.index.app
        request = CodeRequest(
            targets=tuple(targets),
            folder=self._folder,
            inside=self.index.member.folder,
            max_file_bytes=app.settings.indexing.max_file_size_kb * 1024,
        )
        report = self.index.ask(lambda record: app.navigation.read_code(request, record))
        for part in report.parts:
            lines = part.lines[:_MOST_LINES]
            if not lines:
                continue
            last, texts = lines[-1][0], [text for _, text in lines]
            if part.end_line > last:
                texts.append(f"... {part.end_line - last} more lines")
            self._add(Place(part.path, part.kind or "", part.name or "", part.start_line, last), texts, because)
        self.missing += [missing.text for missing in report.missing]
        self.doubt(report.stale)

    def search(self, request: SearchRequest) -> SearchReport:
        """Add the results of a search."""
        _, report = self.index.call.search(self.index.app, request, self.index.record)
        for hit in report.hits:
            place = Place(hit.file_path, hit.symbol_type or "", hit.symbol_name or "", hit.start_line, hit.end_line)
            self._add(place, hit.content.removesuffix("\n").split("\n"), "found")
        self.doubt(explain_words_only(report))
        return report

    def outline(self, path: str) -> None:
        """Add a file and its definitions."""
        app, inner = self.index.app, self.index.member.path(path)
        report = self.index.ask(lambda record: app.navigation.outline_file(inner, self._folder, record))
        self.doubt(report.stale)
        if (outline := report.outline) is None:
            self.missing.append(path)
            return
        self.add_file(outline.path)
        for entry in [entry for entry in outline.entries if not entry.function_depth][:_MOST_ENTRIES]:
            place = Place(outline.path, entry.kind, entry.qualified_name, entry.start_line, entry.end_line)
            self.seeds.append(place)
            self.outlined.append(_near(place, entry.signature))

    def shows(self, path: str, line: int) -> bool:
        """Whether a line is part of a snippet."""
        return any(
            snippet.file_path == path and snippet.start_line <= line <= snippet.end_line for snippet in self.snippets
        )

    def add_file(self, path: str) -> None:
        """Add a file once."""
        if path not in self.files:
            self.files.append(path)

    def doubt(self, stale: str | None) -> None:
        """Add a sentence about files that have changed on disk."""
        if stale and stale not in self.stale:
            self.stale.append(stale)

    @property
    def _folder(self) -> str | None:
        place = self.index.call.selection.place
        return str(place.folders[0]) if place else None

    def _add(self, place: Place, texts: Sequence[str], because: Reason) -> None:
        """Add lines that no snippet shows yet, and their definition to the seeds."""
        fresh = [
            (number, text)
            for number, text in enumerate(texts, start=place.start_line)
            if not self.shows(place.path, number)
        ]
        for _, group in groupby(enumerate(fresh), key=lambda pair: pair[1][0] - pair[0]):
            lines = [line for _, line in group]
            filled = [number for number, text in lines if text.strip()]
            if not filled:
                continue
            snippet = Snippet(
                file_path=place.path,
                start_line=filled[0],
                end_line=min(filled[-1], place.end_line),
                because=because,
                kind=place.kind if place.qualified_name else "",
                name=place.qualified_name,
                text="\n".join(text for number, text in lines if filled[0] <= number <= filled[-1]),
            )
            self.snippets.append(snippet)
        self.add_file(place.path)
        if place.qualified_name:
            self.seeds.append(place)


def related(gathering: Gathering) -> list[Entry]:
    """List callees and callers of the first definitions, tests that call them, and files joined by imports.

    No entry repeats, and no snippet shows one. Neighbours of the first definitions come first.
    """
    seen: set[tuple[str, int]] = set()
    callees: list[NearDefinition] = []
    callers: list[Use] = []
    tests: list[Use] = []
    for seed in list(dict.fromkeys(gathering.seeds))[:_FOLLOWED]:
        called = _uses(gathering, seed, SearchFilters(), callees=True)
        targets = [use.target for use in called if use.target is not None]
        callees += [_near(place, _signature(gathering, place)) for place in _fresh(gathering, targets, seen)]
        callers += _callers(gathering, seed, _uses(gathering, seed, _NO_TESTS), seen)
        tests += _callers(gathering, seed, _uses(gathering, seed, _TESTS), seen)
    places = ((item, (item.file_path, item.line)) for item in gathering.outlined)
    defined = [item for item, place in places if place not in seen and not gathering.shows(*place)]
    found: list[NearDefinition | Use] = [*callees, *callers, *tests]
    known = {*gathering.files, *(item.file_path for item in found)}
    testing, imports = _neighbours(gathering, known)
    lists: dict[str, Sequence[Part]] = {
        "symbols": [*defined, *callees],
        "callers": callers,
        "tests": [*tests, *testing],
        "imports": imports,
    }
    return [(name, item) for name, items in lists.items() for item in items]


def _uses(gathering: Gathering, seed: Place, filters: SearchFilters, *, callees: bool = False) -> Sequence[Usage]:
    """Return calls and heirs of a definition, or its own calls, unless only the name connects them."""
    request = UsageRequest(
        symbol=read_name(f"{seed.path}#{seed.qualified_name}"),
        kinds=("call",) if callees else ("call", "inherit"),
        callees=callees,
        filters=filters,
        limit=_MOST_USES,
    )
    report = gathering.index.ask(lambda record: gathering.index.app.graphs.find_references(request, record))
    gathering.doubt(report.stale)
    return [use for use in report.usages if use.confidence != "name_only"]


def _fresh(gathering: Gathering, places: Sequence[Place], seen: set[tuple[str, int]]) -> Iterator[Place]:
    for place in places:
        key = (place.path, place.start_line)
        if key not in seen and not gathering.shows(*key):
            seen.add(key)
            yield place


def _callers(gathering: Gathering, seed: Place, uses: Sequence[Usage], seen: set[tuple[str, int]]) -> Iterator[Use]:
    for use in uses:
        around = use.around
        key = (use.path, around.start_line if around else use.line)
        if key in seen or gathering.shows(use.path, use.line):
            continue
        seen.add(key)
        signature = _short(_signature(gathering, around)) if around else ""
        yield Use(file_path=use.path, line=use.line, uses=seed.qualified_name, text=use.text, signature=signature)


def _signature(gathering: Gathering, place: Place) -> str:
    """Return the signature of a definition, or its name if the index has no signature."""
    request = DefinitionRequest(symbol=read_name(f"{place.path}#{place.qualified_name}"), limit=_MOST_USES)
    report = gathering.index.app.navigation.find_definitions(request, gathering.index.record)
    at = (place.path, place.start_line)
    signatures = (item.signature for item in report.definitions if (item.path, item.start_line) == at)
    return next(signatures, "") or place.qualified_name


def _short(signature: str) -> str:
    return signature if len(signature) <= _SIGNATURE_CHARS else signature[: _SIGNATURE_CHARS - 1] + "…"


def _near(place: Place, signature: str) -> NearDefinition:
    return NearDefinition(
        file_path=place.path,
        line=place.start_line,
        kind=place.kind,
        name=place.qualified_name,
        signature=_short(signature),
    )


def _neighbours(gathering: Gathering, known: set[str]) -> tuple[list[Use], list[Neighbour]]:
    """Return tests, then other files, that imports connect to the files of the task; most connected first."""
    if not gathering.files:
        return [], []
    weights: dict[str, float] = {}
    joined: dict[str, dict[str, Any]] = {}
    tests: set[str] = set()
    ways: Sequence[tuple[Direction, str]] = (("dependencies", "imported_by"), ("dependents", "imports"))
    for direction, relation in ways:
        report = _walked(gathering, direction)
        tests |= report.tests
        for edge in report.edges:
            far, near = (edge.target, edge.source) if direction == "dependencies" else (edge.source, edge.target)
            if far not in known and near in gathering.files:
                weights[far] = weights.get(far, 0) + 1 / (1 + gathering.files.index(near))
                relations = joined.setdefault(far, {})
                relations[relation] = (*relations.get(relation, ()), near)
    ranked = sorted(joined, key=lambda path: (-weights[path], path))
    testing = [path for path in ranked if path in tests][:_MOST_NEIGHBOURS]
    others = [path for path in ranked if path not in tests][:_MOST_NEIGHBOURS]
    uses = [Use(file_path=path, **joined[path]) for path in testing]
    return uses, [Neighbour(file_path=path, **joined[path]) for path in others]


def _walked(gathering: Gathering, direction: Direction) -> WalkReport:
    request = WalkRequest(files=tuple(gathering.files), direction=direction, limit=_MOST_EDGES)
    report = gathering.index.ask(lambda record: gathering.index.app.graphs.walk(request, record))
    gathering.doubt(report.stale)
    return report
