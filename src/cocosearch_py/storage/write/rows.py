"""COPY rows of each table from plain values, in the order of the table's columns."""

import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cocosearch_py.model.chunks import ChunkSpan
from cocosearch_py.model.references import Import, Metrics, Reference
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.storage.schema import copy
from cocosearch_py.storage.schema.tables import TABLES

_ENCODERS = {name: table.encoder() for name, table in TABLES.items()}
# The number of fields and those before and behind the texts of rows, as the encoders of the tables make them.
_BEFORE_LEXEME, _BEHIND_LEXEME = struct.Struct(">hii"), struct.Struct(">iiii")
_OF_CHUNK = struct.Struct(">hiiiqii")
_BEFORE_CHUNK = struct.Struct(">hiiiqiiiiiiiiii")
_OUTER_SYMBOL, _INNER_SYMBOL = struct.Struct(">hiiiqiiiii"), struct.Struct(">hiiiqiiiiii")
_BEHIND_SYMBOL, _BEHIND_FUNCTION = struct.Struct(">iii?iiiiiiii?i?"), struct.Struct(">iii?iiiiiiiiiii?i?")
_BEFORE_IMPORT = struct.Struct(">hiiiiiqii")
_NULL, _EMPTY = struct.pack(">i", -1), copy.text("")
_OF_LINES = copy.text("lines") + copy.text("") + _NULL * 4  # a chunk that is about no definition
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


def file_row(index_id: int, file: FileRow) -> bytes:
    return _ENCODERS["files"](
        *(index_id, file.file_id, file.path, file.status, file.reason, file.rule, file.error, file.file_count),
        *(file.language_id, file.content_hash, file.size_bytes, file.line_count, file.mtime_ns, file.encoding),
        *(file.parse_status, file.parse_error, file.parse_error_bytes, file.chunk_count),
        file.content_class,
    )


def chunk_row(
    index_id: int,
    file_id: int,
    chunk_no: int,
    span: ChunkSpan,
    content: str,
    *,
    symbol_no: int | None = None,
    symbol: Symbol | None = None,
) -> bytes:
    """A row of table `chunks`; `symbol` is the definition that the chunk is about, and `symbol_no` its number."""
    places = (4, span.start_line, 4, span.end_line, 4, span.start_byte, 4, span.end_byte)
    fields = [_BEFORE_CHUNK.pack(14, 4, index_id, 8, file_id, 4, chunk_no, *places), copy.text(content)]
    if symbol is None:
        fields.append(_OF_LINES)
    else:
        kind = copy.word(symbol.kind)
        fields += (kind, copy.text(symbol.qualified_name), copy.int4(symbol_no))
        fields += (kind, copy.word(symbol.name), copy.text(symbol.signature))
    return b"".join(fields)


def keyword_row(index_id: int, file_id: int, chunk_no: int, terms: Collection[str], weights_field: bytes) -> bytes:
    return _OF_CHUNK.pack(5, 4, index_id, 8, file_id, 4, chunk_no) + copy.tsvector(terms) + weights_field


def vector_row(index_id: int, file_id: int, chunk_no: int, vector_field: bytes) -> bytes:
    return _OF_CHUNK.pack(4, 4, index_id, 8, file_id, 4, chunk_no) + vector_field


def symbol_row(
    index_id: int,
    file_id: int,
    symbol_no: int,
    chunk_no: int,
    symbol: Symbol,
    metrics: Metrics | None = None,
    *,
    name_key: str,
    is_test: bool = False,
    is_deprecated: bool = False,
) -> bytes:
    """A row of table `symbols`; see its comments."""
    kind, name, qualified_name, signature, doc, visibility, first_line, last_line, _, _, parent, depth = symbol
    numbers = (21, 4, index_id, 8, file_id, 4, symbol_no, 4, chunk_no)
    behind = (4, depth, 1, parent is not None, 4, first_line, 4, last_line)
    marks = (1, is_test, 1, is_deprecated)
    if metrics is None:
        last = _BEHIND_SYMBOL.pack(*behind, -1, -1, -1, *marks)
    else:
        cyclomatic, nesting, parameters = metrics
        last = _BEHIND_FUNCTION.pack(*behind, 4, cyclomatic, 4, nesting, 4, parameters, *marks)
    fields = (
        _OUTER_SYMBOL.pack(*numbers, -1) if parent is None else _INNER_SYMBOL.pack(*numbers, 4, parent),
        *(copy.word(kind), copy.word(name), copy.word(name_key), copy.text(qualified_name), copy.text(signature)),
        *(copy.text(doc) if doc else _EMPTY, copy.word(visibility), last),
    )
    return b"".join(fields)


def reference_rows(index_id: int, file_id: int, references: Sequence[Reference]) -> bytes:
    """The rows of table `refs` for one file, one after the other; it has ten times as many as any other table."""
    known: dict[tuple[str, str, str, str], bytes] = {}
    found = []
    for number, (name, kind, qualifier, line, column, symbol, receiver) in enumerate(references):
        written = (kind, name, qualifier, receiver)
        tail = known.get(written)
        if tail is None:
            texts = copy.word(kind) + copy.word(name) + copy.word(qualifier)
            tail = known[written] = texts + (copy.word(receiver) if receiver else _NULL)
        if symbol is None:
            found.append(_NO_SYMBOL.pack(10, 4, index_id, 4, number, 8, file_id, 4, line, 4, column, -1))
        else:
            found.append(_IN_SYMBOL.pack(10, 4, index_id, 4, number, 8, file_id, 4, line, 4, column, 4, symbol))
        found.append(tail)
    return b"".join(found)


def import_rows(index_id: int, file_id: int, imports: Sequence[Import]) -> list[bytes]:
    return [
        _BEFORE_IMPORT.pack(8, 4, index_id, 4, number, 8, file_id, 4, line)
        + copy.word(module)
        + (_NULL if name is None else copy.word(name))
        + (_NULL if alias is None else copy.word(alias))
        + (_NULL if symbol is None else copy.int4(symbol))
        for number, (module, name, alias, line, symbol) in enumerate(imports)
    ]


def dependency_row(index_id: int, import_no: int, file_id: int, target_file_id: int, line: int, module: str) -> bytes:
    return _ENCODERS["dependencies"](index_id, import_no, file_id, target_file_id, line, module)


def lexeme_row(index_id: int, lexeme: str, position: int, df: int) -> bytes:
    """A row of table `lexemes`; the process that all others wait for makes them, one for each term."""
    return _BEFORE_LEXEME.pack(4, 4, index_id) + copy.text(lexeme) + _BEHIND_LEXEME.pack(4, position, 4, df)
