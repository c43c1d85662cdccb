"""`cocosearch-py wiki diff`: what changed between two versions of a page."""

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
    """Parameters of wiki_diff."""

    page: Annotated[str, Flag(metavar="PAGE", help="Page ID, or part of its title.")]
    from_version: Annotated[
        int | None,
        Flag(names=("--from",), metavar="N", minimum=1, help="Older version (default: the one before --to)."),
    ] = None
    to_version: Annotated[
        int | None, Flag(names=("--to",), metavar="N", minimum=1, help="Newer version (default: the latest).")
    ] = None
    index_name: IndexName = None


class Answer(TypedDict):
    """A unified diff; empty where both say the same."""

    page: str
    from_version: Count
    to_version: Count
    diff: str


def wiki_diff(call: Call, asked: Arguments) -> "tuple[Version | None, Version]":
    """Show what changed between two versions of a page of the wiki."""
    app, place = meant(call)
    newest = app.wikis.history(place, asked.page)[0].version if asked.to_version is None else asked.to_version
    new = app.wikis.version(place, asked.page, newest)
    number = new.version - 1 if asked.from_version is None else asked.from_version
    return (app.wikis.version(place, asked.page, number) if number else None), new


def _answer(versions: "tuple[Version | None, Version]", _: Arguments) -> Json:
    from cocosearch_py.wiki.service import diff_lines

    old, new = versions
    number = old.version if old is not None else 0
    lines = diff_lines(old.content if old else "", f"version {number}", new.content, f"version {new.version}")
    return {"page": new.page_id, "from_version": number, "to_version": new.version, "diff": "\n".join(lines)}


OPERATION = Operation(
    name="wiki_diff",
    title="Changes of a wiki page",
    arguments=Arguments,
    run=wiki_diff,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    command=Command(name="wiki diff", help="Show what changed between two versions of a page."),
)
