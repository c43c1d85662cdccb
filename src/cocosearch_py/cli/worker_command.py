"""`cocosearch-py worker`: a process that takes runs from the queue, for databases that have a server of their own."""

from cocosearch_py.cli.opening import open_app
from cocosearch_py.cli.program import WorkerArguments
from cocosearch_py.cli.session import Session
from cocosearch_py.server.worker_program import serve


def worker(session: Session, asked: WorkerArguments) -> int:
    """Process queued runs until a signal ends it."""
    loaded = session.load()
    open_app(session, loaded).database.start()  # a worker itself starts no server that somebody stopped
    session.note("working on queued runs; Ctrl-C stops")
    idle_s = None if asked.idle is None else float(asked.idle)
    return serve(loaded.settings.database.url, session.environ, idle_s)
