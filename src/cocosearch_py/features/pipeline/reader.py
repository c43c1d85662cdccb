"""State shared by the steps of a pipeline: the index, the time left, and remarks for the answer."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.listing import ListRequest
from cocosearch_py.model.ports import OfFiles
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.tools.index import Index

MAX_S = 10.0
FIRST_PAGE, MAX_PAGE = 50, 500


class Report(OfFiles, Protocol):
    """A report that says which of its files have changed on disk."""

    @property
    def stale(self) -> str | None:
        """Sentence about changed files."""


R = TypeVar("R", bound=Report)


@dataclass(slots=True, eq=False)
class Reader:
    """Asks the services for the steps, and keeps the time.

    Attributes:
        notes, stale, incomplete: remarks for the answer.
        left_out: items that are no longer on disk.
    """

    index: Index
    deadline: float = field(default_factory=lambda: time.monotonic() + MAX_S)
    notes: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    incomplete: str = ""
    left_out: list[str] = field(default_factory=list)

    @property
    def folder(self) -> str | None:
        """Folder of the caller."""
        place = self.index.call.selection.place
        return str(place.folders[0]) if place else None

    def ask(self, service: Callable[[IndexRecord], R]) -> R:
        """Return the report of a service, compared with the disk."""
        report = self.index.ask(service)
        self.doubt(report.stale)
        return report

    def doubt(self, stale: str | None) -> None:
        """Add a sentence about files that have changed on disk."""
        if stale and stale not in self.stale:
            self.stale.append(stale)

    @property
    def left_s(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - time.monotonic()

    def is_over(self) -> bool:
        """Whether the time is up, or a stream has grown too long; streams then end where they are."""
        if not self.incomplete and self.left_s <= 0:
            self.stop(f"the chain was stopped after {MAX_S:g} s: narrow its first steps")
        return bool(self.incomplete)

    def stop(self, reason: str) -> None:
        """End all streams; the first reason stands in the answer."""
        self.incomplete = self.incomplete or reason

    def pages(self, wanted: int | None) -> Iterator[int]:
        """Yield sizes of pages until the time is up: the number of items wanted, then growing pages."""
        size = min(wanted or FIRST_PAGE, MAX_PAGE)
        while not self.is_over():
            yield size
            size = min(2 * size, MAX_PAGE)

    def is_of(self, path: str, languages: tuple[str, ...]) -> bool:
        """Whether the language of an indexed file is among some languages."""
        request = ListRequest(path=path, filters=SearchFilters(languages=languages), limit=1)
        return self.index.app.navigation.list_files(request, self.index.record).total > 0

    def paths_passing(self, paths: Collection[str], filters: SearchFilters) -> Collection[str]:
        """Return the paths that filters let pass."""
        return self.index.app.navigation.paths_passing(paths, filters, self.index.record)
