"""Statements for those who take all of an index: its files by path, each with what is known of it."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.definitions import OutlineEntry
from cocosearch_py.model.files import FileVersion
from cocosearch_py.storage.queries.sources import SourceFile, text_of
from cocosearch_py.storage.queries.target import int_array
from cocosearch_py.storage.schema.partitions import rows_of

_FILES_AT_ONCE = 200

_FILES: LiteralString = """
SELECT file_id, path, language_id, line_count, size_bytes, mtime_ns, content_hash, coalesce(content_class, 'code'),
    parse_status
FROM {files} f WHERE status = 'indexed' ORDER BY path COLLATE "C" """
_SYMBOLS: LiteralString = """
SELECT file_id, symbol_no, parent_no, kind, name, qualified_name, signature, doc, visibility, start_line, end_line,
    function_depth
FROM {symbols} s WHERE file_id = ANY(%(ids)s::bigint[]) ORDER BY file_id, symbol_no"""
_IMPORTS: LiteralString = """
SELECT i.file_id, i.line, i.module, i.name, i.alias, t.path
FROM {imports} i LEFT JOIN {dependencies} d USING (file_id, import_no)
    LEFT JOIN {files} t ON t.file_id = d.target_file_id
WHERE i.file_id = ANY(%(ids)s::bigint[]) ORDER BY i.file_id, i.import_no, t.path COLLATE "C" """
_CHUNKS: LiteralString = """
SELECT c.file_id, c.chunk_no, c.start_line, c.end_line, c.content, {embedding}
FROM {chunks} c {vectors} WHERE c.file_id = ANY(%(ids)s::bigint[]) ORDER BY c.file_id, c.chunk_no"""
_JOINED: LiteralString = "LEFT JOIN {vectors} v USING (file_id, chunk_no)"


class WholeImport(NamedTuple):
    """An import as written, and the file of the index that it leads to, if it does; once for each such file."""

    line: int
    module: str
    name: str | None
    alias: str | None
    target: str | None


class WholeChunk(NamedTuple):
    """A passage; its unit vector if it was asked for and there is one."""

    chunk_no: int
    start_line: int
    end_line: int
    content: str
    embedding: list[float] | None


class WholeFile(NamedTuple):
    """An indexed file; what was not asked for is empty.

    Attributes:
        source: what the ledger says.
        parse_status: ok, partial, error or no_grammar.
    """

    source: SourceFile
    content_class: str
    parse_status: str | None
    symbols: Sequence[OutlineEntry]
    imports: Sequence[WholeImport]
    chunks: Sequence[WholeChunk]
    text: str


def read_files(conn: psycopg.Connection, index_id: int, wanted: Collection[str]) -> Iterator[WholeFile]:
    """The indexed files in the order of their paths' bytes, a few hundred in memory at a time.

    Args:
        wanted: of symbols, imports, chunks, vectors (which asks for chunks as well) and text.
    """
    tables = {name: rows_of(name, index_id) for name in ("files", "symbols", "imports", "dependencies", "chunks")}
    rows = conn.execute(sql.SQL(_FILES).format(**tables), {"index_id": index_id}).fetchall()
    vectors = rows_of("vectors", index_id)
    chunks = sql.SQL(_CHUNKS).format(
        chunks=tables["chunks"],
        embedding=sql.SQL("v.embedding::real[]" if "vectors" in wanted else "NULL"),
        vectors=sql.SQL(_JOINED).format(vectors=vectors) if "vectors" in wanted else sql.SQL(""),
    )
    for start in range(0, len(rows), _FILES_AT_ONCE):
        some = rows[start : start + _FILES_AT_ONCE]
        sources = {row[0]: SourceFile(row[0], row[1], row[2], row[3], FileVersion(*row[4:7])) for row in some}
        values = {"index_id": index_id, "ids": int_array(sources)}

        def of(part: str, query: sql.Composed, values: dict[str, object] = values) -> dict[int, list[tuple[Any, ...]]]:
            found: dict[int, list[tuple[Any, ...]]] = {}
            for file_id, *row in conn.execute(query, values) if part in wanted else ():
                found.setdefault(file_id, []).append(tuple(row))
            return found

        symbols = of("symbols", sql.SQL(_SYMBOLS).format(**tables))
        imports = of("imports", sql.SQL(_IMPORTS).format(**tables))
        passages = of("vectors" if "vectors" in wanted else "chunks", chunks)
        texts = text_of(conn, index_id, list(sources.values())) if "text" in wanted else {}
        for (file_id, source), row in zip(sources.items(), some, strict=True):
            yield WholeFile(
                source,
                row[7],
                row[8],
                [OutlineEntry(*one) for one in symbols.get(file_id, ())],
                [WholeImport(*one) for one in imports.get(file_id, ())],
                [WholeChunk(*one) for one in passages.get(file_id, ())],
                texts.get(source.path, ""),
            )
