"""The index that a call is about, read in one snapshot and compared with the disk."""

import posixpath
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import require_same
from cocosearch_py.tools.call import Call, F, Found
from cocosearch_py.tools.files import stored_paths, stored_prefixes
from cocosearch_py.tools.members import Inside, inside
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.app import App


class InFile(Protocol):
    """An item of an answer that is about a file."""

    @property
    def file(self) -> str:
        """Path, relative to the root of the index."""


I = TypeVar("I", bound=InFile)  # noqa: E741  # an item


@dataclass(frozen=True, slots=True, kw_only=True)
class Items(Generic[I]):
    """Items of files, in order.

    Attributes:
        total: number of all items, those beyond the limit included.
        versions: the files of the items, as the index holds them.
        stale: which files are not as on disk, as a sentence.
    """

    items: tuple[I, ...]
    total: int
    versions: Mapping[str, FileVersion] = field(default_factory=dict)
    stale: str | None = None

    def doubted(self, gone: Collection[str], why: str) -> Self:
        """Return the report without items of files that are gone."""
        items = tuple(item for item in self.items if item.file not in gone)
        versions = {path: version for path, version in self.versions.items() if path not in gone}
        return replace(self, items=items, total=self.total - len(self.items) + len(items), versions=versions, stale=why)


@dataclass(frozen=True, slots=True)
class Index:
    """The one index that a call is about, narrowed to a member of its workspace if the call names one."""

    call: Call
    found: Found
    member: Inside

    @classmethod
    def of(cls, call: Call, member: str | None = None) -> "Index":
        """Find the index of a call.

        Raises:
            IndexNotFoundError, NotIndexedError, NotFoundError: there is no such index or member.
        """
        found = call.find()
        return cls(call, found, inside(found, member))

    @property
    def record(self) -> IndexRecord:
        """The index's row in the catalog."""
        return self.found.records[0]

    @property
    def app(self) -> "App":
        """The services under the settings of the index's folder."""
        return self.found.app

    @property
    def root(self) -> str:
        """Absolute path of the indexed folder."""
        return self.record.root_path

    @property
    def folder(self) -> Path:
        """The indexed folder."""
        return Path(self.record.root_path)

    def paths(self, text: str | None) -> tuple[str, ...]:
        """Return the paths that a file or folder of the call may mean, likeliest first; "" is the root.

        Raises:
            SafetyError, ValidationError: it is outside the index, or not a path.
        """
        return stored_prefixes(self.call, self.record, text, self.member)

    def files(self, text: str) -> tuple[str, ...]:
        """Return the paths that the name of a file may mean, likeliest first.

        Raises:
            SafetyError, ValidationError: it is outside the index, or not a path.
        """
        return tuple(stored_paths(self.call, self.record, text, self.member))

    def absolute(self, path: str) -> str:
        """Return the absolute path of a file or folder of the index."""
        return posixpath.join(self.root, path)

    def ask(self, service: Callable[[IndexRecord], F], *, may_be_empty: bool = False) -> F:
        """Return what a service reports of the index, compared with the disk; see `Call.look` for `may_be_empty`."""
        return self.call.look(self.app, self.record, lambda: service(self.record), may_be_empty=may_be_empty)

    def read(self, query: Callable[[Connection, IndexRecord], F], *, may_be_empty: bool = False) -> F:
        """Read a report in one snapshot and compare its files with the disk.

        Args:
            may_be_empty: whether a report about no file is a whole answer; see `Call.look`.
        Raises:
            IndexNotFoundError: the index went away meanwhile.
        """
        return self.ask(
            lambda record: self.app.database.read(lambda conn: query(conn, require_same(conn, record))),
            may_be_empty=may_be_empty,
        )

    def warnings(self, report: Any = None) -> list[str]:
        """Return what a caller should know of the index: its age, its gaps, files and commits that have changed."""
        return remarks_on(self.call, self.found, [getattr(report, "stale", None)])
