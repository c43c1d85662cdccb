"""Files that another index of the database has already: which index that may be, and copies of their rows.

What the rows of a file say depends on its path in the folder, on its content and on the shape of the index (format
version, options, model), and on nothing else (docs/adr/0012). So rows of the same path and content are good for every
index of that shape. The caller owns the transaction.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.schema.partitions import FIRST_SHARED_ID, is_shared, leaf, rows_of
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.write import partitions
from cocosearch_py.storage.write.completion import complete
from cocosearch_py.storage.write.writer import Copied, StoredFile, load_ledger

_OF_THIS_RUN = frozenset({"mtime_ns", "content_class", "rule"})  # columns of files that are not the source's
_MOST_INDEXES = 100  # that are looked at, the newest first; each large one costs 0.1 ms


@dataclass(frozen=True, slots=True)
class Source:
    """An index to copy from."""

    index_id: int
    chunk_count: int


@dataclass(frozen=True, slots=True)
class SameFile:
    """A file whose rows are to be copied: what the source must have of it, and what is this index's own."""

    file_id: int
    content_hash: bytes
    status: str
    chunk_count: int
    mtime_ns: int
    content_class: str | None
    rule: str | None


def of_same_shape(conn: psycopg.Connection, record: IndexRecord, may_read: Callable[[str], bool]) -> list[Source]:
    """Other indexes whose rows would be good for this one, the last updated first.

    Args:
        may_read: whether the index of a folder exists for whoever asked for the run.
    """
    found = conn.execute(
        "SELECT index_id, chunk_count, root_path FROM cocosearch_py.indexes WHERE name <> %s AND format_version = %s "
        "AND options = %s AND embedding_model = %s AND embedding_dimension = %s ORDER BY updated_at DESC",
        [
            *(record.name, record.format_version, Jsonb(record.options)),
            *(record.embedding_model, record.embedding_dimension),
        ],
    )
    return [Source(index_id, chunks) for index_id, chunks, root_path in found if may_read(root_path)][:_MOST_INDEXES]


def most_alike(
    conn: psycopg.Connection, sources: Sequence[Source], sample: Sequence[tuple[int, int]], most: int
) -> list[Source]:
    """Of these indexes at most `most` that have a file of the sample, (file_id, size in bytes), in its size.

    Returns:
        The one with the most of them first. Nothing when one has gone meanwhile.
    """
    known = {source.index_id: source for source in sources}
    own = [
        sql.SQL("SELECT index_id, file_id, size_bytes FROM {} WHERE index_id = {} AND file_id = ANY(%(ids)s)").format(
            leaf("files", index_id), index_id
        )
        for index_id in known
        if not is_shared(index_id)
    ]
    shared = sql.SQL(
        "SELECT index_id, file_id, size_bytes FROM {} WHERE index_id = ANY(%(shared)s) AND file_id = ANY(%(ids)s)"
    ).format(leaf("files", FIRST_SHARED_ID))
    query = sql.SQL(
        "SELECT index_id FROM ({}) f JOIN unnest(%(ids)s::bigint[], %(sizes)s::bigint[]) s (file_id, size_bytes) "
        "USING (file_id, size_bytes) GROUP BY 1 ORDER BY count(*) DESC, 1 DESC LIMIT %(most)s"
    ).format(sql.SQL(" UNION ALL ").join([*own, shared]))
    values = {
        "ids": [file_id for file_id, _ in sample],
        "sizes": [size for _, size in sample],
        "shared": [index_id for index_id in known if is_shared(index_id)],
        "most": most,
    }
    try:
        with conn.transaction(force_rollback=True):  # gives the locks back: deleting these indexes need not wait
            return [known[row[0]] for row in conn.execute(query, values)]
    except psycopg.errors.UndefinedTable:
        return []


def ledger_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> dict[str, StoredFile]:
    """Path -> what an index has stored, of these files. Nothing when it has gone."""
    try:
        with conn.transaction(force_rollback=True):
            return load_ledger(conn, index_id, file_ids)
    except psycopg.errors.UndefinedTable:
        return {}


def hold(conn: psycopg.Connection, index_id: int) -> bool:
    """Keep the tables of an index until the transaction ends; False when they have gone."""
    if is_shared(index_id):
        return True
    try:
        with conn.transaction():
            tables = sql.SQL(", ").join([leaf(table, index_id) for table in TABLES])
            conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(tables))
    except psycopg.errors.UndefinedTable:
        return False
    return True


