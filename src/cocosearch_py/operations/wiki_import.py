"""`cocosearch-py wiki import`: pages from a folder of Markdown, all of it or nothing."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation
from cocosearch_py.tools.wikis import Author, IndexName, author_of, meant

if TYPE_CHECKING:
    from cocosearch_py.wiki.exchange import Imported


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki import."""

    folder: Annotated[
        str, Flag(metavar="FOLDER", help="Folder written by `wiki export`, or other Markdown.", filled=True)
    ]
    force: Annotated[
        bool,
        Flag(names=("--force",), help="Import other Markdown files too; if both sides changed, take the file."),
    ] = False
    author: Author = None
    index_name: IndexName = None


class Answer(TypedDict):
    """Ids of pages; `kept` are those of which the wiki has a later version than the folder."""

    folder: str
    created: list[str]
    updated: list[str]
    unchanged: list[str]
    kept: list[str]


def wiki_import(call: Call, asked: Arguments) -> "Imported":
    """Take pages from a folder, all of them or none."""
    from cocosearch_py.wiki.exchange import import_folder

    app, place = meant(call, writes=True)
    folder = Path(asked.folder).expanduser().absolute()
    return import_folder(app.wikis, place, folder, author_of(call, asked.author), force=asked.force)


def _answer(done: "Imported", _: Arguments) -> Json:
    return {
        "folder": str(done.folder),
        "created": list(done.created),
        "updated": list(done.updated),
        "unchanged": list(done.unchanged),
        "kept": list(done.kept),
    }


OPERATION: "Operation[Arguments, Imported]" = Operation(
    name="wiki_import",
    title="Import a wiki",
    arguments=Arguments,
    run=wiki_import,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    writes=True,
    command=Command(
        name="wiki import",
        help="""Import pages from a folder written by `wiki export`, or from other Markdown.

        Each file is compared with the version that it was exported from. A change in the file alone becomes a new
        version, and a change in the wiki alone stays. If both changed, the import is refused. Either all files are
        imported, or none.
        """,
    ),
)
