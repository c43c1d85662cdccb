"""Rows of table `builds`: what unfinished builds have written and committed under numbers that no index has yet."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from cocosearch_py.model.indexes import HIDDEN, IndexRecord
from cocosearch_py.storage.queries.indexes import lock_key, slug
from cocosearch_py.storage.schema.partitions import VIEW_PREFIX
from cocosearch_py.storage.write import partitions

OF_NO_USE = {"copying": True}  # in the shape of a build that no run goes on with
_SHARED = ("format_version", "options", "embedding_model", "embedding_dimension")  # of a shape and a record


@dataclass(frozen=True, slots=True)
class Build:
    """A row of `builds`; see the comments there."""

    index_id: int
    name: str
    root_path: str
    shape: dict[str, Any]
    file_count: int
    pending_file_count: int
    updated_at: datetime
    read_at: datetime | None

    def __str__(self) -> str:
        """Return a sentence for a person."""
        total = self.file_count + self.pending_file_count
        return f"{self.file_count:,} of {total:,} files of an interrupted build are kept; the next run continues"

    def as_record(self) -> IndexRecord:
        """The index that it would be if it were one."""
        return IndexRecord(
            index_id=self.index_id,
            name=self.name,
            table_name=VIEW_PREFIX + slug(self.name),
            root_path=self.root_path,
            status="interrupted",
            generation=0,
            **{key: self.shape[key] for key in _SHARED},
            chunk_count=0,
            file_count=self.file_count,
            git_branch=None,
            git_commit=None,
            weights=None,
            created_at=self.updated_at,
            updated_at=self.updated_at,
            seconds=0.0,
            pending_file_count=self.pending_file_count,
        )


_NAMES = [field.name for field in fields(Build)]
_SELECT = f"SELECT {', '.join(_NAMES)} FROM cocosearch_py.builds"


def find(conn: psycopg.Connection, name: str) -> Build | None:
    row = conn.execute(f"{_SELECT} WHERE name = %s", [name]).fetchone()
    return Build(*row) if row else None


def waiting(conn: psycopg.Connection) -> list[Build]:
    """Unfinished builds that a run would go on with and none works on, by name; without those of hidden indexes."""
    query = "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = %s AND granted"
    held = {row[0] for row in conn.execute(query, [partitions.WRITING_LOCK])}
    found = [Build(*row) for row in conn.execute(f"{_SELECT} ORDER BY name")]
    shown = (build for build in found if HIDDEN not in build.name and not OF_NO_USE.items() <= build.shape.items())
    return [build for build in shown if lock_key(build.name) % 2**32 not in held]  # an oid has no sign


def abandoned(conn: psycopg.Connection, age: timedelta, most: int) -> Sequence[Build]:
    """The oldest of the builds that nobody has gone on with for so long."""
    query = f"{_SELECT} WHERE updated_at < now() - %s ORDER BY updated_at LIMIT %s"
    return [Build(*row) for row in conn.execute(query, [age, most])]


def save(conn: psycopg.Connection, build: Build) -> None:
    """Write the row of a build, the only one of its name."""
    values = [Jsonb(value) if isinstance(value, dict) else value for value in (getattr(build, n) for n in _NAMES)]
    conn.execute(
        f"INSERT INTO cocosearch_py.builds ({', '.join(_NAMES)}) VALUES ({', '.join(['%s'] * len(_NAMES))}) "
        f"ON CONFLICT (name) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _NAMES)}",
        values,
    )


def forget(conn: psycopg.Connection, name: str) -> None:
    """Remove the row of a build whose rows have become those of its index."""
    conn.execute("DELETE FROM cocosearch_py.builds WHERE name = %s", [name])


def discard(conn: psycopg.Connection, build: Build) -> None:
    """Remove a build and all that it has written; the caller holds the writing lock of its index."""
    partitions.drop_build(conn, build.index_id)
    forget(conn, build.name)
