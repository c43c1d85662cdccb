"""Which tests are about a definition or a file: by what they use, by their names, by where they stand."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from cocosearch_py.analysis.paths import is_test
from cocosearch_py.analysis.words import name_key, split_identifier
from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.graph.references import find_references
from cocosearch_py.graph.traversal import walk
from cocosearch_py.languages import family_of
from cocosearch_py.languages.testing import PlacedTest, commands_for, manifests_for
from cocosearch_py.model.completeness import Completeness
from cocosearch_py.model.definitions import NamedSymbol
from cocosearch_py.model.graph import WalkRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.testing import Reason, RelatedReport, RelatedTest, RunCommand
from cocosearch_py.model.usages import Usage, UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import testing as store
from cocosearch_py.storage.queries.references import KnownFile, files_by_id
from cocosearch_py.storage.queries.sources import find_sources, text_of
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.testing import StoredTest

_STEPS = 3  # calls, or imports, in a row
_MOST_USES = 1_000
_MOST_EDGES = 1_000
_MARKS = "tests?|specs?|suite|benchmark|bench|fuzz|it"
_FOLDER_FILES = frozenset({"__init__", "index", "mod", "lib", "main", "package"})
# The best first; a use that only its name tells of is worth less than a name that says what is tested.
_RANKS: dict[Reason, int] = {"calls": 0, "name_convention": 1, "same_file": 2, "test_file": 4, "imports": 5}
_UNSURE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedRequest:
    """Tests to find: of a definition, or of files; `limit` is the maximum number to list."""

    symbol: NamedSymbol | None = None
    files: tuple[str, ...] = ()
    limit: int = 20


@dataclass(slots=True)
class _Found:
    """The tests that one request has found so far; each keeps its best reason."""

    conn: Connection
    target: Target
    files: dict[int, KnownFile] = field(default_factory=dict)
    tests: dict[tuple[str, int], RelatedTest] = field(default_factory=dict)

    def know(self, ids: Iterable[int]) -> None:
        if missing := set(ids) - self.files.keys():
            self.files |= files_by_id(self.conn, self.target, missing)

    def add(self, test: RelatedTest) -> None:
        key = (test.path, test.line if test.kind != "file" else 0)
        known = self.tests.get(key)
        if known is None or _order(test) < _order(known):
            self.tests[key] = test

    def add_symbols(self, symbols: Iterable[StoredTest], reason: Reason, distance: int) -> None:
        kept = list(symbols)
        self.know(one.file_id for one in kept)
        for one in kept:
            self.add(
                RelatedTest(
                    name=one.qualified_name,
                    path=self.files[one.file_id].path,
                    line=one.start_line,
                    kind=one.kind,
                    reason=reason,
                    distance=distance,
                )
            )

    def add_files(self, distances: Mapping[str, int], reason: Reason) -> None:
        """Add those of the files that have tests in them, not just what tests need."""
        has_tests = {one.file_id for one in store.tests_in(self.conn, self.target, list(map(file_id_of, distances)))}
        for path, distance in distances.items():
            if file_id_of(path) in has_tests:
                name = posixpath.basename(path)
                self.add(RelatedTest(name=name, path=path, line=1, kind="file", reason=reason, distance=distance))


def find_tests(request: RelatedRequest, record: IndexRecord, conn: Connection, facts: IndexFacts) -> RelatedReport:
    """The tests of a definition or of files; see `RelatedReport`."""
    found = _Found(conn, Target(record.index_id, record.chunk_count, SearchFilters()))
    completeness: Completeness | None = None
    if request.symbol is None:
        paths = list(find_sources(conn, record.index_id, request.files))
        known = bool(paths)
    else:
        usages = UsageRequest(
            symbol=request.symbol,
            kinds=("call", "inherit", "read", "type"),
            depth=_STEPS,
            limit=_MOST_USES,
        )
        report = find_references(usages, record, conn, facts)
        paths = list(dict.fromkeys(one.path for one in report.definitions))
        known, completeness = bool(paths), report.completeness
        _by_uses(found, report.usages)
        _by_name(found, request.symbol.spelled, paths)
    _by_place(found, paths, is_symbol=request.symbol is not None)
    _by_imports(found, record, paths)
    tests = sorted(_without_their_files(found.tests.values()), key=_order)
    shown = tests[: request.limit]
    ids = [file_id_of(path) for path in (*(one.path for one in shown), *paths)]
    found.know(ids)
    return RelatedReport(
        tests=tuple(shown),
        total=len(tests),
        known=known,
        commands=_commands(found, record, shown),
        completeness=completeness,
        versions={found.files[one].path: found.files[one].version for one in ids if one in found.files},
    )


def _order(one: RelatedTest) -> tuple[object, ...]:
    rank = _UNSURE if one.confidence == "name_only" else _RANKS[one.reason]
    return (rank, one.distance, one.path, one.line)


def _by_uses(found: _Found, usages: Sequence[Usage]) -> None:
    """Tests that use a definition, also through functions that use it."""
    by_file: dict[int, list[StoredTest]] = defaultdict(list)
    ids = {file_id_of(one.path) for one in usages}
    found.know(ids)
    for test in store.tests_in(found.conn, found.target, ids):
        by_file[test.file_id].append(test)
    for use in usages:
        file_id = file_id_of(use.path)
        tests = by_file.get(file_id, [])
        around = [one for one in tests if one.start_line <= use.line <= one.end_line]
        if around:
            test = max(around, key=lambda one: one.start_line)
            name, kind, line = test.qualified_name, test.kind, test.start_line
        elif not tests and _is_named_test(use.path):  # whose tests are no definitions
            name, kind, line = posixpath.basename(use.path), "file", use.line
        else:
            continue
        found.add(
            RelatedTest(
                name=name,
                path=use.path,
                line=line,
                kind=kind,
                reason="calls",
                distance=use.distance,
                confidence=use.confidence,
            )
        )


def _is_named_test(path: str) -> bool:
    """Whether a file has the name of one of tests, wherever it is."""
    return is_test(posixpath.basename(path))


def _by_name(found: _Found, name: str, paths: Sequence[str]) -> None:
    """Tests named after a definition, or in a class that is: `test_x`, `TestX`, `x_spec`, `XTest`."""
    key = name_key(name)
    words = split_identifier(name)
    if not key or not words or not paths:
        return
    escaped = re.escape(key)
    named = store.tests_named(
        found.conn, found.target, rf"^({_MARKS})?{escaped}", rf"(^|\.)({_MARKS})?{escaped}({_MARKS})?\."
    )
    found.know(one.file_id for one in named)
    families = {family_of(found.files[file_id].language_id) for file_id in _known_ids(found, paths)}
    wanted = tuple(words)
    fitting = [
        one
        for one in named
        if family_of(found.files[one.file_id].language_id) in families
        and (
            _tested(one.name)[: len(wanted)] == wanted
            or any(_tested(part) == wanted for part in one.qualified_name.split(".")[:-1])
        )
    ]
    found.add_symbols(fitting, "name_convention", 1)


def _tested(name: str) -> tuple[str, ...]:
    """Words of what a test is named after."""
    words = list(split_identifier(name))
    mark = re.compile(_MARKS)
    if words and mark.fullmatch(words[0]):
        words.pop(0)
    if words and mark.fullmatch(words[-1]):
        words.pop()
    return tuple(words)


def _known_ids(found: _Found, paths: Sequence[str]) -> list[int]:
    ids = [file_id_of(path) for path in paths]
    found.know(ids)
    return [one for one in ids if one in found.files]


def _by_place(found: _Found, paths: Sequence[str], *, is_symbol: bool) -> None:
    """Tests in the files themselves, and files of tests that are named after them."""
    ids = _known_ids(found, paths)
    inside = [one for one in ids if not is_symbol or found.files[one].content_class != "tests"]
    found.add_symbols(store.tests_in(found.conn, found.target, inside), "same_file", 0)
    for file_id in ids:
        path, family = found.files[file_id].path, family_of(found.files[file_id].language_id)
        stem = posixpath.basename(path).partition(".")[0].lower()
        if stem in _FOLDER_FILES or found.files[file_id].content_class == "tests":
            continue
        pattern = rf"(^|/)(tests?[_-]?)?{re.escape(stem)}([._-]?({_MARKS}))?(\.[a-z]+)+$"
        others = store.files_of_tests(found.conn, found.target, pattern)
        found.know(others)
        near = [found.files[other] for other in others if other != file_id]
        found.add_files({one.path: 1 for one in near if family_of(one.language_id) == family}, "test_file")


def _by_imports(found: _Found, record: IndexRecord, paths: Sequence[str]) -> None:
    """Files of tests that import the files, also through other files."""
    if not paths:
        return
    request = WalkRequest(files=tuple(paths), direction="dependents", depth=_STEPS, limit=_MOST_EDGES)
    report = walk(request, record, found.conn)
    distances = {edge.source: edge.distance for edge in reversed(report.edges)}  # the nearest first
    found.add_files(
        {path: distance for path, distance in distances.items() if path in report.tests and path not in paths},
        "imports",
    )


def _without_their_files(tests: Iterable[RelatedTest]) -> list[RelatedTest]:
    """Return the tests without files of which single tests are named."""
    kept = list(tests)
    named = {one.path for one in kept if one.kind != "file"}
    return [one for one in kept if one.kind != "file" or one.path not in named]


def _commands(found: _Found, record: IndexRecord, shown: Sequence[RelatedTest]) -> tuple[RunCommand, ...]:
    places = [
        PlacedTest(
            one.path,
            "" if one.kind == "file" else one.name,
            one.line,
            found.files[file_id_of(one.path)].language_id,
        )
        for one in shown
    ]
    sources = find_sources(found.conn, record.index_id, sorted(manifests_for(places)))
    texts = text_of(found.conn, record.index_id, list(sources.values()))
    return tuple(
        RunCommand(framework=framework, folder=folder, command=command)
        for framework, folder, command in commands_for(places, texts.get)
    )
