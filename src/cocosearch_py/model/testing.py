"""Tests of code: the tests related to a definition or a file, and how to run them."""

from collections.abc import Collection, Mapping
from typing import Literal, Self

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from cocosearch_py.model.answers import Count, Part, Value
from cocosearch_py.model.completeness import Completeness, Confidence
from cocosearch_py.model.files import FileVersion

Reason = Literal["same_file", "test_file", "name_convention", "calls", "imports"]


class RelatedTest(Part, rename={"path": "file", "reason": "match_reason"}):
    """A test, or with kind `file` all tests of a file; `distance` counts calls or imports, 0 is the same file."""

    name: str
    path: str
    line: Count
    kind: str
    reason: Reason
    distance: Count
    confidence: Confidence | UnsetType = UNSET


class RunCommand(Part):
    """A command that runs the first tests, in this folder."""

    framework: str
    folder: str  # relative to the root of the index, "" for the root; absolute in answers
    command: str


class RelatedReport(Value):
    """Tests, best first.

    Attributes:
        total: number of all tests, those beyond the limit included.
        known: whether the symbol, or a file that was asked about, is in the index.
        commands: run the listed tests, as far as manifests tell how.
        completeness: whether these are all tests that use a symbol, over three calls; None for files.
        versions: files of the tests and those that were asked about, as the index holds them.
        stale: see `DefinitionReport`.
    """

    tests: tuple[RelatedTest, ...] = ()
    total: int = 0
    known: bool = True
    commands: tuple[RunCommand, ...] = ()
    versions: Mapping[str, FileVersion] = {}
    completeness: Completeness | None = None
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """See `OfFiles`."""
        tests = tuple(test for test in self.tests if test.path not in gone)
        total = self.total - len(self.tests) + len(tests)
        commands = self.commands if len(tests) == len(self.tests) else ()  # Commands name tests.
        return replace(self, tests=tests, total=total, commands=commands, stale=why)
