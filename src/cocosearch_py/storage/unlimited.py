"""Sessions without the time limits that an administrator may have set for all."""

from typing import LiteralString

import psycopg

CONNECT_TIMEOUT_S = 10  # a firewall that drops packets must not hang a command for minutes
_TIME_LIMITS: tuple[LiteralString, ...] = (
    *("statement_timeout", "lock_timeout", "idle_session_timeout", "idle_in_transaction_session_timeout"),
    "transaction_timeout",
)
_TRANSACTION_TIMEOUT_SINCE = 170000  # the last of them


def connect(dsn: str, settings: str = "", *, autocommit: bool = False) -> psycopg.Connection:
    """Connect, lift all limits, and run further statements that set something.

    A run of minutes must not inherit the limits, nor a search that has its own.
    """
    conn = psycopg.connect(dsn, connect_timeout=CONNECT_TIMEOUT_S, autocommit=True)  # what is set outlives a rollback
    try:
        limits = _TIME_LIMITS if conn.info.server_version >= _TRANSACTION_TIMEOUT_SINCE else _TIME_LIMITS[:-1]
        conn.execute(("; ".join(f"SET {limit} = 0" for limit in limits) + f"; {settings}").encode())
    except psycopg.Error:
        conn.close()
        raise
    conn.autocommit = autocommit
    return conn
