"""SQL that finds definitions by the types that their signatures name."""

from collections.abc import Sequence
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.model.files import FileVersion
from cocosearch_py.storage.queries.sources import SourceSymbol
from cocosearch_py.storage.queries.target import Target, parameters, statement, text_array

_MOST = 20_000
_HEAD_LINES = 40
# The index cuts long signatures; references of kind `type` tell what stands in the rest.
_SIGNATURES: LiteralString = """
SELECT s.file_id, f.path, s.kind, s.name, s.qualified_name, s.signature, s.start_line, s.end_line,
    f.size_bytes, f.mtime_ns, f.content_hash
FROM {symbols} s JOIN {files} f USING (file_id)
WHERE s.kind = ANY(%(wanted_kinds)s)
AND (strpos(s.signature, %(name)s) > 0 OR (strpos(s.signature, '…') > 0 AND EXISTS (
    SELECT FROM {refs} r WHERE r.file_id = s.file_id AND r.symbol_no = s.symbol_no AND r.kind = 'type'
    AND r.name = %(name)s AND r.line < s.start_line + %(head)s)))
AND EXISTS (SELECT FROM unnest(%(below)s::text[]) p WHERE p = '' OR f.path = p OR starts_with(f.path, p || '/'))
ORDER BY s.is_test OR f.content_class IS NOT DISTINCT FROM 'tests', f.path, s.symbol_no LIMIT %(most)s"""


class Signature(NamedTuple):
    """A definition in its file; its signature may be cut."""

    file_id: int
    path: str
    symbol: SourceSymbol
    version: FileVersion


def find_signatures(
    conn: psycopg.Connection, target: Target, name: str, kinds: Sequence[str], paths: Sequence[str]
) -> list[Signature]:
    """Return definitions of these kinds whose signatures may name a type, tests last, then by path and place."""
    values = {
        **parameters(target),
        "wanted_kinds": list(kinds),
        "name": name,
        "below": text_array(paths),
        "head": _HEAD_LINES,
        "most": _MOST,
    }
    rows = conn.execute(statement(_SIGNATURES, target), values).fetchall()
    return [Signature(row[0], row[1], SourceSymbol(*row[2:8]), FileVersion(*row[8:])) for row in rows]
