"""What the database tests share: the whole content of an index, in a form that compares."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.storage.queries.indexes import find_by_name
from cocosearch_py.storage.server.database import Database

Content = dict[str, list[tuple[Any, ...]]]

# Everything but index_id and times; vectors and weights as text, so that a difference is readable.
_COLUMNS = {
    "files": "file_id, path, status, reason, rule, error, file_count, language_id, content_hash, size_bytes, "
    "line_count, encoding, parse_status, parse_error, parse_error_bytes, chunk_count",
    "chunks": "file_id, chunk_no, start_line, end_line, start_byte, end_byte, content, block_type, hierarchy, "
    "symbol_no, symbol_type, symbol_name, symbol_signature",
    "keywords": "file_id, chunk_no, terms::text, weights::text",
    "vectors": "file_id, chunk_no, embedding::text",
    "symbols": "file_id, symbol_no, chunk_no, parent_no, kind, name, name_key, qualified_name, signature, doc, "
    "visibility, function_depth, nested, start_line, end_line, cyclomatic, max_nesting, parameter_count, is_test, "
    "is_deprecated",
    "refs": "file_id, ref_no, line, col, symbol_no, kind, name, qualifier",
    "imports": "file_id, import_no, line, module, name, alias",
    "dependencies": "file_id, import_no, target_file_id, line, module",
    "lexemes": "lexeme, position, df",
}


@pytest.fixture
def content_of(database: Database) -> Callable[[str], Content]:
    """All rows of an index by table, plus the counts its record holds; no ids or times that differ between runs."""

    def read(name: str) -> Content:
        with database.reading() as conn:
            record = find_by_name(conn, name)
            assert record is not None
            found: Content = {
                table: conn.execute(
                    f"SELECT {columns} FROM cocosearch_py.{table} WHERE index_id = %s ORDER BY 1, 2, 3",
                    [record.index_id],
                ).fetchall()
                for table, columns in _COLUMNS.items()
            }
        found["counts"] = [(record.status, record.file_count, record.chunk_count)]
        return found

    return read


@pytest.fixture
def files_on_disk() -> Callable[[Path], int]:
    """Number of files, links and special files below a folder, version control folders left out."""

    def count(folder: Path) -> int:
        return sum(
            not path.is_dir() or path.is_symlink()
            for path in folder.rglob("*")
            if ".git" not in path.relative_to(folder).parts
        )

    return count
