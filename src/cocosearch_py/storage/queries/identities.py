"""Ids of indexes: those that are there have theirs in table `indexes`, those to come in table `identities`."""

from typing import NamedTuple

import psycopg

from cocosearch_py.model.indexes import workspace_id


class Identity(NamedTuple):
    """An index to come; a row of `identities`."""

    name: str
    root_path: str
    ulid: str

    @property
    def workspace_id(self) -> str:
        """See `model.indexes.workspace_id`."""
        return workspace_id(self.root_path)


def reserve(conn: psycopg.Connection, name: str, root_path: str) -> str:
    """The ULID of the index of this name, or the one that it will have; the caller commits."""
    row = conn.execute("SELECT ulid FROM cocosearch_py.indexes WHERE name = %s", [name]).fetchone()
    row = (
        row
        or conn.execute(
            "SELECT ulid FROM cocosearch_py.identities WHERE name = %s AND root_path = %s", [name, root_path]
        ).fetchone()
    )
    return str(row[0]) if row else _insert(conn, name, root_path)


def _insert(conn: psycopg.Connection, name: str, root_path: str) -> str:
    from ulid import ULID  # brings the parsers of mail, for their times

    row = conn.execute(
        "INSERT INTO cocosearch_py.identities AS i (name, root_path, ulid) VALUES (%s, %s, %s) "
        "ON CONFLICT (name) DO UPDATE SET root_path = excluded.root_path, "
        "ulid = CASE WHEN i.root_path = excluded.root_path THEN i.ulid ELSE excluded.ulid END RETURNING ulid",
        [name, root_path, str(ULID())],
    ).fetchone()
    assert row is not None
    return str(row[0])


def reserved(conn: psycopg.Connection) -> list[Identity]:
    """The indexes to come, by name."""
    rows = conn.execute("SELECT name, root_path, ulid FROM cocosearch_py.identities ORDER BY name")
    return [Identity(*row) for row in rows]


def reserved_for(conn: psycopg.Connection, name: str) -> str | None:
    """The ULID of an index to come; None when none is reserved."""
    row = conn.execute("SELECT ulid FROM cocosearch_py.identities WHERE name = %s", [name]).fetchone()
    return None if row is None else str(row[0])


def release(conn: psycopg.Connection, name: str) -> None:
    """Forget the id of an index to come: it is there now, or will not be."""
    conn.execute("DELETE FROM cocosearch_py.identities WHERE name = %s", [name])
