"""Stop what the database does for a call that nobody waits for any more. Imports no driver: servers start with it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Protocol

from cocosearch_py.errors import OperationCancelled

log = logging.getLogger(__name__)

_STOP_TIMEOUT_S = 5.0  # the request is a connection of its own


class Stoppable(Protocol):
    """A connection that another thread can tell to end its statement."""

    def cancel_safe(self, *, timeout: float = ...) -> None: ...


class Work:
    """The connections that one call holds."""

    def __init__(self) -> None:
        self._held: set[Stoppable] = set()
        self._stopped = False
        self._lock = Lock()

    def stop(self) -> None:
        """End the running statements; their call gets an error, and no connection any more. Blocks."""
        with self._lock:  # none may go back to the pool meanwhile, where it would serve another call
            self._stopped = True
            for conn in self._held:
                self._cancel(conn)

    def _cancel(self, conn: Stoppable) -> None:
        from psycopg import Error  # loaded already: there is a connection

        try:
            conn.cancel_safe(timeout=_STOP_TIMEOUT_S)
        except Error as error:  # a server that is gone or full; the statement ends by its own time limit
            log.debug("a statement could not be stopped: %s", error)

    @contextmanager
    def holding(self, conn: Stoppable) -> Iterator[None]:
        """Count a connection as held inside.

        Raises:
            OperationCancelled: the work is stopped; a search of several indexes would go on with the next one.
        """
        with self._lock:
            if self._stopped:
                raise OperationCancelled("nobody waits for this call any more", hint="call again")
            self._held.add(conn)
        try:
            yield
        finally:
            with self._lock:
                self._held.discard(conn)


_current: ContextVar[Work | None] = ContextVar("work", default=None)


def current_work() -> Work | None:
    """The work that this context's connections belong to."""
    return _current.get()


@contextmanager
def stoppable() -> Iterator[Work]:
    """Remember what is lent inside, in this context and in threads that run in copies of it."""
    work = Work()
    token = _current.set(work)
    try:
        yield work
    finally:
        _current.reset(token)
