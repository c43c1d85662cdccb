"""State that all calls of one server share: its rules, services and jobs, and threads for blocking work."""

import time
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from cocosearch_py.catalog.selection import MAX_INDEXES
from cocosearch_py.jobs.registry import JobRegistry
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.resources.snapshots import Moment
from cocosearch_py.server.access import Access
from cocosearch_py.server.changes import Changes
from cocosearch_py.server.engines import AppAt
from cocosearch_py.server.explainer import Explainer
from cocosearch_py.server.metrics import CallFigures
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.processes import SearchProcesses
from cocosearch_py.server.watches import Watches
from cocosearch_py.storage.server.stopping import stoppable

if TYPE_CHECKING:  # brings psycopg and numpy, which `initialize` does without
    from cocosearch_py.app import App
    from cocosearch_py.features.wiki.model import Wiki

T = TypeVar("T")

CONCURRENT_CALLS = 4  # more only wait for the same interpreter, unless processes search; each has two connections
_DRIFT_KEPT_S = 5.0  # a burst of searches looks at the checkout once
_HASHES_KEPT = 5_000  # of files that somebody follows
_LISTING_KEPT_S = 1.0  # for what is found in it; whoever is not found is looked for again


class ServerContext:
    """Made once per server; safe to use from all its sessions. It is the server's `ServerState`."""

    def __init__(
        self,
        app_at: AppAt,
        options: ServerOptions,
        pinned_index: str | None = None,
        processes: SearchProcesses | None = None,
    ) -> None:
        self.options = options
        self.pinned_index = pinned_index
        self.processes = processes or SearchProcesses({}, 0)
        self.access = Access(options)
        self.jobs = JobRegistry()
        self.watches = Watches()
        own = (*((options.project,) if options.project else ()), options.working_folder)
        shown = options.roots or own
        # Whoever starts a stdio server without limits owns the paths that a message may name.
        self.explainer = Explainer(None if options.local and not options.roots else shown)
        self.last_call_s = time.monotonic()
        self.open_calls = 0
        self.calls = CallFigures()
        self.changes = Changes(self.moment, self._hear)
        self._app_at = app_at
        self._limiter: anyio.CapacityLimiter | None = None
        self._hashes: dict[tuple[object, ...], bytes | None] = {}
        self._pages: dict[tuple[int, int, str], Hashable] = {}
        self._drifts: dict[str, tuple[float, str | None]] = {}
        self._listing: tuple[float, str, list[IndexRecord]] = (0.0, "", [])

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

    def app(self, folder: Path | None = None) -> "App":
        """The services under the settings of the folder if clients may use it. Blocks."""
        # Resolved first: `?project=` may name a link, or have `..` in it.
        folder = folder.resolve() if folder else None
        if folder is None or not self.access.may_see(str(folder)):
            folder = self.options.project or self.options.working_folder
        return self._app_at(folder)

    def visible(self, app: "App") -> list[IndexRecord]:
        """All indexes that clients may know of, by name. Blocks."""
        found = [record for record in app.catalog.list_all() if self.access.may_see(record.root_path)]
        self._listing = (time.monotonic() + _LISTING_KEPT_S, app.database.dsn, found)
        return found

    def unfinished(self, app: "App") -> list[IndexRecord]:
        """First builds that were cut off, of folders that clients may know of. Blocks."""
        return [record for record in app.catalog.unfinished() if self.access.may_see(record.root_path)]

    def moment(self) -> Moment:
        """The state of everything that clients may know of, in the server's database. Blocks.

        Nothing changes in a database that somebody stopped, so that one is not started to look.
        """
        app = self.app().by_itself()
        records = {record.name: record for record in (*self.unfinished(app), *self.visible(app))}
        jobs = reversed(app.runs.seen_by(self.access.may_see).all())
        runs = {job.subject: (job.job_id, job.state, job.stage, job.done, job.percent) for job in jobs}
        name_of = partial(app.catalog.name_of, may_see=self.access.may_see)
        return Moment(records, runs, name_of, partial(self._hash_of_file, app), self._page_marks(app))

    def _hear(self) -> AbstractContextManager[Callable[[float], bool]]:
        return self.app().by_itself().database.hearing()

    def _hash_of_file(self, app: "App", path: str, record: IndexRecord) -> bytes | None:
        """Return the hash of a file, read once as long as the index stays the same."""
        key = (record.version, record.root_path, path)
        if key not in self._hashes:
            while len(self._hashes) >= _HASHES_KEPT:
                del self._hashes[next(iter(self._hashes))]
            self._hashes[key] = app.navigation.hash_of_file(path, record)
        return self._hashes[key]

    def _page_marks(self, app: "App") -> Callable[[str], Hashable]:
        """Return marks of the pages in the wikis that clients may know of; each is read once as long as it is so."""
        wikis: list[Wiki] | None = None  # until somebody asks

        def mark(name: str) -> Hashable:
            from cocosearch_py.features.wiki.wikis import Wikis

            nonlocal wikis
            service = Wikis(app.database)
            if wikis is None:
                wikis = [wiki for wiki in service.all() if self.access.may_see(wiki.repository)]
            found = []
            for wiki in wikis:
                key = (wiki.wiki_id, wiki.generation, name)
                if key not in self._pages:
                    while len(self._pages) >= _HASHES_KEPT:
                        del self._pages[next(iter(self._pages))]
                    self._pages[key] = service.mark_of_page(wiki, name)
                found.append((wiki.wiki_id, self._pages[key]))
            return tuple(found)

        return mark

    def recent(self, app: "App") -> list[IndexRecord] | None:
        """Return the value of a moment ago; None when nobody asked."""
        expires, listed, records = self._listing
        return records if time.monotonic() < expires and listed == app.database.dsn else None

    def drift(self, app: "App", record: IndexRecord) -> str | None:
        """How the checkout moved since the index was made, in words; None when it did not. Blocks."""
        expires, told = self._drifts.get(record.name, (0.0, None))
        now = time.monotonic()
        if expires < now:
            told = app.catalog.drift(record)
            if len(self._drifts) > MAX_INDEXES:
                self._drifts.clear()
            self._drifts[record.name] = (now + _DRIFT_KEPT_S, told)
        return told

    def knows_drift(self, record: IndexRecord) -> bool:
        """Whether `drift` answers at once."""
        return time.monotonic() < self._drifts.get(record.name, (0.0, None))[0]

    def forget(self) -> None:
        """Look again; call after indexes changed."""
        self._drifts.clear()
        self._listing = (0.0, "", [])
