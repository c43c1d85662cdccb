"""Files of tables that were never committed: a server that is killed cannot remove them, and PostgreSQL never does."""

import re
from contextlib import suppress
from pathlib import Path

import psycopg

_RELATION_FILE = re.compile(r"([0-9]+)(_[a-z]+)?(\.[0-9]+)?")
_OTHERS_WRITE = "SELECT 1 FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid() LIMIT 1"


def remove_unknown_files(conn: psycopg.Connection, data: Path) -> None:
    """Remove files of the connected database that belong to no table; none while somebody writes.

    Args:
        conn: in autocommit mode, so that each statement sees what is committed by then.
        data: the server's data folder.
    """
    row = conn.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    assert row is not None
    folder = data / "base" / str(row[0])
    files = [(match[1], match[0]) for path in folder.iterdir() if (match := _RELATION_FILE.fullmatch(path.name))]
    # The order matters: who made a file of the list and has ended by now has committed it, or has died.
    if conn.execute(_OTHERS_WRITE).fetchone():
        return
    known = {str(found[0]) for found in conn.execute("SELECT pg_relation_filenode(oid) FROM pg_class")}
    for number, name in files:
        if number not in known:
            with suppress(OSError):
                (folder / name).unlink()