def copy_files(
    conn: psycopg.Connection, source: Source, target_id: int, files: Sequence[SameFile], *, is_empty: bool, is_all: bool
) -> Copied:
    """Copy the rows of those of the files that the source has, with this content, in the moment of copying.

    One statement copies into all tables, so that what is copied belongs together whoever writes the source meanwhile.
    Counting all terms of a large index takes longer than copying it: if most of it is copied, the rest is counted. What
    follows from all files is copied then, too: the vocabulary, and dependencies where both have the same files.

    Args:
        is_empty: nothing has been written to the target.
        is_all: the target is to have no other files with content.
    """
    mostly = 2 * sum(file.chunk_count for file in files) >= source.chunk_count
    with_vocabulary = mostly and is_empty
    inserts = [
        sql.SQL("{} AS ({})").format(sql.Identifier(f"new_{name}"), _copied(name, source.index_id, target_id))
        for name, table in TABLES.items()
        if table.of_content or name == "files" or (with_vocabulary and (name != "dependencies" or is_all))
    ]
    counts = [_counted(source, sql.SQL("-" if mostly else ""), sql.SQL("NOT" if mostly else ""))]
    if mostly and not with_vocabulary:
        counts.append(sql.SQL("SELECT lexeme, df FROM {} r").format(rows_of("lexemes", source.index_id)))
    statement = sql.SQL("WITH {}, {} {}").format(
        _same(source), sql.SQL(", ").join(inserts), sql.SQL(" UNION ALL ").join(counts)
    )
    frequencies: Counter[str] = Counter()
    for lexeme, df in conn.execute(statement, _values(source, target_id, files)):
        frequencies[lexeme] += df
    copied = load_ledger(conn, target_id, [file.file_id for file in files]).values()
    has_dependencies = (
        with_vocabulary and is_all and len(copied) == len(files) and _has_rows(conn, "dependencies", target_id)
    )
    return Copied({file.file_id: file.chunk_count for file in copied}, frequencies, with_vocabulary, has_dependencies)


def copy_whole(
    first: psycopg.Connection,
    second: psycopg.Connection,
    source: Source,
    target_id: int,
    files: Sequence[SameFile],
    *,
    is_all: bool,
) -> Copied:
    """Copy the same as `copy_files` does if most of a source is copied, and complete each table, by two connections.

    They have one snapshot, so that what they copy belongs together, and commit. The tables are committed and empty but
    for `files`; as the two make them anew, they need no log.

    Args:
        first, second: neither has read or written anything in its transaction.
    """
    first.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    snapshot = first.execute("SELECT pg_export_snapshot()").fetchall()[0][0]
    begin = sql.SQL("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT {}")
    second.execute(begin.format(sql.Literal(snapshot)))
    statement = sql.SQL("WITH {} {} RETURNING file_id, {}").format(
        _same(source), _copied("files", source.index_id, target_id), _none_besides(source.index_id)
    )
    found = first.execute(statement, _values(source, target_id, files)).fetchall()
    known: dict[str, Any] = {"index_id": source.index_id, "target_id": target_id, "same": [row[0] for row in found]}
    is_whole = bool(found) and found[0][1]
    chunks = {file.file_id: file.chunk_count for file in files}
    copied = {file_id: chunks[file_id] for file_id in known["same"]}
    frequencies = Counter[str]()
    if not is_whole:
        counts = sql.SQL("WITH {} {}").format(_KNOWN, _counted(source, sql.SQL("-"), sql.SQL("NOT")))
        frequencies.update(dict(first.execute(counts, known).fetchall()))
    has_dependencies = is_all and is_whole and len(copied) == len(files)
    tables = partitions.largest_first(first, source.index_id)
    tables.remove("files")
    if not has_dependencies:
        tables.remove("dependencies")

    def add_rest(conn: psycopg.Connection, table: str) -> None:
        partitions.complete(conn, table, target_id, sum(copied.values()), source.index_id)

    def copy_one(conn: psycopg.Connection, table: str) -> None:
        conn.execute(sql.SQL("TRUNCATE {}").format(leaf(table, target_id)))
        rows = _copied(table, source.index_id, target_id, is_whole=is_whole)
        conn.execute(rows if is_whole else sql.SQL("WITH {} {}").format(_KNOWN, rows), known)
        add_rest(conn, table)

    def end(conn: psycopg.Connection) -> None:
        if conn is first:  # which holds a lock of this table
            add_rest(conn, "files")
        conn.commit()

    complete(first, second, tables, copy_one, end)
    return Copied(copied, frequencies, True, has_dependencies, frozenset([*tables, "files"]))


