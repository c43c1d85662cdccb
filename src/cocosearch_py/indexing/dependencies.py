"""The step that finds the files that imports lead to; see table `dependencies`."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from cocosearch_py.indexing.packages import NOTHING, Files, Packages, declared, offered_by
from cocosearch_py.languages import LANGUAGES, affected
from cocosearch_py.languages.imports import Project, Resolution, resolver_of
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.queries.imports import (
    StoredImport,
    files_importing,
    files_leading_to,
    imports_bringing,
    imports_of,
    indexed_files,
    is_in_manifest,
    offers_of,
    text_of,
)
from cocosearch_py.storage.write.rows import dependency_row
from cocosearch_py.storage.write.writer import IndexWriter

_MOST_CHANGED = 100  # files that came or went in an update, from which on all imports are looked at
NOWHERE = 0  # target of an import that should lead to a file of the index, and does not
_MOST_TARGETS = 200  # of one import, of the files of a package


class _Resolved(NamedTuple):
    """An import with what it leads to; `by_use` if it means only those of the files that define what is used."""

    row: StoredImport
    found: Resolution
    by_use: bool


def find_dependencies(writer: IndexWriter) -> None:
    """Bring table `dependencies` up to date.

    An update looks at the files that it has written, and at those with imports that may lead elsewhere now: to files
    that it added or removed, to packages that files say they are in or no longer do, and to packages in which other
    names are defined now than before. After changes of a manifest, among others, these are all: see `affected`.
    """
    if not writer.building and not writer.files_written and not writer.files_removed:
        return
    files = {file_id: (path, language) for file_id, path, language in indexed_files(writer.conn, writer.index_id)}
    paths = frozenset(path for path, _ in files.values())
    project = Project(paths, lambda path: _text(writer, path), lambda: _packages(writer, files))
    for table in ("imports", "chunks"):  # the texts of manifests are read from chunks, each by its file
        writer.add_key(table)
    changed = None if writer.building else _affected(writer, project, files)
    ids = None if changed is None else sorted(changed)
    writer.clear("dependencies", ids)
    packages = Packages(writer, files)
    for page in imports_of(writer.conn, writer.index_id, ids):
        writer.write({"dependencies": _rows(writer.index_id, packages, list(_resolved(project, files, page)))})


def _affected(writer: IndexWriter, project: Project, files: Files) -> set[int] | None:
    """Files with imports that may lead elsewhere than before the run, with those that it wrote; None for all."""
    now = {one: files[one] for one in writer.files_written if one in files}
    before = writer.importable_removed
    if not _are_code({*now.values(), *before.values()}):
        return None
    packages = {package for _, package in writer.packages_removed ^ set(_declared(writer, now))}
    paths = {path for path, _ in now.values()} ^ {path for path, _ in before.values()}
    words = affected.file_words(paths)
    if words is None or len(paths) > _MOST_CHANGED or affected.change_folders(project, paths):
        return None
    if words and is_in_manifest(writer.conn, writer.index_id, words):
        return None
    found = writer.files_written | writer.files_removed | _importers(writer, project, files)
    if not paths and not packages:
        return found
    found |= files_leading_to(writer.conn, writer.index_id, before.keys() - now.keys())
    if words:
        found |= files_importing(writer.conn, writer.index_id, words)
    by_language = defaultdict[str, list[int]](list)
    for one, (_, language) in files.items():
        by_language[language].append(one)
    for language, ids in by_language.items():
        if (is_near := affected.nearness(language)) is not None:
            found |= {one for one in ids if any(is_near(path, files[one][0]) for path in paths)}
        if of_packages := affected.package_words(project, language, paths, packages):
            found |= files_importing(writer.conn, writer.index_id, of_packages, ids)
    return found


def _are_code(files: Collection[tuple[str, str]]) -> bool:
    """Whether none of the files can be a manifest, which decides what imports of other files mean."""
    languages = {language for _, language in files}
    return all(language in LANGUAGES and LANGUAGES[language].kind in ("code", "docs") for language in languages)


def _text(writer: IndexWriter, path: str) -> str | None:
    return text_of(writer.conn, writer.index_id, file_id_of(path))


def _packages(writer: IndexWriter, files: Files) -> dict[str, list[str]]:
    """By package or namespace, the files that say they are in it."""
    found = defaultdict[str, set[str]](set)
    for file_id, package in _declared(writer, files):
        found[package].add(files[file_id][0])
    return {package: sorted(paths) for package, paths in found.items()}


def _declared(writer: IndexWriter, files: Files) -> Iterator[tuple[int, str]]:
    return declared(writer, {one: language for one, (_, language) in files.items()})


def _importers(writer: IndexWriter, project: Project, files: Files) -> set[int]:
    """Files with imports of packages in which other names are defined than before the run."""
    ids = [one for one in writer.files_written & writer.files_removed if one in files]
    ids = [one for one in ids if _is_by_use(files[one][1])]
    if not ids:
        return set()
    before = offered_by((one for one in writer.offers_removed if one.file_id in files), files)
    after = offered_by(offers_of(writer.conn, writer.index_id, ids), files)
    outer, names = set[str](), dict[str, frozenset[str]]()  # by path: what is defined now and was not, or the reverse
    for one in ids:
        old, new = before.get(one, NOTHING), after.get(one, NOTHING)
        if old.outer != new.outer or bool(old.every) != bool(new.every):
            outer.add(files[one][0])
        if different := (old.outer ^ new.outer) | (old.every ^ new.every):
            names[files[one][0]] = different
    if not names:
        return set()
    found = imports_bringing(writer.conn, writer.index_id, frozenset().union(*names.values()), or_all=bool(outer))
    return {
        one.row.file_id
        for one in _resolved(project, files, found)
        if one.by_use
        and any(path in outer or one.row.what.name in names[path] for path in names.keys() & one.found.targets)
    }


def _resolved(project: Project, files: Files, page: Sequence[StoredImport]) -> Iterator[_Resolved]:
    """Return the files that imports lead to, without those outside the project."""
    for row in page:
        path, language = files[row.file_id]
        resolve = resolver_of(language)
        found = resolve(project, path, row.what) if resolve is not None else None
        if found is not None and not found.external:
            yield _Resolved(row, found, found.package and _is_by_use(language))


def _is_by_use(language_id: str) -> bool:
    language = LANGUAGES.get(language_id)
    return language is not None and language.imports_by_use


def _rows(index_id: int, packages: Packages, resolved: Sequence[_Resolved]) -> list[bytes]:
    packages.prepare((one.row.file_id, one.row.what, one.found) for one in resolved if one.by_use)
    rows = []
    for (file_id, number, what), found, by_use in resolved:
        path = packages.files[file_id][0]
        meant = packages.narrowed(file_id, what, found) if by_use else found.targets or None
        targets = [file_id_of(target) for target in dict.fromkeys(meant or ()) if target != path][:_MOST_TARGETS]
        if meant is None:
            targets = [NOWHERE]
        rows += [dependency_row(index_id, number, file_id, target, what.line, what.module) for target in targets]
    return rows
