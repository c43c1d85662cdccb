"""Rows of table `cleared`: indexes that nobody sees any more, and that can still be restored for a while."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

import psycopg

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.indexes import IndexRecord, workspace_id
from cocosearch_py.storage.queries.announcements import announce
from cocosearch_py.storage.write import partitions

RESTORABLE = timedelta(hours=24)
_MOST_DROPPED = 3  # at the end of a run
_TIMES = ("created_at", "updated_at", "read_at")


@dataclass(frozen=True, slots=True)
class Cleared:
    """A row of `cleared`; see the comments there."""

    index_id: int
    name: str
    root_path: str
    ulid: str
    chunk_count: int
    record: dict[str, Any]
    cleared_at: datetime
    expires_at: datetime

    @property
    def file_count(self) -> int:
        """Its indexed files."""
        return int(self.record["file_count"])

    @property
    def workspace_id(self) -> str:
        """See `model.indexes.workspace_id`."""
        return workspace_id(self.root_path)

    def as_record(self) -> IndexRecord:
        """The index that it was.

        Raises:
            ValidationError: it is of a version that said other things of indexes.
        """
        known = {field.name: self.record[field.name] for field in fields(IndexRecord) if field.name in self.record}
        try:
            times = {name: datetime.fromisoformat(known[name]) for name in _TIMES if known.get(name) is not None}
            return IndexRecord(**known | times)
        except (KeyError, TypeError, ValueError) as error:
            raise ValidationError(
                f"index '{self.name}' was cleared by an incompatible version and cannot be restored",
                hint=f"index {self.root_path} again",
            ) from error


_NAMES = [field.name for field in fields(Cleared)]
_SELECT = f"SELECT {', '.join(_NAMES)} FROM cocosearch_py.cleared"


def put_away(conn: psycopg.Connection, record: IndexRecord) -> Cleared:
    """Move the row of an index here, which takes it out of everybody's sight; the caller holds the writing lock."""
    row = conn.execute(
        "WITH gone AS (DELETE FROM cocosearch_py.indexes WHERE index_id = %(id)s RETURNING *) "
        f"INSERT INTO cocosearch_py.cleared ({', '.join(_NAMES)}) SELECT index_id, name, root_path, ulid, "
        f"chunk_count, to_jsonb(gone), now(), now() + %(kept)s FROM gone RETURNING {', '.join(_NAMES)}",
        {"id": record.index_id, "kept": RESTORABLE},
    ).fetchone()
    assert row is not None
    announce(conn, record.name)
    return Cleared(*row)


def restorable(conn: psycopg.Connection) -> list[Cleared]:
    """Those that can be restored, the last cleared first."""
    return [Cleared(*row) for row in conn.execute(f"{_SELECT} WHERE expires_at > now() ORDER BY cleared_at DESC")]


def take_out(conn: psycopg.Connection, index_id: int) -> bool:
    """Remove a row; whoever did it decides about the rows of the index. False when somebody else was faster."""
    return conn.execute("DELETE FROM cocosearch_py.cleared WHERE index_id = %s", [index_id]).rowcount > 0


def has_expired(conn: psycopg.Connection) -> bool:
    """Whether there is something to reclaim."""
    return conn.execute("SELECT FROM cocosearch_py.cleared WHERE expires_at <= now() LIMIT 1").fetchone() is not None


def drop_expired(conn: psycopg.Connection, most: int = _MOST_DROPPED) -> int:
    """Remove those that can no longer be restored, oldest first; `partitions.drop_unused` then drops their tables."""
    rows = conn.execute(
        "DELETE FROM cocosearch_py.cleared WHERE index_id IN (SELECT index_id FROM cocosearch_py.cleared "
        "WHERE expires_at <= now() ORDER BY expires_at LIMIT %s FOR UPDATE SKIP LOCKED) RETURNING index_id",
        [most],
    ).fetchall()
    for (index_id,) in rows:
        partitions.remove_shared_rows(conn, index_id)
    return len(rows)
