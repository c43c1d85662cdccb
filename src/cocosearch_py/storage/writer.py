"""Loading one run: batches of COPY rows into the leaves of an index, inside the caller's transaction.

A run either builds detached leaves (new or rebuilt index) or replaces files in the live ones. Document frequencies
are collected over the run and written once.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import psycopg
from psycopg import sql

from cocosearch_py.storage import partitions
from cocosearch_py.storage.copy import SIGNATURE, TRAILER
from cocosearch_py.storage.names import COPY_COLUMNS, SCHEMA

_CONTENT_TABLES = ("chunks", "keywords", "vectors", "symbols")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """What the ledger remembers of a file, enough to see whether it changed without reading it."""

    file_id: int
    path: str
    status: str
    reason: str | None
    size_bytes: int
    mtime_ns: int
    content_hash: bytes | None
    language_id: str | None
    file_count: int
    chunk_count: int
    rule: str | None = None
    error: str | None = None


def load_ledger(conn: psycopg.Connection, table_name: str) -> dict[str, StoredFile]:
    """Path -> what is stored, for all rows of an index."""
    query = sql.SQL(
        "SELECT file_id, path, status, reason, size_bytes, mtime_ns, content_hash, language_id, file_count, "
        "chunk_count, rule, error FROM {}"
    ).format(partitions.leaf("files", table_name))
    cursor = conn.cursor(binary=True)
    return {row[1]: StoredFile(*row) for row in cursor.execute(query)}


@dataclass(slots=True)
class IndexWriter:
    """Writes one run of one index. `building` says whether detached leaves are loaded or live ones changed."""

    conn: psycopg.Connection
    index_id: int
    table_name: str
    building: bool
    chunks_written: int = 0
    chunks_removed: int = 0
    _document_frequencies: Counter[str] = field(default_factory=Counter)

    def begin(self) -> None:
        if self.building:
            partitions.create_building(self.conn, self.table_name)

    def write(self, rows: Mapping[str, Sequence[bytes]], document_frequencies: Mapping[str, int]) -> None:
        """Append one batch: table name -> rows as `rows` builds them."""
        for table, table_rows in rows.items():
            if table_rows:
                self._copy(self._leaf(table), table, table_rows)
        self.chunks_written += len(rows.get("chunks", ()))
        self._document_frequencies.update(document_frequencies)

    def remove(self, file_ids: Sequence[int], *, with_content: bool = True) -> None:
        """Delete files from the live leaves; `with_content` False when they have no chunks (ledger row only)."""
        if not file_ids or self.building:
            return
        if with_content:
            gone = self.conn.execute(
                sql.SQL("SELECT lexeme, count(*) FROM {}, unnest(terms) WHERE file_id = ANY(%s) GROUP BY 1").format(
                    self._leaf("keywords")
                ),
                [list(file_ids)],
            )
            self._document_frequencies.subtract(dict(gone.fetchall()))
            for table in _CONTENT_TABLES:
                done = self._delete(table, file_ids)
                if table == "chunks":
                    self.chunks_removed += done
        self._delete("files", file_ids)

    def touch(self, times: Iterable[tuple[int, int]]) -> None:
        """Store new modification times of files whose content is unchanged: (file_id, mtime_ns)."""
        pairs = list(times)
        if pairs:
            query = sql.SQL(
                "UPDATE {} f SET mtime_ns = t.mtime_ns FROM unnest(%s::bigint[], %s::bigint[]) AS t(file_id, mtime_ns) "
                "WHERE f.file_id = t.file_id"
            ).format(self._leaf("files"))
            self.conn.execute(query, [[pair[0] for pair in pairs], [pair[1] for pair in pairs]])

    def count_indexed_files(self) -> int:
        """Files with content, after everything was written and before `finish`."""
        query = sql.SQL("SELECT count(*) FROM {} WHERE status = 'indexed'").format(self._leaf("files"))
        row = self.conn.execute(query).fetchone()
        return int(row[0]) if row else 0

    def write_vocabulary(self, lexeme_rows: Sequence[bytes]) -> None:
        """Bring table `lexemes` up to date with rows that hold `document_frequencies()`."""
        if self.building:
            self._copy(self._leaf("lexemes"), "lexemes", lexeme_rows)
        elif lexeme_rows:
            self._merge_lexemes(lexeme_rows)

    def finish(self, chunk_count: int) -> None:
        """Put a built index in place; give a grown one the search indexes that its size asks for."""
        if self.building:
            partitions.attach_built(self.conn, self.table_name, self.index_id, chunk_count)
        else:
            partitions.add_search_indexes(self.conn, self.table_name, chunk_count)

    def document_frequencies(self) -> dict[str, int]:
        """Lexeme -> change of its document frequency by this run, zero changes left out."""
        return {lexeme: df for lexeme, df in self._document_frequencies.items() if df}

    def _merge_lexemes(self, lexeme_rows: Sequence[bytes]) -> None:
        staging = sql.Identifier("lexeme_changes")
        self.conn.execute(
            sql.SQL("CREATE TEMP TABLE {} (LIKE {}.lexemes) ON COMMIT DROP").format(staging, sql.Identifier(SCHEMA))
        )
        self._copy(staging, "lexemes", lexeme_rows)
        target = self._leaf("lexemes")
        self.conn.execute(
            sql.SQL(
                "INSERT INTO {} AS l (index_id, lexeme, position, df) SELECT index_id, lexeme, position, df FROM {} "
                "ON CONFLICT (index_id, lexeme) DO UPDATE SET df = l.df + excluded.df"
            ).format(target, staging)
        )
        self.conn.execute(sql.SQL("DELETE FROM {} WHERE df <= 0").format(target))

    def _leaf(self, table: str) -> sql.Composed:
        return partitions.leaf(table, self.table_name, building=self.building)

    def _delete(self, table: str, file_ids: Sequence[int]) -> int:
        query = sql.SQL("DELETE FROM {} WHERE index_id = %s AND file_id = ANY(%s)").format(self._leaf(table))
        return self.conn.execute(query, [self.index_id, list(file_ids)]).rowcount

    def _copy(self, target: sql.Composable, table: str, rows: Sequence[bytes]) -> None:
        columns = sql.SQL(", ").join(map(sql.Identifier, COPY_COLUMNS[table]))
        freeze = sql.SQL(", FREEZE") if self.building else sql.SQL("")
        query = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT binary{})").format(target, columns, freeze)
        with self.conn.cursor().copy(query) as copy:
            copy.write(SIGNATURE + b"".join(rows) + TRAILER)
