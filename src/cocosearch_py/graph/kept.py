"""What questions about dependencies and references read of an index as a whole, kept until the index changes."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import LanguageGap
from cocosearch_py.storage.queries.target import Target

_MAX_INDEXES = 8


@dataclass(slots=True)
class IndexFacts:
    """Facts about one generation of an index, read when they are first asked for."""

    target: Target
    _gaps: Sequence[LanguageGap] | None = None
    _loose_wildcards: int | None = None

    def gaps(self, conn: Connection) -> Sequence[LanguageGap]:
        """Every language, with the files of it that could not be read."""
        if self._gaps is None:
            self._gaps = store.gaps(conn, self.target)
        return self._gaps

    def loose_wildcards(self, conn: Connection) -> int:
        """Imports of all names that lead to no file, although they should."""
        if self._loose_wildcards is None:
            self._loose_wildcards = store.count_loose_wildcards(conn, self.target)
        return self._loose_wildcards


class Kept:
    """The facts of the indexes that were asked about last; safe for threads, which may read the same twice."""

    def __init__(self) -> None:
        self._facts: OrderedDict[tuple[int, int], IndexFacts] = OrderedDict()
        self._lock = Lock()

    def of(self, record: IndexRecord) -> IndexFacts:
        """The facts of an index as it is in this generation: a run raises it, so that older ones age out."""
        key = record.index_id, record.generation
        with self._lock:
            facts = self._facts.get(key)
            if facts is None:
                target = Target(record.index_id, record.chunk_count, SearchFilters())
                facts = self._facts[key] = IndexFacts(target)
            self._facts.move_to_end(key)
            while len(self._facts) > _MAX_INDEXES:
                self._facts.popitem(last=False)
        return facts
