"""A connection: the handle that other layers pass on to `storage`, how it is opened, how it may commit."""

from typing import LiteralString

import psycopg

Connection = psycopg.Connection

_CONNECT_TIMEOUT_S = 10  # a firewall that drops packets must not hang a command for minutes
# What an administrator may have set for all sessions.
_TIME_LIMITS: tuple[LiteralString, ...] = (
    "statement_timeout",
    "lock_timeout",
    "idle_session_timeout",
    "idle_in_transaction_session_timeout",
    "transaction_timeout",
)
_TRANSACTION_TIMEOUT_SINCE = 170000  # the last of them


def connect(dsn: str, settings: str = "", *, autocommit: bool = False) -> Connection:
    """Connect, lift all limits, and run further statements that set something.

    A run of minutes must not inherit the limits, nor a search that has its own.
    """
    conn = psycopg.connect(dsn, connect_timeout=_CONNECT_TIMEOUT_S, autocommit=True)  # what is set outlives a rollback
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
