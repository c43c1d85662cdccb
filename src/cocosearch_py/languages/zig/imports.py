"""Zig: relative files; names are modules of the build, which only a program knows."""

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, folder_of, for_folder, join, to_file
from cocosearch_py.model.references import Import


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the text of an `@import`."""
    if "." not in one.module:
        return EXTERNAL
    place = join(folder_of(path), one.module)
    return to_file(place if place in project.paths else None)
