"""Similarity of a query and the names of pages: titles, IDs, headings and texts of links to them. Pure.

What people call a page is seldom what it says most often, which is what passages are found by. The weights are those by
which most link texts of fifteen projects' documents led to their page (benchmarks/results).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from cocosearch_py.analysis.words import TOKEN, terms_of

NAME, HEADING, COVERED, LINKED = 0.6, 0.5, 0.3, 0.03
MOST = 1.5  # Maximum similarity.
_OTHER_NAME = 0.9  # Weight of an ID or link text, relative to the title.


@dataclass(frozen=True, slots=True)
class Called:
    """Words of a page's names; `links` is the number of links to it, `words` are all words."""

    title: frozenset[str]
    others: tuple[frozenset[str], ...]  # Its ID, texts of links.
    headings: tuple[frozenset[str], ...]
    links: int
    words: frozenset[str]


def called(page_id: str, title: str, headings: Iterable[str], labels: Sequence[tuple[str | None, int]]) -> Called:
    """Return the words of a page. `labels` are texts of links with their number; None stands for the title."""
    others = tuple(dict.fromkeys((_terms(page_id), *(_terms(text) for text, _ in labels if text))))
    parts = tuple(dict.fromkeys(map(_terms, headings)))
    own = _terms(title)
    return Called(own, others, parts, sum(count for _, count in labels), own.union(*others, *parts))


def likeness(query: str, pages: Sequence[Called]) -> list[float]:
    """Return the similarity of a query and the names of each page, 0 to MOST. Rare words count more."""
    asked = _terms(query)
    frequency = Counter(chain.from_iterable(page.words for page in pages))
    weights = {term: math.log(1 + (len(pages) + 0.5) / (frequency[term] + 0.5)) for term in frequency.keys() | asked}
    own = _weight(asked, weights)

    def alike(words: frozenset[str]) -> float:
        common = words & asked
        return 2 * _weight(common, weights) / (own + _weight(words, weights)) if common else 0.0

    found = []
    for page in pages:
        name = max(alike(page.title), _OTHER_NAME * max(map(alike, page.others), default=0.0))
        heading = max(map(alike, page.headings), default=0.0)
        covered = _weight(page.words & asked, weights) / own if own else 0.0
        linked = LINKED * math.log1p(page.links) if covered else 0.0
        found.append(min(MOST, NAME * name + HEADING * heading + COVERED * covered + linked))
    return found


def _weight(terms: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum([weights[term] for term in terms])


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for token in TOKEN.findall(text) for term in terms_of(token))
