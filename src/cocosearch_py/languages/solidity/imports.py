"""Solidity: relative files, and paths from a folder of the project."""

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, folder_of, for_folder, join, nearest, to_file
from cocosearch_py.model.references import Import


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the text of an import; what begins with a package and is not here is a library."""
    if one.module.startswith("."):
        place = join(folder_of(path), one.module)
        return to_file(place if place in project.paths else None)
    files = project.ending(one.module)
    return to_file(nearest(path, files)[0]) if files else EXTERNAL
