"""Summaries of files, folders and globs: definitions, imports and importers."""

import posixpath
from collections import Counter
from collections.abc import Sequence

from cocosearch_py.languages.testing import manifest_names, whole_commands
from cocosearch_py.model.code import NotFound
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.listing import ListRequest
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.summaries import FileSummary, FolderSummary, SummaryReport, SummaryRequest
from cocosearch_py.navigation.files import find_file
from cocosearch_py.navigation.introductions import (
    MANIFESTS,
    PACKAGE_DOCS,
    READMES,
    entries_of,
    first_sentence,
    of_file,
    of_project,
    script_for_tests,
)
from cocosearch_py.navigation.places import OutsideError, paths_meant
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import listing, sources
from cocosearch_py.storage.queries import summaries as store
from cocosearch_py.storage.queries.summaries import MOST_NAMED, FileRow
from cocosearch_py.storage.queries.target import Target

MOST_FILES = 30  # that are summarized at once
_WILDCARDS = frozenset("*?[{")


def summarize(request: SummaryRequest, record: IndexRecord, conn: Connection) -> SummaryReport:
    """Summarize the files of a request, those of folders and globs, or just one folder as a whole."""
    paths: dict[str, None] = {}
    missing: list[NotFound] = []
    for text in request.paths:
        folder = None if _WILDCARDS & set(text) else _folder(text, request.folder, record, conn)
        if folder is not None and len(request.paths) == 1 and not request.public_only:
            return SummaryReport(folder=_summarized_folder(folder, record, conn))
        found = _files(text, folder, request, record, conn)
        if isinstance(found, NotFound):
            missing.append(found)
        else:
            paths |= dict.fromkeys(found)
    rows = store.find_rows(conn, record.index_id, list(paths)[:MOST_FILES], MOST_FILES) if paths else []
    files = tuple(_summarized(rows, request, record, conn)) if rows else ()
    versions = {row.path: row.version for row in rows}
    return SummaryReport(files=files, total=len(paths), missing=tuple(missing), versions=versions)


def _folder(text: str, caller: str | None, record: IndexRecord, conn: Connection) -> str | None:
    """Return the folder of the index that a text means, relative to the root."""
    try:
        paths = paths_meant(record.root_path, text, caller if text else None)
    except OutsideError:
        return None
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    for path in paths:
        if not path:
            return path
        if not sources.find_sources(conn, record.index_id, [path]) and listing.has_files(conn, target, path):
            entries = listing.folders(conn, target, ListRequest(path=path, status="indexed"), 1)
            return path if entries else None
    return None


def _files(
    text: str, folder: str | None, request: SummaryRequest, record: IndexRecord, conn: Connection
) -> list[str] | NotFound:
    """Return the paths of the files that a text means."""
    if folder is not None:
        return store.matching_paths(conn, record.index_id, None, folder, public=request.public_only)
    if _WILDCARDS & set(text):
        exact = sources.find_sources(conn, record.index_id, [text])
        found = [*exact] or store.matching_paths(conn, record.index_id, text, "", public=request.public_only)
        return found or NotFound(text, "matches no file in this index")
    file = find_file(conn, record, text, request.folder)
    return file if isinstance(file, NotFound) else [file.path]


def _summarized(
    rows: Sequence[FileRow], request: SummaryRequest, record: IndexRecord, conn: Connection
) -> list[FileSummary]:
    index_id, ids = record.index_id, [row.file_id for row in rows]
    kinds = store.kinds_of(conn, index_id, ids)
    declarations = store.declarations_of(conn, index_id, ids, public=request.public_only)
    modules = store.modules_of(conn, index_id, ids)
    importers = store.importers_of(conn, index_id, ids)
    headers, sole = store.beginnings_of(conn, index_id, ids), store.sole_docs(conn, index_id, ids)
    summaries = []
    for row in rows:
        known, using = kinds.get(row.file_id, []), importers.get(row.file_id, [])
        about = of_file(headers.get(row.file_id, ""), row.language_id)
        summaries.append(
            FileSummary(
                path=row.path,
                language_id=row.language_id,
                content_class=row.content_class,
                line_count=row.line_count,
                size_bytes=row.version.size_bytes,
                mtime_ns=row.version.mtime_ns,
                parse_status=row.parse_status,
                kinds={kind: count for kind, count, _ in known},
                public_count=sum(public for *_, public in known),
                declarations=tuple(declarations.get(row.file_id, ())),
                imports=tuple(modules.get(row.file_id, ())),
                imported_by=len(using),
                importers=tuple(path for path, _ in using[:MOST_NAMED]) if request.context else (),
                siblings=tuple(store.neighbours(conn, index_id, row.path)) if request.context else (),
                about=about or first_sentence(sole.get(row.file_id, "")),
            )
        )
    return summaries


def _summarized_folder(path: str, record: IndexRecord, conn: Connection) -> FolderSummary:
    figures = store.figures_below(conn, record.index_id, path)
    languages: Counter[str] = Counter()
    classes: Counter[str] = Counter()
    for one in figures:
        if one.status == "indexed":
            languages[one.language_id or ""] += one.files
            classes[one.content_class or ""] += one.files
    kinds, public_count = store.kinds_below(conn, record.index_id, path)
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    entries = listing.folders(conn, target, ListRequest(path=path), 1)
    indexed = [one for one in figures if one.status == "indexed"]
    texts = _texts(path, record, conn)
    commands = whole_commands(languages, texts.get) or filter(None, [script_for_tests(texts)])
    return FolderSummary(
        path=path,
        files=sum(one.files for one in indexed),
        lines=sum(one.lines for one in indexed),
        size_bytes=sum(one.size_bytes for one in indexed),
        languages=dict(languages.most_common()),
        classes=dict(classes.most_common()),
        kinds=kinds,
        public_count=public_count,
        left_out=sum(one.files for one in figures) - sum(one.files for one in indexed),
        entries=tuple(sorted(entries, key=lambda one: (not one.is_folder, -one.lines, one.inner))),
        most_imported=store.most_imported(conn, record.index_id, path),
        about=of_project(texts),
        programs=tuple(entries_of(texts)),
        test_commands=tuple(commands),
    )


def _texts(folder: str, record: IndexRecord, conn: Connection) -> dict[str, str]:
    """Return name -> text of a folder's READMEs, manifests and package docstrings."""
    names = {*READMES, *MANIFESTS, *PACKAGE_DOCS, *manifest_names(), "Makefile"}
    found = sources.find_sources(conn, record.index_id, [posixpath.join(folder, name) for name in sorted(names)])
    texts = sources.text_of(conn, record.index_id, list(found.values()))
    return {posixpath.basename(path): text for path, text in texts.items()}
