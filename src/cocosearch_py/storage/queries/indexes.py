"""Rows of table `indexes`: find, create, update, delete, and the lock of a writing run."""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import LiteralString
from zlib import crc32

import psycopg
from psycopg.types.json import Jsonb

from cocosearch_py.errors import BusyError, DatabaseError
from cocosearch_py.model.indexes import HIDDEN, IndexRecord, UnreadableIndex, check_mappings, unknown_index
from cocosearch_py.model.paths import storable_path
from cocosearch_py.storage.queries import identities
from cocosearch_py.storage.queries.announcements import announce
from cocosearch_py.storage.schema.partitions import VIEW_PREFIX
from cocosearch_py.storage.statements import Row, run, run_each
from cocosearch_py.storage.write import partitions

PATIENCE_S = 1.0  # with whoever writes an index for a moment; a run takes longer
_REPAIR_PATIENCE_S = 60.0  # a repair may take so long when parsers run into their limits, one file after another
_RATES = 9  # runs that tell how fast the next one will be: enough that a few which were held up do not count
_MAX_SLUG_BYTES = 48  # PostgreSQL cuts names at 63 bytes; the prefix and a number must fit beside it
# What a run does not write: what tells the index from others, and what others may change meanwhile.
_KEPT = frozenset({"name", "table_name", "created_at", "weights", "generation", "ulid"})


_COLUMNS = ", ".join(field.name for field in fields(IndexRecord))
_BY_NAME = f"SELECT {_COLUMNS} FROM cocosearch_py.indexes WHERE name = %(name)s".encode()
_BY_ROOT = f"SELECT {_COLUMNS} FROM cocosearch_py.indexes WHERE root_path = %(root_path)s ORDER BY name".encode()
_VISIBLE = f"SELECT {_COLUMNS} FROM cocosearch_py.indexes WHERE strpos(name, %(hidden)s) = 0 ORDER BY name".encode()
_PLAIN = (
    b"SELECT index_id, name, table_name, root_path, ulid, chunk_count, file_count FROM cocosearch_py.indexes "
    b"WHERE strpos(name, %(hidden)s) = 0 ORDER BY name"
)


def find_by_name(conn: psycopg.Connection, name: str) -> IndexRecord | None:
    """The index of this name, or None; raises DatabaseError when its row cannot be read."""
    wanted = storable_path(name).replace("\0", "\ufffd")  # no index has such a name; PostgreSQL refuses to look
    for found in _read(conn, _BY_NAME, {"name": wanted}):
        if isinstance(found, str):
            raise DatabaseError(
                f"index '{name}' cannot be read: {found}",
                hint=f"remove it with `cocosearch-py clear '{name}'`, then index its folder again",
            )
        return found
    return None


def require(conn: psycopg.Connection, name: str) -> IndexRecord:
    """The index of this name, as it is now; raises IndexNotFoundError with the nearest names."""
    if (record := find_by_name(conn, name)) is None:
        raise unknown_index(name, list_all(conn))
    return record


def require_same(conn: psycopg.Connection, record: IndexRecord) -> IndexRecord:
    """Return the index as it is now; raises IndexNotFoundError, also when another folder has its name now."""
    current = require(conn, record.name)
    if current.root_path != record.root_path:
        raise unknown_index(record.name, ())
    return current


def find_by_root(conn: psycopg.Connection, root_path: str) -> list[IndexRecord]:
    """Indexes of exactly this folder, by name."""
    found = _read(conn, _BY_ROOT, {"root_path": storable_path(root_path)})
    return [record for record in found if isinstance(record, IndexRecord)]


def list_all(conn: psycopg.Connection) -> list[IndexRecord]:
    """All indexes but hidden ones and those that `list_unreadable` gives, by name."""
    return [record for record in _read(conn, _VISIBLE, {"hidden": HIDDEN}) if isinstance(record, IndexRecord)]


def list_unreadable(conn: psycopg.Connection) -> list[UnreadableIndex]:
    """Indexes whose rows cannot be read, by name."""
    found = zip(run(conn, _PLAIN, {"hidden": HIDDEN}), _read(conn, _VISIBLE, {"hidden": HIDDEN}), strict=True)
    return [UnreadableIndex(reason, *row) for row, reason in found if isinstance(reason, str)]


def _read(conn: psycopg.Connection, query: bytes, values: Mapping[str, object]) -> Iterator[IndexRecord | str]:
    """The indexes of a query; for one that cannot be read, the reason."""
    for row in run_each(conn, query, values):
        yield row if isinstance(row, str) else _record(row)


def _record(row: Row) -> IndexRecord | str:
    record = IndexRecord(*row)
    try:
        check_mappings(record.options, record.weights)
    except ValueError as error:
        return str(error)
    return record


def known_rates(conn: psycopg.Connection, model: str) -> list[float]:
    """Bytes of ordinary code per second, of the latest runs with this model that tell."""
    rows = conn.execute(
        "SELECT bytes_per_second FROM cocosearch_py.indexes WHERE embedding_model = %s "
        "AND bytes_per_second IS NOT NULL ORDER BY updated_at DESC LIMIT %s",
        [model, _RATES],
    ).fetchall()
    return [float(row[0]) for row in rows]


