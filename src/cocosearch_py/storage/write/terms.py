"""Document frequencies as a run changes them: counted in memory, and what is too much for that in a temporary table."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
from psycopg import sql

from cocosearch_py.storage.lexemes import position
from cocosearch_py.storage.schema.copy import SIGNATURE, TRAILER
from cocosearch_py.storage.schema.partitions import leaf
from cocosearch_py.storage.write.rows import lexeme_row

MOST_IN_MEMORY = 120_000  # terms, in 20 MB; 25,000 chunks have as many
_PAGE = 20_000  # terms of a statement's result at once
_TABLE = sql.SQL("pg_temp.changed_terms")
_SUMS = sql.SQL(
    "SELECT lexeme, position, sum(df)::integer FROM {} GROUP BY lexeme, position HAVING sum(df) <> 0"
).format(_TABLE)


class TermCounts:
    """Term -> by how much the number of chunks that hold it changes, inside the caller's transaction."""

    def __init__(self, conn: psycopg.Connection) -> None:
        self._conn = conn
        self._counts: Counter[str] = Counter()
        self._spilled = False

    def add(self, frequencies: Mapping[str, int]) -> None:
        self._counts.update(frequencies)
        if len(self._counts) > MOST_IN_MEMORY:
            self._spill()

    def subtract(self, frequencies: Mapping[str, int]) -> None:
        self._counts.subtract(frequencies)
        if len(self._counts) > MOST_IN_MEMORY:
            self._spill()

    def rows(self, index_id: int) -> list[bytes] | None:
        """A row of table `lexemes` for each term that any chunk holds; None when they are too many for memory."""
        return None if self._spilled else [lexeme_row(index_id, *change) for change in self._changes()]

    def insert(self, index_id: int) -> None:
        """Write those that are too many for memory as the vocabulary of an index that has none."""
        self._spill()
        query = sql.SQL("INSERT INTO {} (index_id, lexeme, position, df) SELECT %s, * FROM ({}) changes")
        self._conn.execute(query.format(leaf("lexemes", index_id), _SUMS), [index_id])

    def merge(self, index_id: int) -> None:
        """Bring the vocabulary of an index up to date; terms that no chunk holds any more go."""
        if not self._spilled:
            self._merge(index_id, self._changes())
            return
        self._spill()
        for page in pages(self._conn, _SUMS, {}):
            self._merge(index_id, page)

    def _merge(self, index_id: int, changes: list[tuple[str, int, int]]) -> None:
        if not changes:
            return
        target = leaf("lexemes", index_id)
        self._conn.execute(
            sql.SQL(
                "INSERT INTO {} AS l (index_id, lexeme, position, df) "
                "SELECT %s, * FROM unnest(%s::text[], %s::int[], %s::int[]) "
                "ON CONFLICT (index_id, lexeme) DO UPDATE SET df = l.df + excluded.df"
            ).format(target),
            [index_id, *map(list, zip(*changes, strict=True))],
        )
        fewer = [lexeme for lexeme, _, df in changes if df < 0]
        query = sql.SQL("DELETE FROM {} WHERE index_id = %s AND lexeme = ANY(%s) AND df <= 0").format(target)
        self._conn.execute(query, [index_id, fewer])

    def _changes(self) -> list[tuple[str, int, int]]:
        return [(term, position(term), df) for term, df in self._counts.items() if df]

    def _spill(self) -> None:
        if not self._spilled:
            self._conn.execute(
                "CREATE TEMPORARY TABLE changed_terms "
                '(index_id integer, lexeme text COLLATE "C", position integer, df integer)'
            )
            self._spilled = True
        query = sql.SQL("COPY {} (index_id, lexeme, position, df) FROM STDIN (FORMAT binary)").format(_TABLE)
        rows = [lexeme_row(0, *change) for change in self._changes()]
        with self._conn.cursor().copy(query) as copy:
            copy.write(SIGNATURE + b"".join(rows) + TRAILER)
        self._counts.clear()


def pages(conn: psycopg.Connection, query: sql.Composed, values: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The rows of a long result, so many at a time; other statements may run in between."""
    with conn.cursor(name="pages", binary=True) as cursor:
        cursor.execute(query, values)
        while page := cursor.fetchmany(_PAGE):
            yield page
