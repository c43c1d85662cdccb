"""`cocosearch-py wiki restore`: an earlier version of a page, as a new one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cocosearch_py.operations.wiki_contribute import Answer, written_answer
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation
from cocosearch_py.tools.wikis import Author, IndexName, author_of, meant

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import Written


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_restore."""

    page: Annotated[str, Flag(metavar="PAGE", help="Page ID, or part of its title.")]
    version: Annotated[int, Flag(metavar="VERSION", minimum=1, help="Version to restore.")]
    author: Author = None
    index_name: IndexName = None


def wiki_restore(call: Call, asked: Arguments) -> "Written":
    """Let a page of the wiki say again what an earlier version said; that is a new version."""
    app, place = meant(call, writes=True)
    return app.wikis.restore(place, asked.page, asked.version, author_of(call, asked.author))


OPERATION = Operation(
    name="wiki_restore",
    title="Restore a wiki page",
    arguments=Arguments,
    run=wiki_restore,
    shape=lambda written, _: written_answer(written),
    answer=Answer,
    writes=True,
    about_indexes=True,
    command=Command(name="wiki restore", help="Restore an earlier version of a page, as a new version."),
)
