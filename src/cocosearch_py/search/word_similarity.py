"""How alike a word of a question and a part of a name are."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from cocosearch_py.analysis.words import TOKEN, root, split_identifier, stem

# Values of `similarity`; fitted once on cases of repositories outside the benchmark, see docs/retrieval.md.
SAME_STEM = 1.0  # parse / parsing
SAME_ROOT = 0.85  # validate / validator
PREFIX = 0.7  # config / configuration
SHORT_PREFIX = 0.5  # req / request
COMMON_START = 0.5  # serialization / serialized
# What a whole question makes of its neighbouring words; not fitted.
JOINED = 1.0  # thread pool / threadpool
INITIALS = 0.85  # least recently used / lru
ENDING = 0.5  # allocation / zmalloc
_PREFIX_CHARS = 4
_SHORT_PREFIX_CHARS = 3
_COMMON_CHARS = 6
_COMMON_SHARE = 0.6
_MIN_ROOT_CHARS = 3
_JOINED_WORDS = range(2, 4)
_INITIALS_WORDS = range(3, 5)
_MIN_ENDING_CHARS = 5
# Folders that nearly every project has: they are no initials, be it of "send request context".
_COMMON_NAMES = frozenset(
    "api app apps bin cli cmd conf core dist doc docs etc ext img inc lib libs main mod out pkg res spec src test tmp "
    "tool util web".split()
)
_MAX_PREFIX_CHARS = 3
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


def _is_ending(root_of_word: str, part: str) -> bool:
    prefix = len(part) - len(root_of_word)
    return len(root_of_word) >= _MIN_ENDING_CHARS and 0 < prefix <= _MAX_PREFIX_CHARS and part.endswith(root_of_word)


def _compounds_of(words: Sequence[str], text: str) -> dict[str, tuple[float, frozenset[int]]]:
    """Return compounds of neighbouring words, and their initials -> value, and the numbers of the words.

    Initials are those of all words of the text, as `ttl` is of "time to live"; the first and the last are content, and
    names of common folders are none.
    """
    said = [word for token in TOKEN.findall(text) for word in split_identifier(token)]
    places = {word: number for number, word in enumerate(words)}
    found: dict[str, tuple[float, frozenset[int]]] = {}
    for run in _runs(said, _INITIALS_WORDS):
        if run[0] in places and run[-1] in places:
            initials = "".join([word[0] for word in run])
            if initials not in _COMMON_NAMES:
                found[initials] = INITIALS, frozenset(places[word] for word in run if word in places)
    for run in _runs(words, _JOINED_WORDS):
        found["".join(run)] = JOINED, frozenset(places[word] for word in run)
    return found


def _runs(words: Sequence[str], lengths: range) -> Iterator[Sequence[str]]:
    """All neighbouring words of these numbers."""
    return (words[start : start + length] for length in lengths for start in range(len(words) - length + 1))


class WordMatcher(dict[str, tuple[float, ...]]):
    """Compares the words of one question with the parts of many names, each part once.

    `matcher[part]` is the part's similarity to each word, in the words' order; empty when it is like none, as most are.

    Args:
        words: content words of the question.
        text: the question; with it a part may be several of its words as one, their initials, or one with a prefix.
    """

    def __init__(self, words: Sequence[str], text: str = "") -> None:
        super().__init__()
        self._words = [_forms_of(word) for word in words]
        # Stems and roots keep the first letter, so words that differ there are never alike.
        self._initials = {word[0] for word in words}
        self._compounds = _compounds_of(words, text) if text else {}
        roots = [form.root for form in self._words] if text else []
        self._endings = tuple(root for root in roots if len(root) >= _MIN_ENDING_CHARS)

    def __missing__(self, part: str) -> tuple[float, ...]:
        first = part[0]
        row: list[float] = []
        if first in self._initials:
            forms = _forms_of(part)
            row = [_alike(word, forms) if word.text[0] == first else 0.0 for word in self._words]
        if found := self._compounds.get(part):
            value, numbers = found
            row = [max(alike, value) if number in numbers else alike for number, alike in enumerate(row)]
        if part.endswith(self._endings) and not any(row):
            row = [ENDING if _is_ending(word.root, part) else 0.0 for word in self._words]
        self[part] = tuple(row) if any(row) else ()
        return self[part]

    def alike(self, names: Iterable[Sequence[str]]) -> set[str]:
        """The parts of many names that are like a word; a name without any of these has nothing to compare."""
        initials, endings = self._initials, self._endings
        parts = set[str]().union(*names)
        return {part for part in parts if (part[0] in initials or part.endswith(endings)) and self[part]}

    def best_by_word(self, parts: Sequence[str]) -> list[float]:
        """For each word its best similarity to any of the parts; empty when they are like none."""
        initials, endings = self._initials, self._endings
        rows = [row for part in parts if (part[0] in initials or part.endswith(endings)) and (row := self[part])]
        return list(map(max, zip(*rows, strict=True))) if rows else []

    def coverage(self, parts: Sequence[str]) -> float:
        """Share of a name, by letters, that the words account for."""
        initials, endings = self._initials, self._endings
        alike = [
            len(part) * max(row)
            for part in parts
            if (part[0] in initials or part.endswith(endings)) and (row := self[part])
        ]
        return sum(alike) / sum(map(len, parts)) if alike else 0.0
