"""State of a wiki: the code that its pages cover, and the pages that need work."""

from collections.abc import Iterable
from itertools import chain

from cocosearch_py.discovery.git import repository_state, run_git
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.origin import open_origin
from cocosearch_py.features.wiki.answers import (
    Coverage,
    MovedSource,
    PageLine,
    StalePage,
    WikiStatus,
    broken_links,
    source_items,
)
from cocosearch_py.features.wiki.arguments import WikiStatusArguments
from cocosearch_py.features.wiki.model import Page, SourceState, WikiPlace
from cocosearch_py.features.wiki.place import target_of
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.files import DiscoveredFile
from cocosearch_py.tools.call import Call


def wiki_status(call: Call, _: WikiStatusArguments) -> WikiStatus:
    """Compare all pages with the folder.

    Raises:
        NotFoundError: there is no wiki.
    """
    target = target_of(call)
    wikis, place = target.wikis, target.place
    wiki, pages = wikis.require(place), wikis.pages(place)
    states = wikis.states(place, pages)
    stale = {page_id: [state for state in listed if state.is_stale] for page_id, listed in states.items()}
    failures, contradictions = wikis.count_open_notes(place)
    return WikiStatus(
        page_count=len(pages),
        commits_behind=_commits_behind(place, wiki.git_ref),
        git_ref=wiki.git_ref,
        updated_at=wiki.updated_at.isoformat(),
        source_coverage=_coverage(place, chain.from_iterable(states.values())),
        stale_pages=tuple(
            StalePage(page=page_id, sources=source_items(listed)) for page_id, listed in stale.items() if listed
        ),
        moved_sources=tuple(
            MovedSource(page=page_id, source=state.source.spelled, state=state.state, moved_to=state.moved_to)
            for page_id, listed in states.items()
            for state in listed
            if state.moved_to
        ),
        broken_links=broken_links(wikis.links(place)),
        unresolved_contradictions=contradictions,
        unresolved_failures=failures,
        pages=tuple(map(_line, pages)),
    )


def _line(page: Page) -> PageLine:
    return PageLine(
        page=page.page_id,
        title=page.title,
        page_type=page.page_type,
        version=page.version,
        updated_at=page.latest.written_at.isoformat(),
    )


def _coverage(place: WikiPlace, states: Iterable[SourceState]) -> Coverage:
    code = {
        entry.path
        for entry in open_origin(place.root, None).walk(DiscoveryOptions())
        if isinstance(entry, DiscoveredFile) and _is_code(entry.path)
    }
    covered = len(code & {state.moved_to or state.source.path for state in states})
    return Coverage(covered=covered, files=len(code), share=round(covered / len(code), 4) if code else 0.0)


def _is_code(path: str) -> bool:
    language = LANGUAGES.get(detect_language(path, b""))
    return language is not None and language.kind == "code"


def _commits_behind(place: WikiPlace, git_ref: str | None) -> int | None:
    if git_ref is None or repository_state(place.root) is None:
        return None
    answer = run_git(place.root, ["rev-list", "--count", f"{git_ref}..HEAD", "--"])
    return int(answer) if answer is not None and answer.strip().isdigit() else None
