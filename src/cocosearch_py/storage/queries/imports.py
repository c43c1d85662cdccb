"""What the step that finds dependencies reads: files, their imports a page at a time, texts of manifests."""

from collections.abc import Iterator, Sequence
from typing import LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.references import Import
from cocosearch_py.storage.schema.places import rows_of

_PAGE = 20_000  # imports, in about 10 MB


class StoredImport(NamedTuple):
    """A row of table `imports`."""

    file_id: int
    import_no: int
    what: Import


def indexed_files(conn: psycopg.Connection, index_id: int) -> list[tuple[int, str, str]]:
    """File id, path and language id of every file that can be imported: an empty one is a module, too."""
    query = sql.SQL(
        "SELECT file_id, path, coalesce(language_id, '') FROM {} f WHERE status = 'indexed' OR reason = 'empty'"
    ).format(rows_of("files", index_id))
    return conn.cursor(binary=True).execute(query, {"index_id": index_id}).fetchall()


def imports_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int] | None) -> Iterator[list[StoredImport]]:
    """All imports of these files, or of all, in pages that the table's key gives, by file and place."""
    among: LiteralString = "" if file_ids is None else "AND file_id = ANY(%(files)s) "
    query = sql.SQL(
        "SELECT file_id, import_no, module, name, alias, line FROM {} i "
        "WHERE (file_id, import_no) > (%(file)s, %(number)s) {} ORDER BY file_id, import_no LIMIT %(page)s"
    ).format(rows_of("imports", index_id), sql.SQL(among))
    values = {"index_id": index_id, "files": None if file_ids is None else list(file_ids), "page": _PAGE}
    file, number = -1, -1
    while True:
        found = conn.cursor(binary=True).execute(query, {**values, "file": file, "number": number}).fetchall()
        if found:
            yield [StoredImport(row[0], row[1], Import(*row[2:])) for row in found]
        if len(found) < _PAGE:
            return
        file, number = found[-1][:2]


def text_of(conn: psycopg.Connection, index_id: int, file_id: int) -> str:
    """The text of a file: its chunks are all of it."""
    query = sql.SQL("SELECT string_agg(content, '' ORDER BY chunk_no) FROM {} c WHERE file_id = %(file)s").format(
        rows_of("chunks", index_id)
    )
    row = conn.execute(query, {"index_id": index_id, "file": file_id}).fetchone()
    return (row and row[0]) or ""
