"""Markdown: links to other files of the project."""

from urllib.parse import unquote

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    inside,
    join,
    to_file,
    upwards,
)
from cocosearch_py.model.references import Import

_PAGES = (".md", ".mdx", ".markdown")
_START_PAGES = ("README.md", "index.md", "readme.md", "index.mdx")


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve the target of a link; what is no page may be a picture, which no index holds."""
    target = unquote(one.module.partition("#")[0].partition("?")[0])
    if not target or ":" in target:
        return EXTERNAL
    around = upwards(folder_of(path)) if target.startswith("/") else [folder_of(path)]  # a site has a root of its own
    for folder in around:
        place = join(folder, target.lstrip("/"))
        if place is None:
            return EXTERNAL
        pages = [place, *(place + suffix for suffix in _PAGES), *(inside(place, page) for page in _START_PAGES)]
        if (found := project.first(pages)) is not None:
            return to_file(found)
    return UNRESOLVED if target.endswith(_PAGES) else EXTERNAL
