"""Data of a whole index that questions about dependencies and references read, kept until the index changes."""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from threading import Lock

from cocosearch_py.graph.computed import Alike, computed_names
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import references as store
from cocosearch_py.storage.queries.references import KnownFile, LanguageGap
from cocosearch_py.storage.queries.target import Target

_MAX_INDEXES = 8
_MAX_FILES = 20_000  # of one index; about 10 MB
_MAX_HEIRS = 20_000  # classes whose heirs are kept


@dataclass(slots=True)
class IndexFacts:
    """Facts about one generation of an index, read when they are first asked for."""

    target: Target
    _gaps: Sequence[LanguageGap] | None = None
    _computed: Sequence[Alike] | None = None
    _loose_wildcards: int | None = None
    _files: dict[int, KnownFile] = field(default_factory=dict)
    _heirs: dict[str, list[str]] = field(default_factory=dict)
    _exports: dict[int, dict[str, str]] = field(default_factory=dict)

    def files(self, conn: Connection, ids: Collection[int]) -> dict[int, KnownFile]:
        """Return known facts about files, by number, of those that the index has."""
        kept = self._files
        found = {one: kept[one] for one in ids if one in kept}
        if missing := [one for one in ids if one not in found]:
            read = store.files_by_id(conn, self.target, missing)
            found |= read
            if len(kept) + len(read) > _MAX_FILES:
                kept = self._files = {}
            kept |= read
        return found

    def heirs(self, conn: Connection, names: Collection[str], most: int) -> list[tuple[str, str]] | None:
        """(class, one that inherits from a class of that name); None if there are more than `most`."""
        kept = self._heirs
        found = {name: kept[name] for name in names if name in kept}
        if missing := [name for name in names if name not in found]:
            read = store.heirs_of(conn, self.target, missing, most)
            if len(read) == most:
                return None
            added: dict[str, list[str]] = {name: [] for name in missing}
            for base, heir in read:
                added[base].append(heir)
            found |= added
            if len(kept) + len(added) > _MAX_HEIRS:
                kept = self._heirs = {}
            kept |= added
        pairs = [(base, heir) for base, heirs in found.items() for heir in heirs]
        return pairs if len(pairs) < most else None

    def exports(self, conn: Connection, ids: Collection[int]) -> dict[int, dict[str, str]]:
        """By file and exported name, the names of definitions that files export as default or under another name."""
        kept = self._exports
        found = {one: kept[one] for one in ids if one in kept}
        if missing := [one for one in ids if one not in found]:
            read: dict[int, dict[str, str]] = {one: {} for one in missing}
            for file_id, exported, name in store.exports_of(conn, self.target, missing):
                read[file_id][exported] = name
            found |= read
            if len(kept) + len(read) > _MAX_FILES:
                kept = self._exports = {}
            kept |= read
        return found

    def gaps(self, conn: Connection) -> Sequence[LanguageGap]:
        """Every language, with the files of it that could not be read."""
        if self._gaps is None:
            self._gaps = store.gaps(conn, self.target)
        return self._gaps

    def computed(self, conn: Connection) -> Sequence[Alike]:
        """Where names are made at run time; not those that are looked up in what a library is."""
        if self._computed is None:
            self._computed = computed_names(conn, self.target)
        return self._computed

    def loose_wildcards(self, conn: Connection) -> int:
        """Imports of all names that lead to no file, although they should."""
        if self._loose_wildcards is None:
            self._loose_wildcards = store.count_loose_wildcards(conn, self.target)
        return self._loose_wildcards


class Kept:
    """The facts of the indexes that were asked about last; safe for threads, which may read the same twice."""

    def __init__(self) -> None:
        self._facts: OrderedDict[tuple[tuple[int, str], int], IndexFacts] = OrderedDict()
        self._lock = Lock()

    def of(self, record: IndexRecord) -> IndexFacts:
        """The facts of an index as it is in this generation: a run raises it, so that older ones age out."""
        key = record.version
        with self._lock:
            facts = self._facts.get(key)
            if facts is None:
                target = Target(record.index_id, record.chunk_count, SearchFilters())
                facts = self._facts[key] = IndexFacts(target)
            self._facts.move_to_end(key)
            while len(self._facts) > _MAX_INDEXES:
                self._facts.popitem(last=False)
        return facts
