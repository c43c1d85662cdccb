"""Routing of new knowledge to the page that covers it best, or to a new page.

Each paragraph is searched for, and the page that answers the paragraphs best wins. Its scores, and the share of the
text's words that it has, decide whether it covers the text at all (docs/adr/0017).
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from msgspec import UNSET

from cocosearch_py.analysis.words import STOP_WORDS, TOKEN, terms_of
from cocosearch_py.app import App
from cocosearch_py.errors import ValidationError
from cocosearch_py.features.wiki.answers import (
    PAGE_NOTE,
    Alternative,
    Placement,
    RecordedFailure,
    SimilarFailure,
    broken_links,
    failure_fields,
)
from cocosearch_py.features.wiki.arguments import WikiCompoundArguments, WikiRecordFailureArguments
from cocosearch_py.features.wiki.contributions import MAX_CONTENT_CHARS, MAX_TITLE_CHARS
from cocosearch_py.features.wiki.links import read_outline
from cocosearch_py.features.wiki.model import (
    COMPOUNDED,
    DEFAULT_TYPE,
    Contribution,
    NewFailure,
    Page,
    WikiPlace,
    Written,
)
from cocosearch_py.features.wiki.naming import slug
from cocosearch_py.features.wiki.pages import current_id
from cocosearch_py.features.wiki.place import author_of, target_of
from cocosearch_py.features.wiki.search import FailureHit, WikiSearch
from cocosearch_py.features.wiki.sources import parse_source
from cocosearch_py.features.wiki.wikis import Wikis
from cocosearch_py.tools.call import Call

LEAST_SURE = 0.32  # Minimum score at which a page covers a text.
_OF_FAILURES = 0.2  # Minimum for failures, which have few words of the page.
_COVERED = 0.4  # Weight of the share of the text's words that a page has.
_NAMED = 0.3  # Weight of titles: texts use other words than queries do.
_MOST_PARTS = 6
_LEAST_CHARS, _MOST_CHARS = 40, 500  # Per part.
_CONSULTED = 1.5  # Factor for a page that the caller consulted.
_NAMES_FILE = 1.0  # Bonus for a page that covers the same files.
_CANDIDATES = 10
_ALTERNATIVES = 3
_SIMILAR = 5
_TITLE_WORDS = 10
_FENCE = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
FAILURES_PAGE, FAILURES_TITLE = "known-failures", "Known failures"


def wiki_compound(call: Call, asked: WikiCompoundArguments) -> Placement:
    """Add a text to the page that it belongs to, or only find this page.

    Raises:
        ValidationError: the text is empty or too long.
        NotFoundError: there is no wiki.
    """
    target = target_of(call, writes=asked.apply)
    compounded = Routing.of(target.app).compound(
        target.place,
        asked.synthesis,
        asked.source_pages or (),
        asked.title,
        author=author_of(call, asked.author),
        apply=asked.apply,
    )
    route, written = compounded.route, compounded.written
    others = [one for one in route.candidates if one.page.page_id != compounded.page_id]
    return Placement(
        page=compounded.page_id,
        title=compounded.title,
        action="create" if route.page is None else "update",
        score=0.0 if route.page is None else round(route.candidates[0].score, 4),
        sure=round(route.sure, 4),
        alternatives=tuple(
            Alternative(page=one.page.page_id, title=one.page.title, score=round(one.score, 4))
            for one in others[:_ALTERNATIVES]
        ),
        applied=written is not None,
        version=0 if written is None else written.page.version,
        broken_links=UNSET if written is None else broken_links(written.broken),
    )


def wiki_record_failure(call: Call, asked: WikiRecordFailureArguments) -> RecordedFailure:
    """Record a failed fix on the page that it belongs to.

    Raises:
        NotFoundError: there is no wiki, or no such page.
    """
    target = target_of(call, writes=True)
    failure = NewFailure(
        asked.symptom, asked.attempted_fix, asked.diagnosis, asked.actual_fix, tuple(asked.source_files or ())
    )
    author = author_of(call, asked.author)
    recorded = Routing.of(target.app).record_failure(target.place, failure, asked.page, author=author)
    return RecordedFailure(
        page=recorded.written.page.page_id,
        failure_id=recorded.written.failure_nos[0],
        created=recorded.written.created,
        similar_failures=tuple(
            SimilarFailure(**failure_fields(hit.failure), score=round(hit.score, 4)) for hit in recorded.similar
        ),
        note=PAGE_NOTE,
    )


class Candidate(NamedTuple):
    """A page that may cover a text; `score` is from 0 to 1."""

    page: Page
    score: float


@dataclass(frozen=True, slots=True)
class Route:
    """The page that a text belongs to; None means a new page.

    `candidates` are the best pages, `sure` is the confidence that the best one covers the text, from 0 to 1.
    """

    page: Page | None
    sure: float
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class Compounded:
    """Route of a synthesis, and the written page, or None if nothing was to be written. `page_id` may be new."""

    route: Route
    page_id: str
    title: str
    written: Written | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The page of a new failure, and earlier failures like it, the most similar first."""

    written: Written
    similar: tuple[FailureHit, ...]


