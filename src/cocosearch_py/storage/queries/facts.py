"""Facts of an index for evaluation and suggestions, and the storage of tuned weights."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from cocosearch_py.storage.queries.announcements import announce
from cocosearch_py.storage.schema.partitions import rows_of

MOST_NAMES = 5_000  # more take longer to compare than people like to wait
ALIKE_CHARS = 2  # at the beginning of a name


@dataclass(frozen=True, slots=True)
class DefinitionFacts:
    """A definition as cases are mined from it."""

    path: str
    name: str
    kind: str
    doc: str
    function_depth: int


def read_definitions(conn: psycopg.Connection, index_id: int) -> list[DefinitionFacts]:
    """All definitions of an index, by path and place."""
    query = sql.SQL(
        "SELECT f.path, s.name, s.kind, s.doc, s.function_depth FROM {} s JOIN {} f USING (file_id) "
        "ORDER BY f.path, s.symbol_no"
    ).format(rows_of("symbols", index_id), rows_of("files", index_id))
    return [DefinitionFacts(*row) for row in conn.execute(query, {"index_id": index_id})]


def read_languages(conn: psycopg.Connection, index_id: int) -> dict[str, str]:
    """Language id by path of every indexed file."""
    query = sql.SQL("SELECT path, language_id FROM {} f WHERE status = 'indexed'").format(rows_of("files", index_id))
    return dict(conn.execute(query, {"index_id": index_id}).fetchall())


def store_weights(conn: psycopg.Connection, index_name: str, weights: Mapping[str, float] | None) -> None:
    """Keep ranking weights with an index; its generation grows, so that no kept answer is given again."""
    conn.execute(
        "UPDATE cocosearch_py.indexes SET weights = %s, generation = generation + 1 WHERE name = %s",
        [None if weights is None else Jsonb(dict(weights)), index_name],
    )
    announce(conn, index_name)


# Keys that hold the text are read off their index, in a third of the time that all rows take; the shortest are most
# like it. Those that begin alike stand together in it.
_NAMES_LIKE: LiteralString = """
SELECT name FROM {symbols} s WHERE name_key = ANY(ARRAY(
    SELECT name_key FROM (SELECT DISTINCT name_key FROM {symbols} s WHERE name_key LIKE %(key_held)s) keys
    ORDER BY length(name_key), name_key LIMIT %(limit)s
)) AND name ILIKE %(held)s
UNION SELECT name FROM {symbols} s WHERE name_key LIKE %(key_begun)s AND name ILIKE %(begun)s
ORDER BY name LIMIT %(limit)s"""


def names_like(conn: psycopg.Connection, index_id: int, text: str, key_of: Callable[[str], str]) -> list[str]:
    """Names of definitions that hold a text or begin as it does, at most MOST_NAMES of them, in order.

    Args:
        key_of: makes the lookup key of a name.
    """
    begun = text[:ALIKE_CHARS]
    values = {
        "key_held": f"%{_escaped(key_of(text))}%",
        "key_begun": f"{_escaped(key_of(begun))}%",
        "held": f"%{_escaped(text)}%",
        "begun": f"{_escaped(begun)}%",
        "limit": MOST_NAMES,
        "index_id": index_id,
    }
    query = sql.SQL(_NAMES_LIKE).format(symbols=rows_of("symbols", index_id))
    return [name for (name,) in conn.execute(query, values).fetchall()]


def _escaped(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)
