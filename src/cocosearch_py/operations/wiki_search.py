"""`wiki_search`, `cocosearch-py wiki search`: pages of the wiki that answer a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import ValidationError
from cocosearch_py.model.answers import Share
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.sizes import QUERY
from cocosearch_py.tools.wikis import TOLD, FailureItem, IndexName, failure_item, is_stale, meant

if TYPE_CHECKING:
    from cocosearch_py.model.wiki import Failure, SourceState
    from cocosearch_py.wiki.search import PageHit

MAX_LIMIT = 50
_EXCERPT_CHARS = 1_200
_NOTHING = "no wiki page matches the query and page_type: wiki_status lists the pages"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_search."""

    query: Annotated[
        str,
        About("Subject to search for"),
        QUERY,
        Flag(metavar="QUERY", help="Subject to search for."),
    ]
    limit: Annotated[
        int,
        About("Pages, 1-50"),
        Flag(
            names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_LIMIT, help="Maximum number of pages (1–50)."
        ),
    ] = 5
    include_failures: Annotated[
        bool,
        About("Add recorded failures of the pages, and failures like the query"),
        Flag(names=("--failures",), help="Also show recorded failures of the pages, and failures like the query."),
    ] = False
    page_type: Annotated[
        str | None,
        About("Only architecture, module, entity or topic"),
        UNLISTED,
        Flag(names=("--type",), metavar="TYPE", help="Only pages of this type."),
    ] = None
    index_name: IndexName = None


class Item(TypedDict):
    """A page; `excerpt` is the passage of it that answers, `stale`: what it is about has changed since."""

    id: str
    title: str
    page_type: str
    excerpt: str
    score: Share
    stale: bool
    failures: NotRequired[list[FailureItem]]


class Answer(TypedDict):
    """Pages, best first; `failures` are those like the query, of whatever page."""

    query: str
    pages: list[Item]
    failures: NotRequired[list[FailureItem]]
    truncated: NotRequired[bool]
    hint: NotRequired[str]
    warnings: NotRequired[list[str]]
    note: str


class PagesFound(NamedTuple):
    """Pages that answer, what became of their sources, and failures: by page, and those like the query."""

    pages: "Sequence[PageHit]"
    states: "Mapping[str, Sequence[SourceState]]"
    failures: "Mapping[str, Sequence[Failure]]"
    alike: "Sequence[Failure]"
    warnings: tuple[str, ...] = ()


def wiki_search(call: Call, asked: Arguments) -> PagesFound:
    """Find pages of the project's wiki by words and meaning, with the matching passages."""
    from cocosearch_py.model.wiki import PAGE_TYPES
    from cocosearch_py.search.unmatched import explain_words_only

    if asked.page_type is not None and asked.page_type not in PAGE_TYPES:
        raise ValidationError(f"unknown page_type '{asked.page_type[:50]}'", hint=f"use {', '.join(PAGE_TYPES)}")
    app, place = meant(call)
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_LIMIT)
    hits, report = app.wiki_search.pages(place, asked.query, limit, (asked.page_type,) if asked.page_type else ())
    why = None if report is None else explain_words_only(report)
    warnings = (*bounded.notes, *([why] if why else []))
    states = app.wikis.states(place, [hit.page for hit in hits])
    if not asked.include_failures:
        return PagesFound(hits, states, {}, (), warnings)
    own = {hit.page.page_id: app.wikis.failures(place, hit.page.page_id) for hit in hits}
    alike = [hit.failure for hit in app.wiki_search.failures(place, asked.query, limit)]
    return PagesFound(hits, states, own, alike, warnings)


def _answer(found: PagesFound, asked: Arguments) -> Json:
    items = [_item(hit, found, asked) for hit in found.pages]

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {"query": asked.query, "pages": list(kept)}
        if asked.include_failures:
            answer["failures"] = [failure_item(one) for one in found.alike]
        if len(kept) < len(items):
            answer |= {"truncated": True, "hint": f"{len(kept)} of {len(items)} pages fit: lower limit"}
        if not items:
            answer["hint"] = _NOTHING
        if found.warnings:
            answer["warnings"] = list(found.warnings)
        return {**answer, "note": TOLD}

    return cast("Json", fit(items, build))


def _item(hit: "PageHit", found: PagesFound, asked: Arguments) -> Json:
    page = hit.page
    item: Json = {
        "id": page.page_id,
        "title": page.title,
        "page_type": page.page_type,
        "excerpt": hit.excerpt[:_EXCERPT_CHARS].strip(),
        "score": round(hit.score, 4),
        "stale": is_stale(found.states[page.page_id]),
    }
    if asked.include_failures:
        item["failures"] = [failure_item(one) for one in found.failures[page.page_id]]
    return item


OPERATION = Operation(
    name="wiki_search",
    title="Search the wiki",
    arguments=Arguments,
    run=wiki_search,
    shape=_answer,
    answer=Answer,
    toolset="wiki",
    order=2,
    listed=False,
    about_indexes=True,
    command=Command(name="wiki search", help="Find wiki pages by words and meaning."),
    aliases=(Alias(name="wiki_suggest_contribution", program="indxr", dialect="wiki_suggest_contribution.OPERATION"),),
)
