"""What is asked about the tests of code, and what was found."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Self

from cocosearch_py.model.completeness import Completeness, Confidence
from cocosearch_py.model.definitions import NamedSymbol
from cocosearch_py.model.files import FileVersion

Reason = Literal["calls", "name_convention", "same_file", "test_file", "imports"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedRequest:
    """Tests that are looked for: of a definition, or of files; `limit` is how many are given."""

    symbol: NamedSymbol | None = None
    files: tuple[str, ...] = ()
    limit: int = 20


@dataclass(frozen=True, slots=True)
class RelatedTest:
    """A test, or a file of tests as a whole (kind `file`); the line is from 1.

    `reason` says why it is related, `distance` over how many calls or imports; 0 is the same file. `confidence` is that
    of a use, see `Usage`.
    """

    path: str
    name: str
    kind: str
    line: int
    reason: Reason
    distance: int
    confidence: Confidence | None = None


class RunCommand(NamedTuple):
    """How to run tests that were found; `folder` is where, relative to the root, "" for the root itself."""

    framework: str
    folder: str
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelatedReport:
    """Tests, best first.

    Attributes:
        total: how many there are, also those over the limit.
        known: whether the symbol, or a file that was asked about, is in the index.
        commands: run the tests that are given, as far as manifests tell how.
        completeness: whether these are all tests that use a symbol, over three calls; None of files.
        versions: files of the tests and those that are asked about, as the index holds them.
        stale: see `DefinitionReport`.
    """

    tests: tuple[RelatedTest, ...] = ()
    total: int = 0
    known: bool = True
    commands: tuple[RunCommand, ...] = ()
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    completeness: Completeness | None = None
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        kept = tuple(one for one in self.tests if one.path not in gone)
        total = self.total - len(self.tests) + len(kept)
        commands = self.commands if len(kept) == len(self.tests) else ()  # they name tests
        return replace(self, tests=kept, total=total, commands=commands, stale=why)
