"""Elixir: a module has a file of its name below `lib` or `test`, in lower case with underscores."""

import re

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, for_folder, nearest, to_file
from cocosearch_py.model.references import Import

_PLACES = ("lib", "test", "test/support", "web", "src")
_LEAST_PARTS = 2  # that a file must account for
_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve a module; one inside of another has the file of that one."""
    module = f"{one.module}.{one.name}" if one.name else one.module
    parts = [_WORD.sub("_", part).lower() for part in module.split(".")]
    while parts:
        files = [file for place in _PLACES for file in project.ending(f"{place}/{'/'.join(parts)}.ex")]
        if files:
            return to_file(nearest(path, files)[0])
        if len(parts) < module.count(".") + 1 or len(parts) <= _LEAST_PARTS:
            return EXTERNAL
        parts.pop()
    return EXTERNAL
