"""Lookups in the indexes of one database."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.model.code import CodeReport, CodeRequest, NotFound, SourcesReport
from cocosearch_py.model.definitions import (
    DefinitionReport,
    DefinitionRequest,
    ExplainReport,
    OutlineReport,
    Suggestion,
)
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.listing import FolderReport, ListReport, ListRequest, PathReport
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.summaries import SummaryReport, SummaryRequest
from cocosearch_py.navigation.definitions import explain, find_definitions, suggest
from cocosearch_py.navigation.listing import find_paths, has_files, list_files, list_folders, paths_passing
from cocosearch_py.navigation.outline import outline_file
from cocosearch_py.navigation.overview import summarize
from cocosearch_py.navigation.reading import find_code, read_code
from cocosearch_py.navigation.texts import text_of_file, texts_below
from cocosearch_py.navigation.whole import held_file, held_hash, held_with_hash, text_now
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import require_same
from cocosearch_py.storage.server.database import Database

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Navigation:
    """Answers requests about one index each; safe for threads.

    Every method raises IndexNotFoundError when the index went away, also when another folder has its name now.
    """

    database: Database
    rules: Callable[[], DiscoveryOptions]  # which files of a folder a run would read

    def read_code(self, request: CodeRequest, record: IndexRecord) -> CodeReport:
        """Parts of files by line or definition, as on disk where they are there; see `navigation.reading`."""
        found = self._read(record, lambda conn, current: find_code(request, current, conn))
        return read_code(request, record, found, self.rules)

    def whole_file(self, path: str, record: IndexRecord, rules: DiscoveryOptions) -> str | NotFound:
        """The text of an indexed file as it is now; see `navigation.whole`."""
        found = self._read(record, lambda conn, current: held_file(path, current, conn))
        return found if isinstance(found, NotFound) else text_now(found, record, rules)

    def hash_of_file(self, path: str, record: IndexRecord) -> bytes | None:
        """The hash of what the index holds of a file; None where it holds none."""
        return self._read(record, lambda conn, current: held_hash(path, current, conn))

    def text_with_hash(self, path: str, content_hash: str, record: IndexRecord) -> str | None:
        """The text that an index holds of a file, if it had this hash then, in hexadecimal digits."""
        return self._read(record, lambda conn, current: held_with_hash(path, content_hash, current, conn))

    def list_files(self, request: ListRequest, record: IndexRecord) -> ListReport:
        """A page of files."""
        return self._read(record, lambda conn, current: list_files(request, current, conn))

    def paths_passing(self, paths: Collection[str], filters: SearchFilters, record: IndexRecord) -> Collection[str]:
        """Those of some paths that filters of paths let pass, as PostgreSQL compares them: in linear time."""
        return self._read(record, lambda conn, current: paths_passing(paths, filters, current, conn))

    def has_files(self, path: str, record: IndexRecord) -> bool:
        """Whether an index knows of anything at a path, relative to the root, or below it."""
        return self._read(record, lambda conn, current: has_files(path, current, conn))

    def list_folders(self, request: ListRequest, record: IndexRecord, depth: int) -> FolderReport:
        """Files and folders below a path, to a depth."""
        return self._read(record, lambda conn, current: list_folders(request, current, conn, depth))

    def find_paths(self, query: str, request: ListRequest, record: IndexRecord) -> PathReport:
        """Files whose path is like a query, the likest first."""
        return self._read(record, lambda conn, current: find_paths(query, request, current, conn))

    def text_of_file(self, path: str, symbol: str | None, folder: str | None, record: IndexRecord) -> SourcesReport:
        """The text of a file, with what a symbol means in it; see `navigation.texts`."""
        return self._read(record, lambda conn, current: text_of_file(path, symbol, folder, current, conn))

    def texts_below(
        self, directory: str | None, glob: str | None, folder: str | None, record: IndexRecord
    ) -> SourcesReport:
        """Texts of the files below a folder, or that match a glob."""
        return self._read(record, lambda conn, current: texts_below(directory, glob, folder, current, conn))

    def summarize(self, request: SummaryRequest, record: IndexRecord) -> SummaryReport:
        """Files, folders and globs in short; see `navigation.overview`."""
        return self._read(record, lambda conn, current: summarize(request, current, conn))

    def find_definitions(self, request: DefinitionRequest, record: IndexRecord) -> DefinitionReport:
        """A page of the definitions that a request asks for; see `navigation.definitions`."""
        return self._read(record, lambda conn, current: find_definitions(request, current, conn))

    def explain(self, request: DefinitionRequest, record: IndexRecord) -> ExplainReport:
        """Return definitions with the definitions directly inside them."""
        return self._read(record, lambda conn, current: explain(request, current, conn))

    def outline_file(self, path: str, folder: str | None, record: IndexRecord) -> OutlineReport:
        """Return the outline of a file; see `navigation.outline`."""
        return self._read(record, lambda conn, current: outline_file(path, folder, current, conn))

    def suggest(self, request: DefinitionRequest, record: IndexRecord) -> Suggestion:
        """Return suggestions in place of a request that found nothing."""
        return self._read(record, lambda conn, current: suggest(request, current, conn))

    def _read(self, record: IndexRecord, look: Callable[[Connection, IndexRecord], R]) -> R:
        """Return what `look` reads in one snapshot; it gets the index as it is there."""
        return self.database.read(lambda conn: look(conn, require_same(conn, record)))
