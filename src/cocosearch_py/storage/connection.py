"""A connection: the handle that other layers pass on to `storage`, how it is opened, how it may commit."""

import time
from collections.abc import Generator
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg.rows import TupleRow

from cocosearch_py.errors import DatabaseUnreachableError

Connection = psycopg.Connection
RV = TypeVar("RV")

CONNECT_TIMEOUT_S = 10  # a firewall that drops packets must not hang a command for minutes
# Seconds that a server may take for its own account of a statement that took too long.
_GRACE_S = 5.0
# Seconds between two looks at whether the server lives, while a statement without a time limit runs.
_LOOK_S = 30.0
# Seconds in which it must then take a connection, on a busy machine.
_LOOK_TIMEOUT_S = 30
# What an administrator may have set for all sessions.
_TIME_LIMITS: tuple[LiteralString, ...] = (
    "statement_timeout",
    "lock_timeout",
    "idle_session_timeout",
    "idle_in_transaction_session_timeout",
    "transaction_timeout",
)
_TRANSACTION_TIMEOUT_SINCE = 170000  # the last of them


class _Watched(psycopg.Connection[TupleRow]):
    """A connection that ends its wait for a server that has stopped answering: one that is paused, or hangs.

    Such a server does not enforce its own time limits, and the system keeps the connection to it open.
    """

    dsn = ""
    # Seconds after which the server itself ends a statement; None: it does not.
    limit_s: float | None = None

    def wait(self, gen: Generator[Any, Any, RV], *args: Any, **kwargs: Any) -> RV:
        return super().wait(_watched(self, gen), *args, **kwargs)


def _watched(conn: _Watched, gen: Generator[Any, Any, RV]) -> Generator[Any, Any, RV]:
    """Run a generator of psycopg, which gets a falsy value several times a second while the server is silent.

    Raises:
        DatabaseUnreachableError: the server does not answer any more; the connection is closed.
    """
    since = time.monotonic()
    patience_s = _LOOK_S if conn.limit_s is None else conn.limit_s + _GRACE_S
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and (silent_s := time.monotonic() - since) > patience_s:
                if conn.limit_s is not None or not _answers(conn.dsn):
                    conn.close()
                    raise not_answering(silent_s)
                since = time.monotonic()
            wanted = gen.send(ready)
    except StopIteration as end:
        result: RV = end.value
        return result


def _answers(dsn: str) -> bool:
    """Whether the server takes a new connection, or refuses it: a statement may then take as long as it likes."""
    try:
        psycopg.connect(dsn, connect_timeout=_LOOK_TIMEOUT_S).close()
    except psycopg.errors.ConnectionTimeout:
        return False
    except psycopg.Error:  # it has no room for another, or has gone, which the waiting connection learns itself
        pass
    return True


def not_answering(seconds: float) -> DatabaseUnreachableError:
    """The error for a server that is there and stays silent."""
    return DatabaseUnreachableError(
        f"the database has not responded for {seconds:.0f} s",
        hint="its server may be paused, hung or overloaded: resume or restart it, then try again",
    )


def set_limit(conn: psycopg.Connection, limit_s: float | None) -> None:
    """Say after how many seconds the server ends a statement of this connection."""
    if isinstance(conn, _Watched):
        conn.limit_s = limit_s or None


def connect(dsn: str, settings: str = "", *, autocommit: bool = False) -> Connection:
    """Connect, lift all limits, and run further statements that set something.

    A run of minutes must not inherit the limits, nor a search that has its own.
    """
    # What is set outlives a rollback.
    conn = _Watched.connect(dsn, connect_timeout=CONNECT_TIMEOUT_S, autocommit=True)
    conn.dsn = dsn
    try:
        limits = _TIME_LIMITS if conn.info.server_version >= _TRANSACTION_TIMEOUT_SINCE else _TIME_LIMITS[:-1]
        conn.execute(("; ".join(f"SET {limit} = 0" for limit in limits) + f"; {settings}").encode())
    except psycopg.Error:
        conn.close()
        raise
    conn.autocommit = autocommit
    return conn


def commit_lazily(conn: Connection) -> None:
    """Let the commit of this transaction not wait for the disk: a power failure may undo it as a whole."""
    conn.execute("SET LOCAL synchronous_commit = off")
