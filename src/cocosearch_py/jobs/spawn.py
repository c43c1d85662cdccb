"""Starts a worker that outlives whoever starts it."""

import json
import subprocess
import sys

from cocosearch_py.storage.server.database import DatabaseOptions

_MODULE = "cocosearch_py.server.working"


def start_worker(database: DatabaseOptions) -> None:
    """Start a worker on a database in a process of its own; it ends when nothing is left to do."""
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
