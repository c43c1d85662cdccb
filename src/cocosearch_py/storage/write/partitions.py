"""Leaves of the fact tables: where a new index goes, how its own leaves are made, filled, attached and dropped.

A build writes under a number that no index has yet, so nothing that readers or other runs can reach is touched before
the commit. The caller owns the transaction. Only this module runs DDL outside migrations.
"""

import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from typing import LiteralString

import psycopg
from psycopg import sql

from cocosearch_py.errors import BusyError
from cocosearch_py.storage.schema.partitions import FIRST_SHARED_ID, is_shared, leaf, qualified, rows_of
from cocosearch_py.storage.schema.registry import SCHEMA, FactTable, LeafIndex, part_condition
from cocosearch_py.storage.schema.tables import TABLES

# An index of its own leaves that shrinks goes back at this share of their least size: else a file that comes and goes
# would move it each time.
_SHARED_AGAIN = 0.5
_LOCK_TRY_MS = 300  # readers that come meanwhile wait this long at most; a search takes a tenth of it
_LOCK_PAUSE_S = 0.05  # lets the readers that wait go first
_SILENCE_S = 1.0  # after that whoever waits wants to know for whom
_UNUSED_PATIENCE_S = 2.0  # the run is done, this only frees disk space; the next run tries again
_MOST_NAMED = 3  # readers in a message
_HELPERS_KB = 4096  # of the memory for building an index, for what its helpers tell each other
_STATISTICS_SINCE = 180000  # of the server, from which on they can be written
_STATISTICS: dict[LiteralString, LiteralString] = {  # columns of pg_stats, and what makes them what is taken
    **dict.fromkeys(("null_frac", "avg_width", "n_distinct", "correlation"), ""),
    **dict.fromkeys(("most_common_freqs", "most_common_elem_freqs", "elem_count_histogram"), ""),
    **dict.fromkeys(("most_common_elems", "histogram_bounds"), "::text"),
}
_NULL = {True: sql.SQL(""), False: sql.SQL(" NOT NULL")}
WRITING_LOCK = 0x0C0C05EB  # first key of the advisory locks of writing runs; the second is the index name's hash
REPAIR_LOCK = 0x0C0C05ED  # likewise of repairs beside it; shared by those that wait for one


def new_id(conn: psycopg.Connection, *, own: bool) -> int:
    """Return a number that no index has or had, for leaves of its own or shared ones.

    Takes no lock, so builds run side by side.
    """
    sequence = "index_ids" if own else "shared_index_ids"
    row = conn.execute("SELECT nextval(%s::regclass)", [qualified(sequence).as_string(conn)]).fetchone()
    assert row is not None
    return int(row[0])


def create(conn: psycopg.Connection, index_id: int) -> None:
    """Make empty detached tables for an index that is to have its own leaves.

    As they are declared, which is as the migrations made the parents. LIKE would lock the parents until the run ends,
    and whoever deletes another index meanwhile would wait for that.
    """
    for name, table in () if is_shared(index_id) else TABLES.items():
        conn.execute(_definition(leaf(name, index_id), table))


def _definition(own: sql.Composed, table: FactTable) -> sql.Composed:
    """The statements that make a leaf without key and indexes, which only a build sees."""
    parts, extras = [], []
    for column in table.columns:
        name = sql.Identifier(column.name)
        parts.append(sql.SQL("{} {}{}").format(name, sql.SQL(column.type.sql), _NULL[column.nullable]))
        extras.append(sql.SQL("COMMENT ON COLUMN {}.{} IS {}").format(own, name, sql.Literal(column.comment)))
        if column.storage is not None:
            statement = sql.SQL("ALTER TABLE {} ALTER COLUMN {} SET STORAGE {}")
            extras.append(statement.format(own, name, sql.SQL(column.storage)))
    # Of a build that commits on the way autovacuum would read large tables again and again, with 60 MB each time.
    made = sql.SQL("CREATE TABLE {} ({}) WITH (autovacuum_enabled = off)").format(own, sql.SQL(", ").join(parts))
    return sql.SQL("; ").join([made, *extras])


