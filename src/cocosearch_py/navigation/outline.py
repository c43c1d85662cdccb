"""What a file consists of."""

from collections.abc import Sequence, Set
from itertools import groupby

from cocosearch_py.model.code import NotFound
from cocosearch_py.model.definitions import ImportEntry, Outline, OutlineEntry, OutlineReport
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.navigation.files import find_file
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.relations import ImportRow, imports_of_file
from cocosearch_py.storage.queries.stats import parse_details
from cocosearch_py.storage.queries.symbols import outline_of
from cocosearch_py.storage.queries.target import Target


def outline_file(path: str, folder: str | None, record: IndexRecord, conn: Connection) -> OutlineReport:
    """The outline of a file of an index; see `find_file` for the arguments."""
    file = find_file(conn, record, path, folder)
    if isinstance(file, NotFound):
        return OutlineReport(missing=file)
    status, error, _ = parse_details(conn, record.index_id, [file.file_id])[file.file_id]
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    entries = outline_of(conn, target, file.file_id)
    imports = _imports(imports_of_file(conn, target, file.file_id))
    size = file.version.size_bytes
    outline = Outline(file.path, file.language_id, file.line_count, size, status, error, tuple(entries), imports)
    return OutlineReport(outline=outline, versions={file.path: file.version})


def select_entries(entries: Sequence[OutlineEntry], kinds: Set[str], depth: int) -> list[OutlineEntry]:
    """Return the definitions down to a level, or those of some kinds with the definitions around them.

    Args:
        entries: definitions of a file, outer before inner.
        kinds: if there are any, the depth does not count.
    """
    if not kinds:
        levels: dict[int, int] = {}
        for entry in entries:
            levels[entry.number] = 0 if entry.parent is None else levels.get(entry.parent, -1) + 1
        return [entry for entry in entries if levels[entry.number] < depth]
    parents = {entry.number: entry.parent for entry in entries}
    selected: set[int] = set()
    for entry in entries:
        number = entry.number if entry.kind in kinds else None
        while number is not None and number not in selected:
            selected.add(number)
            number = parents.get(number)
    return [entry for entry in entries if entry.number in selected]


def _imports(rows: Sequence[ImportRow]) -> tuple[ImportEntry, ...]:
    """The names that a line imports of a module together."""
    found = []
    for (line, module), group in groupby(rows, key=lambda row: (row.line, row.module)):
        several = list(group)
        names = [f"{row.name or ''} as {row.alias}".strip() if row.alias else row.name or "" for row in several]
        paths = [row.path for row in several if row.path is not None]
        is_missing = not paths and any(row.is_missing for row in several)
        told = tuple(dict.fromkeys(filter(None, names)))
        found.append(ImportEntry(line, module, told, tuple(dict.fromkeys(paths)), is_missing))
    return tuple(found)
