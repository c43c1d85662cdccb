"""`cocosearch-py wiki export`: the wiki as a folder of Markdown that people read and git compares."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypedDict

from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Flag, Operation
from cocosearch_py.tools.wikis import IndexName, meant

if TYPE_CHECKING:
    from cocosearch_py.wiki.exchange import Exported


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki export. It is no tool: only people choose where files go."""

    folder: Annotated[str, Flag(metavar="FOLDER", help="Target folder; created if it does not exist.", filled=True)]
    force: Annotated[bool, Flag(names=("--force",), help="Also overwrite other files and files changed by hand.")] = (
        False
    )
    index_name: IndexName = None


class Answer(TypedDict):
    """Names of files; `left` are those of pages that the wiki does not have."""

    folder: str
    written: list[str]
    unchanged: list[str]
    left: list[str]


def wiki_export(call: Call, asked: Arguments) -> "Exported":
    """Write the wiki into a folder, a file a page."""
    from cocosearch_py.wiki.exchange import export_folder

    app, place = meant(call)
    return export_folder(app.wikis, place, Path(asked.folder).expanduser().absolute(), force=asked.force)


def _answer(done: "Exported", _: Arguments) -> Json:
    return {
        "folder": str(done.folder),
        "written": list(done.written),
        "unchanged": list(done.unchanged),
        "left": list(done.left),
    }


OPERATION: "Operation[Arguments, Exported]" = Operation(
    name="wiki_export",
    title="Export the wiki",
    arguments=Arguments,
    run=wiki_export,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    command=Command(
        name="wiki export",
        help="""Write the wiki to a folder of Markdown files, one per page: for git, MkDocs and people.

        The same wiki gives the same bytes. Other files in the folder stay unchanged.
        """,
    ),
)
