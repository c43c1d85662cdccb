"""Stop what the database does for a call that nobody waits for any more. Imports no driver: servers start with it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Condition
from typing import Protocol

from cocosearch_py.errors import OperationCancelled

log = logging.getLogger(__name__)

_STOP_TIMEOUT_S = 5.0  # the request is a connection of its own
_PAUSES_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # a request that comes between two statements ends none


class Stoppable(Protocol):
    """A connection that another thread can tell to end its statement."""

    def cancel_safe(self, *, timeout: float = ...) -> None: ...


class Work:
    """The connections that one call holds."""

    def __init__(self) -> None:
        self._held: set[Stoppable] = set()
        self._stopped = False
        self._changed = Condition()

    def stop(self) -> None:
        """End the running statements; their call gets an error, and no connection any more.

        Blocks until the call has given back what it holds, for some time at most.
        """
        with self._changed:  # none may go back to the pool while it is cancelled: it would serve another call
            self._stopped = True
            for pause in _PAUSES_S:
                for conn in self._held:
                    self._cancel(conn)
                if self._changed.wait_for(lambda: not self._held, pause):
                    return

    def _cancel(self, conn: Stoppable) -> None:
        from psycopg import Error  # loaded already: the call has looked for its index

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
        with self._changed:
            if self._stopped:
                raise OperationCancelled("the client no longer waits for this call", hint="call again")
            self._held.add(conn)
        try:
            yield
        finally:
            with self._changed:
                self._held.discard(conn)
                self._changed.notify_all()


_current: ContextVar[Work | None] = ContextVar("work", default=None)


def current_work() -> Work | None:
    """The work that this context's connections belong to."""
    return _current.get()


@contextmanager
def stoppable(work: Work | None = None) -> Iterator[Work]:
    """Remember what is lent inside, in this context and in threads that run in copies of it."""
    work = work or Work()
    token = _current.set(work)
    try:
        yield work
    finally:
        _current.reset(token)