@dataclass(frozen=True, slots=True)
class Routing:
    """Adds knowledge to the pages that it belongs to. Methods raise NotFoundError if a place has no wiki."""

    wikis: Wikis
    search: WikiSearch

    @classmethod
    def of(cls, app: App) -> "Routing":
        """Return the routing for the wikis of an app's database."""
        return cls(Wikis(app.database), WikiSearch(app))

    def route(
        self,
        place: WikiPlace,
        text: str,
        consulted: Sequence[str] = (),
        files: Sequence[str] = (),
        least: float = LEAST_SURE,
    ) -> Route:
        """Return the page that a text belongs to.

        Args:
            consulted: pages that it came from.
            files: files that it is about.
            least: minimum of `Route.sure` for an existing page.
        """
        parts = _parts(text)
        scores: defaultdict[str, float] = defaultdict(float)
        for part in parts:
            for one in self.search.rank(place, part, _CANDIDATES, named=_NAMED)[1]:
                scores[one.page_id] += one.score / len(parts)
        about = {parse_source(place.root, one).path for one in files}
        own = 0
        for page in self.wikis.pages(place) if about else ():
            if shared := about & {one.path for one in page.latest.sources}:
                scores[page.page_id] += _NAMES_FILE * len(shared) / len(about)
                own += 1
        for page_id in scores.keys() & set(consulted):
            scores[page_id] *= _CONSULTED
        ranked = sorted((one for one in scores if scores[one] > 0), key=lambda one: (-scores[one], one))
        pages = {page.page_id: page for page in self.wikis.pages(place, ranked[: _ALTERNATIVES + 1])}
        candidates = tuple(Candidate(pages[one], min(1.0, scores[one])) for one in ranked if one in pages)
        if not candidates:
            return Route(None, 0.0, ())
        first = candidates[0]
        sure = 1.0 if own else min(1.0, first.score + _COVERED * _share_of_words(text, first.page))
        return Route(first.page if sure >= least else None, sure, candidates)

    def compound(
        self,
        place: WikiPlace,
        synthesis: str,
        consulted: Sequence[str] = (),
        title: str | None = None,
        *,
        author: str,
        apply: bool = True,
    ) -> Compounded:
        """Add a synthesis to the end of the page that it belongs to, or create a page of it.

        The hashes of the page's sources stay, because the rest of its text is no newer than before.
        """
        if not synthesis.strip():
            raise ValidationError("the synthesis is empty", hint="describe what was learned")
        if len(synthesis) > MAX_CONTENT_CHARS:
            raise ValidationError(
                f"the synthesis has {len(synthesis):,} characters", hint=f"use {MAX_CONTENT_CHARS:,} at most"
            )
        known = self.wikis.page_ids(place)
        consulted = self._now(place, consulted)
        route = self.route(place, synthesis, consulted)
        if route.page is not None:
            page_id, name = route.page.page_id, route.page.title
            text = f"{route.page.latest.content.rstrip()}\n\n" if route.page.latest.content.strip() else ""
            text += _section(synthesis, title)
        else:
            name = title or _title_of(synthesis)
            page_id, text = _free_id(slug(name) or "page", known | self.wikis.gone(place).keys()), synthesis.strip()
        others = [one for one in dict.fromkeys(consulted) if one in known and one != page_id]
        if others:
            text += f"\n\nSee also {', '.join(f'[[{one}]]' for one in others)}."
        what = Contribution(
            page_id,
            f"{text}\n",
            title=None if route.page is not None else name,
            page_type=None if route.page is not None else DEFAULT_TYPE,
            refresh=False,
            if_version=route.page.version if route.page is not None else 0,
            author=author,
            reason=COMPOUNDED,
        )
        compounded = Compounded(route, page_id, name)
        return replace(compounded, written=self.wikis.write(place, what)) if apply else compounded

    def record_failure(self, place: WikiPlace, failure: NewFailure, page_id: str | None, *, author: str) -> Recorded:
        """Record a failure on a page, by default on the one that it belongs to, else on `FAILURES_PAGE`."""
        text = "\n\n".join((failure.symptom, failure.attempted_fix, failure.diagnosis, failure.actual_fix or ""))
        similar = tuple(self.search.failures(place, text, _SIMILAR))
        if page_id is not None:
            target: str | None = self.wikis.page_id(place, page_id)
        else:
            found = self.route(place, text, files=failure.source_files, least=_OF_FAILURES)
            target = found.page.page_id if found.page is not None else None
        home = self._now(place, [FAILURES_PAGE])[0]
        is_new = target is None and home not in self.wikis.page_ids(place)
        what = Contribution(
            target or home,
            "Attempts that failed, and that no other page is about.\n" if is_new else None,
            title=FAILURES_TITLE if is_new else None,
            failures=[failure],
            refresh=False,
            author=author,
        )
        return Recorded(self.wikis.write(place, what), similar)

    def _now(self, place: WikiPlace, page_ids: Sequence[str]) -> list[str]:
        """Return the current IDs of pages."""
        gone = self.wikis.gone(place)
        return [current_id(gone, one) for one in page_ids]


