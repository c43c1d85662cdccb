"""Lua: the parts of a module are folders below a place where modules are looked for."""

from cocosearch_py.languages.imports import (
    EXTERNAL,
    Project,
    Resolution,
    folder_of,
    for_folder,
    inside,
    nearest,
    to_file,
    upwards,
)
from cocosearch_py.model.references import Import

_PLACES = ("", "lua", "src", "lib")


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the text of a `require`, in which dots or slashes part folders, or the path of a `dofile`."""
    tail = one.module if one.module.endswith(".lua") else one.module.replace(".", "/") + ".lua"
    start = tail.removesuffix(".lua") + "/init.lua"
    for folder in upwards(folder_of(path)):
        for place in _PLACES:
            root = inside(folder, place)
            if (found := project.first((inside(root, tail), inside(root, start)))) is not None:
                return to_file(found)
    files = [file for name in (tail, start) for file in project.ending(f"lua/{name}")]
    return to_file(nearest(path, files)[0]) if files else EXTERNAL