def _has_rows(conn: psycopg.Connection, table: str, index_id: int) -> bool:
    query = sql.SQL("SELECT EXISTS (SELECT FROM {} r)").format(rows_of(table, index_id))
    row = conn.execute(query, {"index_id": index_id}).fetchone()
    return bool(row and row[0])


# The files that are copied where their ids are known.
_KNOWN = sql.SQL("same AS MATERIALIZED (SELECT unnest(%(same)b::bigint[]) AS file_id)")


def _same(source: Source) -> sql.Composed:
    """The files that are copied: those of `_values` that the source has."""
    return sql.SQL(
        "wanted AS MATERIALIZED (SELECT * FROM unnest(%(ids)b::bigint[], %(hashes)b::bytea[], "
        "%(statuses)b::text[], %(times)b::bigint[], %(classes)b::text[], %(rules)b::text[]) "
        "w (file_id, content_hash, status, new_mtime_ns, new_content_class, new_rule)), "
        "same AS MATERIALIZED (SELECT r.*, w.new_mtime_ns, w.new_content_class, w.new_rule "
        "FROM {} r JOIN wanted w USING (file_id, content_hash, status))"
    ).format(rows_of("files", source.index_id))


def _values(source: Source, target_id: int, files: Sequence[SameFile]) -> dict[str, Any]:
    return {
        "index_id": source.index_id,
        "target_id": target_id,
        "ids": [file.file_id for file in files],
        "hashes": [file.content_hash for file in files],
        "statuses": [file.status for file in files],
        "times": [file.mtime_ns for file in files],
        "classes": [file.content_class for file in files],
        "rules": [file.rule for file in files],
    }


def _none_besides(source_id: int) -> sql.Composed:
    """Whether the source has no other files with content than `same`."""
    return sql.SQL(
        "NOT EXISTS (SELECT FROM {} f WHERE status = 'indexed' AND file_id NOT IN (SELECT file_id FROM same))"
    ).format(rows_of("files", source_id))


def _copied(table: str, source_id: int, target_id: int, *, is_whole: bool = False) -> sql.Composed:
    """The statement that copies the rows of a table; a `same` before it says of which files.

    Args:
        is_whole: the source is known to have no other files with content.
    """
    names = [column.name for column in TABLES[table].columns[1:]]
    values = [f"new_{name}" if table == "files" and name in _OF_THIS_RUN else name for name in names]
    rows = sql.SQL("same") if table == "files" else sql.SQL("{} r").format(rows_of(table, source_id))
    conditions: list[sql.Composable] = []
    if "file_id" in TABLES[table].key and table != "files" and not is_whole:
        conditions.append(sql.SQL("file_id IN (SELECT file_id FROM same)"))
    if table == "dependencies" and not is_whole:
        conditions.append(_none_besides(source_id))
    return sql.SQL("INSERT INTO {} (index_id, {}) SELECT %(target_id)s, {} FROM {} {}").format(
        leaf(table, target_id),
        sql.SQL(", ").join(map(sql.Identifier, names)),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        rows,
        sql.SQL("WHERE {}").format(sql.SQL(" AND ").join(conditions)) if conditions else sql.SQL(""),
    )


def _counted(source: Source, sign: sql.SQL, negation: sql.SQL) -> sql.Composed:
    """Lexemes, and how many chunks of the files that are copied, or are not, have them."""
    return sql.SQL(  # OFFSET keeps the planner from taking apart the terms of chunks that do not count
        "SELECT lexeme, {}count(*) FROM (SELECT terms FROM {} r "
        "WHERE {} EXISTS (SELECT FROM same WHERE same.file_id = r.file_id) OFFSET 0) k, unnest(terms) GROUP BY 1"
    ).format(sign, rows_of("keywords", source.index_id), negation)
