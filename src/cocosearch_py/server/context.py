"""What all calls of one server share: its rules, its services, its jobs, and a way to run work off the event loop."""

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

import anyio
import anyio.to_thread

from cocosearch_py.catalog.selection import MAX_INDEXES, project_root
from cocosearch_py.jobs.registry import JobRegistry
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.server.access import Access
from cocosearch_py.server.engines import AppAt
from cocosearch_py.server.explainer import Explainer
from cocosearch_py.server.metrics import CallFigures
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.processes import SearchProcesses
from cocosearch_py.server.watches import Watches
from cocosearch_py.storage.server.stopping import stoppable

if TYPE_CHECKING:  # brings psycopg and numpy, which `initialize` does without
    from cocosearch_py.app import App
    from cocosearch_py.storage.server.database import Database

T = TypeVar("T")

CONCURRENT_CALLS = 4  # more only wait for the same interpreter, unless processes search; each has two connections
_DRIFT_KEPT_S = 5.0  # a burst of searches looks at the checkout once
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
        shown = (*options.roots, *((options.project,) if options.project else ()), options.working_folder)
        # Whoever starts a stdio server without limits owns the paths that a message may name.
        self.explainer = Explainer(None if options.local and not options.roots else shown)
        self.last_call_s = time.monotonic()
        self.open_calls = 0
        self.calls = CallFigures()
        self._app_at = app_at
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

    def app(self, folder: Path | None = None) -> "App":
        """The services under the settings of the folder if clients may use it. Blocks."""
        # Resolved first: `?project=` may name a link, or have `..` in it.
        if folder is None or not self.access.may_see(str(folder.resolve())):
            folder = self.options.project or self.options.working_folder
        return self._app_at(project_root(folder))

    def visible(self, app: "App") -> list[IndexRecord]:
        """All indexes that clients may know of, by name. Blocks."""
        found = [record for record in app.catalog.list_all() if self.access.may_see(record.root_path)]
        self._listing = (time.monotonic() + _LISTING_KEPT_S, app.database, found)
        return found

    def recent(self, app: "App") -> list[IndexRecord] | None:
        """The same as it was a moment ago; None when nobody asked."""
        expires, listed, records = self._listing
        return records if time.monotonic() < expires and listed is app.database else None

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
        self._listing = (0.0, None, [])
