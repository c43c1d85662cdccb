"""Rows of `change_logs`, `changes` and `change_images`: what happened to the files of a folder, in one order.

A change gets its number in the statement that makes it visible, which holds the row of its log until it commits. So
numbers become visible in their order, and whoever has seen one misses none below it.
"""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, LiteralString

import psycopg
import zstandard

from cocosearch_py.errors import BusyError
from cocosearch_py.model.changes import Change, Image, Intent, Seen, Source, hash_of_bytes
from cocosearch_py.model.difference import difference
from cocosearch_py.model.paths import storable_path

_KEPT_ROWS = 100_000  # of a folder
_FAST = 1  # level of Zstandard: an edit waits for it
_BY_ZLIB = b"\x78"  # what zlib's output begins with; that of Zstandard with another byte
_NAMES: LiteralString = (
    "SELECT c.seq, c.path, c.op, c.source, c.author, c.hash_before, c.hash_after, c.at, c.undoes, c.sure, "
    "EXISTS (SELECT FROM cocosearch_py.change_images i WHERE i.change_id = c.change_id)"
)
_CHANGE: LiteralString = f"{_NAMES} FROM cocosearch_py.changes c"
_IMAGE: LiteralString = (
    "SELECT before, start_byte, end_byte, inserted, mode FROM cocosearch_py.change_images "
    "JOIN cocosearch_py.changes USING (change_id)"
)
_WITH_NEXT: LiteralString = (
    "WITH n AS (INSERT INTO cocosearch_py.change_logs AS l (root_path, last_seq) VALUES (%(root)s, 1) "
    "ON CONFLICT (root_path) DO UPDATE SET last_seq = l.last_seq + 1 RETURNING last_seq)"
)
_NUMBERED: LiteralString = (
    "UPDATE cocosearch_py.changes SET seq = n.last_seq, at = clock_timestamp(), sure = %(sure)s, "
    "host = NULL, process = NULL, token = NULL FROM n WHERE change_id = %(id)s AND seq IS NULL RETURNING changes.*"
)
# An edit does not wait for the disk a second time. If the machine loses power, the intent tells what the row told, and
# whoever writes to the log settles it first.
_LAZILY: LiteralString = "WHERE set_config('synchronous_commit', 'off', true) = 'off'"
_SETTLE: LiteralString = f"{_WITH_NEXT}, c AS ({_NUMBERED}) {_NAMES} FROM c {_LAZILY}"

_ADD_INTENT: LiteralString = (
    "WITH c AS (INSERT INTO cocosearch_py.changes (root_path, path, op, source, author, hash_before, hash_after, "
    "undoes, host, process, token) VALUES (%(root)s, %(path)s, %(op)s, %(source)s, %(author)s, %(hash_before)s, "
    "%(hash_after)s, %(undoes)s, %(host)s, %(process)s, %(token)s) RETURNING change_id) "
    "INSERT INTO cocosearch_py.change_images (change_id, before, start_byte, end_byte, inserted, mode) "
    "SELECT change_id, %(before)b, %(start)s, %(end)s, %(inserted)b, %(mode)s FROM c RETURNING change_id"
)
_HOLD: LiteralString = "SELECT pg_advisory_lock(%s)"
_UNFINISHED: LiteralString = (
    "SELECT change_id, path, op, author, hash_before, hash_after, undoes, "
    "at > clock_timestamp() - interval '1 minute', host, process, token "
    "FROM cocosearch_py.changes WHERE root_path = %(root)s AND seq IS NULL AND host = %(host)s ORDER BY change_id"
)
_UNKNOWN: LiteralString = (
    "SELECT s.* FROM unnest(%(paths)s::text[], %(ops)s::text[], %(before)s::text[], %(after)s::text[]) "
    "WITH ORDINALITY AS s (path, op, hash_before, hash_after, place) LEFT JOIN LATERAL ("
    "SELECT max(change_id - (hash_after IS DISTINCT FROM s.hash_before)::int) AS change_id "
    "FROM cocosearch_py.changes WHERE root_path = %(root)s AND path = s.path "
    "AND (hash_after IS NOT DISTINCT FROM s.hash_before OR hash_before IS NOT DISTINCT FROM s.hash_before)"
    ") AS known ON true WHERE NOT EXISTS (SELECT FROM cocosearch_py.changes c WHERE c.root_path = %(root)s "
    "AND c.path = s.path AND c.hash_after IS NOT DISTINCT FROM s.hash_after "
    "AND c.change_id > coalesce(known.change_id, CASE WHEN s.hash_before IS NULL THEN 0 END))"
)
_COUNTED: LiteralString = (
    "UPDATE cocosearch_py.change_logs SET last_seq = last_seq + (SELECT count(*) FROM s) "
    "WHERE root_path = %(root)s RETURNING last_seq"
)
_ROWS: LiteralString = (
    "INSERT INTO cocosearch_py.changes (root_path, seq, path, op, source, hash_before, hash_after, at) "
    "SELECT %(root)s, n.last_seq - (SELECT count(*) FROM s) + row_number() OVER (ORDER BY place), path, op, "
    "%(source)s, hash_before, hash_after, clock_timestamp() FROM s, n"
)
_ADD_SEEN: LiteralString = f"WITH s AS MATERIALIZED ({_UNKNOWN}), n AS ({_COUNTED}) {_ROWS}"


