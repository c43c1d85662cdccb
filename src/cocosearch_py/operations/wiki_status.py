"""`wiki_status`, `cocosearch-py wiki status`: which pages the wiki has, and which need work."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NotRequired, TypedDict, cast

from cocosearch_py.model.answers import Count, Share
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.wikis import BrokenLink, IndexName, SourceItem, broken_items, meant, source_item

if TYPE_CHECKING:
    from cocosearch_py.wiki.status import Status


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_status."""

    index_name: IndexName = None


class Coverage(TypedDict):
    """How many of the code files of the project some page is about."""

    covered: Count
    files: Count
    share: Share


class StalePage(TypedDict):
    """A page whose sources are not as they were when it was written; those that are not are listed."""

    page: str
    sources: list[SourceItem]


class MovedSource(SourceItem):
    """A source of a page that is at another path now."""

    page: str


class PageLine(TypedDict):
    """A page."""

    page: str
    title: str
    page_type: str
    version: Count
    updated_at: str


class Answer(TypedDict):
    """`commits_behind` counts from the commit at which all pages were up to date; null without git."""

    page_count: Count
    commits_behind: Count | None
    git_ref: str | None
    updated_at: str
    source_coverage: Coverage
    stale_pages: list[StalePage]
    moved_sources: list[MovedSource]
    broken_links: list[BrokenLink]
    unresolved_contradictions: Count
    unresolved_failures: Count
    pages: list[PageLine]
    truncated: NotRequired[bool]
    hint: NotRequired[str]


def wiki_status(call: Call, _: Arguments) -> "Status":
    """Show the state of the project's wiki: pages, commits behind, files without a page, pages that may be wrong."""
    from cocosearch_py.wiki.status import read_status

    app, place = meant(call)
    return read_status(app.wikis, place)


def _answer(status: "Status", _: Arguments) -> Json:
    stale = {page: [one for one in states if one.is_stale] for page, states in status.states.items()}
    head: Json = {
        "page_count": len(status.pages),
        "commits_behind": status.commits_behind,
        "git_ref": status.wiki.git_ref,
        "updated_at": status.wiki.updated_at.isoformat(),
        "source_coverage": {
            "covered": status.covered,
            "files": status.files,
            "share": round(status.covered / status.files, 4) if status.files else 0.0,
        },
        "stale_pages": [
            {"page": page, "sources": [source_item(one) for one in found]} for page, found in stale.items() if found
        ],
        "moved_sources": [
            {**source_item(one), "page": page}
            for page, states in status.states.items()
            for one in states
            if one.moved_to
        ],
        "broken_links": broken_items(status.broken_links),
        "unresolved_contradictions": status.open_contradictions,
        "unresolved_failures": status.open_failures,
    }
    pages = [
        {
            "page": page.page_id,
            "title": page.title,
            "page_type": page.page_type,
            "version": page.version,
            "updated_at": page.latest.written_at.isoformat(),
        }
        for page in status.pages
    ]

    def build(kept: Sequence[Json]) -> Json:
        answer = {**head, "pages": list(kept)}
        if len(kept) < len(pages):
            answer |= {
                "truncated": True,
                "hint": f"{len(kept)} of {len(pages)} pages fit: wiki_search finds the others",
            }
        return answer

    return cast("Json", fit(pages, build))


OPERATION = Operation(
    name="wiki_status",
    title="State of the wiki",
    arguments=Arguments,
    run=wiki_status,
    shape=_answer,
    answer=Answer,
    toolset="wiki",
    order=4,
    listed=False,
    about_indexes=True,
    command=Command(name="wiki status", help="List the pages of the wiki, and show which need work."),
)
