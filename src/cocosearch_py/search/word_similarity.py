"""How alike a word of a question and a part of a name are."""

from collections.abc import Sequence
from functools import lru_cache

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
_CACHED_PAIRS = 1_000  # of the last ten questions or so


@lru_cache(maxsize=_CACHED_PAIRS)
def similarity(word: str, part: str) -> float:
    """Likeness in 0..1 of two lower-case words; symmetrical."""
    if word == part or stem(word) == stem(part):
        return SAME_STEM
    if len(root(word)) >= _MIN_ROOT_CHARS and root(word) == root(part):
        return SAME_ROOT
    short, long = sorted((word, part), key=len)
    if long.startswith(short) and len(short) >= _SHORT_PREFIX_CHARS:
        return PREFIX if len(short) >= _PREFIX_CHARS else SHORT_PREFIX
    common = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return COMMON_START if common >= _COMMON_CHARS and common >= _COMMON_SHARE * len(long) else 0.0


class WordMatcher(dict[str, tuple[float, ...]]):
    """Compares the words of one question with the parts of many names, each part once.

    `matcher[part]` is the part's similarity to each word, in the words' order; empty when it is like none, as most are.
    """

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self._words = words
        self._initials = {word[0] for word in words}

    def __missing__(self, part: str) -> tuple[float, ...]:
        # Stems and roots keep the first letter, so words that differ there are never alike.
        first = part[0]
        row: tuple[float, ...] = ()
        if first in self._initials:
            row = tuple([similarity(word, part) if word[0] == first else 0.0 for word in self._words])
        self[part] = row if any(row) else ()
        return self[part]

    def best_by_word(self, parts: Sequence[str]) -> list[float]:
        """For each word its best similarity to any of the parts; empty when they are like none."""
        rows = [row for part in parts if (row := self[part])]
        return list(map(max, zip(*rows, strict=True)))

    def coverage(self, parts: Sequence[str]) -> float:
        """Share of a name, by letters, that the words account for."""
        alike = sum([len(part) * max(row) for part in parts if (row := self[part])])
        return alike / sum(map(len, parts)) if alike else 0.0
