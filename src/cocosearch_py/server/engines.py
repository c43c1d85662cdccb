"""Opens the product's engine when the first call needs it, once for all clients and projects that share a database."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.catalog.selection import project_root
from cocosearch_py.config.paths import data_folder, git_ignore_file, home_folder
from cocosearch_py.errors import CocosearchError

if TYPE_CHECKING:  # brings psycopg and numpy, which `initialize` does without
    from cocosearch_py.app import App
    from cocosearch_py.config.settings import Settings

log = logging.getLogger(__name__)

POOL_SIZE = 8  # two connections for each call that runs at the same time; see context.CONCURRENT_CALLS
SETTINGS_KEPT_S = 2.0  # reading them costs a tenth of a search; an edited or new file may wait so long
RECLAIM_JOIN_S = 5.0  # a rest is removed at the next start
MAX_FOLDERS_KEPT = 100  # of clients that name ever new ones
AppAt = Callable[[Path], "App"]


class EnginePool:
    """Opened engines, one for each database and model. Close at the end.

    Args:
        environ: where the data folder is.
        mends: whether runs whose process is gone are let begin again when an engine is opened.
        may_start: see `App`.
    """

    def __init__(self, environ: Mapping[str, str], *, mends: bool = False, may_start: bool = True) -> None:
        self._environ = environ
        self._mends = mends
        self._may_start = may_start
        self._engines: dict[object, App] = {}
        self._reclaiming: list[threading.Thread] = []
        self._lock = threading.Lock()

    def under(self, settings: "Settings") -> "App":
        """The engine under these settings; opens what is not open yet. Raises any of our errors."""
        from cocosearch_py.app import App

        key = (settings.database, settings.embedding)
        with self._lock:
            if key not in self._engines:
                app = App(
                    settings,
                    data_folder(self._environ),
                    git_ignore_file(self._environ),
                    home_folder(self._environ),
                    may_start=self._may_start,
                )
                try:
                    app.catalog.list_all()  # starts server and pool here, where no second thread does the same
                except CocosearchError:
                    app.close()  # its pool would go on trying to connect, one more for each call
                    raise
                self._engines[key] = app
                putting = threading.Thread(target=_put_right, args=(app, self._mends), name="reclaim", daemon=True)
                self._reclaiming.append(putting)
                self._reclaiming[-1].start()
            return self._engines[key].under(settings)

    def close(self) -> None:
        """End worker processes and connections of all engines."""
        with self._lock:
            for thread in self._reclaiming:  # has a connection of the pool that is closed next
                thread.join(RECLAIM_JOIN_S)
            for app in self._engines.values():
                app.close()
            self._engines.clear()


def _put_right(app: "App", mends: bool) -> None:
    """Put right what others left: runs and edits whose process is gone (`mends`), indexes that cannot be restored.

    Runs begin again, edits are settled by what is on disk, and of indexes the space is freed.

    What fails is tried again at the next start.
    """
    try:
        if mends:
            app.runs.mend()
            app.change_log.recover_all()
        app.catalog.reclaim()
    except CocosearchError as error:
        log.info("recovery of interrupted runs and clean-up of cleared indexes is postponed: %s", error.message)


class ProjectEngines:
    """The engine of each folder; those whose settings name the same database and model share one. Close at the end."""

    def __init__(self, load: "Callable[[Path], Settings]", environ: Mapping[str, str]) -> None:
        self._load = load
        self._engines = EnginePool(environ, mends=True)
        self._recent: dict[Path, tuple[float, App]] = {}  # until when, by folder
        self._lock = threading.Lock()

    def at(self, folder: Path) -> "App":
        """The engine under the settings of a folder's project; opens what is not open yet. Raises any of our errors."""
        until, recent = self._recent.get(folder, (0.0, None))
        if recent is not None and time.monotonic() < until:
            return recent
        loaded = self._load(project_root(folder))  # many looks at the disk
        size = max(POOL_SIZE, loaded.database.pool_size)
        found = self._engines.under(replace(loaded, database=replace(loaded.database, pool_size=size)))
        with self._lock:
            if len(self._recent) >= MAX_FOLDERS_KEPT:
                self._recent.clear()
            self._recent[folder] = (time.monotonic() + SETTINGS_KEPT_S, found)
        return found

    def unready(self, folder: Path) -> str | None:
        """Why calls about a folder would fail for want of the database; see `unready_reason`. Opens no engine."""
        from cocosearch_py.storage.server.readiness import unready_reason

        return unready_reason(self._load(folder).database.url)

    def close(self) -> None:
        """End worker processes and connections of all engines."""
        self._engines.close()
        self._recent.clear()
