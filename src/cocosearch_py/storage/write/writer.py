"""Loading one run: batches of COPY rows into the leaves of an index, inside the caller's transaction.

A run either builds (new or rebuilt index) under a number of its own, beside what readers see, or replaces files where
they are. Document frequencies are collected over the run and written once.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.files import FileStatus
from cocosearch_py.model.references import Offer
from cocosearch_py.storage.schema.copy import SIGNATURE, TRAILER
from cocosearch_py.storage.schema.partitions import is_shared, leaf, rows_of
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.write import partitions
from cocosearch_py.storage.write.terms import TermCounts, pages

_FILES_AT_ONCE = 2_000  # whose terms are counted by one statement
# Rows that wait for more, some 1.2 MB a batch: a COPY costs what a few hundred rows do, before its first one.
_MOST_WAITING_BYTES = 8_000_000


class StoredFile(NamedTuple):
    """Row of the ledger, enough to see whether a file changed without reading it.

    A tuple, because each run makes one for every file.
    """

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
    content_class: str | None = None

    @property
    def lacks_vectors(self) -> bool:
        """Whether it has content that could not be embedded."""
        return self.status == FileStatus.INDEXED and self.error is not None

    @property
    def has_plain_class(self) -> bool:
        """Whether it has content of a class that no rule gave it."""
        return self.content_class is not None and self.rule is None


@dataclass(frozen=True, slots=True)
class Copied:
    """Rows that a run has copied from another index.

    Attributes:
        files: file_id -> number of its chunks.
        document_frequencies: lexeme -> chunks that hold it; if the source's vocabulary was copied, what that lacks.
        with_vocabulary: whether that was.
        with_dependencies: whether these were, and all of them.
        completed: tables that have got their keys, search indexes and statistics.
    """

    files: dict[int, int]
    document_frequencies: Counter[str]
    with_vocabulary: bool
    with_dependencies: bool
    completed: frozenset[str] = frozenset()


def load_ledger(
    conn: psycopg.Connection, index_id: int, file_ids: Sequence[int] | None = None
) -> dict[str, StoredFile]:
    """Path -> what is stored, for all rows of an index or for these."""
    query = sql.SQL(
        "SELECT file_id, path, status, reason, size_bytes, mtime_ns, content_hash, language_id, file_count, "
        "chunk_count, rule, error, content_class FROM {} f{}"
    ).format(rows_of("files", index_id), sql.SQL("" if file_ids is None else " WHERE file_id = ANY(%(files)s)"))
    values = {"index_id": index_id, "files": None if file_ids is None else list(file_ids)}
    cursor = conn.cursor(binary=True)
    return {row[1]: StoredFile._make(row) for row in cursor.execute(query, values).fetchall()}


@dataclass(slots=True)
class IndexWriter:
    """Writes one run of one index.

    `live_id` is the number under which readers know the index, None if it is new. `index_id` is the one that this run
    writes to: another one when it builds (`partitions.new_id`), else the same. `committed` tells that a build has rows
    from an earlier transaction. `files_written` and `files_removed` are the files that this run read and wrote, and
    those that were there before and it removed; a file that it replaces is among both.
    `has_dependencies` tells that all came with theirs. `importable_removed` are path and language of files that it
    removed and that can be imported, `offers_removed` definitions of the files that it removed, `packages_removed`
    their packages or namespaces, each with the file that said it is in it. `completed` are tables of a build that have
    all but their place.
    """

    conn: psycopg.Connection
    index_id: int
    live_id: int | None
    chunks_written: int = 0
    chunks_removed: int = 0
    committed: bool = False
    files_written: set[int] = field(default_factory=set)
    files_removed: set[int] = field(default_factory=set)
    has_dependencies: bool = False
    completed: frozenset[str] = frozenset()
    importable_removed: dict[int, tuple[str, str]] = field(default_factory=dict)
    offers_removed: list[Offer] = field(default_factory=list)
    packages_removed: set[tuple[int, str]] = field(default_factory=set)
    _terms: TermCounts = field(init=False)
    _has_vocabulary: bool = False  # of this build, from another index
    _waiting: dict[str, list[bytes]] = field(default_factory=dict)
    _waiting_bytes: int = 0

    def __post_init__(self) -> None:
        self._terms = TermCounts(self.conn)

    @property
    def building(self) -> bool:
        return self.index_id != self.live_id

    @property
    def is_empty(self) -> bool:
        """Whether nothing that follows from the content of files has been written to this build."""
        written = self.committed or self.files_written or self.chunks_written or self._has_vocabulary
        return self.building and not written

    def begin(self) -> None:
        if self.building and not self.committed:
            partitions.create(self.conn, self.index_id)

    def go_on(self, without: Sequence[int]) -> None:
        """Take up what an unfinished build has committed under `index_id`, but for some files."""
        self.committed = True
        for table in (name for name, declared in TABLES.items() if "file_id" in declared.key) if without else ():
            self._delete(table, without)
        # Those of another index, if its files were copied: all that follows from several files is made anew.
        for table in (name for name, declared in TABLES.items() if not declared.of_content and name != "files"):
            self.clear(table, None)
        query = sql.SQL("SELECT lexeme, count(*) FROM {} k, unnest(terms) GROUP BY 1")
        for page in pages(self.conn, query.format(rows_of("keywords", self.index_id)), {"index_id": self.index_id}):
            self._terms.add(dict(page))
        row = self._execute("SELECT count(*) FROM {} c", "chunks").fetchone()
        self.chunks_written = int(row[0]) if row else 0

    def write(self, rows: Mapping[str, Sequence[bytes]]) -> None:
        """Append rows: table name -> rows as `rows` builds them, one or more in a piece."""
        self.append(rows, {}, 0)
        self.flush()

    def append(self, rows: Mapping[str, Sequence[bytes]], document_frequencies: Mapping[str, int], chunks: int) -> None:
        """Append one batch of many, of which so many rows are chunks: it may wait for later ones, or for `flush`."""
        for table, pieces in rows.items():
            if piece := pieces[0] if len(pieces) == 1 else b"".join(pieces):
                self._waiting.setdefault(table, []).append(piece)
                self._waiting_bytes += len(piece)
        self.chunks_written += chunks
        self._terms.add(document_frequencies)
        if self._waiting_bytes > _MOST_WAITING_BYTES:
            self.flush()

    def flush(self) -> None:
        """Send the rows that wait; those who read what the run has written so far come after that."""
        while self._waiting:
            table, pieces = self._waiting.popitem()
            self._copy(leaf(table, self.index_id), table, pieces)
        self._waiting_bytes = 0

    def count_copied(self, copied: Copied) -> None:
        """Take account of what was copied from another index."""
        self.chunks_written += sum(copied.files.values())
        self.files_written |= copied.files.keys()
        self._has_vocabulary |= copied.with_vocabulary
        self.has_dependencies |= copied.with_dependencies
        self.completed |= copied.completed
        self._terms.add(copied.document_frequencies)

    def remove(self, file_ids: Sequence[int], *, with_content: bool = True) -> None:
        """Delete files from a live index; `with_content` False when they have no chunks (ledger row only)."""
        if not file_ids or self.building:
            return
        if with_content:
            query = "SELECT lexeme, count(*) FROM {} k, unnest(terms) WHERE file_id = ANY(%(files)s) GROUP BY 1"
            for start in range(0, len(file_ids), _FILES_AT_ONCE):
                some = list(file_ids[start : start + _FILES_AT_ONCE])
                self._terms.subtract(dict(self._execute(query, "keywords", files=some).fetchall()))
            self.chunks_removed += self._delete_content(file_ids)
        else:
            self._delete("files", file_ids)

    def _delete_content(self, file_ids: Sequence[int]) -> int:
        """Delete the rows that files have in all tables, in one statement; return how many were chunks."""
        tables = ["files", *(name for name, declared in TABLES.items() if declared.of_content)]
        gone = sql.SQL(
            "{} AS (DELETE FROM {} WHERE index_id = %(index_id)s AND file_id = ANY(%(files)s::bigint[]) RETURNING 1)"
        )
        each = [gone.format(sql.Identifier(table), leaf(table, self.index_id)) for table in tables]
        query = sql.SQL("WITH {} SELECT count(*) FROM chunks").format(sql.SQL(", ").join(each))
        row = self.conn.execute(query, {"index_id": self.index_id, "files": list(file_ids)}).fetchone()
        return int(row[0]) if row else 0

    def add_key(self, table: str) -> None:
        """Give a table its key, if this is a build that is to be read by it before it ends; all rows are written."""
        if self.building:
            partitions.add_key(self.conn, table, self.index_id)

    def clear(self, table: str, file_ids: Sequence[int] | None) -> None:
        """Delete the rows of a table that follow from several files; those of these files if any are named."""
        if file_ids is not None:
            self._delete(table, file_ids)
        else:
            query = sql.SQL("DELETE FROM {} WHERE index_id = %s").format(leaf(table, self.index_id))
            self.conn.execute(query, [self.index_id])

    def touch(self, times: Iterable[tuple[int, int]]) -> None:
        """Store new modification times of files whose content is unchanged: (file_id, mtime_ns)."""
        pairs = list(times)
        if pairs:
            query = sql.SQL(
                "UPDATE {} f SET mtime_ns = t.mtime_ns FROM unnest(%s::bigint[], %s::bigint[]) AS t(file_id, mtime_ns) "
                "WHERE f.index_id = %s AND f.file_id = t.file_id"
            ).format(leaf("files", self.index_id))
            self.conn.execute(query, [[pair[0] for pair in pairs], [pair[1] for pair in pairs], self.index_id])

    def classify(self, classes: Iterable[tuple[int, str | None, str | None]]) -> None:
        """Store another class of files whose content stays as it is: (file_id, class, rule)."""
        if triples := list(classes):
            query = sql.SQL(
                "UPDATE {} f SET content_class = t.content_class, rule = t.rule "
                "FROM unnest(%s::bigint[], %s::text[], %s::text[]) AS t(file_id, content_class, rule) "
                "WHERE f.index_id = %s AND f.file_id = t.file_id"
            ).format(leaf("files", self.index_id))
            self.conn.execute(query, [*map(list, zip(*triples, strict=True)), self.index_id])

    def note_errors(self, file_ids: Collection[int], error: str | None) -> None:
        """Store what went wrong with files that have content all the same."""
        if file_ids:
            self.flush()
            query = sql.SQL("UPDATE {} SET error = %s WHERE index_id = %s AND file_id = ANY(%s)")
            self.conn.execute(query.format(leaf("files", self.index_id)), [error, self.index_id, list(file_ids)])

    def count_indexed_files(self) -> int:
        """Files with content, after everything was written and before `finish`."""
        row = self._execute("SELECT count(*) FROM {} f WHERE status = 'indexed'", "files").fetchone()
        return int(row[0]) if row else 0

    def write_vocabulary(self) -> None:
        """Bring table `lexemes` up to date with the document frequencies that this run has changed."""
        if self.building and not self._has_vocabulary:
            rows = self._terms.rows(self.index_id)
            if rows is None:
                self._terms.insert(self.index_id)
            else:
                self.write({"lexemes": rows})
            return
        if self.building:
            partitions.add_key(self.conn, "lexemes", self.index_id)
        self._terms.merge(self.index_id)

    def complete(self, chunk_count: int) -> None:
        """Give the tables of a build that are not completed yet their keys, search indexes and statistics."""
        for table in (name for name in TABLES if name not in self.completed):
            partitions.complete(self.conn, table, self.index_id, chunk_count)

    def finish(self, chunk_count: int, own_leaf_chunks: int) -> int:
        """Put the index where it belongs by its size and remove what it replaces; see `partitions.settle`.

        Returns:
            The number under which it is to be known from the commit on. Old leaves of its own stay for those who read
            them; `partitions.drop_unused` removes them afterwards.
        """
        final_id = partitions.settle(self.conn, self.index_id, chunk_count, own_leaf_chunks, building=self.building)
        if self.building and self.live_id is not None:
            partitions.remove_shared_rows(self.conn, self.live_id)
        return final_id

    def _execute(self, query: LiteralString, table: str, **values: object) -> psycopg.Cursor[tuple[Any, ...]]:
        statement = sql.SQL(query).format(rows_of(table, self.index_id))
        return self.conn.execute(statement, {"index_id": self.index_id, **values})

    def _delete(self, table: str, file_ids: Sequence[int]) -> int:
        query = sql.SQL("DELETE FROM {} WHERE index_id = %s AND file_id = ANY(%s)").format(leaf(table, self.index_id))
        return self.conn.execute(query, [self.index_id, list(file_ids)]).rowcount

    def _copy(self, target: sql.Composable, table: str, pieces: Sequence[bytes]) -> None:
        columns = sql.SQL(", ").join(sql.Identifier(column.name) for column in TABLES[table].columns)
        # Rows of a table that this transaction made need no second visit to be marked as visible to all.
        is_new = self.building and not self.committed and not is_shared(self.index_id)
        freeze = sql.SQL(", FREEZE" if is_new else "")
        query = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT binary{})").format(target, columns, freeze)
        with self.conn.cursor().copy(query) as copy:
            for piece in (SIGNATURE, *pieces, TRAILER):
                copy.write(piece)
