"""Julia: included files, and packages with a file of their name in `src`."""

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, folder_of, for_folder, join, nearest, to_file
from cocosearch_py.model.references import Import


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the path of an `include`, which ends with .jl, or the first part of a module's name."""
    if one.module.endswith(".jl"):
        place = join(folder_of(path), one.module)
        return to_file(place if place in project.paths else None)
    name = one.module.lstrip(".").partition(".")[0]
    files = project.ending(f"src/{name}.jl")
    return to_file(nearest(path, files)[0]) if files else EXTERNAL
