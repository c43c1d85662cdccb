"""Files in which programs usually start, by their names."""

from typing import TYPE_CHECKING

from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.listing import ListRequest
from cocosearch_py.model.search import SearchFilters

if TYPE_CHECKING:
    from cocosearch_py.app import App

_GLOBS = (
    "**/{__main__,main,cli,manage,wsgi,asgi}.py",
    "**/main.{c,cc,cpp,go,rs,kt,swift,dart,java,zig}",
    "**/{index,main,server,cli}.{js,mjs,ts,tsx}",
    "**/Program.cs",
    "**/{bin,cmd}/**",
)


def entry_points(app: "App", record: IndexRecord, folder: str, limit: int) -> list[str]:
    """Return paths of code below a folder, the largest files first."""
    filters = SearchFilters(folder=folder, path_globs=_GLOBS, content=("code",))
    listed = app.navigation.list_files(ListRequest(filters=filters, sort="size", limit=limit), record)
    return [one.path for one in listed.files]
