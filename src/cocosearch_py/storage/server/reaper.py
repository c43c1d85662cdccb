"""Stops an embedded server that nobody uses: `python -m cocosearch_py.storage.server.reaper HOME SOCKET_DIR IDLE_S`.

Holds `reaper.lock` while it runs, so there is one per server, and ends when the server is gone.
"""

import sys
import time
from pathlib import Path

import psycopg

from cocosearch_py.storage.server.embedded import EmbeddedServer, stop
from cocosearch_py.storage.server.locks import try_lock

_POLL_S = 10.0  # one cheap statement each; bounds how late the stop comes
_GRACE_S = 5.0  # for who connects between the question who is connected and the stop
_IN_USE = """
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()),
       (SELECT sum(sessions) FROM pg_stat_database)
"""


def watch(server: EmbeddedServer, poll_s: float = _POLL_S) -> None:
    """Return when the server has been stopped by somebody, or by this call after `idle_stop_s` without clients."""
    idle_since = time.monotonic()
    sessions_seen = -1
    while True:
        time.sleep(min(poll_s, max(server.idle_stop_s / 4, 0.2)))
        try:
            with psycopg.connect(server.dsn(), connect_timeout=10, autocommit=True) as conn:
                clients, sessions = conn.execute(_IN_USE).fetchone() or (0, 0)
        except psycopg.OperationalError:
            return
        if clients or sessions > sessions_seen + 1:  # +1: the watcher's own session
            idle_since = time.monotonic()
        sessions_seen = sessions
        if time.monotonic() - idle_since >= server.idle_stop_s:
            stop(server, grace_s=_GRACE_S, is_idle=True)
            return


def main() -> None:
    home, socket_dir, idle_s = sys.argv[1:4]
    server = EmbeddedServer(Path(home), Path(socket_dir), int(idle_s))
    if try_lock(server.home / "reaper.lock", hold=True) is not None:
        watch(server)


if __name__ == "__main__":
    main()
