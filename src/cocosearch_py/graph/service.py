"""Dependencies and references in the indexes of one database."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar

from cocosearch_py.graph.cache import Kept
from cocosearch_py.graph.calls import find_calls
from cocosearch_py.graph.maps import make_map
from cocosearch_py.graph.references import find_references
from cocosearch_py.graph.testing import RelatedRequest, find_tests
from cocosearch_py.graph.traversal import find_imports, walk
from cocosearch_py.model.calls import CallReport, CallRequest
from cocosearch_py.model.graph import (
    ImportsReport,
    MapRequest,
    RepositoryMap,
    WalkReport,
    WalkRequest,
)
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.testing import RelatedReport
from cocosearch_py.model.usages import UsageReport, UsageRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.imports import names_from_outside
from cocosearch_py.storage.queries.indexes import require_same
from cocosearch_py.storage.server.database import Database

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Graphs:
    """Answers requests about one index each; safe for threads.

    Every method raises IndexNotFoundError when the index went away, also when another folder has its name now.
    """

    database: Database
    _kept: Kept = field(default_factory=Kept)

    def walk(self, request: WalkRequest, record: IndexRecord) -> WalkReport:
        """Walk along imports, from some files on; see `graph.traversal`."""
        return self._read(record, lambda conn, current: walk(request, current, conn))

    def find_imports(self, module: str, record: IndexRecord) -> ImportsReport:
        """Find imports of a module by its name, whether it is in the index or not; see `graph.traversal`."""
        return self._read(record, lambda conn, current: find_imports(module, current, conn))

    def names_from_outside(self, paths: Collection[str], record: IndexRecord) -> dict[str, set[str]]:
        """Return, by file, the local names of its imports from outside the index."""
        return self._read(record, lambda conn, current: names_from_outside(conn, current.index_id, paths))

    def make_map(self, request: MapRequest, record: IndexRecord) -> RepositoryMap:
        """Rank the most important files and definitions; see `graph.maps`."""
        return self._read(record, lambda conn, current: make_map(request, current, conn))

    def find_references(self, request: UsageRequest, record: IndexRecord) -> UsageReport:
        """Find a page of uses; see `graph.references`."""
        return self._read(record, lambda conn, current: find_references(request, current, conn, self._kept.of(current)))

    def find_tests(self, request: RelatedRequest, record: IndexRecord) -> RelatedReport:
        """Find the tests of a definition or of files; see `graph.testing`."""
        return self._read(record, lambda conn, current: find_tests(request, current, conn, self._kept.of(current)))

    def find_calls(self, request: CallRequest, record: IndexRecord) -> CallReport:
        """Follow calls to and from a definition, over several steps; see `graph.calls`."""
        return self._read(record, lambda conn, current: find_calls(request, current, conn, self._kept.of(current)))

    def _read(self, record: IndexRecord, look: Callable[[Connection, IndexRecord], R]) -> R:
        """Look at one snapshot; `look` gets the index as it is there."""
        return self.database.read(lambda conn: look(conn, require_same(conn, record)))
