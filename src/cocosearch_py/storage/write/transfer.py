"""All rows of an index, leaving one database and coming into another: table by table in PostgreSQL's binary COPY form.

The form is the same for PostgreSQL 16 to 18 and names no index, so equal rows are equal bytes. The caller owns the
transaction.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.errors import ValidationError
from cocosearch_py.storage.schema.partitions import leaf
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.write import partitions

_BROKEN = (psycopg.DataError, psycopg.IntegrityError, psycopg.NotSupportedError, psycopg.InternalError)
# Of a large index this takes two thirds of the time, and until it is there vectors are compared one by one.
_LATER = ("hnsw",)
# Tables in bundles of earlier versions whose rows are no longer needed.
RETIRED_TABLES = frozenset({"grams", "posted_files"})
_REMEDY = "the bundle was not made by `export`, or by another version: export it again"


class LoadedFile(NamedTuple):
    """A row of table `files`.

    Attributes:
        chunks, bytes: number of its chunks, and size of their content.
        is_numbered: its chunks and definitions are numbered without gaps.
    """

    file_id: int
    path: str
    status: str
    reason: str | None
    parse_status: str | None
    content_class: str | None
    line_count: int
    chunk_count: int
    chunks: int
    bytes: int
    is_numbered: bool


def table_names() -> tuple[str, ...]:
    """The fact tables, in the order in which they travel."""
    return tuple(sorted(TABLES))


def columns_of(table: str) -> list[str]:
    """The columns that travel: all but the number of the index."""
    return [column.name for column in TABLES[table].columns[1:]]


def freeze(conn: psycopg.Connection) -> None:
    """Read from here on what is there now, whoever writes meanwhile; before the transaction's first statement."""
    conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def dump(conn: psycopg.Connection, table: str, index_id: int, write: Callable[[bytes], object]) -> int:
    """Give the rows of an index in a table, by its key, to `write`; return how many."""
    names = sql.SQL(", ").join(map(sql.Identifier, columns_of(table)))
    key = sql.SQL(", ").join(map(sql.Identifier, TABLES[table].key))
    query = sql.SQL("COPY (SELECT {} FROM {} WHERE index_id = {} ORDER BY {}) TO STDOUT (FORMAT binary)")
    cursor = conn.cursor()
    with cursor.copy(query.format(names, leaf(table, index_id), sql.Literal(index_id), key)) as rows:
        for block in rows:
            write(bytes(block))
    return cursor.rowcount


def make_room(conn: psycopg.Connection) -> int:
    """Tables that rows can be loaded into, under a number that no index has: the number."""
    index_id = partitions.new_id(conn, own=True)
    partitions.create(conn, index_id)
    for table in TABLES:
        # Rows name no index: the default does.
        statement = sql.SQL("ALTER TABLE {} ALTER COLUMN index_id SET DEFAULT {}")
        conn.execute(statement.format(leaf(table, index_id), sql.Literal(index_id)))
    return index_id


def load(conn: psycopg.Connection, table: str, index_id: int, columns: Sequence[str], blocks: Iterable[bytes]) -> int:
    """Write rows into a table; return how many.

    Raises:
        ValidationError: it has no such columns, or these are no rows of it.
    """
    if unknown := [name for name in columns if name not in columns_of(table)]:
        raise ValidationError(f"table {table} has no column {unknown[0][:60]}", hint=_REMEDY)
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    query = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT binary)").format(leaf(table, index_id), names)
    cursor = conn.cursor()
    try:
        with cursor.copy(query) as rows:
            for block in blocks:
                rows.write(block)
    except _BROKEN as error:
        raise ValidationError(f"the rows of table {table} cannot be read: {_told(error)}", hint=_REMEDY) from error
    return cursor.rowcount


def loaded_files(conn: psycopg.Connection, index_id: int) -> Iterator[LoadedFile]:
    """The files that were loaded, with what their chunks amount to."""
    query = sql.SQL(
        "SELECT file_id, path, status, reason, parse_status, content_class, line_count, chunk_count, "
        "coalesce(chunks, 0), coalesce(bytes, 0), coalesce(chunks > last_chunk AND symbols > last_symbol, true) "
        "FROM {files} LEFT JOIN (SELECT file_id, count(*) AS chunks, max(chunk_no) AS last_chunk, "
        "sum(octet_length(content))::bigint AS bytes FROM {chunks} GROUP BY file_id) c USING (file_id) "
        "LEFT JOIN (SELECT file_id, count(*) AS symbols, max(symbol_no) AS last_symbol FROM {symbols} "
        "GROUP BY file_id) s USING (file_id)"
    )
    tables = {name: leaf(name, index_id) for name in ("files", "chunks", "symbols")}
    for row in conn.execute(query.format(**tables)):
        yield LoadedFile(*row)


def settle(conn: psycopg.Connection, index_id: int, chunk_count: int, own_leaf_chunks: int) -> int:
    """Put the loaded index where it belongs by its size; return its number there. It answers before `complete`.

    Raises:
        ValidationError: its rows contradict each other.
    """
    for table in TABLES:
        conn.execute(sql.SQL("ALTER TABLE {} ALTER COLUMN index_id DROP DEFAULT").format(leaf(table, index_id)))
    try:
        return partitions.settle(conn, index_id, chunk_count, own_leaf_chunks, building=True, later=_LATER)
    except _BROKEN as error:
        raise ValidationError(f"the rows contradict each other: {_told(error)}", hint=_REMEDY) from error


def is_complete(conn: psycopg.Connection, index_id: int, chunk_count: int) -> bool:
    """Whether `complete` has nothing to do."""
    return not partitions.missing_indexes(conn, index_id, chunk_count)


def complete(conn: psycopg.Connection, index_id: int, chunk_count: int) -> None:
    """Add what a loaded index answers without, but faster with. Readers go on meanwhile."""
    partitions.add_indexes(conn, index_id, chunk_count)


def check_facts(conn: psycopg.Connection, index_id: int, dimension: int) -> None:
    """Raise ValidationError for rows that no run writes, rows of no indexed file among them; one query a table.

    Args:
        dimension: numbers in a vector.
    """
    files = leaf("files", index_id)
    for name, table in TABLES.items():
        of_file = name != "files" and "file_id" in table.key
        joins = "LEFT JOIN {files} f ON f.file_id = t.file_id" if of_file else ""
        if any(column.name == "target_file_id" for column in table.columns):
            joins += " LEFT JOIN {files} target ON target.file_id = t.target_file_id"
        # An aggregate, not LIMIT 1: for one row the planner would compare each row with all files.
        query = sql.SQL("SELECT bool_or({stray} OR ({sound}) IS FALSE) FROM {rows} t {joins}").format(
            rows=leaf(name, index_id),
            joins=sql.SQL(joins).format(files=files),
            stray=sql.SQL("f.status IS DISTINCT FROM 'indexed'" if of_file else "false"),
            sound=sql.SQL(table.sound),
        )
        if conn.execute(query, {"dimension": dimension}).fetchone() == (True,):
            raise ValidationError(f"table {name} has invalid rows", hint=_REMEDY)


def _told(error: psycopg.Error) -> str:
    return str(error).splitlines()[0]
