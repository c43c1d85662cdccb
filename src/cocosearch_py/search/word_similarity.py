"""How alike a word of a question and a part of a name are."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from cocosearch_py.analysis.words import root, stem

# Values of `similarity`; fitted once on cases of repositories outside the benchmark, see docs/retrieval.md.
SAME_STEM = 1.0  # parse / parsing
SAME_ROOT = 0.85  # validate / validator
PREFIX = 0.7  # config / configuration
SHORT_PREFIX = 0.5  # req / request
COMMON_START = 0.5  # serialization / serialized
_PREFIX_CHARS = 4
_SHORT_PREFIX_CHARS = 3
_COMMON_CHARS = 6
_COMMON_SHARE = 0.6
_MIN_ROOT_CHARS = 3
_CACHED_WORDS = 5_000  # parts of paths come up again and again, question by question


class _Forms(NamedTuple):
    """A lower-case word and what is compared of it."""

    text: str
    stem: str
    root: str


@lru_cache(maxsize=_CACHED_WORDS)
def _forms_of(word: str) -> _Forms:
    return _Forms(word, stem(word), root(word))


def similarity(word: str, part: str) -> float:
    """Likeness in 0..1 of two lower-case words; symmetrical."""
    return _alike(_forms_of(word), _forms_of(part))


def _alike(word: _Forms, part: _Forms) -> float:
    if word.stem == part.stem:
        return SAME_STEM
    if word.root == part.root and len(word.root) >= _MIN_ROOT_CHARS:
        return SAME_ROOT
    short, long = word.text, part.text
    if len(short) > len(long):
        short, long = long, short
    if len(short) >= _SHORT_PREFIX_CHARS and long.startswith(short):
        return PREFIX if len(short) >= _PREFIX_CHARS else SHORT_PREFIX
    least = max(_COMMON_CHARS, math.ceil(_COMMON_SHARE * len(long)))
    return COMMON_START if len(short) >= least and long.startswith(short[:least]) else 0.0


class WordMatcher(dict[str, tuple[float, ...]]):
    """Compares the words of one question with the parts of many names, each part once.

    `matcher[part]` is the part's similarity to each word, in the words' order; empty when it is like none, as most are.
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self._words = [_forms_of(word) for word in words]
        # Stems and roots keep the first letter, so words that differ there are never alike.
        self._initials = {word[0] for word in words}

    def __missing__(self, part: str) -> tuple[float, ...]:
        first = part[0]
        row: tuple[float, ...] = ()
        if first in self._initials:
            forms = _forms_of(part)
            row = tuple([_alike(word, forms) if word.text[0] == first else 0.0 for word in self._words])
        self[part] = row if any(row) else ()
        return self[part]

    def best_by_word(self, parts: Sequence[str]) -> list[float]:
        """For each word its best similarity to any of the parts; empty when they are like none."""
        initials = self._initials
        rows = [row for part in parts if part[0] in initials and (row := self[part])]
        return list(map(max, zip(*rows, strict=True))) if rows else []

    def coverage(self, parts: Sequence[str]) -> float:
        """Share of a name, by letters, that the words account for."""
        initials = self._initials
        alike = [len(part) * max(row) for part in parts if part[0] in initials and (row := self[part])]
        return sum(alike) / sum(map(len, parts)) if alike else 0.0
