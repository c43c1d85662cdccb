"""What the steps of one pipeline share: the index, the time that is left, and what is to be known of the answer."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.listing import ListRequest
from cocosearch_py.model.ports import OfFiles
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.members import Inside

MAX_S = 10.0
FIRST_PAGE, MAX_PAGE = 50, 500


class Told(OfFiles, Protocol):
    """A report that says in words which of its files are no longer as the index holds them."""

    @property
    def stale(self) -> str | None: ...


T = TypeVar("T", bound=Told)


@dataclass(slots=True, eq=False)
class Reader:
    """Asks the services for the steps, and keeps the time; `notes` and `incomplete` are for the answer."""

    call: Call
    found: Found
    member: Inside
    deadline: float = field(default_factory=lambda: time.monotonic() + MAX_S)
    notes: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    incomplete: str | None = None
    left_out: list[str] = field(default_factory=list)  # what a step cannot ask about, as the disk has it no more

    @property
    def record(self) -> IndexRecord:
        return self.found.records[0]

    @property
    def folder(self) -> str | None:
        """Of the caller."""
        place = self.call.selection.place
        return str(place.folders[0]) if place else None

    def look(self, look: Callable[[], T]) -> T:
        """What a service says of files, compared with the disk."""
        report = self.call.look(self.found.app, self.record, look)
        self.doubt(report.stale)
        return report

    def doubt(self, stale: str | None) -> None:
        if stale and stale not in self.stale:
            self.stale.append(stale)

    @property
    def left_s(self) -> float:
        return self.deadline - time.monotonic()

    def is_over(self) -> bool:
        """Whether the time is up, or a stream has grown too long; streams then end where they are."""
        if self.incomplete is None and self.left_s <= 0:
            self.stop(f"the chain was stopped after {MAX_S:g} s: narrow its first steps")
        return self.incomplete is not None

    def stop(self, why: str) -> None:
        self.incomplete = self.incomplete or why

    def pages(self, wanted: int | None) -> Iterator[int]:
        """How much to ask for at once: what is wanted, or ever more, until the time is up."""
        size = min(wanted or FIRST_PAGE, MAX_PAGE)
        while not self.is_over():
            yield size
            size = min(2 * size, MAX_PAGE)

    def filters(self, filters: SearchFilters) -> SearchFilters:
        """The same of the member's files alone."""
        return self.member.filters(filters)

    def is_of(self, path: str, languages: tuple[str, ...]) -> bool:
        """Whether the index holds a file as one of these languages."""
        request = ListRequest(path=path, filters=SearchFilters(languages=languages), limit=1)
        return self.found.app.navigation.list_files(request, self.record).total > 0

    def paths_passing(self, paths: Collection[str], filters: SearchFilters) -> Collection[str]:
        """Those of some paths that filters of paths let pass."""
        return self.found.app.navigation.paths_passing(paths, filters, self.record)
