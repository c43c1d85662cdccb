"""Rows of table `indexes`: find, create, update, delete, and the lock of a writing run."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any
from zlib import crc32

import psycopg
from psycopg.types.json import Jsonb

from cocosearch_py.errors import BusyError
from cocosearch_py.storage import partitions
from cocosearch_py.storage.names import LEAF_PREFIXES

_LOCK_CLASS = 0x0C0C05EB  # first key of the advisory locks of writing runs; the second is the index name's hash


@dataclass(frozen=True, slots=True)
class IndexRecord:
    """A row of `indexes`; see the comments there."""

    index_id: int
    name: str
    table_name: str
    root_path: str
    status: str
    generation: int
    format_version: int
    options: dict[str, Any]
    embedding_model: str
    embedding_dimension: int
    chunk_count: int
    file_count: int
    git_branch: str | None
    git_commit: str | None
    weights: dict[str, float] | None
    created_at: datetime
    updated_at: datetime
    seconds: float
    pending_file_count: int = 0


_KEPT = frozenset({"index_id", "generation", "weights", "created_at"})  # no run writes them once the row is there
_COLUMNS = ", ".join(field.name for field in fields(IndexRecord))


def find_by_name(conn: psycopg.Connection, name: str) -> IndexRecord | None:
    query = f"SELECT {_COLUMNS} FROM cocosearch_py.indexes WHERE name = %s"
    wanted = storable_path(name).replace("\0", "\ufffd")  # no index has such a name; PostgreSQL refuses to look
    row = conn.execute(query, [wanted]).fetchone()
    return IndexRecord(*row) if row else None


def find_by_root(conn: psycopg.Connection, root_path: str) -> list[IndexRecord]:
    """Indexes of exactly this folder, by name."""
    query = f"SELECT {_COLUMNS} FROM cocosearch_py.indexes WHERE root_path = %s ORDER BY name"
    return [IndexRecord(*row) for row in conn.execute(query, [storable_path(root_path)])]


def storable_path(path: str) -> str:
    """A path as `root_path` holds it: undecodable bytes, which PostgreSQL refuses, as hexadecimal escapes."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def list_all(conn: psycopg.Connection) -> list[IndexRecord]:
    """All indexes, by name."""
    query = f"SELECT {_COLUMNS} FROM cocosearch_py.indexes ORDER BY name"
    return [IndexRecord(*row) for row in conn.execute(query)]


def lock_for_writing(conn: psycopg.Connection, name: str) -> None:
    """Hold the index until the transaction ends; raise BusyError when another run holds it.

    Names that share a table name share the lock, since both would create the same tables.
    """
    row = conn.execute(
        "SELECT pg_try_advisory_xact_lock(%s, %s)", [_LOCK_CLASS, crc32(partitions.slug(name).encode()) - 2**31]
    ).fetchone()
    if not row or not row[0]:
        raise BusyError(
            f"index '{name}' is being written by another process", hint="wait until that run is done, then retry"
        )


def free_table_name(conn: psycopg.Connection, name: str) -> str:
    """`cocosearch_<slug>`, with a number when another index's name has the same slug."""
    wanted = LEAF_PREFIXES["chunks"] + partitions.slug(name)
    taken = {row[0] for row in conn.execute("SELECT table_name FROM cocosearch_py.indexes WHERE name <> %s", [name])}
    number = 1
    while (candidate := wanted if number == 1 else f"{wanted}_{number}") in taken:
        number += 1
    return candidate


def next_id(conn: psycopg.Connection) -> int:
    """A number that no index has or had; takes no lock, so new indexes are built side by side."""
    row = conn.execute("SELECT nextval('cocosearch_py.index_ids')").fetchone()
    return int(row[0]) if row else 1


def save(conn: psycopg.Connection, record: IndexRecord, *, changed: bool = True) -> None:
    """Write the row of a finished run.

    Of an index that is there, the columns of `_KEPT` stay as they are now, which may be later than the run read them;
    its generation grows if the run `changed` it.
    """
    names = [field.name for field in fields(IndexRecord)]
    values = [Jsonb(value) if isinstance(value, dict) else value for value in (getattr(record, n) for n in names)]
    updates = ", ".join(f"{name} = excluded.{name}" for name in names if name not in _KEPT)
    conn.execute(
        f"INSERT INTO cocosearch_py.indexes AS i ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))}) "
        f"ON CONFLICT (index_id) DO UPDATE SET {updates}, generation = i.generation + {int(changed)}",
        values,
    )


def delete(conn: psycopg.Connection, record: IndexRecord) -> None:
    """Remove an index and everything in it; the caller holds the writing lock."""
    partitions.drop(conn, record.table_name)
    conn.execute("DELETE FROM cocosearch_py.indexes WHERE index_id = %s", [record.index_id])
