"""What can be asked about the state of code in the indexes of one database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from cocosearch_py.discovery.git import count_changes
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.quality import ChangeReport, ChangeRequest, Health, HotspotReport, HotspotRequest
from cocosearch_py.quality.figures import find_hotspots, measure_health
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import require_same
from cocosearch_py.storage.server.database import Database

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Quality:
    """Answers requests about one index each; safe for threads.

    Every method raises IndexNotFoundError when the index went away, also when another folder has its name now.
    """

    database: Database

    def count_changes(self, record: IndexRecord) -> dict[str, int] | None:
        """How often files of an index were changed, by path; None when git does not tell. Asks no database."""
        return count_changes(Path(record.root_path), record.commit)

    def find_hotspots(
        self, request: HotspotRequest, changes: Mapping[str, int] | None, record: IndexRecord
    ) -> HotspotReport:
        """The functions that are hardest to understand; see `quality.figures`."""
        return self._read(record, lambda conn, current: find_hotspots(request, changes, current, conn))

    def measure_health(self, paths: tuple[str, ...], record: IndexRecord) -> Health:
        """Figures of all functions below a path; see `quality.figures`."""
        return self._read(record, lambda conn, current: measure_health(paths, current, conn))

    def find_changes(self, request: ChangeRequest, record: IndexRecord) -> ChangeReport:
        """What changed in definitions; see `quality.changes`. Asks no database.

        What a request compares with the disk is compared with its commit in an index of one.
        """
        from cocosearch_py.quality.changes import find_changes

        return find_changes(replace(request, to=request.to or record.commit), Path(record.root_path))

    def _read(self, record: IndexRecord, look: Callable[[Connection, IndexRecord], R]) -> R:
        """What one snapshot shows; `look` gets the index as it is there."""
        return self.database.read(lambda conn: look(conn, require_same(conn, record)))
