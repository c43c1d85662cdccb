"""Parts of an answer, and the sources that they are looked up in."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cocosearch_py.features.ask.tools import NextCall, Step, Sureness
from cocosearch_py.model.calls import CallReport
from cocosearch_py.model.definitions import Definition
from cocosearch_py.model.graph import Direction, ImportSite, WalkReport
from cocosearch_py.model.search import SearchReport
from cocosearch_py.model.testing import RelatedReport
from cocosearch_py.model.usages import UsageKind, UsageReport


@dataclass(frozen=True, slots=True)
class Evidence:
    """Lines of a file, from 1, inclusive, that answer or help to.

    Attributes:
        relevance: from 0 to 1; compares evidence of one answer.
        step: the number of the step that found it.
        via: what it is to the question: `calls Cart.add`, `definition`, `search`.
        name: the definition that it is or is in; empty where none is known.
    """

    path: str
    start_line: int
    end_line: int
    relevance: float
    step: int
    via: str
    name: str = ""

    @property
    def lines(self) -> tuple[str, int, int]:
        return self.path, self.start_line, self.end_line


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: evidence, the most telling first, how it was found, how sure it is, and how to go on."""

    intent: str
    evidence: tuple[Evidence, ...]
    steps: tuple[Step, ...]
    sureness: Sureness
    next_calls: tuple[NextCall, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How much may be looked up: steps from what the question names, and pieces of evidence."""

    max_hops: int = 2
    limit: int = 12


class Sources(Protocol):
    """An index, as far as a question needs it. Names are as people write them: `Cart.add`, `shop/cart.py#add`."""

    def search(self, query: str, limit: int, content: Sequence[str] = ()) -> SearchReport:
        """Passages, best first; with `content` of files of these classes alone."""

    def definitions(self, name: str, limit: int) -> tuple[Sequence[Definition], int]:
        """Definitions of a name in any style, best first, and how many there are."""

    def nearest(self, name: str) -> Sequence[str]:
        """Names like one that nothing has."""

    def files(self, text: str, limit: int) -> Sequence[tuple[str, float]]:
        """(path, likeness) of files whose path is like a text."""

    def usages(self, name: str, kinds: Sequence[UsageKind], *, callees: bool = False) -> UsageReport:
        """Uses of a definition, or by it."""

    def calls(self, name: str, to: str, depth: int) -> CallReport:
        """The shortest ways of calls from one definition to another."""

    def walk(self, files: Sequence[str], direction: Direction, depth: int) -> WalkReport:
        """Files that depend on these, or that these depend on."""

    def imports_of(self, module: str) -> Sequence[ImportSite]:
        """Imports that name a module, or one below it."""

    def names_from_outside(self, paths: Collection[str]) -> Mapping[str, Collection[str]]:
        """By file, the names of what it imports from no file of the index."""

    def tests(self, name: str, files: Sequence[str]) -> RelatedReport:
        """Tests of a definition, or of files."""
