"""Haskell: the parts of a module's name are folders and a file below a source folder."""

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, folder_of, for_folder, nearest, to_file
from cocosearch_py.model.references import Import


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve a module; one without dots only where the source folder is that of the file."""
    tail = one.module.replace(".", "/")
    files = [file for suffix in (".hs", ".hsc") for file in project.ending(tail + suffix)]
    if "/" not in tail:
        files = [file for file in files if folder_of(file) == folder_of(path) or folder_of(file) in ("", "src", "app")]
    return to_file(nearest(path, files)[0]) if files else EXTERNAL
