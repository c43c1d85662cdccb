"""COPY rows of each table from plain values, in the order of the table's columns."""

import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cocosearch_py.model.references import Import, Metrics, Reference
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.storage.schema import copy
from cocosearch_py.storage.schema.tables import TABLES

_ENCODERS = {name: table.encoder() for name, table in TABLES.items()}
# The number of fields and those before and behind the text of a row of `lexemes`, and those up to symbol_no of one of
# `refs`, as the encoders of the tables make them.
_BEFORE_LEXEME, _BEHIND_LEXEME = struct.Struct(">hii"), struct.Struct(">iiii")
_NULL = struct.pack(">i", -1)
_NO_SYMBOL, _IN_SYMBOL = struct.Struct(">hiiiiiqiiiii"), struct.Struct(">hiiiiiqiiiiii")


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
    content_class: str | None = None


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
    return _ENCODERS["files"](
        *(index_id, file.file_id, file.path, file.status, file.reason, file.rule, file.error, file.file_count),
        *(file.language_id, file.content_hash, file.size_bytes, file.line_count, file.mtime_ns, file.encoding),
        *(file.parse_status, file.parse_error, file.parse_error_bytes, file.chunk_count),
        file.content_class,
    )


def chunk_row(index_id: int, chunk: ChunkRow) -> bytes:
    symbol = chunk.symbol
    about = (symbol.kind, symbol.name, symbol.signature) if symbol else (None, None, None)
    return _ENCODERS["chunks"](
        *(index_id, chunk.file_id, chunk.chunk_no, chunk.start_line, chunk.end_line, chunk.start_byte, chunk.end_byte),
        *(chunk.content, chunk.block_type, chunk.hierarchy, chunk.symbol_no, *about),
    )


def keyword_row(index_id: int, file_id: int, chunk_no: int, terms: Collection[str], weights_field: bytes) -> bytes:
    return _ENCODERS["keywords"](index_id, file_id, chunk_no, terms, weights_field)


def vector_row(index_id: int, file_id: int, chunk_no: int, vector_field: bytes) -> bytes:
    return _ENCODERS["vectors"](index_id, file_id, chunk_no, vector_field)


@dataclass(frozen=True, slots=True)
class SymbolRow:
    """One definition; see the comments of table `symbols`."""

    file_id: int
    symbol_no: int
    chunk_no: int
    symbol: Symbol
    name_key: str
    metrics: Metrics | None = None
    is_test: bool = False
    is_deprecated: bool = False


def symbol_row(index_id: int, row: SymbolRow) -> bytes:
    symbol, metrics = row.symbol, row.metrics
    figures = (metrics.cyclomatic, metrics.max_nesting, metrics.parameter_count) if metrics else (None, None, None)
    return _ENCODERS["symbols"](
        *(index_id, row.file_id, row.symbol_no, row.chunk_no, symbol.parent, symbol.kind, symbol.name, row.name_key),
        *(symbol.qualified_name, symbol.signature, symbol.doc, symbol.visibility, symbol.function_depth),
        *(symbol.parent is not None, symbol.start_line, symbol.end_line),
        *(*figures, row.is_test, row.is_deprecated),
    )


def reference_rows(index_id: int, file_id: int, references: Sequence[Reference]) -> bytes:
    """The rows of table `refs` for one file, one after the other; it has ten times as many as any other table."""
    known: dict[tuple[str, str, str, str], bytes] = {}
    found = []
    for number, (name, kind, qualifier, line, column, symbol, receiver) in enumerate(references):
        written = (kind, name, qualifier, receiver)
        tail = known.get(written)
        if tail is None:
            texts = copy.text(kind) + copy.text(name) + copy.text(qualifier)
            tail = known[written] = texts + (copy.text(receiver) if receiver else _NULL)
        if symbol is None:
            found.append(_NO_SYMBOL.pack(10, 4, index_id, 4, number, 8, file_id, 4, line, 4, column, -1))
        else:
            found.append(_IN_SYMBOL.pack(10, 4, index_id, 4, number, 8, file_id, 4, line, 4, column, 4, symbol))
        found.append(tail)
    return b"".join(found)


def import_rows(index_id: int, file_id: int, imports: Sequence[Import]) -> list[bytes]:
    encode = _ENCODERS["imports"]
    return [
        encode(index_id, number, file_id, one.line, one.module, one.name, one.alias)
        for number, one in enumerate(imports)
    ]


def dependency_row(index_id: int, import_no: int, file_id: int, target_file_id: int, line: int, module: str) -> bytes:
    return _ENCODERS["dependencies"](index_id, import_no, file_id, target_file_id, line, module)


def gram_row(index_id: int, gram: int, segment: int, chunk_count: int, chunks: bytes) -> bytes:
    return _ENCODERS["grams"](index_id, gram, segment, chunk_count, chunks)


def posted_file_row(index_id: int, file_id: int, first_chunk: int) -> bytes:
    return _ENCODERS["posted_files"](index_id, file_id, first_chunk)


def lexeme_row(index_id: int, lexeme: str, position: int, df: int) -> bytes:
    """A row of table `lexemes`; the process that all others wait for makes them, one for each term."""
    return _BEFORE_LEXEME.pack(4, 4, index_id) + copy.text(lexeme) + _BEHIND_LEXEME.pack(4, position, 4, df)
