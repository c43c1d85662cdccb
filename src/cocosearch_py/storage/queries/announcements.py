"""Word of changes that other processes hear, when the transaction of a change commits."""

import psycopg

INDEXES = "cocosearch_indexes"  # the payload is the name of the index
WIKIS = "cocosearch_wikis"  # the payload is empty
RUNS = "cocosearch_runs"  # one word about a run, however it is written


def announce(conn: psycopg.Connection, index_name: str) -> None:
    """Tell whoever listens that an index came, went or changed."""
    conn.execute("SELECT pg_notify(%s, %s)", [INDEXES, index_name])


def announce_wiki(conn: psycopg.Connection) -> None:
    """Tell whoever listens that something was written in a wiki."""
    conn.execute("SELECT pg_notify(%s, '')", [WIKIS])


def listen(conn: psycopg.Connection) -> None:
    """Begin to hear of changes of indexes, runs and wikis, on a connection without transaction."""
    conn.execute(f"LISTEN {INDEXES}; LISTEN {RUNS}; LISTEN {WIKIS}")


def wait(conn: psycopg.Connection, timeout_s: float) -> bool:
    """Wait so long for word of a change, and forget all that came; whether there was any."""
    return any([True for _ in conn.notifies(timeout=timeout_s, stop_after=1)])
