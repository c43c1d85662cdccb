"""`cocosearch-py wiki rename`: give a page another id, from which nothing is lost."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypedDict

from cocosearch_py.model.answers import Count
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation
from cocosearch_py.tools.wikis import Author, BrokenLink, IndexName, author_of, broken_items, meant

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import Moved


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_rename."""

    page: Annotated[str, Flag(metavar="PAGE", help="Page ID, or part of its title.")]
    new_id: Annotated[str, Flag(metavar="NEW_ID", help="New page ID.")]
    title: Annotated[str | None, Flag(names=("--title",), metavar="TITLE", help="New title (default: unchanged).")] = (
        None
    )
    author: Author = None
    index_name: IndexName = None


class Answer(TypedDict):
    """What became of a page.

    `moved_to` is the page that its id leads to now; `rewritten` are the pages whose links to it were changed.
    """

    page: str
    title: str
    version: Count
    moved_to: str | None
    rewritten: list[str]
    broken_links: list[BrokenLink]


def wiki_rename(call: Call, asked: Arguments) -> "Moved":
    """Give a page of the wiki another id; the old one leads there, and links to it are changed."""
    from cocosearch_py.wiki.rename import rename_page

    app, place = meant(call, writes=True)
    author = author_of(call, asked.author)
    return rename_page(app.wikis, place, asked.page, asked.new_id, asked.title, author=author)


def moved_answer(moved: "Moved") -> Json:
    """What became of a page, as an `Answer`."""
    return {
        "page": moved.page.page_id,
        "title": moved.page.title,
        "version": moved.page.version,
        "moved_to": moved.moved_to,
        "rewritten": list(moved.rewritten),
        "broken_links": broken_items(moved.broken),
    }


OPERATION = Operation(
    name="wiki_rename",
    title="Rename a wiki page",
    arguments=Arguments,
    run=wiki_rename,
    shape=lambda moved, _: moved_answer(moved),
    answer=Answer,
    writes=True,
    about_indexes=True,
    command=Command(
        name="wiki rename",
        help="""Change the ID of a page; the old ID leads to it from now on.

        Its versions and notes move with it. Links in other pages are updated, which creates new versions of those
        pages.
        """,
    ),
)
