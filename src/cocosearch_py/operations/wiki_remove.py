"""`cocosearch-py wiki remove`: take a page out of the wiki; its versions are kept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cocosearch_py.operations.wiki_rename import Answer, moved_answer
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation
from cocosearch_py.tools.wikis import Author, IndexName, author_of, meant

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import Moved


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_remove."""

    page: Annotated[str, Flag(metavar="PAGE", help="Page ID, or part of its title.")]
    to: Annotated[
        str | None,
        Flag(names=("--to",), metavar="PAGE", help="Page that the old ID and links lead to from now on."),
    ] = None
    author: Author = None
    index_name: IndexName = None


def wiki_remove(call: Call, asked: Arguments) -> "Moved":
    """Take a page out of the wiki; restoring a version brings it back."""
    from cocosearch_py.wiki.rename import remove_page

    app, place = meant(call, writes=True)
    return remove_page(app.wikis, place, asked.page, asked.to, author=author_of(call, asked.author))


OPERATION = Operation(
    name="wiki_remove",
    title="Remove a wiki page",
    arguments=Arguments,
    run=wiki_remove,
    shape=lambda moved, _: moved_answer(moved),
    answer=Answer,
    writes=True,
    about_indexes=True,
    command=Command(
        name="wiki remove",
        help="""Remove a page from the wiki.

        Its versions and notes are kept: `cocosearch-py wiki restore PAGE VERSION` brings it back.
        """,
    ),
)
