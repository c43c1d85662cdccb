"""Python: modules and packages below the places from which a program or a test is started."""

import sys

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    inside,
    to_file,
    upwards,
)
from cocosearch_py.model.references import WILDCARD, Import

_SUFFIXES = (".py", ".pyi", ".pyx", ".pxd")
_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")
_SOURCE_FOLDERS = ("src", "lib", "python")  # where a distribution may keep its packages


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve `import module` and `from module import name`; a submodule of that name comes before the package."""
    module = one.module
    name = None if one.name == WILDCARD else one.name
    if module.startswith("."):
        return _relative(project, path, module, name)
    module_path = module.replace(".", "/")
    top = module_path.partition("/")[0]
    known = project.once(_roots_by_top).get(top)
    if known is None:
        return EXTERNAL
    base = project.once(_bases).get(folder_of(path), "")
    if top in sys.stdlib_module_names:  # only what lies beside a script comes before the standard library
        return _found(project, inside(base, module_path), name) or EXTERNAL
    for root in _roots(project, base, top, known):
        if (found := _found(project, inside(root, module_path), name)) is not None:
            return found
    certain = any(_module(project, inside(root, top)) for root in _roots(project, base, top, known))
    return UNRESOLVED if certain else EXTERNAL


def is_near(changed: str, path: str) -> bool:
    """Whether a module decides from where a script is started: it is the first beside it."""
    return _is_python(changed) and not _is_python(path) and folder_of(changed) == folder_of(path)


def _relative(project: Project, path: str, module: str, name: str | None) -> Resolution:
    rest = module.lstrip(".")
    folder = folder_of(path)
    for _ in range(len(module) - len(rest) - 1):
        if not folder:
            return UNRESOLVED
        folder = folder_of(folder)
    return _found(project, inside(folder, rest.replace(".", "/")), name) or UNRESOLVED


def _found(project: Project, place: str, name: str | None) -> Resolution | None:
    """The module at `place`, a path without suffix; with a name, the submodule of that name if there is one."""
    found = _module(project, inside(place, name)) if name else None
    found = found or _module(project, place)
    return None if found is None else to_file(found)


def _module(project: Project, place: str) -> str | None:
    paths = project.paths
    for suffix in _SUFFIXES:
        if (package := f"{place}/__init__{suffix}" if place else f"__init__{suffix}") in paths:
            return package
        if place and (file := place + suffix) in paths:
            return file
    return None


def _roots(project: Project, base: str, top: str, known: frozenset[str]) -> list[str]:
    """The places where `top` is looked for: those around the file from inside out, then all with a manifest."""
    around = [root for folder in upwards(base) for root in _with_sources(folder) if root in known]
    others = project.once(_distributions_by_top).get(top, ())
    return [*around, *(root for root in others if root not in around)]


def _with_sources(folder: str) -> tuple[str, ...]:
    prefix = f"{folder}/" if folder else ""
    return (folder, *(prefix + name for name in _SOURCE_FOLDERS))


def _is_python(path: str) -> bool:
    return path.endswith(_SUFFIXES)


def _bases(project: Project) -> dict[str, str]:
    """By folder with Python files: the folder around the outermost package that it is in, or itself."""
    packages = {folder_of(path) for path in project.named(*(f"__init__{suffix}" for suffix in _SUFFIXES))}
    found: dict[str, str] = {}
    for path in project.paths:
        if _is_python(path) and (folder := folder_of(path)) not in found:
            base = folder
            while base and base in packages:
                base = folder_of(base)
            found[folder] = base
    return found


def _roots_by_top(project: Project) -> dict[str, frozenset[str]]:
    """By the first part of a module's name: the folders below which it may be found."""
    found: dict[str, set[str]] = {}
    bases = project.once(_bases)
    for path in project.paths:
        if not _is_python(path):
            continue
        folder = folder_of(path)
        base = bases[folder]
        rest = path[len(base) + 1 :] if base else path
        found.setdefault(rest.partition("/")[0].partition(".")[0], set()).add(base)
    for base in set(bases.values()):
        for folder in upwards(base):  # a namespace package has no file of its own
            around, _, name = folder.rpartition("/")
            if name:
                found.setdefault(name, set()).add(around)
    return {top: frozenset(roots) for top, roots in found.items()}


def _distributions(project: Project) -> frozenset[str]:
    folders = {folder_of(path) for path in project.named(*_MANIFESTS)} | {""}
    return frozenset(root for folder in folders for root in _with_sources(folder))


def _distributions_by_top(project: Project) -> dict[str, tuple[str, ...]]:
    distributions = project.once(_distributions)
    return {
        top: tuple(sorted(roots & distributions, key=lambda root: (root.count("/"), root)))
        for top, roots in project.once(_roots_by_top).items()
    }
