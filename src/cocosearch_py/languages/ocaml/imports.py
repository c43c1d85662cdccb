"""OCaml: a module is a file of its name, its first letter small; libraries of a project share one space of names."""

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, folder_of, for_folder, nearest, to_file
from cocosearch_py.model.references import Import

# Modules of the standard library; a project's own ones of these names come first only in the same folder.
_STANDARD = frozenset(
    """array bool buffer bytes char domain either filename float format fun hashtbl int int32 int64 lazy lexing list
    map option parsing printexc printf queue random result scanf seq set stack stdlib string sys unix uchar
    unit""".split()
)


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve a path of modules to the last part that has a file."""
    for part in reversed(one.module.strip(".").split(".")):
        name = part[:1].lower() + part[1:]
        files = [file for suffix in (".ml", ".mli") for file in project.ending(name + suffix)]
        if name in _STANDARD:
            files = [file for file in files if folder_of(file) == folder_of(path)]
        if files:
            return to_file(nearest(path, files)[0])
    return EXTERNAL
