"""Stops an embedded server that nobody uses: `python -m cocosearch_py.storage.server.reaper HOME SOCKET_DIR IDLE_S`.

Holds `reaper.lock` while it runs, so there is one per server, and ends when the server is gone. It lives as long as
that, so it asks by `psql`: with a driver of its own it would have 22 MB of memory instead of 9.
"""

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from cocosearch_py.errors import DatabaseUnreachableError
from cocosearch_py.storage.server import programs
from cocosearch_py.storage.server.location import EmbeddedServer
from cocosearch_py.storage.server.locks import try_lock

_POLL_S = 10.0  # ten milliseconds each; bounds how late the stop comes
_CONNECT_S = 10  # until the server must have answered
_GRACE_S = 5.0  # for who connects between the question who is connected and the stop
_IN_USE = """
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()),
       (SELECT sum(sessions) FROM pg_stat_database)
"""


def watch(server: EmbeddedServer, poll_s: float = _POLL_S) -> None:
    """Return when the server has been stopped by somebody, or by this call after `idle_stop_s` without clients.

    Where the programs or the modules have gone meanwhile, with the environment that they were installed in, the server
    is told to end when its last client does.
    """
    try:
        _watch(server, poll_s)
    except (OSError, ImportError, ValueError, DatabaseUnreachableError):
        with suppress(OSError, ValueError):
            os.kill(int((server.data / "postmaster.pid").read_text(encoding="utf-8").split()[0]), signal.SIGTERM)


def _watch(server: EmbeddedServer, poll_s: float) -> None:
    idle_since = time.monotonic()
    sessions_seen = -1
    while True:
        time.sleep(min(poll_s, max(server.idle_stop_s / 4, 0.2)))
        dsn = f"{server.dsn()} connect_timeout={_CONNECT_S}"
        status, printed = programs.run("psql", "-XAtqw", "-F", " ", "-c", _IN_USE, dsn)
        if status != 0:
            return
        clients, sessions = map(int, printed.split()[-2:])
        if clients or sessions > sessions_seen + 1:  # +1: the watcher's own session
            idle_since = time.monotonic()
        sessions_seen = sessions
        if time.monotonic() - idle_since >= server.idle_stop_s:
            from cocosearch_py.storage.server.embedded import stop  # brings the driver

            stop(server, grace_s=_GRACE_S, is_idle=True)
            return


def main() -> None:
    home, socket_dir, idle_s = sys.argv[1:4]
    server = EmbeddedServer(Path(home), Path(socket_dir), int(idle_s))
    if try_lock(server.home / "reaper.lock", hold=True) is not None:
        watch(server)


if __name__ == "__main__":
    main()
