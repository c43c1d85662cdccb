"""Requests for files that depend on each other, and their reports."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self

from cocosearch_py.model.files import FileVersion

EdgeKind = Literal["import", "call", "reference", "inherit"]
EDGE_KINDS: Sequence[EdgeKind] = ("import", "call", "reference", "inherit")
Direction = Literal["dependencies", "dependents"]


class GraphFile(NamedTuple):
    """An indexed file as a node of a graph."""

    file_id: int
    path: str
    language_id: str
    content_class: str

    @property
    def is_test(self) -> bool:
        return self.content_class == "tests"


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` imports `module`, which is the file `target`; both are paths.

    `names` are what is imported of it; none for the module as a whole. `line` is that of the first such import.
    `distance` is 1 for edges at the files that were asked about.
    """

    source: str
    target: str
    module: str
    names: tuple[str, ...]
    line: int
    distance: int = 1


class Outside(NamedTuple):
    """An import that leads to no file of the index."""

    source: str
    module: str
    line: int


class ImportSite(NamedTuple):
    """A line, from 1, that imports a module, as it is written there, or `name` of it."""

    path: str
    line: int
    module: str
    name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportsReport:
    """The first imports of a module, by path and line, and how many there are; see `DefinitionReport`."""

    sites: tuple[ImportSite, ...] = ()
    total: int = 0
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        return replace(self, sites=tuple(one for one in self.sites if one.path not in gone), stale=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkRequest:
    """Files that depend on each other, from some files on.

    Attributes:
        files: paths, as the index holds them.
        direction: what these files depend on, or what depends on them.
        kind: of the edges: any import, or only one of what is called, named at all, or inherited from.
        depth: edges in a row at most.
        limit: edges at most, the nearest first.
        with_tests: go through files of tests.
    """

    files: tuple[str, ...]
    direction: Direction = "dependencies"
    kind: EdgeKind = "import"
    depth: int = 1
    limit: int = 200
    with_tests: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkReport:
    """Files found, each once.

    Attributes:
        files: those that were asked about and are indexed.
        edges: by distance, then path; beyond distance 1 only those to files that no nearer one leads to.
        total: edges, also those over the limit.
        unresolved: imports of the files asked about that should lead to a file of the index and do not.
        external: imports of theirs that lead elsewhere.
        missing: what was asked about and is not indexed, in the caller's words.
        fan_in: by path of the files asked about, how many files import each of them.
        tests: which of the files found are tests.
        versions, stale: see `DefinitionReport`.
    """

    files: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    total: int = 0
    unresolved: tuple[Outside, ...] = ()
    external: tuple[Outside, ...] = ()
    missing: tuple[str, ...] = ()
    fan_in: Mapping[str, int] = field(default_factory=dict)
    tests: frozenset[str] = frozenset()
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(one for one in self.edges if one.source not in gone and one.target not in gone)
        return replace(
            self,
            files=tuple(path for path in self.files if path not in gone),
            edges=kept,
            total=self.total - len(self.edges) + len(kept),
            unresolved=tuple(one for one in self.unresolved if one.source not in gone),
            external=tuple(one for one in self.external if one.source not in gone),
            stale=why,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MapRequest:
    """The most important definitions of an index.

    Attributes:
        focus: paths and names of definitions that matter most; paths are as the index holds them.
        prefix: folder that is shown; "" for all.
        with_tests: also files of tests.
        most_files: whose definitions are read.
    """

    focus: tuple[str, ...] = ()
    prefix: str = ""
    with_tests: bool = False
    most_files: int = 200


class MappedSymbol(NamedTuple):
    """A definition of a map; `weight` grows with the files that refer to its name."""

    line: int
    signature: str
    name: str
    weight: float


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file of a map, its definitions by falling weight; `rank` is relative to the first file's."""

    path: str
    rank: float
    symbols: tuple[MappedSymbol, ...]


@dataclass(frozen=True, slots=True)
class RepositoryMap:
    """Files, the most important first, of `total`; `unknown` are those words of the focus that mean nothing.

    `versions` are those of these files; `stale`: see `DefinitionReport`.
    """

    files: tuple[MappedFile, ...] = ()
    total: int = 0
    unknown: tuple[str, ...] = ()
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the files of the request that the index may lack."""
        return self.unknown

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(one for one in self.files if one.path not in gone)
        return replace(self, files=kept, total=self.total - len(self.files) + len(kept), stale=why)
