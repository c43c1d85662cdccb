"""What other layers hold of a connection: a handle that they pass on to `storage`."""

import psycopg

Connection = psycopg.Connection


def commit_lazily(conn: Connection) -> None:
    """Let the commit of this transaction not wait for the disk: a power failure may undo it as a whole."""
    conn.execute("SET LOCAL synchronous_commit = off")
