"""The step that finds the files that imports lead to; see table `dependencies`."""

from collections.abc import Collection, Mapping, Sequence

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.imports import Project, resolver_of
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.queries.imports import StoredImport, imports_of, indexed_files, text_of
from cocosearch_py.storage.write.rows import dependency_row
from cocosearch_py.storage.write.writer import IndexWriter

NOWHERE = 0  # target of an import that should lead to a file of the index, and does not
_MOST_TARGETS = 200  # of one import, of the files of a package

Files = Mapping[int, tuple[str, str]]  # by id: path and language


def find_dependencies(writer: IndexWriter) -> None:
    """Bring table `dependencies` up to date.

    An update looks at the files that it has written alone, if it neither added nor removed one and changed no manifest:
    else the imports of others may lead elsewhere now.
    """
    is_same_set = not writer.building and writer.files_written == writer.files_removed
    if is_same_set and not writer.files_written:
        return
    files = {file_id: (path, language) for file_id, path, language in indexed_files(writer.conn, writer.index_id)}
    changed = list(writer.files_written) if is_same_set and _are_code(files, writer.files_written) else None
    writer.clear("dependencies", changed)
    project = Project(frozenset(path for path, _ in files.values()), lambda path: _text(writer, path))
    writer.add_key("imports")
    for page in imports_of(writer.conn, writer.index_id, changed):
        writer.write({"dependencies": _rows(writer.index_id, project, files, page)}, {})


def _are_code(files: Files, file_ids: Collection[int]) -> bool:
    """Whether none of the files can be a manifest, which decides what imports of other files mean."""
    languages = {files[file_id][1] for file_id in file_ids if file_id in files}
    return all(language in LANGUAGES and LANGUAGES[language].kind in ("code", "docs") for language in languages)


def _text(writer: IndexWriter, path: str) -> str | None:
    return text_of(writer.conn, writer.index_id, file_id_of(path))


def _rows(index_id: int, project: Project, files: Files, page: Sequence[StoredImport]) -> list[bytes]:
    rows = []
    for file_id, number, what in page:
        path, language = files[file_id]
        resolve = resolver_of(language)
        found = resolve(project, path, what) if resolve is not None else None
        if found is None or found.external:
            continue
        targets = [file_id_of(target) for target in dict.fromkeys(found.targets) if target != path][:_MOST_TARGETS]
        if not found.targets:
            targets = [NOWHERE]
        rows += [dependency_row(index_id, number, file_id, target, what.line, what.module) for target in targets]
    return rows
