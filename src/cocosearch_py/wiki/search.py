"""Find pages and failures of a wiki: by a hidden index of their texts, made by ordinary runs (docs/adr/0017)."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.indexes import HIDDEN
from cocosearch_py.model.private import data_folder_with
from cocosearch_py.model.search import MAX_LIMIT, MAX_QUERY_CHARS, Hit, SearchFilters, SearchReport, SearchRequest
from cocosearch_py.model.wiki import Failure, Page, Wiki, WikiPlace
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import wiki as store
from cocosearch_py.storage.server.database import Database
from cocosearch_py.wiki.mirror import (
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
from cocosearch_py.wiki.pages import no_wiki
from cocosearch_py.wiki.title_match import MOST, Called, called, likeness

# Of ranking features that go by what files of code are called.
WEIGHTS: Mapping[str, float] = {"test": 0.0, "generated": 0.0, "older": 0.0}
_CANDIDATES = 30  # 20 and 50 find as many pages first
_WIKIS_KEPT = 8  # whose names of pages are
_PAGES, _FAILURES = "pages", "failures"  # each has an index: words weigh otherwise among the others
_ALL = SearchFilters()
# What a search of code would take for a filter; pages are asked with text, which may be about these.
_INLINE = re.compile(r"(?<!\S)(-?(?:lang|language|path|file|kind|type|name|content):)(?=\S)", re.IGNORECASE)


class PageHit(NamedTuple):
    """A page that answers; `score` is 0..1."""

    page: Page
    excerpt: str
    score: float


class Ranked(NamedTuple):
    """A page that may answer; `score` is 0..1."""

    page_id: str
    score: float
    excerpt: str


class FailureHit(NamedTuple):
    """A failure that is like a text; `score` is 0..1."""

    failure: Failure
    score: float


@dataclass(frozen=True, slots=True)
class Engine:
    """What indexes a folder under a name of a hidden index, searches such an index, and removes it if it is there.

    `state`: what makes an index answer otherwise although the folder is the same.
    """

    index: Callable[[Path, str], object]
    search: Callable[[SearchRequest, str], SearchReport]
    drop: Callable[[str], object]
    state: Callable[[], dict[str, object]]


@dataclass(frozen=True, slots=True)
class WikiSearch:
    """Searches the wikis of one database; safe for threads. Raises NotFoundError where a place has none.

    Args:
        above: folder in which the texts of pages are laid out.
    """

    database: Database
    above: Path
    engine: Engine
    _called: "OrderedDict[tuple[int, int], dict[str, Called]]" = field(default_factory=OrderedDict)  # see _names
    _lock: Lock = field(default_factory=Lock)

    def pages(
        self, place: WikiPlace, query: str, limit: int, page_types: Sequence[str] = ()
    ) -> tuple[list[PageHit], SearchReport | None]:
        """Pages that answer a query, best first, and how they were found; None where there are no pages."""
        wiki, ranked, report = self.rank(place, query, limit, page_types)
        first = ranked[:limit]
        with_text = self.database.read(lambda conn: store.pages(conn, wiki.wiki_id, [one.page_id for one in first]))
        known = {page.page_id: page for page in with_text}
        hits = [PageHit(known[one.page_id], one.excerpt, one.score) for one in first if one.page_id in known]
        return hits, report

    def rank(
        self, place: WikiPlace, query: str, limit: int, page_types: Sequence[str] = (), named: float = 1.0
    ) -> tuple[Wiki, list[Ranked], SearchReport | None]:
        """The wiki, `limit` pages or more that may answer, best first, and how they were found.

        Args:
            named: how much it counts what pages are called.
        """
        filters = SearchFilters(path_globs=tuple(f"{one}/**" for one in page_types))
        wiki, report = self._search(place, query, max(limit, _CANDIDATES), _PAGES, filters)
        best: dict[str, Hit] = {}
        for hit in report.hits if report is not None else ():
            for path in (hit.file_path, *hit.copies):  # a page that says the same is another page
                best.setdefault(page_of(path), hit)
        names = self._names(wiki, list(best))
        ids = [page_id for page_id in best if page_id in names]
        alike = likeness(query, [names[page_id] for page_id in ids])
        ranked = [
            Ranked(page_id, min(1.0, (best[page_id].score + named * like) / (1 + named * MOST)), best[page_id].content)
            for page_id, like in zip(ids, alike, strict=True)
        ]
        return wiki, sorted(ranked, key=lambda one: (-one.score, one.page_id)), report

    def _names(self, wiki: Wiki, page_ids: Sequence[str]) -> dict[str, Called]:
        """What these pages are called, as far as they are there; what was read of a wiki is kept until it changes."""
        key = wiki.wiki_id, wiki.generation
        with self._lock:
            known = self._called.setdefault(key, {})
            self._called.move_to_end(key)
            while len(self._called) > _WIKIS_KEPT:
                self._called.popitem(last=False)
        if wanted := [page_id for page_id in page_ids if page_id not in known]:
            known |= self.database.read(lambda conn: _read_names(conn, wiki, wanted))
        return {page_id: known[page_id] for page_id in page_ids if page_id in known}

    def failures(self, place: WikiPlace, text: str, limit: int) -> list[FailureHit]:
        """Failures whose texts are like this one, best first."""
        wiki, report = self._search(place, text, limit, _FAILURES)
        scores: dict[tuple[str, int], float] = {}
        for hit in report.hits if report is not None else ():
            scores.setdefault(failure_of(hit.file_path), hit.score)
        known = self.database.read(
            lambda conn: {
                (one.page_id, one.failure_no): one
                for page_id in {page_id for page_id, _ in scores}
                for one in store.failures(conn, wiki.wiki_id, page_id)
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
            return wiki, self.engine.search(request, self._name(wiki, kind))
        except IndexNotFoundError:  # somebody removed what the mark tells of
            wiki, _ = self._refresh(place, anew=True)
            return wiki, self.engine.search(request, self._name(wiki, kind))

    def _current(self, place: WikiPlace) -> tuple[Wiki, Sequence[str]]:
        """The wiki, whose indexes are up to date, and which it has."""
        wiki = self.database.read(lambda conn: store.find(conn, place.repository)) if self.database.is_there else None
        if wiki is None:
            raise no_wiki(place)
        if (kinds := self._indexed(wiki)) is not None:
            return wiki, kinds
        return self._refresh(place)

    def _refresh(self, place: WikiPlace, *, anew: bool = False) -> tuple[Wiki, Sequence[str]]:
        """Lay out the pages and index them, while nobody else does."""
        with self.database.writing() as conn:
            if (wiki := store.hold(conn, place.repository)) is None:
                raise no_wiki(place)
            if not anew and (known := self._indexed(wiki)) is not None:
                return wiki, known
            data_folder_with(self.above.parent, self.above.name)
            kinds = []
            laid_out = {
                _PAGES: page_files(store.pages(conn, wiki.wiki_id)),
                _FAILURES: failure_files(store.failures(conn, wiki.wiki_id)),
            }
            for kind, files in laid_out.items():
                folder = self._folder(wiki) / kind
                write_mirror(folder, files)
                if files:
                    self.engine.index(folder, self._name(wiki, kind))
                    kinds.append(kind)
            write_mark(self._folder(wiki), {**self._mark(wiki), "kinds": kinds})
            for old in store.archived(conn, place.repository):
                self._forget(old)
        return wiki, kinds

    def _forget(self, wiki: Wiki) -> None:
        """Remove what a wiki that is archived was found by."""
        if (folder := self._folder(wiki)).exists():
            for kind in (_PAGES, _FAILURES):
                self.engine.drop(self._name(wiki, kind))
            remove_mirror(folder)

    def _indexed(self, wiki: Wiki) -> list[str] | None:
        """What is indexed of a wiki as it is; None when it is not, or otherwise than it would be now."""
        mark = read_mark(self._folder(wiki)) or {}
        kinds = mark.pop("kinds", None)
        return [str(kind) for kind in kinds] if isinstance(kinds, list) and mark == self._mark(wiki) else None

    def _folder(self, wiki: Wiki) -> Path:
        return mirror_folder(self.above, wiki)

    def _name(self, wiki: Wiki, kind: str) -> str:
        return f"wiki{HIDDEN}{self._folder(wiki).name}{HIDDEN}{kind}"

    def _mark(self, wiki: Wiki) -> dict[str, object]:
        return {"generation": wiki.generation, **self.engine.state()}


def _read_names(conn: Connection, wiki: Wiki, page_ids: Sequence[str]) -> dict[str, Called]:
    labels: dict[str, list[tuple[str | None, int]]] = {}
    for target, label, count in store.labels(conn, wiki.wiki_id, page_ids):
        labels.setdefault(target, []).append((label, count))
    return {
        page_id: called(page_id, title, headings, labels.get(page_id, ()))
        for page_id, title, headings in store.names(conn, wiki.wiki_id, page_ids)
    }
