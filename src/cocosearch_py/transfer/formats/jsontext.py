"""An index as one JSON document, or as lines of JSON."""

import json
from collections.abc import Iterator
from typing import Any

from cocosearch_py.model.definitions import OutlineEntry
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.queries.whole import WholeFile

VERSION = 1
Json = dict[str, Any]


def make_json(record: IndexRecord, files: Iterator[WholeFile], parts: frozenset[str]) -> Iterator[bytes]:
    """`{"format", "version", "index", "files": [...]}`, a file a line; a file has its parts as lists."""
    head = {"format": "cocosearch-json", "version": VERSION, "index": _index(record)}
    yield _dumped(head)[:-1] + b',"files":['
    for number, file in enumerate(files):
        whole = _file(file) | {name: list(items) for name, items in _parts(file, parts).items()}
        yield (b",\n" if number else b"\n") + _dumped(whole)
    yield b"\n]}\n"


def make_lines(record: IndexRecord, files: Iterator[WholeFile], parts: frozenset[str]) -> Iterator[bytes]:
    """An object a line, told apart by `type`: the index; then each file and, behind it, its parts with its `path`."""
    yield _dumped({"type": "index", "version": VERSION, **_index(record)}) + b"\n"
    for file in files:
        yield _dumped({"type": "file", **_file(file)}) + b"\n"
        for name, items in _parts(file, parts).items():
            for item in items:
                yield _dumped({"type": name.removesuffix("s"), "path": file.source.path, **item}) + b"\n"


def _index(record: IndexRecord) -> Json:
    return {
        "name": record.name,
        "files": record.file_count,
        "chunks": record.chunk_count,
        "branch": record.git_branch,
        "commit": record.git_commit,
        "embedding_model": record.embedding_model,
        "embedding_dimension": record.embedding_dimension,
        "updated_at": record.updated_at.isoformat(),
    }


def _file(file: WholeFile) -> Json:
    source = file.source
    return {
        "path": source.path,
        "language": source.language_id,
        "content": file.content_class,
        "lines": source.line_count,
        "bytes": source.version.size_bytes,
        "hash": source.version.content_hash.hex(),
        "parse_status": file.parse_status,
    }


def _parts(file: WholeFile, parts: frozenset[str]) -> dict[str, Iterator[Json]]:
    made: dict[str, Iterator[Json]] = {}
    if "symbols" in parts:
        made["symbols"] = (_symbol(one) for one in file.symbols)
    if "edges" in parts:
        made["edges"] = ({"kind": "import", **one._asdict()} for one in file.imports)
    if parts & {"chunks", "vectors"}:
        made["chunks"] = (
            {name: value for name, value in one._asdict().items() if name != "embedding" or "vectors" in parts}
            for one in file.chunks
        )
    return made


def _symbol(one: OutlineEntry) -> Json:
    return {
        "symbol_no": one.number,
        "parent_no": one.parent,
        "kind": one.kind,
        "name": one.name,
        "qualified_name": one.qualified_name,
        "signature": one.signature,
        "doc": one.doc,
        "visibility": one.visibility,
        "function_depth": one.function_depth,
        "start_line": one.start_line,
        "end_line": one.end_line,
    }


def _dumped(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
