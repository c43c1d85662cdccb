"""What can be looked up in the indexes of one database."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from cocosearch_py.model.code import CodeReport, CodeRequest
from cocosearch_py.model.definitions import (
    DefinitionReport,
    DefinitionRequest,
    ExplainReport,
    OutlineReport,
    Suggestion,
)
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.navigation.definitions import explain, find_definitions, suggest
from cocosearch_py.navigation.outline import outline_file
from cocosearch_py.navigation.reading import find_code, read_code
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

    def read_code(self, request: CodeRequest, record: IndexRecord) -> CodeReport:
        """Parts of files by line or definition, as on disk where they are there; see `navigation.reading`."""
        found = self._read(record, lambda conn, current: find_code(request, current, conn))
        return read_code(request, record, found)

    def find_definitions(self, request: DefinitionRequest, record: IndexRecord) -> DefinitionReport:
        """A page of the definitions that a request asks for; see `navigation.definitions`."""
        return self._read(record, lambda conn, current: find_definitions(request, current, conn))

    def explain(self, request: DefinitionRequest, record: IndexRecord) -> ExplainReport:
        """The same with what is directly inside them."""
        return self._read(record, lambda conn, current: explain(request, current, conn))

    def outline_file(self, path: str, folder: str | None, record: IndexRecord) -> OutlineReport:
        """What a file consists of; see `navigation.outline`."""
        return self._read(record, lambda conn, current: outline_file(path, folder, current, conn))

    def suggest(self, request: DefinitionRequest, record: IndexRecord) -> Suggestion:
        """What to ask instead of a request that found nothing."""
        return self._read(record, lambda conn, current: suggest(request, current, conn))

    def _read(self, record: IndexRecord, look: Callable[[Connection, IndexRecord], R]) -> R:
        """What one snapshot shows; `look` gets the index as it is there."""
        return self.database.read(lambda conn: look(conn, require_same(conn, record)))
