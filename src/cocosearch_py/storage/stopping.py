"""Stop what the database does for a call that nobody waits for any more. Imports no driver: servers start with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Protocol

_STOP_TIMEOUT_S = 5.0  # the request is a connection of its own


class Stoppable(Protocol):
    """A connection that another thread can tell to end its statement."""

    def cancel_safe(self, *, timeout: float = ...) -> None: ...


class Work:
    """The connections that one call holds."""

    def __init__(self) -> None:
        self._held: set[Stoppable] = set()
        self._lock = Lock()

    def stop(self) -> None:
        """End the running statements; their call gets an error. Blocks."""
        with self._lock:  # none may go back to the pool meanwhile, where it would serve another call
            for conn in self._held:
                conn.cancel_safe(timeout=_STOP_TIMEOUT_S)

    @contextmanager
    def holding(self, conn: Stoppable) -> Iterator[None]:
        """Count a connection as held inside."""
        with self._lock:
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
