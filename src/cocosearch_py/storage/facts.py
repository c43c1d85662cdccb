"""What the evaluation and suggestions read of an index, and where it keeps tuned weights."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from cocosearch_py.storage.partitions import leaf

_MOST_NAMES = 5_000  # more take longer to compare than people like to wait
_ALIKE_CHARS = 2  # at the beginning of a name


@dataclass(frozen=True, slots=True)
class DefinitionFacts:
    """A definition as cases are mined from it."""

    path: str
    name: str
    kind: str
    doc: str
    function_depth: int


def read_definitions(conn: psycopg.Connection, table_name: str) -> list[DefinitionFacts]:
    """All definitions of an index, by path and place."""
    query = sql.SQL(
        "SELECT f.path, s.name, s.kind, s.doc, s.function_depth FROM {} s JOIN {} f USING (file_id) "
        "ORDER BY f.path, s.symbol_no"
    ).format(leaf("symbols", table_name), leaf("files", table_name))
    return [DefinitionFacts(*row) for row in conn.execute(query)]


def read_languages(conn: psycopg.Connection, table_name: str) -> dict[str, str]:
    """Language id by path of every indexed file."""
    query = sql.SQL("SELECT path, language_id FROM {} WHERE status = 'indexed'").format(leaf("files", table_name))
    return dict(conn.execute(query).fetchall())


def store_weights(conn: psycopg.Connection, index_id: int, weights: Mapping[str, float] | None) -> None:
    """Keep ranking weights with an index; its generation grows, so that no kept answer is given again."""
    conn.execute(
        "UPDATE cocosearch_py.indexes SET weights = %s, generation = generation + 1 WHERE index_id = %s",
        [None if weights is None else Jsonb(dict(weights)), index_id],
    )


def names_like(conn: psycopg.Connection, table_name: str, text: str) -> list[str]:
    """Names of definitions that hold a text or begin as it does, at most _MOST_NAMES of them, in order."""
    query = sql.SQL("SELECT DISTINCT name FROM {} WHERE name ILIKE ANY(%s) ORDER BY name LIMIT %s")
    patterns = [f"%{_escaped(text)}%", f"{_escaped(text[:_ALIKE_CHARS])}%"]
    rows = conn.execute(query.format(leaf("symbols", table_name)), [patterns, _MOST_NAMES]).fetchall()
    return [name for (name,) in rows]


def _escaped(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)