@dataclass(frozen=True, slots=True)
class Claim:
    """Whose an intent is: its machine and account, the mark of its process, and the token of its temporary files."""

    host: str
    process: str
    token: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """An intent whose outcome nobody has written yet; `is_recent`: it is younger than a minute."""

    change_id: int
    path: str
    op: str
    author: str
    hash_before: str | None
    hash_after: str | None
    undoes: int | None
    is_recent: bool
    claim: Claim


def hold_file(conn: psycopg.Connection, root: str, path: str) -> None:
    """Let no other session log a change of this file until `release_file`, or until the session ends.

    Raises:
        BusyError: somebody else has been at it for long.
    """
    try:
        conn.execute(_HOLD, [_lock_key(root, path)])
    except (psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled) as error:
        raise _held_by_another(path) from error


def try_to_hold_file(conn: psycopg.Connection, root: str, path: str) -> bool:
    """Hold a file like `hold_file`, without waiting; False if somebody else holds it."""
    row = conn.execute("SELECT pg_try_advisory_lock(%s)", [_lock_key(root, path)]).fetchone()
    return bool(row and row[0])


def release_file(conn: psycopg.Connection, root: str, path: str) -> None:
    """End what `hold_file` began."""
    conn.execute("SELECT pg_advisory_unlock(%s)", [_lock_key(root, path)])


def _held_by_another(path: str) -> BusyError:
    return BusyError(f"another process is changing {path}", hint="retry when it has finished")


