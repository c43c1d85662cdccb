"""What a file consists of."""

from cocosearch_py.model.code import NotFound
from cocosearch_py.model.definitions import Outline, OutlineReport
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.navigation.files import find_file
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.stats import parse_details
from cocosearch_py.storage.queries.symbols import outline_of
from cocosearch_py.storage.queries.target import Target


def outline_file(path: str, folder: str | None, record: IndexRecord, conn: Connection) -> OutlineReport:
    """The outline of a file of an index; see `find_file` for the arguments."""
    file = find_file(conn, record, path, folder)
    if isinstance(file, NotFound):
        return OutlineReport(missing=file)
    status, error, _ = parse_details(conn, record.index_id, [file.file_id])[file.file_id]
    entries = outline_of(conn, Target(record.index_id, record.chunk_count, SearchFilters()), file.file_id)
    size = file.version.size_bytes
    outline = Outline(file.path, file.language_id, file.line_count, size, status, error, tuple(entries))
    return OutlineReport(outline=outline, versions={file.path: file.version})
