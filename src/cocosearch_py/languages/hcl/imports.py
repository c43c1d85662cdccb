"""Terraform: a module is a folder; all its files are read together."""

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    join,
    to_file,
    to_package,
)
from cocosearch_py.model.references import Import

_SUFFIXES = (".tf", ".tofu", ".hcl")


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the `source` of a module; what does not begin with a dot is in a registry."""
    name = one.module.partition("?")[0]
    if not name.startswith("."):
        return EXTERNAL
    place = join(folder_of(path), name)
    if place is None:
        return UNRESOLVED
    if place in project.paths:
        return to_file(place)
    return to_package(project, [place], _SUFFIXES) or UNRESOLVED


def package_words(project: Project, path: str) -> set[str]:
    del project
    return {folder_of(path).rpartition("/")[2]} - {""} if path.endswith(_SUFFIXES) else set()
