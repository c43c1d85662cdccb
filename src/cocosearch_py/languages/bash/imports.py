"""Shell scripts: a sourced file is looked for from the script, its folder's parents, and by the end of its path."""

import re

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    join,
    nearest,
    to_file,
    upwards,
)
from cocosearch_py.model.references import Import

_VARIABLE = re.compile(r"^.*(?:\)|\}|\$\w+)[\"']?/")  # "$(dirname "$0")/x", "${BASE}/x"


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the argument of `source`; a variable at its beginning stands for any folder."""
    tail = _VARIABLE.sub("", one.module).strip("\"'")
    if "$" in tail or not tail or tail.startswith(("/", "~", "<")):
        return EXTERNAL
    for folder in upwards(folder_of(path)):
        if (place := join(folder, tail)) in project.paths:
            return to_file(place)
    files = project.ending(tail.lstrip("./"))
    if files:
        return to_file(nearest(path, files)[0])
    return EXTERNAL if tail != one.module else UNRESOLVED
