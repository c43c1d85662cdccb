"""Search for pages and failures of a wiki, by a hidden index of their texts that ordinary runs make (docs/adr/0017)."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET

from cocosearch_py.app import App
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.errors import BusyError, IndexNotFoundError, ValidationError
from cocosearch_py.features.wiki import queries
from cocosearch_py.features.wiki.answers import PAGE_NOTE, FoundPage, FoundPages, failure_items, is_stale
from cocosearch_py.features.wiki.arguments import MAX_LIMIT as MAX_PAGES
from cocosearch_py.features.wiki.arguments import WikiSearchArguments
from cocosearch_py.features.wiki.mirror import (
    failure_files,
    failure_of,
    mirror_folder,
    page_files,
    page_of,
    read_mark,
    remove_mirror,
    write_mark,
    write_mirror,
)
from cocosearch_py.features.wiki.model import PAGE_TYPES, Failure, Page, SourceState, Wiki, WikiPlace
from cocosearch_py.features.wiki.pages import no_wiki
from cocosearch_py.features.wiki.place import target_of
from cocosearch_py.features.wiki.title_match import MOST, Called, called, likeness
from cocosearch_py.indexing.options import ContentOptions, IndexingOptions
from cocosearch_py.model.indexes import FORMAT_VERSION, HIDDEN
from cocosearch_py.model.private import data_folder_with
from cocosearch_py.model.search import MAX_LIMIT, MAX_QUERY_CHARS, Hit, SearchFilters, SearchReport, SearchRequest
from cocosearch_py.search.unmatched import explain_words_only
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.server.database import Database
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call

# Weights of the ranking features that depend on names of code files, which pages do not have.
WEIGHTS = {"test": 0.0, "generated": 0.0, "older": 0.0}
_CANDIDATES = 30  # 20 and 50 rank as many pages first.
_EXCERPT_CHARS = 1_200
_FOLDER = "wikis"  # Folder of the data folder in which the texts of pages lie.
_PAGES, _FAILURES = "pages", "failures"  # An index for each, because their word frequencies differ.
_ALL = SearchFilters()
# Texts that a code search would read as filters; in a query for pages they are words.
_INLINE = re.compile(r"(?<!\S)(-?(?:lang|language|path|file|kind|type|name|content):)(?=\S)", re.IGNORECASE)


# The user's settings do not apply to a folder of ours.
_OPTIONS = IndexingOptions(
    content=ContentOptions(graph=False),
    discovery=DiscoveryOptions(respect_gitignore=False),
    confirmed=True,
    hidden=True,
)
_NO_PAGES = "no wiki page matches the query and page_type: wiki_status lists the pages"


def wiki_search(call: Call, asked: WikiSearchArguments) -> FoundPages:
    """Find pages with their best passages, and failures if the call asks for them.

    Raises:
        ValidationError: unknown type of page.
        NotFoundError: there is no wiki.
    """
    if asked.page_type is not None and asked.page_type not in PAGE_TYPES:
        raise ValidationError(f"unknown page_type '{asked.page_type[:50]}'", hint=f"use {', '.join(PAGE_TYPES)}")
    target = target_of(call)
    wikis, place, search = target.wikis, target.place, WikiSearch(target.app)
    bounded = Bounded()
    limit = bounded.value("limit", asked.limit, 1, MAX_PAGES)
    hits, report = search.pages(place, asked.query, limit, (asked.page_type,) if asked.page_type else ())
    words_only = None if report is None else explain_words_only(report)
    states = wikis.states(place, [hit.page for hit in hits])
    failures: dict[str, list[Failure]] | None = None
    if asked.include_failures:
        failures = {hit.page.page_id: wikis.failures(place, hit.page.page_id) for hit in hits}
    alike = search.failures(place, asked.query, limit) if asked.include_failures else None
    return FoundPages(
        query=asked.query,
        pages=tuple(_found_page(hit, states[hit.page.page_id], failures) for hit in hits),
        failures=UNSET if alike is None else failure_items(hit.failure for hit in alike),
        hint="" if hits else _NO_PAGES,
        warnings=(*bounded.notes, *([words_only] if words_only else [])),
        note=PAGE_NOTE,
    )


def _found_page(hit: "PageHit", states: Sequence[SourceState], failures: dict[str, list[Failure]] | None) -> FoundPage:
    page = hit.page
    return FoundPage(
        id=page.page_id,
        title=page.title,
        page_type=page.page_type,
        excerpt=hit.excerpt[:_EXCERPT_CHARS].strip(),
        score=round(hit.score, 4),
        stale=is_stale(states),
        failures=UNSET if failures is None else failure_items(failures[page.page_id]),
    )


class PageHit(NamedTuple):
    """A matching page; `score` is from 0 to 1."""

    page: Page
    excerpt: str
    score: float


class Ranked(NamedTuple):
    """A ranked page without its text; `score` is from 0 to 1."""

    page_id: str
    score: float
    excerpt: str


class FailureHit(NamedTuple):
    """A failure that resembles a text; `score` is from 0 to 1."""

    failure: Failure
    score: float


@dataclass(frozen=True, slots=True)
class WikiSearch:
    """Searches the wikis of one database. Methods raise NotFoundError if a place has none."""

    app: App

    @property
    def database(self) -> Database:
        """The database of the wikis and of their hidden indexes."""
        return self.app.database

    def pages(
        self, place: WikiPlace, query: str, limit: int, page_types: Sequence[str] = ()
    ) -> tuple[list[PageHit], SearchReport | None]:
        """Return the pages that match, best first, and the report of the search, or None without pages."""
        wiki, ranked, report = self.rank(place, query, limit, page_types)
        best = {page.page_id: page for page in ranked[:limit]}
        pages = {
            page.page_id: page for page in self.database.read(lambda conn: queries.pages(conn, wiki.wiki_id, [*best]))
        }
        hits = [PageHit(pages[page_id], page.excerpt, page.score) for page_id, page in best.items() if page_id in pages]
        return hits, report

    def rank(
        self, place: WikiPlace, query: str, limit: int, page_types: Sequence[str] = (), named: float = 1.0
    ) -> tuple[Wiki, list[Ranked], SearchReport | None]:
        """Return the wiki, at least `limit` candidates, best first, and the report of the search.

        Args:
            named: weight of titles, IDs, headings and link texts.
        """
        filters = SearchFilters(path_globs=tuple(f"{one}/**" for one in page_types))
        wiki, report = self._search(place, query, max(limit, _CANDIDATES), _PAGES, filters)
        best: dict[str, Hit] = {}
        for hit in report.hits if report is not None else ():
            for path in (hit.file_path, *hit.copies):  # A page with the same text is another page.
                best.setdefault(page_of(path), hit)
        names = self.database.read(lambda conn: _read_names(conn, wiki, list(best)))
        ids = [page_id for page_id in best if page_id in names]
        alike = likeness(query, [names[page_id] for page_id in ids])
        ranked = [
            Ranked(page_id, min(1.0, (best[page_id].score + named * like) / (1 + named * MOST)), best[page_id].content)
            for page_id, like in zip(ids, alike, strict=True)
        ]
        return wiki, sorted(ranked, key=lambda one: (-one.score, one.page_id)), report

    def failures(self, place: WikiPlace, text: str, limit: int) -> list[FailureHit]:
        """Return failures that resemble a text, best first."""
        wiki, report = self._search(place, text, limit, _FAILURES)
        scores: dict[tuple[str, int], float] = {}
        for hit in report.hits if report is not None else ():
            scores.setdefault(failure_of(hit.file_path), hit.score)
        known = self.database.read(
            lambda conn: {
                (one.page_id, one.failure_no): one
                for page_id in {page_id for page_id, _ in scores}
                for one in queries.failures(conn, wiki.wiki_id, page_id)
            }
        )
        return [FailureHit(known[key], score) for key, score in scores.items() if key in known][:limit]

    def _search(
        self, place: WikiPlace, query: str, limit: int, kind: str, filters: SearchFilters = _ALL
    ) -> tuple[Wiki, SearchReport | None]:
        text, limit = _INLINE.sub(r"\1 ", query)[:MAX_QUERY_CHARS], min(limit, MAX_LIMIT)
        request = SearchRequest(text, limit=limit, filters=filters, smart_context=False)
        wiki, kinds = self._current(place)
        if kind not in kinds:
            return wiki, None
        try:
            return wiki, self._search_index(request, self._name(wiki, kind))
        except IndexNotFoundError:  # The index was removed, although the mark names it.
            wiki, _ = self._refresh(place, anew=True)
            return wiki, self._search_index(request, self._name(wiki, kind))

    def _search_index(self, request: SearchRequest, name: str) -> SearchReport:
        return replace(self.app.searches, weights=WEIGHTS).search(request, name)[1]

    def _current(self, place: WikiPlace) -> tuple[Wiki, Sequence[str]]:
        """Return the wiki with up-to-date indexes, and the kinds of indexes that it has."""
        wiki = self.database.read(lambda conn: queries.find(conn, place.repository)) if self.database.is_there else None
        if wiki is None:
            raise no_wiki(place)
        if (kinds := self._indexed(wiki)) is not None:
            return wiki, kinds
        return self._refresh(place)

    def _refresh(self, place: WikiPlace, *, anew: bool = False) -> tuple[Wiki, Sequence[str]]:
        """Write the files of pages and index them, holding the lock of the wiki."""
        with self.database.writing() as conn:
            if (wiki := queries.hold(conn, place.repository)) is None:
                raise no_wiki(place)
            if not anew and (known := self._indexed(wiki)) is not None:
                return wiki, known
            data_folder_with(self.app.data_folder, _FOLDER)
            kinds = []
            laid_out = {
                _PAGES: page_files(queries.pages(conn, wiki.wiki_id)),
                _FAILURES: failure_files(queries.failures(conn, wiki.wiki_id)),
            }
            for kind, files in laid_out.items():
                folder = self._folder(wiki) / kind
                write_mirror(folder, files)
                if files:
                    self.app.index(folder, name=self._name(wiki, kind), options=_OPTIONS)
                    kinds.append(kind)
            write_mark(self._folder(wiki), {**self._mark(wiki), "kinds": kinds})
            for old in queries.archived(conn, place.repository):
                self._forget(old)
        return wiki, kinds

    def _forget(self, wiki: Wiki) -> None:
        """Remove the indexes and files of an archived wiki."""
        if (folder := self._folder(wiki)).exists():
            for kind in (_PAGES, _FAILURES):
                with suppress(IndexNotFoundError, BusyError):  # An index that is being read stays.
                    self.app.catalog.clear(self._name(wiki, kind))
            remove_mirror(folder)

    def _indexed(self, wiki: Wiki) -> list[str] | None:
        """Return the kinds of indexes that a wiki has, or None if they are not up to date."""
        mark = read_mark(self._folder(wiki)) or {}
        kinds = mark.pop("kinds", None)
        return [str(kind) for kind in kinds] if isinstance(kinds, list) and mark == self._mark(wiki) else None

    def _folder(self, wiki: Wiki) -> Path:
        return mirror_folder(self.app.data_folder / _FOLDER, wiki)

    def _name(self, wiki: Wiki, kind: str) -> str:
        return f"wiki{HIDDEN}{self._folder(wiki).name}{HIDDEN}{kind}"

    def _mark(self, wiki: Wiki) -> dict[str, object]:
        return {
            "generation": wiki.generation,
            "format": FORMAT_VERSION,
            "model": self.app.searches.embedder().name,
        }


def _read_names(conn: Connection, wiki: Wiki, page_ids: Sequence[str]) -> dict[str, Called]:
    labels: dict[str, list[tuple[str | None, int]]] = {}
    for target, label, count in queries.labels(conn, wiki.wiki_id, page_ids):
        labels.setdefault(target, []).append((label, count))
    return {
        page_id: called(page_id, title, headings, labels.get(page_id, ()))
        for page_id, title, headings in queries.names(conn, wiki.wiki_id, page_ids)
    }