def add_table(conn: psycopg.Connection, table: str) -> None:
    """Give a new fact table, made by a migration, its leaves: one wherever table `files` has one."""
    places = conn.execute(
        "SELECT substring(c.relname FROM '[^_]+$'), pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits n "
        "JOIN pg_class c ON c.oid = n.inhrelid WHERE n.inhparent = 'cocosearch_py.files'::regclass"
    ).fetchall()
    for place, bounds in places:
        new, parent = qualified(f"{table}_{place}"), qualified(table)
        conn.execute(
            sql.SQL("CREATE TABLE {} (LIKE {} INCLUDING STORAGE INCLUDING COMMENTS INCLUDING INDEXES)").format(
                new, parent
            )
        )
        conn.execute(sql.SQL("ALTER TABLE {} ATTACH PARTITION {} {}").format(parent, new, sql.SQL(bounds)))
    # As migration 0003 has it: the planner is to go by the key, however few indexes there were when it last counted.
    shared = leaf(table, FIRST_SHARED_ID)
    conn.execute(sql.SQL("ALTER TABLE {} ALTER COLUMN index_id SET STATISTICS 0").format(shared))


def settle(
    conn: psycopg.Connection,
    index_id: int,
    chunk_count: int,
    own_leaf_chunks: int,
    *,
    building: bool,
    later: Collection[str] = (),
) -> int:
    """Put an index, all rows written, where its size belongs: attached, with its keys and search indexes.

    Args:
        own_leaf_chunks: size from which it gets leaves of its own.
        later: methods of search indexes that `add_indexes` is to make when this is committed.
    Returns:
        Its number from now on: another one if it had to move.
    """
    if is_shared(index_id):
        return _move(conn, index_id, chunk_count, later, own=True) if chunk_count >= own_leaf_chunks else index_id
    if chunk_count < own_leaf_chunks * (1 if building else _SHARED_AGAIN):
        moved_id = _move(conn, index_id, chunk_count, later, own=False)
        if building:  # nobody else has seen these tables
            _drop_tables(conn, index_id)
        return moved_id
    if building:
        _publish(conn, index_id, chunk_count, later)
    else:
        add_indexes(conn, index_id, chunk_count, later)
    return index_id


def _move(conn: psycopg.Connection, index_id: int, chunk_count: int, later: Collection[str], *, own: bool) -> int:
    """Copy all rows to leaves of their own or to shared ones; return the index's number there."""
    moved_id = new_id(conn, own=own)
    create(conn, moved_id)
    for name, table in TABLES.items():
        others = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns[1:])
        conn.execute(
            sql.SQL("INSERT INTO {} (index_id, {}) SELECT %(new_id)s, {} FROM {} r").format(
                leaf(name, moved_id), others, others, rows_of(name, index_id)
            ),
            {"new_id": moved_id, "index_id": index_id},
        )
    remove_shared_rows(conn, index_id)
    if not is_shared(moved_id):
        _publish(conn, moved_id, chunk_count, later)
    return moved_id


def _publish(conn: psycopg.Connection, index_id: int, chunk_count: int, later: Collection[str]) -> None:
    """Give loaded tables their keys and indexes, then attach them; other builds wait from there to the commit."""
    low, high = sql.Literal(index_id), sql.Literal(index_id + 1)
    for name in TABLES:
        add_key(conn, name, index_id)
    add_indexes(conn, index_id, chunk_count, later)
    for name in TABLES:
        statement = sql.SQL("ALTER TABLE {} ATTACH PARTITION {} FOR VALUES FROM ({}) TO ({})")
        conn.execute(statement.format(qualified(name), leaf(name, index_id), low, high))


def add_key(conn: psycopg.Connection, table: str, index_id: int) -> None:
    """Give a loaded table its key, unless it has it or is a shared one."""
    own = leaf(table, index_id)
    query = "SELECT 1 FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'p'"
    if is_shared(index_id) or conn.execute(query, [own.as_string(conn)]).fetchone():
        return
    key = sql.SQL(", ").join(map(sql.Identifier, TABLES[table].key))
    # The check saves PostgreSQL reading all rows, when it attaches the table, to see whether they belong there.
    statement = sql.SQL("ALTER TABLE {} ADD PRIMARY KEY ({}), ADD CHECK (index_id = {}), RESET (autovacuum_enabled)")
    conn.execute(statement.format(own, key, sql.Literal(index_id)))


def complete(conn: psycopg.Connection, table: str, index_id: int, chunk_count: int, like: int | None = None) -> None:
    """Give a loaded table that nobody else sees its key, search indexes and statistics.

    Args:
        like: an index from which most rows were copied: its statistics are as good.
    """
    add_key(conn, table, index_id)
    for name, index in missing_indexes(conn, index_id, chunk_count, (table,)):
        _create_index(conn, leaf(name, index_id), index, chunk_count, is_alone=False)
    if like is None or not _copy_statistics(conn, table, like, index_id):
        analyze(conn, index_id, (table,))


