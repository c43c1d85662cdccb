"""An index as a question is answered from it: what each step asks the services, compared with the disk."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from cocosearch_py.graph.testing import RelatedRequest
from cocosearch_py.model.calls import CallReport, CallRequest
from cocosearch_py.model.code import CodePart, CodeRequest, CodeTarget
from cocosearch_py.model.definitions import Definition, DefinitionRequest
from cocosearch_py.model.graph import Direction, ImportSite, WalkReport, WalkRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.listing import ListRequest
from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.model.testing import RelatedReport
from cocosearch_py.model.usages import UsageKind, UsageReport, UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.search.unmatched import explain_words_only
from cocosearch_py.search.verify import explain_stale
from cocosearch_py.tools.call import Call, Found

_MOST_USES = 300
_MOST_EDGES = 300
_MOST_TESTS = 50


@dataclass(slots=True)
class IndexLookups:
    """Satisfies `evidence.Sources`; `filters` narrow all but what a definition itself calls."""

    call: Call
    found: Found
    filters: SearchFilters
    stale: list[str] = field(default_factory=list)

    def search(self, query: str, limit: int, content: Sequence[str] = ()) -> SearchReport:
        filters = replace(self.filters, content=tuple(content)) if content else self.filters
        request = SearchRequest(query, limit=limit, filters=filters, smart_context=False)
        cached = self.found.app.settings.search.cache
        _, report = self.call.search(self.found.app, request, self._record, use_cache=cached)
        self._doubt(explain_stale(report))
        self._doubt(explain_words_only(report))
        return report

    def definitions(self, name: str, limit: int) -> tuple[Sequence[Definition], int]:
        request = DefinitionRequest(symbol=read_name(name), filters=self.filters, limit=limit)
        navigation = self.found.app.navigation
        report = self.call.look(
            self.found.app, self._record, lambda: navigation.find_definitions(request, self._record)
        )
        self._doubt(report.stale)
        return report.definitions, report.total

    def nearest(self, name: str) -> Sequence[str]:
        return self.found.app.navigation.suggest(DefinitionRequest(symbol=read_name(name)), self._record).nearest

    def files(self, text: str, limit: int) -> Sequence[tuple[str, float]]:
        request = ListRequest(filters=self.filters, limit=limit)
        return self.found.app.navigation.find_paths(text, request, self._record).paths[:limit]

    def usages(self, name: str, kinds: Sequence[UsageKind], *, callees: bool = False) -> UsageReport:
        filters = SearchFilters() if callees else self.filters
        request = UsageRequest(
            symbol=read_name(name), kinds=tuple(kinds), callees=callees, filters=filters, limit=_MOST_USES
        )
        graphs = self.found.app.graphs
        report = self.call.look(self.found.app, self._record, lambda: graphs.find_references(request, self._record))
        self._doubt(report.stale)
        return report

    def calls(self, name: str, to: str, depth: int) -> CallReport:
        request = CallRequest(symbol=read_name(name), direction="callees", depth=depth, to=read_name(to))
        graphs = self.found.app.graphs
        report = self.call.look(self.found.app, self._record, lambda: graphs.find_calls(request, self._record))
        self._doubt(report.stale)
        return report

    def walk(self, files: Sequence[str], direction: Direction, depth: int) -> WalkReport:
        request = WalkRequest(files=tuple(files), direction=direction, depth=depth, limit=_MOST_EDGES)
        graphs = self.found.app.graphs
        report = self.call.look(self.found.app, self._record, lambda: graphs.walk(request, self._record))
        self._doubt(report.stale)
        inside = self._inside(one.source for one in report.edges)
        return replace(report, edges=tuple(one for one in report.edges if one.source in inside))

    def imports_of(self, module: str) -> Sequence[ImportSite]:
        graphs = self.found.app.graphs
        report = self.call.look(self.found.app, self._record, lambda: graphs.find_imports(module, self._record))
        self._doubt(report.stale)
        inside = self._inside(one.path for one in report.sites)
        return [one for one in report.sites if one.path in inside]

    def names_from_outside(self, paths: Collection[str]) -> Mapping[str, Collection[str]]:
        return self.found.app.graphs.names_from_outside(paths, self._record)

    def tests(self, name: str, files: Sequence[str]) -> RelatedReport:
        symbol = read_name(name) if name else None
        request = RelatedRequest(symbol=symbol, files=tuple(files), limit=_MOST_TESTS)
        graphs = self.found.app.graphs
        report = self.call.look(self.found.app, self._record, lambda: graphs.find_tests(request, self._record))
        self._doubt(report.stale)
        inside = self._inside(one.path for one in report.tests)
        return structs.replace(report, tests=tuple(one for one in report.tests if one.path in inside))

    def read(self, places: Sequence[tuple[str, int, int]], context: int) -> list[CodePart | None]:
        """The lines of places with so many around each, in their order; None for what is not on disk any more."""
        if not places:
            return []
        targets = tuple(CodeTarget(f"{path}:{first}-{last}", path, None, first, last) for path, first, last in places)
        most = self.found.app.settings.indexing.max_file_size_kb * 1024
        request = CodeRequest(targets=targets, expand=context, max_file_bytes=most)
        navigation = self.found.app.navigation
        report = self.call.look(self.found.app, self._record, lambda: navigation.read_code(request, self._record))
        self._doubt(report.stale)
        parts = iter(report.parts)
        missing = {one.text for one in report.missing}
        return [None if target.text in missing else next(parts, None) for target in targets]

    def _inside(self, paths: Iterable[str]) -> Collection[str]:
        """Those of some paths that the filters of paths let pass. The services apply all other filters."""
        return self.found.app.navigation.paths_passing(set(paths), self.filters, self._record)

    @property
    def _record(self) -> IndexRecord:
        return self.found.records[0]

    def _doubt(self, stale: str | None) -> None:
        if stale and stale not in self.stale:
            self.stale.append(stale)
