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


class WordMatcher:
    """Compares the words of one question with the parts of many names, each part once."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._rows: dict[str, tuple[float, ...]] = {}

    def row(self, part: str) -> tuple[float, ...]:
        """Similarity of a part to each word, in the words' order."""
        known = self._rows.get(part)
        if known is None:
            # Stems and roots keep the first letter, so words that differ there are never alike.
            first = part[0]
            known = tuple(similarity(word, part) if word[0] == first else 0.0 for word in self._words)
            self._rows[part] = known
        return known

    def best_by_word(self, parts: Sequence[str]) -> list[float]:
        """For each word its best similarity to any of the parts; zeros when there are none."""
        if not parts:
            return [0.0] * len(self._words)
        return list(map(max, zip(*map(self.row, parts), strict=True))) if len(parts) > 1 else list(self.row(parts[0]))

    def coverage(self, parts: Sequence[str]) -> float:
        """Share of a name, by letters, that the words account for."""
        letters = sum(map(len, parts))
        return sum(len(part) * max(self.row(part), default=0.0) for part in parts) / letters if letters else 0.0
