"""`wiki_compound`, `cocosearch-py wiki compound`: put what was learned where it belongs in the wiki."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NotRequired, TypedDict

from cocosearch_py.model.answers import Count, Share
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.sizes import PAGE_TEXT
from cocosearch_py.tools.wikis import (
    Author,
    BrokenLink,
    IndexName,
    author_of,
    broken_items,
    meant,
    text_or_file,
)

if TYPE_CHECKING:
    from cocosearch_py.wiki.routing import Compounded


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_compound."""

    synthesis: Annotated[
        str,
        About("Text to add, in Markdown"),
        PAGE_TEXT,
        Flag(metavar="TEXT", read=text_or_file, help="Text to add; @FILE reads a file, - reads standard input."),
    ]
    source_pages: Annotated[
        list[str] | None,
        About("IDs of the pages it came from"),
        Flag(names=("--source-page",), metavar="PAGE", help="Page that it came from; can be repeated."),
    ] = None
    title: Annotated[
        str | None,
        About("Title of the new page or section"),
        Flag(names=("--title",), metavar="TITLE", help="Title of the new page or section."),
    ] = None
    apply: Annotated[
        bool,
        About("false: only report where it belongs"),
        Flag(names=("--apply/--suggest",), help="Write it, or only show where it belongs. [default: write]"),
    ] = True
    author: Author = None
    index_name: IndexName = None


class Alternative(TypedDict):
    """Another page that it may belong to."""

    page: str
    title: str
    score: Share


class Answer(TypedDict):
    """The page that it belongs to, which there is (update) or is not (create), and what was written.

    `score` says how much of it the page is about; `sure`: whether any page is.
    """

    page: str
    title: str
    action: Literal["update", "create"]
    score: Share
    sure: Share
    alternatives: list[Alternative]
    applied: bool
    version: NotRequired[Count]
    broken_links: NotRequired[list[BrokenLink]]


def wiki_compound(call: Call, asked: Arguments) -> "Compounded":
    """Add what you learned to the wiki: at the end of the page it belongs to, or as a new topic page."""
    app, place = meant(call, writes=asked.apply)
    return app.wiki_routing.compound(
        place,
        asked.synthesis,
        asked.source_pages or (),
        asked.title,
        author=author_of(call, asked.author),
        apply=asked.apply,
    )


def compounded_answer(found: "Compounded") -> Json:
    """Where it belongs, as an `Answer`."""
    target, candidates = found.route.page, found.route.candidates
    others = [one for one in candidates if one.page.page_id != found.page_id]
    answer: Json = {
        "page": found.page_id,
        "title": found.title,
        "action": "create" if target is None else "update",
        "score": round(candidates[0].score, 4) if target is not None else 0.0,
        "sure": round(found.route.sure, 4),
        "alternatives": [
            {"page": one.page.page_id, "title": one.page.title, "score": round(one.score, 4)} for one in others[:3]
        ],
        "applied": found.written is not None,
    }
    if found.written is not None:
        answer["version"] = found.written.page.version
        answer["broken_links"] = broken_items(found.written.broken)
    return answer


OPERATION = Operation(
    name="wiki_compound",
    title="Add to the wiki",
    arguments=Arguments,
    run=wiki_compound,
    shape=lambda found, _: compounded_answer(found),
    answer=Answer,
    toolset="wiki",
    order=7,
    listed=False,
    about_indexes=True,
    writes=True,
    command=Command(name="wiki compound", help="Add what you learned to the wiki page that it belongs to."),
)
