"""Leaves of the partitioned tables: one set per index.

A new or rebuilt index is loaded into detached tables inside one transaction and attached at its end, so readers see
the old generation until the commit and the load needs no index maintenance. The caller owns the transaction.
Only this module runs DDL outside migrations.
"""

import hashlib
import re
import time

import psycopg
from psycopg import sql

from cocosearch_py.storage.names import LEAF_PREFIXES, SCHEMA

_MAX_SLUG_BYTES = 48  # PostgreSQL cuts names at 63 bytes; the longest prefix and a build suffix must fit beside it
_BUILD_SUFFIX = "__new"
# Below this many chunks a sequential scan answers as fast as GIN, and building GIN would dominate a small index.
GIN_MIN_CHUNKS = 1_500
# The exact scan costs 0.4 us a row; above this it takes 20 ms of CPU, and HNSW (recall < 1) pays.
HNSW_MIN_CHUNKS = 50_000
_LOCK_TRY_MS = 300  # readers that come meanwhile wait this long at most; a search takes a tenth of it
_LOCK_PAUSE_S = 0.05  # lets the readers that wait go first
_LOCK_PATIENCE_S = 600.0  # longer than any statement of ours; a forgotten open transaction must not hang a run for ever


def slug(index_name: str) -> str:
    """Part of the leaf names that stands for the index: non-alphanumerics as underscores, long names cut and hashed."""
    plain = re.sub(r"[^a-z0-9]", "_", index_name.lower())
    if len(plain) <= _MAX_SLUG_BYTES and plain.isascii():
        return plain
    return f"{plain[: _MAX_SLUG_BYTES - 9]}_{hashlib.sha256(index_name.encode()).hexdigest()[:8]}"


def leaf(table: str, table_name: str, *, building: bool = False) -> sql.Composed:
    """Qualified identifier of one leaf of the index whose chunks are in `table_name`."""
    name = LEAF_PREFIXES[table] + table_name.removeprefix(LEAF_PREFIXES["chunks"])
    return sql.SQL("{}.{}").format(sql.Identifier(SCHEMA), sql.Identifier(name + (_BUILD_SUFFIX if building else "")))


def _parent(table: str) -> sql.Composed:
    return sql.SQL("{}.{}").format(sql.Identifier(SCHEMA), sql.Identifier(table))


def create_building(conn: psycopg.Connection, table_name: str) -> None:
    """Create empty detached tables shaped like the parents, replacing left-overs."""
    for table in LEAF_PREFIXES:
        new = leaf(table, table_name, building=True)
        conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(new))
        conn.execute(
            sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING STORAGE INCLUDING COMMENTS)").format(new, _parent(table))
        )


def attach_built(conn: psycopg.Connection, table_name: str, index_id: int, chunk_count: int) -> None:
    """Index the loaded tables and put them in the place of the old leaves; readers wait a few milliseconds."""
    _add_keys(conn, table_name, index_id)
    add_search_indexes(conn, table_name, chunk_count, building=True)
    drop(conn, table_name)
    for table, prefix in LEAF_PREFIXES.items():
        conn.execute(
            sql.SQL("ALTER TABLE {} RENAME TO {}").format(
                leaf(table, table_name, building=True),
                sql.Identifier(prefix + table_name.removeprefix(LEAF_PREFIXES["chunks"])),
            )
        )
        conn.execute(
            sql.SQL("ALTER TABLE {} ATTACH PARTITION {} FOR VALUES IN ({})").format(
                _parent(table), leaf(table, table_name), sql.Literal(index_id)
            )
        )


def _add_keys(conn: psycopg.Connection, table_name: str, index_id: int) -> None:
    keys = {
        "files": "index_id, file_id",
        "symbols": "index_id, file_id, symbol_no",
        "lexemes": "index_id, lexeme",
    }
    for table in LEAF_PREFIXES:
        statement = "ALTER TABLE {} ADD PRIMARY KEY ({}), ADD CHECK (index_id = {})"
        key = sql.SQL(keys.get(table, "index_id, file_id, chunk_no"))
        new = leaf(table, table_name, building=True)
        conn.execute(sql.SQL(statement).format(new, key, sql.Literal(index_id)))
    conn.execute(sql.SQL("CREATE INDEX ON {} (name_key)").format(leaf("symbols", table_name, building=True)))


def add_search_indexes(conn: psycopg.Connection, table_name: str, chunk_count: int, *, building: bool = False) -> None:
    """Add GIN and HNSW where the size asks for them and they are missing."""
    keywords, vectors = (leaf(table, table_name, building=building) for table in ("keywords", "vectors"))
    if chunk_count >= GIN_MIN_CHUNKS and not _has_index(conn, keywords, "gin"):
        conn.execute(sql.SQL("CREATE INDEX ON {} USING gin (terms)").format(keywords))
    if chunk_count >= HNSW_MIN_CHUNKS and not _has_index(conn, vectors, "hnsw"):
        row = conn.execute(sql.SQL("SELECT vector_dims(embedding) FROM {} LIMIT 1").format(vectors)).fetchone()
        if row:
            conn.execute(
                sql.SQL("CREATE INDEX ON {} USING hnsw ((embedding::halfvec({})) halfvec_ip_ops)").format(
                    vectors, sql.Literal(row[0])
                )
            )


def analyze(conn: psycopg.Connection, table_name: str) -> None:
    """Refresh planner statistics; after the commit, so that readers do not wait for it."""
    for table in LEAF_PREFIXES:
        conn.execute(sql.SQL("ANALYZE {}").format(leaf(table, table_name)))


def drop(conn: psycopg.Connection, table_name: str) -> None:
    """Drop the leaves of an index if they exist, as soon as nobody reads them.

    Raises:
        psycopg.errors.LockNotAvailable: somebody kept reading for _LOCK_PATIENCE_S.
    """
    _wait_for_readers(conn, table_name)
    for table in LEAF_PREFIXES:
        conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(leaf(table, table_name)))


def _wait_for_readers(conn: psycopg.Connection, table_name: str) -> None:
    """Lock everything that dropping the leaves locks, all at once or nothing.

    Readers take the tables in an order of their own, so a lock that is held while waiting for the next can be the
    other half of a deadlock, which would end a search or the whole run. Each try gives up, and gives back what it
    got, before the server looks for deadlocks (deadlock_timeout, 1 s).
    """
    leaves = [leaf(table, table_name) for table in LEAF_PREFIXES]
    row = conn.execute("SELECT to_regclass(%s)", [leaves[0].as_string(conn)]).fetchone()
    if not row or row[0] is None:
        return
    tables = sql.SQL(", ").join([sql.SQL("ONLY {}").format(table) for table in (*map(_parent, LEAF_PREFIXES), *leaves)])
    deadline = time.monotonic() + _LOCK_PATIENCE_S
    while True:
        try:
            with conn.transaction():
                conn.execute(sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(_LOCK_TRY_MS)))
                conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(tables))
                conn.execute("SET LOCAL lock_timeout = 0")
            return
        except psycopg.errors.LockNotAvailable:
            if time.monotonic() > deadline:
                raise
            time.sleep(_LOCK_PAUSE_S)


def _has_index(conn: psycopg.Connection, table: sql.Composed, method: str) -> bool:
    row = conn.execute(
        "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam "
        "WHERE i.indrelid = %s::regclass AND a.amname = %s",
        [table.as_string(conn), method],
    ).fetchone()
    return row is not None
