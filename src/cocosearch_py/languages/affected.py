"""Which imports may mean something else once a file has come or gone, told without resolving them all.

An import says the name of the file that it means, or, where it means a package, that of its folder. What is found by
other names is left to those who then look at all imports: files that stand for their folder, those that a manifest
names, and the first and last file of a folder. A resolver that knows packages says by which words in `package_words`;
`is_near` of one tells of files by whose place others are resolved, whatever their imports say.
"""

from collections.abc import Callable, Collection
from functools import cache
from importlib import import_module
from typing import Any

from cocosearch_py.languages.imports import Project, folder_of
from cocosearch_py.languages.table import LANGUAGES

# Names without suffixes, in lower case.
_FOR_FOLDERS = frozenset(
    """__init__ action chart compose containerfile docker-compose dockerfile index init kustomization lib main mod
    readme setup""".split()
)


def file_words(paths: Collection[str]) -> set[str] | None:
    """Words of which an import has one if it means one of these files; None if it may have none of them."""
    words = {path.rpartition("/")[2].partition(".")[0] for path in paths}
    if any(not word.isascii() or not word or word.lower() in _FOR_FOLDERS for word in words):
        return None
    return words


def package_words(
    project: Project, language_id: str, paths: Collection[str], packages: Collection[str]
) -> frozenset[str]:
    """Words of which an import of this language has one if it means a package with one of these files, or of these.

    They may be of any import: then there is an empty one.
    """
    words_of: Callable[[Project, str], set[str]] | None = _own(language_id, "package_words")
    if words_of is None:
        return frozenset()
    words = {word for path in paths for word in words_of(project, path)}
    words |= {package.rpartition(".")[2] for package in packages}
    return frozenset(word if word.isascii() else "" for word in words)


def nearness(language_id: str) -> Callable[[str, str], bool] | None:
    """Return a test whether any import of a file of this language may depend on a changed file."""
    near: Callable[[str, str], bool] | None = _own(language_id, "is_near")
    return near


def change_folders(project: Project, changed: Collection[str]) -> bool:
    """Whether folders have come or gone with these files."""
    folders = tuple(f"{folder}/" for folder in {folder_of(path) for path in changed} if folder)
    kept = [path for path in project.paths if path.startswith(folders) and path not in changed] if folders else []
    return any(not any(path.startswith(folder) for path in kept) for folder in folders)


@cache
def _own(language_id: str, name: str) -> Any:
    language = LANGUAGES.get(language_id)
    if language is None or not language.imports:
        return None
    return getattr(import_module(f"{__package__}.{language.imports}"), name, None)