def largest_first(conn: psycopg.Connection, index_id: int) -> list[str]:
    """Tables by size, and so by the time that `complete` will take."""
    sizes = conn.execute(
        "SELECT name, pg_relation_size(table_name::regclass) FROM unnest(%s::text[], %s::text[]) t (name, table_name)",
        [list(TABLES), [leaf(name, index_id).as_string(conn) for name in TABLES]],
    ).fetchall()
    return [name for name, _ in sorted(sizes, key=lambda row: row[1], reverse=True)]


def missing_indexes(
    conn: psycopg.Connection, index_id: int, chunk_count: int, tables: Iterable[str] = TABLES
) -> list[tuple[str, LeafIndex]]:
    """The search indexes that the size asks for and that are not there, each with its table."""
    return [
        (name, index)
        for name in (() if is_shared(index_id) else tables)
        for index in TABLES[name].indexes
        if chunk_count >= index.min_chunks
        and _is_possible(conn, index)
        and not _has_index(conn, leaf(name, index_id), index.method)
    ]


def add_indexes(conn: psycopg.Connection, index_id: int, chunk_count: int, later: Collection[str] = ()) -> None:
    """Add the search indexes that the size asks for and that are missing; see `settle`. Readers go on meanwhile."""
    for name, index in missing_indexes(conn, index_id, chunk_count):
        if index.method not in later:
            _create_index(conn, leaf(name, index_id), index, chunk_count)


def _create_index(
    conn: psycopg.Connection, own: sql.Composed, index: LeafIndex, chunk_count: int, *, is_alone: bool = True
) -> None:
    """`is_alone`: no other connection makes another index at the same time."""
    values = {}
    if index.dimension_of is not None:
        column = sql.Identifier(index.dimension_of)
        row = conn.execute(sql.SQL("SELECT vector_dims({}) FROM {} LIMIT 1").format(column, own)).fetchone()
        if row is None:
            return
        values["dimension"] = sql.Literal(row[0])
    expression = sql.SQL(index.expression).format(**values)
    if index.method == "gin" and is_alone:  # half the time on two cores
        conn.execute("SET LOCAL max_parallel_maintenance_workers = 2")
    elif index.method == "hnsw":  # 0.65 of the time; its helper shares the graph, for which /dev/shm may be too small
        conn.execute(
            "SELECT set_config('max_parallel_maintenance_workers', '1', true) FROM pg_settings "
            "WHERE name = 'dynamic_shared_memory_type' AND setting = 'mmap'"
        )
    parts = 1
    while index.part_chunks and chunk_count > parts * index.part_chunks:
        parts *= 2
    memory_kb = index.build_bytes * chunk_count // parts // 1024 + _HELPERS_KB
    conn.execute(
        "SELECT set_config(name, %(kb)s || 'kB', true) FROM pg_settings "
        "WHERE name = 'maintenance_work_mem' AND setting::bigint < %(kb)s",
        {"kb": memory_kb},
    )
    statement = sql.SQL("CREATE INDEX ON {} USING {} ({})").format(own, sql.SQL(index.method), expression)
    for part in range(parts):
        rows = sql.SQL(" WHERE {}").format(sql.SQL(part_condition(part, parts)))
        conn.execute(statement + rows if parts > 1 else statement)
    conn.execute("SET LOCAL max_parallel_maintenance_workers TO DEFAULT; SET LOCAL maintenance_work_mem TO DEFAULT")


def _is_possible(conn: psycopg.Connection, index: LeafIndex) -> bool:
    """Whether the server has the operator class that an index needs."""
    query = "SELECT 1 FROM pg_opclass WHERE opcname = %s AND pg_opclass_is_visible(oid)"
    return index.operator_class is None or conn.execute(query, [index.operator_class]).fetchone() is not None


def _has_index(conn: psycopg.Connection, table: sql.Composed, method: str) -> bool:
    row = conn.execute(
        "SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam "
        "WHERE i.indrelid = %s::regclass AND a.amname = %s AND NOT i.indisprimary",
        [table.as_string(conn), method],
    ).fetchone()
    return row is not None


def analyze(conn: psycopg.Connection, index_id: int, tables: Iterable[str] = TABLES) -> None:
    """Refresh planner statistics; those of all tables after the commit, so that readers do not wait for it.

    By then others may have rebuilt or removed the index, which needs none any more.
    """
    conn.execute("SET LOCAL default_statistics_target = 20")  # a quarter of the time, and the same plans as with 100
    with suppress(psycopg.errors.UndefinedTable), conn.transaction():
        for table in () if is_shared(index_id) else tables:
            conn.execute(sql.SQL("ANALYZE {}").format(leaf(table, index_id)))


