"""What the tools of one server share: its rules, its engine, its jobs, and a way to run work off the event loop."""

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread
from fastmcp import Context

from cocosearch_py.errors import IndexCollisionError, IndexNotFoundError
from cocosearch_py.jobs.registry import JobRegistry
from cocosearch_py.mcp.errors import Explainer, NotIndexedError
from cocosearch_py.mcp.projects import Projects
from cocosearch_py.server.access import Access
from cocosearch_py.server.engines import AppAt
from cocosearch_py.server.folder_index import index_of_folder
from cocosearch_py.server.metrics import CallFigures
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.places import Place, project_root
from cocosearch_py.server.processes import Question, SearchProcesses
from cocosearch_py.storage.server.stopping import stoppable

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.model.search import SearchReport, SearchRequest
    from cocosearch_py.storage.indexes import IndexRecord
    from cocosearch_py.storage.server.database import Database

T = TypeVar("T")

CONCURRENT_CALLS = 4  # more only wait for the same interpreter, unless processes search; each has two connections
CROWD = 3  # open calls from which searches go to other processes; an agent may ask two things at once
MAX_INDEXES = 20  # of one search
_NEAREST = 3
_DRIFT_KEPT_S = 5.0  # asking git takes some ten milliseconds; a burst of searches asks once
_LISTING_KEPT_S = 1.0  # for what is found in it; whoever is not found is looked for again


@dataclass(frozen=True, slots=True)
class Selection:
    """Which indexes a call asks for: by name, else those of a place."""

    names: tuple[str, ...]
    place: Place | None


@dataclass(frozen=True, slots=True)
class Found:
    """The indexes that a call is about. `missing` are names that were asked for and are not there."""

    app: "App"
    records: "tuple[IndexRecord, ...]"
    place: Place | None  # None when the call named its indexes
    missing: tuple[str, ...] = ()


