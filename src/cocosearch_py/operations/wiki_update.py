"""`wiki_update`: pages that no longer say what the code does, with what changed, for whoever rewrites them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.comparison.report import ChangeRequest, FileChanges
from cocosearch_py.errors import CocosearchError, ServiceError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.counts import counted
from cocosearch_py.tools.answer import plain
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.revisions import commit_meant
from cocosearch_py.tools.wikis import TOLD, IndexName, SourceItem, meant, source_item

if TYPE_CHECKING:
    from cocosearch_py.comparison.report import ChangedFile, ChangeReport
    from cocosearch_py.model.wiki import Page, SourceState, Wiki, WikiPlace

_MOST_CHARS = 30_000  # of the text of a page
_MOST_UNCOVERED = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of wiki_update."""

    since: Annotated[
        str | None,
        About("Branch, tag or commit; null: where all pages were last up to date"),
        Flag(
            names=("--since",),
            metavar="REF",
            help="Branch, tag or commit (default: where all pages were last up to date).",
        ),
    ] = None
    index_name: IndexName = None


class PageItem(TypedDict):
    """A page to look at: what it says, and the definitions of its sources that differ."""

    page: str
    title: str
    page_type: str
    version: Count
    sources: list[SourceItem]
    changes: list[FileChanges]
    content: str
    content_truncated: NotRequired[bool]


class Answer(TypedDict):
    """Pages to rewrite, and files that changed and are the source of no page."""

    root: str
    since_ref: str | None
    pages: list[PageItem]
    total: Count
    uncovered_files: list[str]
    next: str
    note: str
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


class Affected(NamedTuple):
    """Pages with their sources as they are now, and what changed since a commit, where that is known."""

    root: Path
    since: str | None
    pages: "tuple[tuple[Page, Sequence[SourceState]], ...]"
    report: "ChangeReport | None"
    covered: frozenset[str]
    warnings: tuple[str, ...]


def wiki_update(call: Call, asked: Arguments) -> Affected:
    """Find the wiki's pages that code changes made wrong, with those changes. Rewrite each with wiki_contribute."""
    app, place = meant(call)
    wikis = app.wikis
    wiki = wikis.require(place)
    since, report, told = _compared(place, wiki, asked.since)
    pages = wikis.pages(place)
    states = wikis.states(place, pages)
    changed = {one.path for one in report.files} if report is not None and asked.since is not None else set[str]()
    affected = tuple(
        (page, states[page.page_id])
        for page in pages
        if any(one.is_stale or one.moved_to or one.source.path in changed for one in states[page.page_id])
    )
    if not affected and asked.since is None and call.may_write(str(place.root)):
        wikis.caught_up(place)
    covered = frozenset(
        path for listed in states.values() for one in listed for path in (one.source.path, one.moved_to) if path
    )
    return Affected(place.root, since, affected, report, covered, tuple(told))


def _compared(
    place: "WikiPlace", wiki: "Wiki", asked: str | None
) -> "tuple[str | None, ChangeReport | None, list[str]]":
    """The commit, what changed since, and what is to be known of that; nothing where there is no git."""
    from cocosearch_py.comparison.changes import find_changes

    shown = asked or wiki.git_ref
    if shown is None:
        return None, None, ["no commit to compare with: pages are chosen by the content of their sources"]
    try:
        since = commit_meant(place.root, shown)
        return shown, find_changes(ChangeRequest(since=since), place.root), []
    except CocosearchError as error:
        if asked is not None and not isinstance(error, ServiceError):
            raise
        return shown, None, [f"changes since {shown[:12]} are unknown: {error.message}"]


def _answer(affected: Affected, _: Arguments) -> Json:
    changed = {one.path: one for one in affected.report.files} if affected.report is not None else {}
    uncovered = [path for path in changed if path not in affected.covered]
    items = [_item(page, states, changed) for page, states in affected.pages]

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {
            "root": str(affected.root),
            "since_ref": affected.since,
            "pages": list(kept),
            "total": len(items),
            "uncovered_files": uncovered[:_MOST_UNCOVERED],
            "next": "rewrite each page with wiki_contribute, its version as if_version; then call wiki_update again"
            if items
            else "no pages to rewrite",
            "note": TOLD,
        }
        warnings = list(affected.warnings)
        if len(kept) < len(items):
            answer["truncated"] = True
            warnings.append(f"{len(kept)} of {len(items)} pages fit: rewrite these, then call again")
        if len(uncovered) > _MOST_UNCOVERED:
            warnings.append(f"changed, but not covered by any page: {counted(len(uncovered), 'file')}")
        return {**answer, "warnings": warnings} if warnings else answer

    return cast("Json", fit(items, build))


def _item(page: "Page", states: "Sequence[SourceState]", changed: "dict[str, ChangedFile]") -> Json:
    paths = dict.fromkeys(one.source.path for one in states if not one.moved_to and one.source.path in changed)
    content = page.latest.content
    item: Json = {
        "page": page.page_id,
        "title": page.title,
        "page_type": page.page_type,
        "version": page.version,
        "sources": [source_item(one) for one in states],
        "changes": [plain(changed[path].by_status()) for path in paths],
        "content": content[:_MOST_CHARS],
    }
    return item if len(content) <= _MOST_CHARS else {**item, "content_truncated": True}


OPERATION = Operation(
    name="wiki_update",
    title="Pages to rewrite",
    arguments=Arguments,
    run=wiki_update,
    shape=_answer,
    answer=Answer,
    toolset="wiki",
    order=6,
    listed=False,
    about_indexes=True,
    command=Command(
        name="wiki update",
        help="Show the pages that no longer match the code, with the changes.",
    ),
)
