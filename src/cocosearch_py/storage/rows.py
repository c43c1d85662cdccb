"""COPY rows of each table from plain values; the order of fields is `names.COPY_COLUMNS`."""

from collections.abc import Collection
from dataclasses import dataclass

from cocosearch_py.model.symbols import Symbol
from cocosearch_py.storage.copy import boolean, int4, int8, raw, row, sparsevec, text, tsvector


@dataclass(frozen=True, slots=True)
class FileRow:
    """One line of the coverage ledger; see the comments of table `files`."""

    file_id: int
    path: str
    status: str
    size_bytes: int
    mtime_ns: int
    reason: str | None = None
    rule: str | None = None
    error: str | None = None
    file_count: int = 1
    language_id: str | None = None
    content_hash: bytes | None = None
    line_count: int = 0
    encoding: str | None = None
    parse_status: str | None = None
    parse_error: str | None = None
    parse_error_bytes: int = 0
    chunk_count: int = 0


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One chunk; see the comments of table `chunks`."""

    file_id: int
    chunk_no: int
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    content: str
    block_type: str
    hierarchy: str
    symbol_no: int | None = None
    symbol: Symbol | None = None


def file_row(index_id: int, file: FileRow) -> bytes:
    return row(
        *(int4(index_id), int8(file.file_id), text(file.path), text(file.status), text(file.reason), text(file.rule)),
        *(text(file.error), int4(file.file_count), text(file.language_id), raw(file.content_hash)),
        *(int8(file.size_bytes), int4(file.line_count), int8(file.mtime_ns), text(file.encoding)),
        *(text(file.parse_status), text(file.parse_error), int4(file.parse_error_bytes), int4(file.chunk_count)),
    )


def chunk_row(index_id: int, chunk: ChunkRow) -> bytes:
    symbol = chunk.symbol
    return row(
        *(int4(index_id), int8(chunk.file_id), int4(chunk.chunk_no), int4(chunk.start_line), int4(chunk.end_line)),
        *(int4(chunk.start_byte), int4(chunk.end_byte), text(chunk.content), text(chunk.block_type)),
        *(text(chunk.hierarchy), int4(chunk.symbol_no), text(symbol.kind if symbol else None)),
        *(text(symbol.name if symbol else None), text(symbol.signature if symbol else None)),
    )


def keyword_row(index_id: int, file_id: int, chunk_no: int, terms: Collection[str], weights: dict[int, float]) -> bytes:
    return row(int4(index_id), int8(file_id), int4(chunk_no), tsvector(terms), sparsevec(weights))


def vector_row(index_id: int, file_id: int, chunk_no: int, vector_field: bytes) -> bytes:
    return row(int4(index_id), int8(file_id), int4(chunk_no), vector_field)


def symbol_row(index_id: int, file_id: int, symbol_no: int, chunk_no: int, symbol: Symbol, name_key: str) -> bytes:
    return row(
        *(int4(index_id), int8(file_id), int4(symbol_no), int4(chunk_no), int4(symbol.parent), text(symbol.kind)),
        *(text(symbol.name), text(name_key), text(symbol.qualified_name), text(symbol.signature), text(symbol.doc)),
        *(text(symbol.visibility), int4(symbol.function_depth), boolean(symbol.parent is not None)),
        *(int4(symbol.start_line), int4(symbol.end_line)),
    )


def lexeme_row(index_id: int, lexeme: str, position: int, df: int) -> bytes:
    return row(int4(index_id), text(lexeme), int4(position), int4(df))
