"""Worker program, `python -m cocosearch_py.server.worker_program`; reads the database it serves from its input.

Whoever puts a run into the queue starts one if none lives. It outlives its client, and ends when nothing has been left
to do for a while; `cocosearch-py worker` is one that stays.
"""

import faulthandler
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.config.load import load_settings
from cocosearch_py.config.process import DATA_DIR, process_environment
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.errors import CocosearchError
from cocosearch_py.jobs.queue import Worker
from cocosearch_py.jobs.request import RunRequest
from cocosearch_py.model.process import this_host
from cocosearch_py.server.engines import POOL_SIZE, EnginePool
from cocosearch_py.storage.queries.runs import queue_conninfo
from cocosearch_py.tools.requests import perform, settings_of

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.jobs.recorder import Recorder

IDLE_S = 30.0
_LAST_S = 20.0  # after which a worker ends whose runs do not
HELD_S = 60.0  # that the interpreter may be held; after STALE_S of silence the runs are no longer this worker's
_CHECK_S = 1.0


class _Working:
    """State that the runs of one worker share; `end` ends the worker."""

    def __init__(self, database: DatabaseSettings, environ: Mapping[str, str], end: Callable[[], None]) -> None:
        self._database = database
        self._end = end
        self._environ = environ
        self._engines = EnginePool(environ, may_start=False)  # whoever stops the server means its workers, too
        self._recorders: set[Recorder] = set()
        self._lock = threading.Lock()
        self.app = self._engines.under(Settings(database=database))

    def perform(self, run_id: str) -> None:
        """Do a run of the queue; its errors are written down."""
        taken = self.app.runs.take(run_id)
        if taken is None:
            return
        begun, request = taken
        is_suspect = self.app.runs.is_suspect(begun)

        def work(recorder: "Recorder") -> object:
            with self._lock:
                self._recorders.add(recorder)
            try:
                return perform(self._app_for, request, recorder, is_suspect=is_suspect)
            finally:
                with self._lock:
                    self._recorders.discard(recorder)

        try:
            self.app.runs.record(begun, work, request.limit_s, self._end)
        except CocosearchError:
            return  # it stands in the row

    def leave(self) -> None:
        """Let other workers go on with the runs at hand."""
        with self._lock:
            for recorder in self._recorders:
                recorder.leave()

    def _app_for(self, request: RunRequest) -> "App":
        def own() -> Settings:
            return load_settings(start=Path(request.folder), environ=self._environ).settings

        settings = settings_of(request, own)
        return self._engines.under(replace(settings, database=self._database))


def serve(url: str | None, environ: Mapping[str, str], idle_s: float | None) -> int:
    """Work on the runs of this machine's account until nothing is left to do, or a signal; returns the exit code.

    Args:
        url: of the database; None is the embedded one.
        environ: where the data folder is, and what settings of folders may refer to.
        idle_s: see `Worker`.

    Raises:
        CocosearchError: the database cannot be used.
    """

    def end() -> None:
        last = threading.Timer(_LAST_S, os._exit, (1,))
        last.daemon = True
        last.start()
        threading.Thread(target=leave, daemon=True).start()

    def leave() -> None:
        worker.stop()
        working.leave()

    working = _Working(DatabaseSettings(url=url, pool_size=POOL_SIZE), environ, end)
    conninfo = queue_conninfo(working.app.database.dsn)
    worker = Worker(working.app.runs, conninfo, this_host(), working.perform, idle_s, end)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: end())
    threading.Thread(target=_watch_over_itself, daemon=True).start()
    return 0 if worker.serve() else 1


def _watch_over_itself() -> None:
    """End this process if no thread of it runs for long, as when a library holds the interpreter and does not return.

    Others see that it is silent before, and go on with its runs.
    """
    while True:
        faulthandler.dump_traceback_later(HELD_S, exit=True)
        time.sleep(_CHECK_S)


def main() -> None:
    given = json.loads(sys.stdin.read())
    code = 1
    with suppress(CocosearchError):  # nobody is there to be told; whoever waits for the run finds it not begun
        code = serve(given["url"], {**process_environment(), DATA_DIR: given["data_folder"]}, IDLE_S)
    os._exit(code)  # threads that wait for the database cannot be joined


if __name__ == "__main__":
    main()
