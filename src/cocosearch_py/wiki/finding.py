"""Find pages and failures of a wiki: by a hidden index of their texts, made by ordinary runs (docs/adr/0017)."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from cocosearch_py.analysis.words import TOKEN, terms_of
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.indexes import HIDDEN
from cocosearch_py.model.search import MAX_LIMIT, MAX_QUERY_CHARS, Hit, SearchFilters, SearchReport, SearchRequest
from cocosearch_py.model.wiki import Failure, Page, Wiki, WikiPlace
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
from cocosearch_py.wiki.service import no_wiki

# Of ranking features that go by what files of code are called.
WEIGHTS: Mapping[str, float] = {"test": 0.0, "generated": 0.0, "older": 0.0}
TITLE_WEIGHT = 0.5  # of .3 to .6, which find as many pages first
_CANDIDATES = 20
_PAGES, _FAILURES = "pages", "failures"  # each has an index: words weigh otherwise among the others
_ALL = SearchFilters()


class PageHit(NamedTuple):
    """A page that answers; `score` is 0..1."""

    page: Page
    excerpt: str
    score: float


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

    def pages(
        self, place: WikiPlace, query: str, limit: int, page_types: Sequence[str] = ()
    ) -> tuple[list[PageHit], SearchReport | None]:
        """Pages that answer a query, best first, and how they were found; None where there are no pages."""
        filters = SearchFilters(path_globs=tuple(f"{one}/**" for one in page_types))
        wiki, report = self._search(place, query, max(limit, _CANDIDATES), _PAGES, filters)
        best: dict[str, Hit] = {}
        for hit in report.hits if report is not None else ():
            best.setdefault(page_of(hit.file_path), hit)
        titles = self.database.read(lambda conn: store.titles(conn, wiki.wiki_id, list(best)))
        alike = title_likeness(query, [title for _, title in titles])
        scores = {
            page_id: min(1.0, (best[page_id].score + like) / (1 + TITLE_WEIGHT))
            for (page_id, _), like in zip(titles, alike, strict=True)
        }
        first = sorted(scores, key=lambda one: (-scores[one], one))[:limit]
        pages = self.database.read(lambda conn: store.pages(conn, wiki.wiki_id, first))
        hits = [PageHit(page, best[page.page_id].content, scores[page.page_id]) for page in pages]
        return sorted(hits, key=lambda hit: first.index(hit.page.page_id)), report

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
        text, limit = query[:MAX_QUERY_CHARS], min(limit, MAX_LIMIT)
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


def title_likeness(query: str, titles: Sequence[str]) -> list[float]:
    """How much each title and the query have in common, 0 to TITLE_WEIGHT; words that many titles have count less."""
    asked = _terms(query)
    words = [_terms(title) for title in titles]
    frequency = Counter(chain.from_iterable(words))

    def weight(terms: Iterable[str]) -> float:
        return sum(math.log(1 + (len(titles) + 0.5) / (frequency[term] + 0.5)) for term in terms)

    own = weight(asked)
    return [TITLE_WEIGHT * 2 * weight(asked & one) / total if (total := own + weight(one)) else 0.0 for one in words]


def _terms(text: str) -> set[str]:
    return {term for token in TOKEN.findall(text) for term in terms_of(token)}