def _lock_key(root: str, path: str) -> int:
    digest = blake2b(f"{storable_path(root)}\0{path}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def begin(conn: psycopg.Connection, intent: Intent, claim: Claim) -> tuple[int, list[Unfinished]]:
    """Hold a file, see `hold_file`, and commit what is about to be made, all in one message to the server.

    Returns:
        The number of the row, and the other intents of the host in the folder, seen when the file was held.
    Raises:
        BusyError: somebody else has been at the file for long.
    """
    values = _values(intent, claim)
    try:
        with conn.pipeline():
            conn.execute(_HOLD, [_lock_key(intent.root, intent.path)])
            added = conn.execute(_ADD_INTENT, values)
            others = conn.execute(_UNFINISHED, values)
    except (psycopg.errors.LockNotAvailable, psycopg.errors.QueryCanceled) as error:
        raise _held_by_another(intent.path) from error
    row = added.fetchone()
    assert row is not None
    return row[0], [one for one in _unfinished(others) if one.change_id != row[0]]


def add_intent(conn: psycopg.Connection, intent: Intent, claim: Claim) -> int:
    """Write what is about to be made, with what the file holds now; returns the number of the row."""
    row = conn.execute(_ADD_INTENT, _values(intent, claim)).fetchone()
    assert row is not None
    return int(row[0])


def _values(intent: Intent, claim: Claim) -> dict[str, object]:
    start, end, inserted = _difference(intent.before, intent.after)
    return {
        "root": storable_path(intent.root),
        "path": storable_path(intent.path),
        "op": intent.op,
        "source": Source.AGENT,
        "author": intent.author.replace("\0", ""),
        "hash_before": intent.hash_before or _hash(intent.before),
        "hash_after": _hash(intent.after),
        "undoes": intent.undoes,
        **{"host": claim.host, "process": claim.process, "token": claim.token},
        **{"before": _packed(intent.before), "start": start, "end": end, "inserted": _packed(inserted)},
        "mode": intent.mode,
    }


def settle(conn: psycopg.Connection, root: str, change_id: int, *, sure: bool = True) -> Change | None:
    """Give an intent its number: it has happened. None if there is no such intent any more."""
    row = conn.execute(_SETTLE, {"root": storable_path(root), "id": change_id, "sure": sure}).fetchone()
    return None if row is None else Change(*row)


def finish(conn: psycopg.Connection, intent: Intent, change_id: int) -> Change | None:
    """`settle` and `release_file` in one message to the server."""
    with conn.pipeline():
        done = conn.execute(_SETTLE, {"root": storable_path(intent.root), "id": change_id, "sure": True})
        release_file(conn, intent.root, intent.path)
    row = done.fetchone()
    return None if row is None else Change(*row)


def settled(conn: psycopg.Connection, change_id: int) -> Change | None:
    """Return the change that an intent became; None if it is still open, or was removed."""
    row = conn.execute(f"{_CHANGE} WHERE c.change_id = %s AND c.seq IS NOT NULL", [change_id]).fetchone()
    return None if row is None else Change(*row)


def withdraw(conn: psycopg.Connection, intent: Intent, change_id: int) -> None:
    """`drop_intent` and `release_file` in one message to the server."""
    with conn.pipeline():
        drop_intent(conn, change_id)
        release_file(conn, intent.root, intent.path)


def drop_intent(conn: psycopg.Connection, change_id: int) -> None:
    """Remove an intent that has come to nothing."""
    conn.execute("DELETE FROM cocosearch_py.changes WHERE change_id = %s AND seq IS NULL", [change_id])


def add_seen(conn: psycopg.Connection, root: str, seen: Sequence[Seen]) -> int:
    """Write what was seen on disk, but for what the log has already; how many rows that were.

    The log has a step from one content to another if, after the last time that it had the first, it had the second.
    A file that it never knew absent, but with the content that an index now adds, was edited before it was indexed.
    Until the transaction ends, nobody else can write to the log of the folder.
    """
    if not seen:
        return 0
    values = {"root": storable_path(root)}
    conn.execute(
        "INSERT INTO cocosearch_py.change_logs AS l (root_path, last_seq) VALUES (%(root)s, 0) "
        "ON CONFLICT (root_path) DO UPDATE SET last_seq = l.last_seq",
        values,
    )  # by itself: the statement that follows sees what others have written before
    paths, ops, before, after = (list(column) for column in zip(*seen, strict=True))
    columns = {"paths": paths, "ops": ops, "before": before, "after": after, "source": Source.WATCHER}
    return conn.execute(_ADD_SEEN, values | columns).rowcount


def unfinished(conn: psycopg.Connection, root: str, host: str) -> list[Unfinished]:
    """Intents of a host in a folder, the oldest first."""
    return _unfinished(conn.execute(_UNFINISHED, {"root": storable_path(root), "host": host}))


def unfinished_roots(conn: psycopg.Connection, host: str) -> list[str]:
    """Folders with intents of a host."""
    query = "SELECT DISTINCT root_path FROM cocosearch_py.changes WHERE seq IS NULL AND host = %s ORDER BY root_path"
    return [root for (root,) in conn.execute(query, [host])]


def _unfinished(rows: Iterable[tuple[Any, ...]]) -> list[Unfinished]:
    return [Unfinished(*(*row[:8], Claim(*row[8:]))) for row in rows]


def get(conn: psycopg.Connection, root: str, seq: int) -> Change | None:
    """The change with this number."""
    row = conn.execute(f"{_CHANGE} WHERE c.root_path = %s AND c.seq = %s", [storable_path(root), seq]).fetchone()
    return None if row is None else Change(*row)


def since(
    conn: psycopg.Connection,
    root: str,
    *,
    seq: int = 0,
    time: datetime | None = None,
    sources: Sequence[str] = (),
    most: int,
) -> list[Change]:
    """Changes after that number and not before that time, of these sources or of all, the oldest first."""
    rows = conn.execute(
        f"{_CHANGE} WHERE c.root_path = %(root)s AND c.seq > %(seq)s "
        "AND (%(time)s::timestamptz IS NULL OR c.at >= %(time)s) "
        "AND (%(sources)s::text[] = '{}' OR c.source = ANY(%(sources)s)) ORDER BY c.seq LIMIT %(most)s",
        {"root": storable_path(root), "seq": seq, "time": time, "sources": list(sources), "most": most},
    )
    return [Change(*row) for row in rows]


def newest(conn: psycopg.Connection, root: str, *, sources: Sequence[str] = (), most: int) -> list[Change]:
    """The last changes of these sources or of all, the oldest of them first."""
    rows = conn.execute(
        f"{_CHANGE} WHERE c.root_path = %s AND c.seq IS NOT NULL AND (%s::text[] = '{{}}' OR c.source = ANY(%s)) "
        "ORDER BY c.seq DESC LIMIT %s",
        [storable_path(root), list(sources), list(sources), most],
    ).fetchall()
    return [Change(*row) for row in reversed(rows)]


def last_seq(conn: psycopg.Connection, root: str) -> int:
    """The number of the last change; 0 if there is none."""
    query = "SELECT last_seq FROM cocosearch_py.change_logs WHERE root_path = %s"
    row = conn.execute(query, [storable_path(root)]).fetchone()
    return 0 if row is None else int(row[0])


def prune(conn: psycopg.Connection, root: str, days: int, most_bytes: int) -> None:
    """Forget the contents of changes older than that, of the newest as far as they have more bytes, and old rows."""
    values = {"root": storable_path(root), "days": days, "bytes": most_bytes, "rows": _KEPT_ROWS}
    conn.execute(
        "DELETE FROM cocosearch_py.change_images WHERE change_id IN (SELECT change_id FROM ("
        "SELECT change_id, kept_at, sum(coalesce(octet_length(before), 0) + coalesce(octet_length(inserted), 0)) "
        "OVER (ORDER BY change_id DESC) AS size FROM cocosearch_py.change_images "
        "JOIN cocosearch_py.changes USING (change_id) WHERE root_path = %(root)s AND seq IS NOT NULL) AS kept "
        "WHERE size > %(bytes)s OR kept_at < now() - make_interval(days => %(days)s))",
        values,
    )
    conn.execute(
        "DELETE FROM cocosearch_py.changes WHERE root_path = %(root)s AND seq <= (SELECT last_seq - %(rows)s "
        "FROM cocosearch_py.change_logs WHERE root_path = %(root)s)",
        values,
    )


def last_of(conn: psycopg.Connection, root: str, path: str) -> Change | None:
    """The last change of a file."""
    row = conn.execute(
        f"{_CHANGE} WHERE c.root_path = %s AND c.path = %s AND c.seq IS NOT NULL ORDER BY c.seq DESC LIMIT 1",
        [storable_path(root), storable_path(path)],
    ).fetchone()
    return None if row is None else Change(*row)


def content_of(conn: psycopg.Connection, root: str, path: str, content_hash: str) -> bytes | None:
    """Return the content of a file when it had this hash, before or after a change whose image is stored."""
    row = conn.execute(
        "SELECT change_id, hash_before = %(hash)s FROM cocosearch_py.changes JOIN cocosearch_py.change_images "
        "USING (change_id) WHERE root_path = %(root)s AND path = %(path)s AND %(hash)s IN (hash_before, hash_after) "
        "ORDER BY change_id DESC LIMIT 1",
        {"root": storable_path(root), "path": storable_path(path), "hash": content_hash},
    ).fetchone()
    found = None if row is None else _image(conn, "change_id = %s", [row[0]])
    return None if found is None or row is None else found.before if row[1] else found.after


def image(conn: psycopg.Connection, root: str, seq: int) -> Image | None:
    """Return the bytes that a change replaced; None when they are no longer stored, or never were."""
    return _image(conn, "root_path = %s AND seq = %s", [storable_path(root), seq])


def image_of_intent(conn: psycopg.Connection, change_id: int) -> Image | None:
    """Return the bytes that an intent would replace; None if it is no longer open."""
    return _image(conn, "change_id = %s AND seq IS NULL", [change_id])


def _image(conn: psycopg.Connection, which: LiteralString, values: list[object]) -> Image | None:
    row = conn.execute(f"{_IMAGE} WHERE {which}", values).fetchone()
    return None if row is None else Image(_unpacked(row[0]), row[1], row[2], _unpacked(row[3]), row[4])


def _hash(content: bytes | None) -> str | None:
    return None if content is None else hash_of_bytes(content)


def _packed(content: bytes | None) -> bytes | None:
    return None if content is None else zstandard.ZstdCompressor(level=_FAST).compress(content)


def _unpacked(packed: bytes | None) -> bytes | None:
    if packed is None or packed.startswith(_BY_ZLIB):  # written before schema 0015
        return None if packed is None else zlib.decompress(packed)
    return zstandard.ZstdDecompressor().decompress(packed)


def _difference(before: bytes | None, after: bytes | None) -> tuple[int, int, bytes | None]:
    """(start, end, inserted): after is before with its bytes from start to end replaced."""
    if before is None or after is None:
        return 0, len(before or b""), after
    found = difference(before, after)
    return found.start, found.old_end, after[found.start : found.new_end]
