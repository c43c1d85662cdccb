"""Go: an import is a folder below one of the project's modules; all files in it are its package."""

import re

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    inside,
    join,
    nearest,
    upwards,
)
from cocosearch_py.model.references import Import

_MODULE = re.compile(r"^[ \t]*module[ \t]+\"?([^\s\"]+)", re.MULTILINE)
_REPLACED = re.compile(r"^[ \t]*(?:replace[ \t]+)?([^\s\"]+)(?:[ \t]+v\S+)?[ \t]*=>[ \t]*(\.\.?/\S*)", re.MULTILINE)


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve an import path to the files of its package, less its tests."""
    module = one.module
    modules = project.once(_modules)
    for prefix in upwards(module):
        if prefix in modules:
            places = nearest(path, (inside(folder, module[len(prefix) + 1 :]) + "/" for folder in modules[prefix]))
            return next((found for place in places if (found := _package(project, place.strip("/")))), UNRESOLVED)
    for folder in upwards(folder_of(path)):
        if (found := _package(project, inside(folder, f"vendor/{module}"))) is not None:
            return found
    if not modules and module.count("/") > 1:  # a tree from before modules: host/owner/repository/folder
        return _package(project, module.split("/", 3)[3] if module.count("/") > 2 else "") or EXTERNAL
    return EXTERNAL


def package_words(project: Project, path: str) -> set[str]:
    if not path.endswith(".go"):
        return set()
    folder = folder_of(path)
    if not folder or any(folder in places for places in project.once(_modules).values()):
        return {""}  # its name is that of the module, which go.mod says
    return {folder.rpartition("/")[2]}


def _package(project: Project, folder: str) -> Resolution | None:
    files = (path for path in project.files_in(folder) if path.endswith(".go") and not path.endswith("_test.go"))
    targets = tuple(files)
    return Resolution(targets, package=True) if targets else None


def _modules(project: Project) -> dict[str, tuple[str, ...]]:
    """By the path of a module: where it lies. Several are copies, as in examples."""
    found: dict[str, tuple[str, ...]] = {}
    for path in project.named("go.mod"):
        text = project.read(path) or ""
        folder = folder_of(path)
        if (module := _MODULE.search(text)) is not None:
            found[module[1]] = (*found.get(module[1], ()), folder)
        for name, target in _REPLACED.findall(text):
            if name not in found and (place := join(folder, target)) is not None:
                found[name] = (place,)
    return found