class Site:
    """Made once per server; safe to use from all its sessions."""

    def __init__(
        self,
        app_at: AppAt,
        options: ServerOptions,
        pinned_index: str | None = None,
        processes: SearchProcesses | None = None,
    ) -> None:
        self.options = options
        self.processes = processes or SearchProcesses({}, 0)
        self.access = Access(options)
        self.projects = Projects(options)
        self.jobs = JobRegistry()
        shown = (*options.roots, *((options.project,) if options.project else ()), options.working_folder)
        # Whoever starts a stdio server without limits owns the paths that a message may name.
        self.explainer = Explainer(None if options.local and not options.roots else shown)
        self.last_call_s = time.monotonic()
        self.open_calls = 0
        self.calls = CallFigures()
        self._app_at = app_at
        self._pinned = pinned_index
        self._limiter: anyio.CapacityLimiter | None = None
        self._drifts: dict[str, tuple[float, str | None]] = {}
        self._listing: tuple[float, Database | None, list[IndexRecord]] = (0.0, None, [])

    async def run(self, work: Callable[[], T]) -> T:
        """Run blocking work in a thread. A cancelled caller stops waiting, and the database stops working for it."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(max(CONCURRENT_CALLS, self.processes.most))
        with stoppable() as running:
            try:
                return await anyio.to_thread.run_sync(work, limiter=self._limiter, abandon_on_cancel=True)
            except anyio.get_cancelled_exc_class():
                Thread(target=running.stop, name="stop").start()
                raise

    async def select(self, ctx: Context, index_name: str | None, index_names: Sequence[str] = ()) -> Selection:
        """What a call asks for: the indexes that it names, else those of its place. Raises RootsNeededError."""
        names = tuple(dict.fromkeys([*index_names, *([index_name] if index_name and not index_names else [])]))
        if not names and self._pinned:
            names = (self._pinned,)
        return Selection(names, None if names else await self.projects.place_of(ctx))

    def find(self, selection: Selection) -> Found:
        """The indexes of a call. Blocks.

        Raises:
            IndexNotFoundError: unknown names, with the nearest ones.
            NotIndexedError: the place has no index.
        """
        app = self.app(selection.place.folders[0] if selection.place else None)
        expires, listed, recent = self._listing
        if time.monotonic() < expires and listed is app.database and "*" not in selection.names:
            with suppress(IndexNotFoundError, IndexCollisionError):
                found = self._find_in(recent, selection, app)
                if not found.missing:
                    return found
        records = self.visible(app)
        self._listing = (time.monotonic() + _LISTING_KEPT_S, app.database, records)
        return self._find_in(records, selection, app)

    def app(self, folder: Path | None = None) -> "App":
        """The engine, under the settings of the folder if clients may use it. Blocks."""
        # Resolved first: `?project=` may name a link, or have `..` in it.
        if folder is None or not self.access.may_see(str(folder.resolve())):
            folder = self.options.project or self.options.working_folder
        return self._app_at(project_root(folder))

    def visible(self, app: "App") -> "list[IndexRecord]":
        """All indexes that clients may know of, by name. Blocks."""
        return [record for record in app.list_indexes() if self.access.may_see(record.root_path)]

    def named(self, app: "App", name: str) -> "IndexRecord":
        """Index by name; raises IndexNotFoundError with the nearest names. Blocks."""
        records = self.visible(app)
        for record in records:
            if record.name == name:
                return record
        raise unknown_index(name, records)

    def drift(self, app: "App", record: "IndexRecord") -> str | None:
        """What the checkout has that the index has not, in words; None when nothing. Blocks."""
        expires, told = self._drifts.get(record.name, (0.0, None))
        now = time.monotonic()
        if expires < now:
            told = app.branch_drift(record)
            if len(self._drifts) > MAX_INDEXES:
                self._drifts.clear()
            self._drifts[record.name] = (now + _DRIFT_KEPT_S, told)
        return told

    def knows_drift(self, record: "IndexRecord") -> bool:
        """Whether `drift` answers at once."""
        return time.monotonic() < self._drifts.get(record.name, (0.0, None))[0]

    def forget(self) -> None:
        """Look and ask git again; call after indexes changed."""
        self._drifts.clear()
        self._listing = (0.0, None, [])

    def search(
        self, app: "App", request: "SearchRequest", record: "IndexRecord", *, use_cache: bool = False
    ) -> "tuple[IndexRecord, SearchReport]":
        """Search an index that `find` gave, in a process of its own if many calls are open. Blocks.

        Raises:
            IndexNotFoundError: it went away since, or another one has its name now that clients may not know of.
        """
        try:
            answer = None
            if self.open_calls >= CROWD and app.has_bundled_model:
                answer = self.processes.search(Question(app.settings, request, record.name, use_cache))
            used, report = answer or app.search(request, index_name=record.name, use_cache=use_cache)
        except IndexNotFoundError:
            self.named(app, record.name)  # whose hint names those that clients may know of, unlike the engine's
            raise
        if not self.access.may_see(used.root_path):
            raise unknown_index(record.name, self.visible(app))
        return used, report

    def _find_in(self, records: "list[IndexRecord]", selection: Selection, app: "App") -> Found:
        place = selection.place
        if place is None:
            return _named_in(records, selection.names, app)
        own = _configured(app, records, place.folders[0]) or next(
            (found for one in place.folders if (found := index_of_folder(records, one)) is not None), None
        )
        if own is None:
            raise self._not_indexed(place, records)
        linked = [record for record in records if record.name in app.settings.linked_indexes and record != own]
        return Found(app, (own, *linked), place)

    def _not_indexed(self, place: Place, records: "Iterable[IndexRecord]") -> NotIndexedError:
        from cocosearch_py.indexes.lifecycle import name_from_folder

        root = project_root(place.folders[0])
        others = ", ".join(record.name for record in records)
        shown = str(root) if self.access.may_see(str(root)) else "the project"
        return NotIndexedError(
            f"Index not found: {shown} has no index",
            hint=f"call index_codebase with its path, or give index_name ({others or 'there are none yet'})",
            details={
                "detected_path": shown,
                "detected_by": place.source,
                "suggested_index_name": name_from_folder(root),
            },
        )


def _named_in(records: "list[IndexRecord]", names: Sequence[str], app: "App") -> Found:
    by_name = {record.name: record for record in records}
    wanted = list(by_name) if "*" in names else list(names)
    found = tuple(by_name[name] for name in wanted if name in by_name)
    missing = tuple(name for name in wanted if name not in by_name)
    if not found:
        raise unknown_index(missing[0] if missing else "*", records)
    return Found(app, found[:MAX_INDEXES], None, missing)


def unknown_index(name: str, records: "Iterable[IndexRecord]") -> IndexNotFoundError:
    """The error for a name that no index has, with the nearest ones."""
    names = [record.name for record in records]
    near = get_close_matches(name, names, n=_NEAREST, cutoff=0.5)
    hint = f"did you mean {', '.join(near)}?" if near else f"indexes: {', '.join(names[:MAX_INDEXES]) or 'none yet'}"
    return IndexNotFoundError(f"Index '{name[:100]}' not found", hint=hint)


def _configured(app: "App", records: "Iterable[IndexRecord]", folder: Path) -> "IndexRecord | None":
    """The index that the folder's configuration names.

    Raises:
        IndexCollisionError: that index holds another folder, for example another worktree's.
    """
    name = app.settings.index_name
    record = next((record for record in records if record.name == name), None)
    if record is None:
        return None
    if not folder.resolve().is_relative_to(record.root_path):
        raise IndexCollisionError(
            f"the configuration names index '{name}', which belongs to {record.root_path}, not to {folder}",
            hint=f"index this folder under another name (index_codebase, index_name), or clear_index '{name}' first",
        )
    return record
