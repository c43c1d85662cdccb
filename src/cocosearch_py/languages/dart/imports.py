"""Dart: relative files, and packages of the same repository by their pubspec."""

import re

from cocosearch_py.languages.imports import EXTERNAL, Project, Resolution, folder_of, for_folder, inside, join, to_file
from cocosearch_py.model.references import Import

_NAME = re.compile(r"^name:[ \t]*[\"']?(\w+)", re.MULTILINE)


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the text of `import`, `export` or `part`."""
    scheme, colon, rest = one.module.partition(":")
    if not colon:
        place = join(folder_of(path), one.module)
    elif scheme == "package" and (folder := project.once(_packages).get(rest.partition("/")[0])) is not None:
        place = inside(folder, f"lib/{rest.partition('/')[2]}")
    else:
        return EXTERNAL
    return to_file(place if place in project.paths else None)


def _packages(project: Project) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in project.named("pubspec.yaml"):
        if (name := _NAME.search(project.read(path) or "")) is not None:
            found.setdefault(name[1], folder_of(path))
    return found