def _parts(text: str) -> list[str]:
    """Return the paragraphs to search for, without code unless there is nothing else."""
    plain = _FENCE.sub("", text)
    parts = [one.strip()[:_MOST_CHARS] for one in re.split(r"\n\s*\n", plain) if len(one.strip()) >= _LEAST_CHARS]
    return parts[:_MOST_PARTS] or [(plain.strip() or text.strip())[:_MOST_CHARS]]


def _share_of_words(text: str, page: Page) -> float:
    """Return the share of a text's words that a page has, without function words."""
    asked = {
        term
        for token in TOKEN.findall(text)
        if len(token) > 1 and token.lower() not in STOP_WORDS
        for term in terms_of(token)
    }
    there = {term for token in TOKEN.findall(f"{page.title} {page.latest.content}") for term in terms_of(token)}
    return len(asked & there) / len(asked) if asked else 0.0


def _section(synthesis: str, title: str | None) -> str:
    return f"## {title.strip()}\n\n{synthesis.strip()}" if title and title.strip() else synthesis.strip()


def _title_of(synthesis: str) -> str:
    """Return a title for a new page: the first heading, else the first words."""
    if headings := read_outline(synthesis).headings:
        return headings[0][:MAX_TITLE_CHARS]
    first = next(line for line in synthesis.splitlines() if line.strip())
    return " ".join(re.sub(r"[\[\]`*_#>]", "", first).split()[:_TITLE_WORDS])[:MAX_TITLE_CHARS].rstrip(".,:;") or "Page"


def _free_id(wanted: str, known: set[str]) -> str:
    number = 2
    page_id = wanted
    while page_id in known:
        page_id, number = f"{wanted[:90]}-{number}", number + 1
    return page_id
