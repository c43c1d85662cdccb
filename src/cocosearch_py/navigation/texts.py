"""Whole texts of files, to be counted."""

from collections.abc import Sequence

from cocosearch_py.model.code import NotFound, SourcesReport, SourceText
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.navigation.files import find_file, outside_text
from cocosearch_py.navigation.places import OutsideError, paths_meant
from cocosearch_py.navigation.symbols import matching, similar
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import sources as store
from cocosearch_py.storage.queries.sources import SourceFile
from cocosearch_py.storage.queries.summaries import matching_paths

MOST_FILES = 200  # whose texts are read at once
MOST_BYTES = 4_000_000


def text_of_file(
    path: str, symbol: str | None, folder: str | None, record: IndexRecord, conn: Connection
) -> SourcesReport:
    """The text of a file, with those definitions that `symbol` means, or all."""
    file = find_file(conn, record, path, folder)
    if isinstance(file, NotFound):
        return SourcesReport(missing=file)
    symbols = store.symbols_of(conn, record.index_id, [file])[file.path]
    meant = symbols if symbol is None else matching(symbol, symbols)
    if symbol is not None and not meant:
        near = tuple(similar(symbol, symbols))
        return SourcesReport(missing=NotFound(symbol, f"is not defined in {file.path}", near))
    definitions = tuple((one.qualified_name, one.start_line, one.end_line) for one in meant)
    text = store.text_of(conn, record.index_id, [file])[file.path]
    return SourcesReport(
        files=(SourceText(file.path, text, file.line_count, definitions),),
        total=1,
        total_bytes=file.version.size_bytes,
        total_lines=file.line_count,
        versions={file.path: file.version},
    )


def texts_below(
    directory: str | None, glob: str | None, folder: str | None, record: IndexRecord, conn: Connection
) -> SourcesReport:
    """Texts of files below a folder or that match a glob, code first; as many as are read at once."""
    try:
        meant = paths_meant(record.root_path, directory, folder) if directory else [""]
    except OutsideError:
        return SourcesReport(missing=outside_text(record, directory or ""))
    found = (matching_paths(conn, record.index_id, glob, below, public=False) for below in meant)
    paths: list[str] = next(filter(None, found), [])
    if not paths:
        what = glob if glob is not None else directory or ""
        told = "matches no file in this index" if glob is not None else "contains no file of this index"
        return SourcesReport(missing=NotFound(what, told))
    known = store.find_sources(conn, record.index_id, paths)
    kept = _kept([known[path] for path in paths if path in known])
    texts = store.text_of(conn, record.index_id, kept)
    return SourcesReport(
        files=tuple(SourceText(file.path, texts[file.path], file.line_count, ()) for file in kept),
        total=len(known),
        total_bytes=sum(file.version.size_bytes for file in known.values()),
        total_lines=sum(file.line_count for file in known.values()),
        versions={file.path: file.version for file in kept},
    )


def _kept(files: Sequence[SourceFile]) -> list[SourceFile]:
    """The first files, as many as are read at once, one at least."""
    kept: list[SourceFile] = []
    left = MOST_BYTES
    for file in files[:MOST_FILES]:
        left -= file.version.size_bytes
        if left < 0 and kept:
            break
        kept.append(file)
    return kept
