"""SQL that finds which types inherit from which."""

from typing import LiteralString

import psycopg
from psycopg import sql

from cocosearch_py.storage.queries.target import text_array
from cocosearch_py.storage.schema.partitions import rows_of

# A base of the name in the same file, else in an imported one, else the only one of the language.
_INHERITANCE: LiteralString = """
WITH heirs AS (
    SELECT DISTINCT r.file_id, s.qualified_name, r.name, f.language_id
    FROM {refs} r JOIN {symbols} s USING (file_id, symbol_no) JOIN {files} f USING (file_id) WHERE r.kind = 'inherit'
), bases AS (
    SELECT h.file_id, h.qualified_name, h.name, b.file_id AS base_file_id, b.qualified_name AS base_name,
        CASE WHEN b.file_id = h.file_id THEN 0 WHEN EXISTS (
            SELECT FROM {dependencies} d WHERE d.file_id = h.file_id AND d.target_file_id = b.file_id
        ) THEN 1 ELSE 2 END AS farness
    FROM heirs h JOIN {symbols} b ON b.name = h.name JOIN {files} f ON f.file_id = b.file_id
    WHERE b.function_depth = 0 AND b.kind = ANY(%(kinds)s::text[]) AND f.language_id = h.language_id
), nearest AS (
    SELECT *, min(farness) OVER (PARTITION BY file_id, qualified_name, name) AS best,
        count(*) OVER (PARTITION BY file_id, qualified_name, name, farness) AS alike
    FROM bases
)
SELECT file_id, qualified_name, base_file_id, base_name, count(*)
FROM nearest WHERE farness = best AND (farness < 2 OR alike = 1) GROUP BY 1, 2, 3, 4"""
_BASES = ("class", "interface", "trait", "struct", "enum", "protocol", "mixin", "record", "type", "module", "object")

Definition = tuple[int, str]  # file and qualified name


def find_inheritance(conn: psycopg.Connection, index_id: int) -> list[tuple[Definition, Definition, int]]:
    """Return each definition, what it inherits from, and 1, where imports or names tell which one is meant."""
    query = sql.SQL(_INHERITANCE).format(
        **{name: rows_of(name, index_id) for name in ("refs", "symbols", "files", "dependencies")}
    )
    rows = conn.execute(query, {"index_id": index_id, "kinds": text_array(_BASES)})
    return [((row[0], row[1]), (row[2], row[3]), row[4]) for row in rows]
