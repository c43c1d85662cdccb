"""`cocosearch-py wiki history`: the versions of a page."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypedDict

from cocosearch_py.model.answers import Count
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation
from cocosearch_py.tools.wikis import IndexName, meant

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import Version


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_history."""

    page: Annotated[str, Flag(metavar="PAGE", help="Page ID, or part of its title.")]
    index_name: IndexName = None


class Item(TypedDict):
    """A version; `reason` is written, compounded, restored or imported."""

    version: Count
    title: str
    author: str
    reason: str
    written_at: str
    chars: Count


def wiki_history(call: Call, asked: Arguments) -> "list[Version]":
    """List the versions of a page of the wiki, the latest first."""
    app, place = meant(call)
    return app.wikis.history(place, asked.page)


def _answer(versions: "list[Version]", _: Arguments) -> list[Json]:
    return [
        {
            "version": one.version,
            "title": one.title,
            "author": one.author,
            "reason": one.reason,
            "written_at": one.written_at.isoformat(timespec="seconds"),
            "chars": len(one.content),
        }
        for one in versions
    ]


OPERATION = Operation(
    name="wiki_history",
    title="Versions of a wiki page",
    arguments=Arguments,
    run=wiki_history,
    shape=_answer,
    answer=list[Item],
    about_indexes=True,
    command=Command(name="wiki history", help="List the versions of a page with author and date, latest first."),
)
