"""What the evaluation reads of an index, and where it keeps tuned weights."""

from collections.abc import Mapping
from dataclasses import dataclass

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

from cocosearch_py.storage.partitions import leaf


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
