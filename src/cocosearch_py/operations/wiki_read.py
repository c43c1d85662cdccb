"""`wiki_read`, `cocosearch-py wiki read`: a page of the wiki, with what is known of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict, cast

from cocosearch_py.model.answers import Count
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.wikis import (
    TOLD,
    ContradictionItem,
    FailureItem,
    IndexName,
    SourceItem,
    contradiction_item,
    failure_item,
    is_stale,
    meant,
    source_item,
)

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import LinkState, PageView


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_read."""

    page: Annotated[
        str, About("Page ID, or all or part of its title"), Flag(metavar="PAGE", help="Page ID, or part of its title.")
    ]
    start_line: Annotated[
        int,
        About("First line of the text, from 1"),
        UNLISTED,
        Flag(names=("--start-line",), metavar="N", minimum=1, help="Start at this line of the text."),
    ] = 1
    index_name: IndexName = None


class LinkItem(TypedDict):
    """A link to another page; `broken` says why it leads nowhere."""

    page: str
    heading: NotRequired[str]
    line: Count
    broken: NotRequired[str]


class Answer(TypedDict):
    """A page in its latest version. `links` lead out, `linked_from` are pages that lead to it.

    Of failures and contradictions only open ones are listed.
    """

    page: str
    title: str
    page_type: str
    version: Count
    author: str
    created_at: str
    updated_at: str
    stale: bool
    content: str
    next_line: NotRequired[Count]
    source_files: list[SourceItem]
    links: list[LinkItem]
    linked_from: list[str]
    contradictions: list[ContradictionItem]
    failures: list[FailureItem]
    resolved_contradictions: Count
    resolved_failures: Count
    note: str


def wiki_read(call: Call, asked: Arguments) -> "PageView":
    """Read a page of the project's wiki: text, covered files and whether they changed, links, failures."""
    app, place = meant(call)
    return app.wikis.read(place, asked.page)


def _answer(view: "PageView", asked: Arguments) -> Json:
    page, first = view.page, asked.start_line - 1
    lines = page.latest.content.splitlines(keepends=True)
    head: Json = {
        "page": page.page_id,
        "title": page.title,
        "page_type": page.page_type,
        "version": page.version,
        "author": page.latest.author,
        "created_at": page.created_at.isoformat(),
        "updated_at": page.latest.written_at.isoformat(),
        "stale": is_stale(view.sources),
    }
    rest: Json = {
        "source_files": [source_item(one) for one in view.sources],
        "links": [_link(one) for one in view.out],
        "linked_from": list(dict.fromkeys(one.page_id for one in view.into)),
        "contradictions": [contradiction_item(one) for one in view.contradictions if one.resolved_at is None],
        "failures": [failure_item(one) for one in view.failures if one.resolved_at is None],
        "resolved_contradictions": sum(one.resolved_at is not None for one in view.contradictions),
        "resolved_failures": sum(one.resolved_at is not None for one in view.failures),
        "note": TOLD,
    }

    def build(kept: Sequence[str]) -> Json:
        following = {"next_line": first + len(kept) + 1} if first + len(kept) < len(lines) else {}
        return {**head, "content": "".join(kept), **following, **rest}

    return cast("Json", fit(lines[first:], build))


def _link(one: "LinkState") -> Json:
    item: Json = {"page": one.target or one.page_id, "line": one.line}
    item |= {"heading": one.heading} if one.heading else {}
    return {**item, "broken": one.broken} if one.broken else item


OPERATION = Operation(
    name="wiki_read",
    title="Read a wiki page",
    arguments=Arguments,
    run=wiki_read,
    shape=_answer,
    answer=Answer,
    toolset="wiki",
    order=3,
    listed=False,
    about_indexes=True,
    command=Command(name="wiki read", help="Show a wiki page, and whether the files that it covers have changed."),
)
