"""`cocosearch-py worker`: a process that takes runs from the queue, for databases that have a server of their own."""

from typing import Annotated

import typer

from cocosearch_py.cli.session import Session


def worker(
    session: Session,
    idle: Annotated[
        int | None, typer.Option("--idle", metavar="SECONDS", min=1, help="Stop after this many seconds without work.")
    ] = None,
) -> int:
    """Process queued indexing runs until Ctrl-C.

    You do not need it: starting a run also starts a worker, which ends after the last run. A permanent worker starts
    runs at once, and may have keys that clients do not have. It processes the runs of this account on this machine.
    """
    from cocosearch_py.server.worker_program import serve  # brings the queue's library, a quarter of a second

    loaded = session.load()
    session.open(loaded).database.start()  # a worker itself starts no server that somebody stopped
    session.note("working on queued runs; Ctrl-C stops")
    return serve(loaded.settings.database.url, session.environ, None if idle is None else float(idle))
