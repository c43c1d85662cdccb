"""Starts a worker that outlives whoever starts it."""

import json
import os
import subprocess  # noqa: TID251
import sys
import threading
import time

from cocosearch_py.storage.server.database import DatabaseOptions

_MODULE = "cocosearch_py.server.worker_program"
_BEGINS_S = 10.0  # after which a worker should have begun

_lock = threading.Lock()
_started: dict[int, tuple[DatabaseOptions, float]] = {}  # those that we started, by process, and when


def start_worker(database: DatabaseOptions) -> None:
    """Start a worker on a database in a process of its own, unless one that was started just now still begins.

    It ends when nothing is left to do.
    """
    with _lock:
        _forget_ended()
        now = time.monotonic()
        if any(one == database and now - at < _BEGINS_S for one, at in _started.values()):
            return
        _started[_start(database)] = database, now


def _forget_ended() -> None:
    """Take leave of those that have ended, which the system keeps until then."""
    for pid in list(_started):
        try:
            if os.waitpid(pid, os.WNOHANG) == (0, 0):
                continue
        except ChildProcessError:  # we are a copy of the process that started it
            pass
        del _started[pid]


def _start(database: DatabaseOptions) -> int:
    process = subprocess.Popen(
        [sys.executable, "-m", _MODULE],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in the terminal, and the end of the client, must not reach it
        cwd="/",
    )
    process.returncode = 0  # it outlives us on purpose; without this Python warns of a forgotten child
    if process.stdin is not None:
        with process.stdin as given:  # a password must not stand on a command line
            given.write(json.dumps({"url": database.url, "data_folder": str(database.data_folder)}).encode())
    return process.pid
