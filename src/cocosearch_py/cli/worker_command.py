"""`cocosearch-py worker`: a process that takes runs from the queue, for databases that have a server of their own."""

from typing import Annotated

import typer

from cocosearch_py.cli.session import Session


def worker(
    session: Session,
    idle: Annotated[
        int | None, typer.Option("--idle", metavar="SECONDS", min=1, help="End after so many seconds without work.")
    ] = None,
) -> int:
    """Work on queued runs of indexing, until Ctrl-C.

    Not needed: whoever starts a run starts a worker that ends with the last one. One that stays begins at once, and
    may have keys that clients do not have. It takes the runs that this account asks for on this machine.
    """
    from cocosearch_py.server.working import serve  # brings the queue's library, a quarter of a second

    loaded = session.load()
    session.open(loaded).database.start()  # a worker itself starts no server that somebody stopped
    session.note("working on queued runs; Ctrl-C ends")
    return serve(loaded.settings.database.url, session.environ, None if idle is None else float(idle))