def _copy_statistics(conn: psycopg.Connection, table: str, source_id: int, index_id: int) -> bool:
    """Give a table the statistics that another index has of its columns; False if it has none or the server cannot."""
    if conn.info.server_version < _STATISTICS_SINCE:
        return False
    pairs: list[sql.Composable] = [
        sql.SQL("{}, {}{}").format(name, sql.Identifier(name), sql.SQL(cast)) for name, cast in _STATISTICS.items()
    ]
    # All rows have the number of their index, which is another one here.
    pairs.append(
        sql.SQL("'most_common_vals', CASE attname WHEN 'index_id' THEN %s ELSE most_common_vals::text END"),
    )
    query = sql.SQL(
        "SELECT bool_and(pg_restore_attribute_stats('schemaname', schemaname::text, 'relname', %s::text, "
        "'attname', attname::text, 'inherited', false, {})) FROM pg_stats "
        "WHERE schemaname = %s AND tablename = %s AND NOT inherited"
    ).format(sql.SQL(", ").join(pairs))
    values = [f"{table}_{index_id}", f"{{{index_id}}}", SCHEMA, f"{table}_{source_id}"]
    row = conn.execute(query, values).fetchone()
    return row is not None and row[0] is True


def remove_shared_rows(conn: psycopg.Connection, index_id: int) -> None:
    """Delete the rows of an index from the shared leaves; waits for nobody. Does nothing to leaves of its own."""
    for table in TABLES if is_shared(index_id) else ():
        conn.execute(sql.SQL("DELETE FROM {} WHERE index_id = %s").format(leaf(table, index_id)), [index_id])


def drop_build(conn: psycopg.Connection, index_id: int) -> None:
    """Remove what an unfinished build has written; nobody reads it."""
    remove_shared_rows(conn, index_id)
    for table in () if is_shared(index_id) else TABLES:  # an earlier version may have had fewer
        conn.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(leaf(table, index_id)))


def create_view(conn: psycopg.Connection, table_name: str) -> None:
    """Make the view that shows people the chunks of the index with this `table_name`, wherever they are."""
    view = qualified(table_name)
    conn.execute(
        sql.SQL(
            "CREATE VIEW {} AS SELECT * FROM {} WHERE index_id = (SELECT i.index_id FROM {} i WHERE i.table_name = {})"
        ).format(view, qualified("chunks"), qualified("indexes"), sql.Literal(table_name))
    )
    conn.execute(sql.SQL("COMMENT ON VIEW {} IS 'Chunks of one index; see table chunks.'").format(view))


def drop(
    conn: psycopg.Connection,
    index_id: int | None,
    table_name: str | None,
    patience_s: float,
    tell: Callable[[str], None],
) -> None:
    """Remove the rows and the view of an index.

    Args:
        index_id: None leaves the rows.
        table_name: None leaves the view.
        patience_s: how long to wait for readers.
        tell: gets a sentence that names who is waited for, once, if that takes long.
    Raises:
        BusyError: somebody kept reading the view or the index's own leaves for longer.
    """
    own = None if index_id is None or is_shared(index_id) else index_id
    if index_id is not None:
        remove_shared_rows(conn, index_id)
    tables = [] if own is None else [leaf(table, own) for table in TABLES]
    parents = list(map(qualified, TABLES)) if tables else []
    views = [] if table_name is None else [qualified(table_name)]

    def drop_all() -> None:
        for view in views:
            conn.execute(sql.SQL("DROP VIEW IF EXISTS {}").format(view))
        if own is not None:
            _lock([*parents, *tables], conn)
            _drop_tables(conn, own)

    def readers() -> str:
        return ", ".join(_readers(conn, [*views, *parents, *tables])) or "another connection"

    def tell_readers() -> None:
        tell(f"the index is being read by {readers()}: waiting for up to {patience_s:.0f} s")

    if not _between_readers(conn, drop_all, patience_s, tell_readers):
        raise BusyError(
            f"the index is being read by {readers()}: nothing was removed",
            hint="wait until it has finished, or stop that process, then retry",
        )


