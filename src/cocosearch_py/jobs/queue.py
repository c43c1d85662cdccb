"""A worker: takes runs from the queue of its host, until nothing is left to do.

The only module that imports the queue's library.

Two lanes, so that an update never waits for another index's first build: one for builds, which does one at a time, and
one for updates. The library listens for new jobs and marks those that end; a job holds no more than the id of a run.
"""

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable

import procrastinate
from procrastinate.exceptions import ConnectorException

from cocosearch_py.errors import CocosearchError
from cocosearch_py.jobs.recorder import HEARTBEAT_S
from cocosearch_py.jobs.run_store import Runs
from cocosearch_py.storage.queries.runs import BUILDS, STALE_S, TASK, UPDATES, queue_name

log = logging.getLogger(__name__)

_LANES = {BUILDS: 1, UPDATES: 4}  # runs at the same time
_CHECK_S = 0.5
_FETCH_S = 1.0  # jobs that waited for another of their index are not told of


class Worker:
    """Serves the queue of one host.

    Args:
        runs: of the database.
        conninfo: of the queue.
        host: whose runs.
        perform: does the run of this id, to its end; called in threads.
        idle_s: without anything to do for so long it ends; None: never.
        lost: called when the database goes away, before the runs at hand are waited for.
    """

    def __init__(
        self,
        runs: Runs,
        conninfo: str,
        host: str,
        perform: Callable[[str], None],
        idle_s: float | None,
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        self._runs = runs
        self._conninfo = conninfo
        self._host = host
        self._perform = perform
        self._idle_s = idle_s
        self._lost = lost
        self._id = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._active = 0
        self._busy_s = time.monotonic()
        self._ending = threading.Event()

    def stop(self) -> None:
        """Take no further runs; `serve` returns when those at hand have ended."""
        self._ending.set()

    def serve(self) -> bool:
        """Work until there is nothing to do, or `stop`; False when the database connection was lost.

        Raises:
            CocosearchError: it was not there to begin with.
        """
        if not self._runs.enter(self._id, alone=self._idle_s is not None):
            return True
        try:
            asyncio.run(self._serve())
        except ConnectorException:
            log.warning("the database connection was lost")
            return False
        return True

    async def _serve(self) -> None:
        app = procrastinate.App(
            connector=procrastinate.PsycopgConnector(conninfo=self._conninfo, min_size=1, max_size=4)
        )

        @app.task(name=TASK)
        def run(run_id: str) -> None:
            self._work(run_id)

        async with app.open_async():
            lanes = [
                asyncio.create_task(
                    app.run_worker_async(
                        queues=[queue_name(self._host, lane)],
                        name=lane,
                        concurrency=most,
                        fetch_job_polling_interval=_FETCH_S,
                        update_heartbeat_interval=HEARTBEAT_S,
                        stalled_worker_timeout=STALE_S,
                        install_signal_handlers=False,
                        delete_jobs="always",
                    )
                )
                for lane, most in _LANES.items()
            ]
            watching = asyncio.create_task(asyncio.to_thread(self._watch))
            try:
                ended, _ = await asyncio.wait([*lanes, watching], return_when=asyncio.FIRST_COMPLETED)
                if not self._ending.is_set() and (watching not in ended or watching.exception()):
                    self._lost()
            finally:
                self._ending.set()
                for lane in lanes:
                    lane.cancel()
                results = await asyncio.gather(*lanes, watching, return_exceptions=True)
        for one in results:
            if isinstance(one, Exception):
                raise one

    def _work(self, run_id: str) -> None:
        with self._lock:
            self._active += 1
        try:
            self._perform(run_id)
        except Exception:  # the edge of this thread: the next run must still be done
            log.exception("run %s", run_id)
        finally:
            with self._lock:
                self._active -= 1
                self._busy_s = time.monotonic()

    def _watch(self) -> None:
        """Say that it lives, look for runs whose process is gone, and find out when there is nothing to do."""
        beaten_s = time.monotonic()
        while not self._ending.wait(_CHECK_S):
            now = time.monotonic()
            if now - beaten_s >= HEARTBEAT_S:
                self._runs.beat(self._id)
                beaten_s = now
            if self._idle_s is None or self._active or now - self._busy_s < self._idle_s:
                continue
            if self._runs.leave(self._id):
                return
        with contextlib.suppress(CocosearchError):  # whoever looks for workers finds it gone
            self._runs.leave(self._id, at_once=True)
