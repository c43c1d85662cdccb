"""Ruby: files below the folders that are on the load path by convention, or beside the file."""

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
    to_file,
    upwards,
)
from cocosearch_py.model.references import Import

_LOADED = ("lib", "test", "spec", "app", "src", "ext")  # folders that gems and their tests have on the load path


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the text of `require` or `autoload`; of `require_relative` and `load` when it begins with a dot."""
    name = one.module if one.module.endswith((".rb", ".rake")) else f"{one.module}.rb"
    if one.module.startswith("."):
        place = join(folder_of(path), name)
        return to_file(place if place in project.paths else None)
    places = project.ending(name)
    if not places:
        return EXTERNAL if not _is_own(project, one.module) else UNRESOLVED
    for folder in upwards(folder_of(path)):
        for loaded in _LOADED:
            if (place := inside(inside(folder, loaded), name)) in project.paths:
                return to_file(place)
    loaded_places = [place for place in places if _is_loaded(place[: -len(name)].rstrip("/"))]
    return to_file(nearest(path, loaded_places)[0]) if loaded_places else EXTERNAL


def _is_loaded(folder: str) -> bool:
    return folder.rpartition("/")[2] in ("lib", "ext") or folder_of(folder).rpartition("/")[2] == "app"


def _is_own(project: Project, name: str) -> bool:
    """Say whether a gem of the project begins with this name."""
    top = name.partition("/")[0]
    return "/" in name and bool(project.folders_ending(f"lib/{top}"))