def unused(conn: psycopg.Connection) -> list[int]:
    """Numbers of own leaves that no index has any more: left by a rebuild or a move, for those who still read them.

    Those of an index that can be restored are not among them.
    """
    query = (
        "SELECT own.index_id FROM pg_inherits n JOIN pg_class c ON c.oid = n.inhrelid, "
        "LATERAL (SELECT substring(c.relname FROM '^chunks_([0-9]+)$')::int AS index_id) own "
        "WHERE n.inhparent = 'cocosearch_py.chunks'::regclass AND own.index_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM cocosearch_py.indexes i WHERE i.index_id = own.index_id) "
        "AND NOT EXISTS (SELECT 1 FROM cocosearch_py.cleared c WHERE c.index_id = own.index_id)"
    )
    return [row[0] for row in conn.execute(query)]


def drop_unused(conn: psycopg.Connection) -> None:
    """Drop own leaves that no index has any more, unless somebody goes on reading them.

    Whoever began before the last commit may have read the old number and come for the rows: those are waited for.
    """
    deadline = time.monotonic() + _UNUSED_PATIENCE_S
    known_to = _record_readers(conn)
    while known_to & _record_readers(conn):
        if time.monotonic() > deadline:
            return
        time.sleep(_LOCK_PAUSE_S)
    row = conn.execute("SELECT pg_try_advisory_xact_lock(%s, 0)", [WRITING_LOCK]).fetchone()
    for index_id in unused(conn) if row and row[0] else ():  # else somebody else is at it
        tables = [leaf(table, index_id) for table in TABLES]

        def drop_all(index_id: int = index_id, tables: Iterable[sql.Composed] = tables) -> None:
            _lock([*map(qualified, TABLES), *tables], conn)
            _drop_tables(conn, index_id)

        _between_readers(conn, drop_all, deadline - time.monotonic())


def _record_readers(conn: psycopg.Connection) -> set[str]:
    """Transactions that have read table `indexes`; not those of writing runs, which know their own index only."""
    query = (
        "SELECT virtualtransaction FROM pg_locks l WHERE l.relation = 'cocosearch_py.indexes'::regclass "
        "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
        "AND l.pid <> pg_backend_pid() AND NOT EXISTS (SELECT 1 FROM pg_locks w WHERE w.pid = l.pid "
        "AND w.locktype = 'advisory' AND w.classid = %s AND w.granted)"
    )
    return {row[0] for row in conn.execute(query, [WRITING_LOCK])}


def _drop_tables(conn: psycopg.Connection, index_id: int) -> None:
    for table in TABLES:
        conn.execute(sql.SQL("DROP TABLE {}").format(leaf(table, index_id)))


def _lock(relations: Iterable[sql.Composed], conn: psycopg.Connection) -> None:
    only = sql.SQL(", ").join([sql.SQL("ONLY {}").format(relation) for relation in relations])
    conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(only))


def _between_readers(
    conn: psycopg.Connection, work: Callable[[], None], patience_s: float, waits: Callable[[], None] = lambda: None
) -> bool:
    """Do work that needs exclusive locks, all of it or nothing; False if readers left no room for so long.

    `waits` is called once if it takes longer than _SILENCE_S.

    Readers take the tables in an order of their own, so a lock that is held while waiting for the next can be the
    other half of a deadlock, which would end a search or the whole run. Each try gives up, and gives back what it
    got, before the server looks for deadlocks (deadlock_timeout, 1 s).
    """
    started, told = time.monotonic(), False
    while True:
        try:
            with conn.transaction():
                conn.execute(sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(_LOCK_TRY_MS)))
                work()
                conn.execute("SET LOCAL lock_timeout = 0")
            return True
        except psycopg.errors.LockNotAvailable:
            waited_s = time.monotonic() - started
            if waited_s > patience_s:
                return False
            if not told and waited_s > _SILENCE_S:
                waits()
                told = True
            time.sleep(_LOCK_PAUSE_S)


def _readers(conn: psycopg.Connection, relations: Iterable[sql.Composed]) -> list[str]:
    """Return the holders of locks on the relations, in words: process, program, and how long it has run."""
    query = (
        "SELECT DISTINCT a.pid, coalesce(nullif(a.application_name, ''), a.usename, '?'), "
        "to_char(coalesce(a.query_start, a.xact_start), 'HH24:MI:SS') "
        "FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
        "WHERE l.relation IN (SELECT to_regclass(name) FROM unnest(%s::text[]) name) AND l.granted "
        "AND a.datname = current_database() AND a.pid <> pg_backend_pid() ORDER BY 1 LIMIT %s"
    )
    names = [relation.as_string(conn) for relation in relations]
    rows = conn.execute(query, [names, _MOST_NAMED])
    return [f"process {pid} ({program}, last statement at {since or '?'})" for pid, program, since in rows]
