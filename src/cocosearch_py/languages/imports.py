"""Resolution of imports: the files of one project that stand behind the names in a file's imports.

Each language with a `resolve_import` of its own decides by the paths of the project, its manifests, and the packages
that files say they are in; no other source is read. This module has what they share. All paths are those of the index:
relative to its root, with `/`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.references import Import

Made = TypeVar("Made")
_FEW = 6  # ends of paths: to look at all paths for each of so many takes as long as to sort them by name
MAX_REMEMBERED = 50_000  # answers; some 20 MB. Imports come file by file, so that the newest ones are asked for again


@dataclass(frozen=True, slots=True)
class Resolution:
    """Files and names that one import leads to.

    Attributes:
        targets: files of the project, the likeliest first; may hold the importing file. None of them and not
            `external`: the project should have the file and does not (it is generated, ignored, or found by means
            that no path shows).
        external: the import leads out of the project, to a library.
        package: `targets` are all files of a package or module, of which the import uses some: those that define the
            imported name.
    """

    targets: tuple[str, ...] = ()
    external: bool = False
    package: bool = False


EXTERNAL = Resolution(external=True)
UNRESOLVED = Resolution()


@dataclass(slots=True, eq=False)
class Project:
    """The files that imports may lead to, and what resolvers have worked out about them.

    What is worked out is kept: 100,000 imports cost little more than the first. For one thread at a time.

    Attributes:
        paths: every file of the index.
        read: the text of one of them, asked for manifests only; None when it cannot be read.
        declare: by package or namespace, the files that say they are in it, where `Language.package_word` finds that.
    """

    paths: frozenset[str]
    read: Callable[[str], str | None]
    declare: Callable[[], Mapping[str, Sequence[str]]] = dict
    _made: dict[Callable[["Project"], Any], Any] = field(default_factory=dict)
    _resolved: dict[tuple[Any, ...], Resolution] = field(default_factory=dict)
    _ending: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _folders_ending: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def once(self, make: Callable[["Project"], Made]) -> Made:
        """Return `make(project)`, made at the first call."""
        try:
            made: Made = self._made[make]
        except KeyError:
            made = self._made[make] = make(self)
        return made

    def named(self, *names: str) -> list[str]:
        """All files with one of these whole names, shortest path first."""
        by_name = self.once(_by_name)
        return sorted((path for name in names for path in by_name.get(name, ())), key=lambda path: (len(path), path))

    def ending(self, tail: str) -> tuple[str, ...]:
        """All files whose path ends with the parts of `tail`, in order."""
        found = self._ending.get(tail)
        if found is None:
            candidates: Iterable[str] = self.paths
            if len(self._ending) >= _FEW:
                candidates = self.once(_by_name).get(tail.rpartition("/")[2], [])
            _make_room(self._ending)
            found = tuple(sorted([one for one in candidates if one.endswith(tail) and f"/{one}".endswith(f"/{tail}")]))
            self._ending[tail] = found
        return found

    def folders_ending(self, tail: str) -> tuple[str, ...]:
        """All folders whose path ends with the parts of `tail`, in order."""
        found = self._folders_ending.get(tail)
        if found is None:
            candidates = self.once(_folders_by_name).get(tail.rpartition("/")[2], [])
            _make_room(self._folders_ending)
            found = tuple(one for one in candidates if one == tail or one.endswith("/" + tail))
            self._folders_ending[tail] = found
        return found

    def declaring(self, package: str) -> Sequence[str]:
        """The files that say that they are in a package or namespace, in order; folders are not asked."""
        return self.once(_declared).get(package, ())

    def files_in(self, folder: str) -> list[str]:
        """The files directly in a folder ("" is the root), in order."""
        return self.once(_by_folder).get(folder, [])

    def first(self, candidates: Iterable[str]) -> str | None:
        """The first of these paths that is a file of the project."""
        return next((path for path in candidates if path in self.paths), None)

    def remembered(self, key: tuple[Any, ...], resolve: Callable[[], Resolution]) -> Resolution:
        """Return what `resolve` gave for this key a while ago, or ask it."""
        found = self._resolved.get(key)
        if found is None:
            _make_room(self._resolved)
            found = self._resolved[key] = resolve()
        return found

    def is_folder(self, folder: str) -> bool:
        """Say whether files lie in this folder or below it."""
        return folder in self.once(_folders)


Resolver = Callable[[Project, str, Import], Resolution]  # project, path of the importing file, its import


def for_folder(resolve: Resolver) -> Resolver:
    """Make of a resolver, whose answers hold for all files of a folder, one that remembers them."""

    def remembering(project: Project, path: str, one: Import) -> Resolution:
        key = (resolve, folder_of(path), one.module, one.name)
        return project.remembered(key, lambda: resolve(project, path, one))

    return remembering


@cache
def resolver_of(language_id: str) -> Resolver | None:
    """Return how imports of a language are resolved; None when they are not."""
    language = LANGUAGES.get(language_id)
    if language is None or not language.imports:
        return None
    resolver: Resolver = import_module(f"{__package__}.{language.imports}").resolve_import
    return resolver


def _make_room(remembered: dict[Any, Any]) -> None:
    if len(remembered) >= MAX_REMEMBERED:
        remembered.clear()


def to_file(path: str | None) -> Resolution:
    """The resolution to one file, or to none."""
    return UNRESOLVED if path is None else Resolution((path,))


def with_declaring(project: Project, found: Resolution | None, package: str) -> Resolution | None:
    """The resolution to a package by its folder, with the files elsewhere that say they are in it."""
    targets = found.targets if found is not None else ()
    every = tuple(dict.fromkeys((*targets, *project.declaring(package))))
    return Resolution(every, package=True) if every else found


def _declared(project: Project) -> Mapping[str, Sequence[str]]:
    return project.declare()


def to_package(project: Project, folders: Iterable[str], suffixes: tuple[str, ...]) -> Resolution | None:
    """The resolution to all files directly in these folders that end with a suffix; None when there are none."""
    targets = tuple(path for folder in folders for path in project.files_in(folder) if path.endswith(suffixes))
    return Resolution(targets, package=True) if targets else None


def folder_of(path: str) -> str:
    """The folder that a file or folder lies in; "" is the root."""
    return path.rpartition("/")[0]


def inside(folder: str, name: str) -> str:
    """The path of `name` in a folder; "" names the folder itself."""
    return f"{folder}/{name}" if folder and name else folder or name


def join(folder: str, relative: str) -> str | None:
    """Follow a relative path with `.` and `..` from a folder; None when it leaves the root."""
    if "./" not in relative and not relative.endswith(".") and "//" not in relative:
        return inside(folder, relative.rstrip("/"))
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def upwards(folder: str) -> Iterable[str]:
    """A folder and all around it, the innermost first, "" last."""
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
    yield ""


def nearest(path: str, candidates: Iterable[str]) -> list[str]:
    """The candidates that share most folders with `path`; of several these with the shortest path first."""
    parts = path.split("/")[:-1]
    best, chosen = -1, []
    for candidate in candidates:
        shared = 0
        for mine, other in zip(parts, candidate.split("/"), strict=False):
            if mine != other:
                break
            shared += 1
        if shared > best:
            best, chosen = shared, [candidate]
        elif shared == best:
            chosen.append(candidate)
    return sorted(chosen, key=lambda one: (len(one), one))


def below(project: Project, folder: str) -> list[str]:
    """All files in a folder and below it, in order."""
    ordered = project.once(_ordered)
    if not folder:
        return ordered
    return ordered[bisect_left(ordered, folder + "/") : bisect_left(ordered, folder + "0")]  # "0" follows "/"


def _ordered(project: Project) -> list[str]:
    return sorted(project.paths)


def _by_name(project: Project) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in project.once(_ordered):
        found.setdefault(path[path.rfind("/") + 1 :], []).append(path)
    return found


def _by_folder(project: Project) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in project.once(_ordered):
        found.setdefault(folder_of(path), []).append(path)
    return found


def _folders(project: Project) -> frozenset[str]:
    found = {""}
    for folder in project.once(_by_folder):
        for one in upwards(folder):
            if one in found:
                break
            found.add(one)
    return frozenset(found)


def _folders_by_name(project: Project) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for folder in sorted(project.once(_folders)):
        found.setdefault(folder[folder.rfind("/") + 1 :], []).append(folder)
    return found
