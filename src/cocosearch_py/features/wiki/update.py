"""Pages that code changes have outdated, with the changes, for the agent that rewrites them."""

from collections.abc import Mapping, Sequence

from cocosearch_py.comparison.changes import find_changes
from cocosearch_py.comparison.report import ChangedFile, ChangeRequest
from cocosearch_py.errors import CocosearchError, ServiceError
from cocosearch_py.features.wiki.answers import PAGE_NOTE, OutdatedPage, OutdatedPages, source_items
from cocosearch_py.features.wiki.arguments import WikiUpdateArguments
from cocosearch_py.features.wiki.model import Page, SourceState, Wiki, WikiPlace
from cocosearch_py.features.wiki.place import target_of
from cocosearch_py.model.counts import counted
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.revisions import commit_meant

_MAX_PAGE_CHARS = 30_000
_MAX_UNCOVERED = 30


def wiki_update(call: Call, asked: WikiUpdateArguments) -> OutdatedPages:
    """Find pages whose sources have changed.

    Raises:
        NotFoundError: there is no wiki, or no such commit.
    """
    target = target_of(call)
    wikis, place = target.wikis, target.place
    since, changed, warnings = _changes(place, wikis.require(place), asked.since)
    pages = wikis.pages(place)
    states = wikis.states(place, pages)
    named = changed if asked.since is not None else {}
    outdated = [page for page in pages if _is_outdated(states[page.page_id], named)]
    if not outdated and asked.since is None and call.may_write(str(place.root)):
        wikis.caught_up(place)
    covered = {
        path for listed in states.values() for state in listed for path in (state.source.path, state.moved_to) if path
    }
    uncovered = [path for path in changed if path not in covered]
    if len(uncovered) > _MAX_UNCOVERED:
        warnings.append(f"changed, but not covered by any page: {counted(len(uncovered), 'file')}")
    return OutdatedPages(
        root=str(place.root),
        since_ref=since,
        pages=tuple(_outdated_page(page, states[page.page_id], changed) for page in outdated),
        total=len(outdated),
        uncovered_files=tuple(uncovered[:_MAX_UNCOVERED]),
        next="rewrite each page with wiki_contribute, its version as if_version; then call wiki_update again"
        if outdated
        else "no pages to rewrite",
        note=PAGE_NOTE,
        warnings=tuple(warnings),
    )


def _is_outdated(states: Sequence[SourceState], changed: Mapping[str, ChangedFile]) -> bool:
    return any(state.is_stale or state.moved_to or state.source.path in changed for state in states)


def _changes(place: WikiPlace, wiki: Wiki, asked: str | None) -> tuple[str | None, dict[str, ChangedFile], list[str]]:
    """Return the commit to compare with, the files that changed since, and warnings."""
    since = asked or wiki.git_ref
    if since is None:
        return None, {}, ["no commit to compare with: pages are chosen by the content of their sources"]
    try:
        report = find_changes(ChangeRequest(since=commit_meant(place.root, since)), place.root)
    except CocosearchError as error:
        if asked is not None and not isinstance(error, ServiceError):
            raise
        return since, {}, [f"changes since {since[:12]} are unknown: {error.message}"]
    return since, {file.path: file for file in report.files}, []


def _outdated_page(page: Page, states: Sequence[SourceState], changed: Mapping[str, ChangedFile]) -> OutdatedPage:
    paths = dict.fromkeys(state.source.path for state in states if not state.moved_to and state.source.path in changed)
    content = page.latest.content
    return OutdatedPage(
        page=page.page_id,
        title=page.title,
        page_type=page.page_type,
        version=page.version,
        sources=source_items(states),
        changes=tuple(changed[path].by_status() for path in paths),
        content=content[:_MAX_PAGE_CHARS],
        content_truncated=len(content) > _MAX_PAGE_CHARS,
    )