def slug(index_name: str) -> str:
    """Return the part of `table_name` for an index: non-alphanumerics as underscores, long names cut and hashed."""
    plain = re.sub(r"[^a-z0-9]", "_", index_name.lower())
    if len(plain) <= _MAX_SLUG_BYTES and plain.isascii():
        return plain
    return f"{plain[: _MAX_SLUG_BYTES - 9]}_{hashlib.sha256(index_name.encode()).hexdigest()[:8]}"


def lock_for_writing(conn: psycopg.Connection, name: str, patience_s: float = 0.0) -> None:
    """Hold the index until the transaction ends; raise BusyError when another run holds it for so long.

    Whoever has patience waits in the server's queue, so that of those that have none nobody comes first, and for a
    repair as long as that may take.
    """
    key = lock_key(name)
    if _tries(conn, [partitions.WRITING_LOCK, key]):
        return
    with suppress(psycopg.errors.LockNotAvailable):
        if patience_s:
            with conn.transaction():
                _wait(
                    conn, "SELECT pg_advisory_xact_lock_shared(%s, %s)", partitions.REPAIR_LOCK, key, _REPAIR_PATIENCE_S
                )
                _wait(conn, "SELECT pg_advisory_xact_lock(%s, %s)", partitions.WRITING_LOCK, key, patience_s)
                conn.execute("SET LOCAL lock_timeout = 0")
            return
    raise _busy(name)


def lock_for_repair(conn: psycopg.Connection, name: str) -> None:
    """Lock an index for a repair, which others wait for; raises BusyError when somebody holds it or waits for it."""
    if not (
        _tries(conn, [partitions.REPAIR_LOCK, lock_key(name)])
        and _tries(conn, [partitions.WRITING_LOCK, lock_key(name)])
    ):
        raise _busy(name)


def _tries(conn: psycopg.Connection, keys: list[int]) -> bool:
    row = conn.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", keys).fetchone()
    return bool(row and row[0])


def _wait(conn: psycopg.Connection, lock: LiteralString, first: int, second: int, patience_s: float) -> None:
    patience_ms = max(1, round(patience_s * 1_000))  # 0 would be no limit
    conn.execute("SELECT set_config('lock_timeout', %s, true)", [str(patience_ms)])
    conn.execute(lock, [first, second])


def _busy(name: str) -> BusyError:
    return BusyError(f"another process is writing index '{name}'", hint="wait until that run has finished, then retry")


def commit_and_hold(conn: psycopg.Connection, name: str) -> None:
    """Commit, and hold the index in the transaction that follows, without letting go of it between them."""
    keys = [partitions.WRITING_LOCK, lock_key(name)]
    conn.execute("SELECT pg_advisory_lock(%s, %s)", keys)  # of the session: it outlives the commit
    conn.commit()
    conn.execute("SELECT pg_advisory_xact_lock(%s, %s)", keys)
    conn.execute("SELECT pg_advisory_unlock(%s, %s)", keys)


def lock_key(name: str) -> int:
    """The second key; names that share a table name share the lock, since both would take the same one."""
    return crc32(slug(name).encode()) - 2**31


def free_table_name(conn: psycopg.Connection, name: str) -> str:
    """`cocosearch_<slug>`, with a number when another index's name has the same slug."""
    wanted = VIEW_PREFIX + slug(name)
    taken = {row[0] for row in conn.execute("SELECT table_name FROM cocosearch_py.indexes WHERE name <> %s", [name])}
    number = 1
    while (candidate := wanted if number == 1 else f"{wanted}_{number}") in taken:
        number += 1
    return candidate


def save(conn: psycopg.Connection, record: IndexRecord, *, changed: bool = True) -> None:
    """Write the row of a finished run, and make the index's view if it is new.

    Of an index that is there, the columns of `_KEPT` stay as they are now, which may be later than the run read them;
    its generation grows if the run `changed` it.
    """
    names = [field.name for field in fields(IndexRecord)]
    values = [Jsonb(value) if isinstance(value, dict) else value for value in (getattr(record, n) for n in names)]
    updates = ", ".join(f"{name} = excluded.{name}" for name in names if name not in _KEPT)
    row = conn.execute(
        f"INSERT INTO cocosearch_py.indexes AS i ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))}) "
        f"ON CONFLICT (name) DO UPDATE SET {updates}, generation = i.generation + {int(changed)} "
        "RETURNING i.xmax = 0",  # inserted
        values,
    ).fetchone()
    if row and row[0]:
        partitions.create_view(conn, record.table_name)
        identities.release(conn, record.name)
    announce(conn, record.name)


def touch(conn: psycopg.Connection, name: str) -> None:
    """Give an index the time of now."""
    conn.execute("UPDATE cocosearch_py.indexes SET updated_at = now() WHERE name = %s", [name])


def delete(
    conn: psycopg.Connection,
    record: IndexRecord | UnreadableIndex,
    patience_s: float,
    tell: Callable[[str], None],
) -> None:
    """Remove an index and everything in it; the caller holds the writing lock. See `partitions.drop`.

    Raises:
        BusyError: somebody kept reading it; the message says who.
    """
    partitions.drop(conn, record.index_id, record.table_name, patience_s, tell)
    conn.execute("DELETE FROM cocosearch_py.indexes WHERE index_id = %s", [record.index_id])
    announce(conn, record.name)
