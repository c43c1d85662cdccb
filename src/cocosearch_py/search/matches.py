"""Where the words of a question stand in a text, and how far they make a name. Pure."""

from collections.abc import Collection, Mapping, Sequence, Set
from functools import lru_cache
from operator import mul

from cocosearch_py.analysis.words import CACHE_TOKENS, split_identifier, stem
from cocosearch_py.search.word_similarity import WordMatcher

_MOST_WORDS = 16  # of a question, rarest first; a longer text is told by fewer
_SHORT_START_CHARS = 3  # such a start has to be a whole word: `id` is not in `width`, nor in `idle`
_START_CHARS = 3  # what words that are alike have in common at least


class QuestionWords:
    """The content words of a question with their weights, compared with names and texts.

    Args:
        weights: word -> IDF.
    """

    def __init__(self, weights: Mapping[str, float]) -> None:
        kept = sorted(weights, key=lambda word: -weights[word])[:_MOST_WORDS]
        self._words = [word for word in weights if word in kept]
        self._weights = {word: weights[word] for word in self._words}
        self._total = sum(self._weights.values()) or 1.0
        self._matcher = WordMatcher(self._words)
        self._starts = _starts_of(self._words)
        self._likeness: dict[str, float] = {}

    @property
    def starts(self) -> list[str]:
        """Of which one stands in the lookup key of each name that has something in common with the question."""
        return sorted({stem(word)[:_START_CHARS] for word in self._words})

    def likeness(self, name: str) -> float:
        """How well a name says the question, 0..1: harmonic mean of the shares that each accounts for of the other."""
        if (known := self._likeness.get(name)) is None:
            known = self._likeness[name] = self._compare(name)
        return known

    def _compare(self, name: str) -> float:
        parts = split_identifier(name)
        covered = self._matcher.coverage(parts) if parts else 0.0
        if not covered:
            return 0.0
        best = self._matcher.best_by_word(parts)
        told: float = sum(map(mul, self._weights.values(), best)) / self._total
        return 2 * covered * told / (covered + told)

    def share(self, words: Set[str]) -> float:
        """Share of the question's weight that is in some of its words."""
        # In the order of the question, since another one may round otherwise, and equals be told apart by that.
        return sum([weight for word, weight in self._weights.items() if word in words]) / self._total

    def by_line(self, text: str) -> dict[int, set[str]]:
        """Number of each line that holds some of the words, from 0 -> these words."""
        return _by_line(self._starts, text)


def words_by_line(words: Sequence[str], text: str) -> dict[int, set[str]]:
    """Number of each line, from 0, that holds some of the words -> these words, in any form and inside names."""
    return _by_line(_starts_of(words), text)


def telling_lines(words: Sequence[str], text: str, first: int, answering: Collection[int] = ()) -> dict[int, int]:
    """Number of each line that matches -> how many of the words it holds; of settings, the lines that answer alone.

    Args:
        first: number of the text's first line.
        answering: numbers of lines that answer, some of which may be others than those of the text.
    """
    held = {first + at: len(found) for at, found in words_by_line(words, text).items()}
    inside = [line for line in answering if first <= line <= first + text.count("\n")]
    return {line: held.get(line, 0) + 1 for line in inside} or held


def untold_lines(lines: Mapping[int, str], signature: str) -> list[int]:
    """Numbers of the lines that say more than a signature does; all if none does."""
    full = [number for number, text in lines.items() if text.strip()] or list(lines)
    return [number for number in full if lines[number].strip().rstrip("{:").rstrip() not in signature] or full


def best_line(lines: Mapping[int, str], held: Mapping[int, int], signature: str) -> int:
    """Number of the first line with most words of the question; words of the signature do not count.

    Args:
        held: how many words a line holds.
    """
    return max(untold_lines(lines, signature), key=lambda line: (held.get(line, 0), -line))


def _starts_of(words: Sequence[str]) -> list[tuple[str, str]]:
    return [(word, start) for word in words if (start := _start_of_forms(word))]


def _by_line(starts: Sequence[tuple[str, str]], text: str) -> dict[int, set[str]]:
    lowered = text.lower()
    if len(lowered) != len(text):  # places would differ
        text = lowered
    found: dict[int, set[str]] = {}
    for word, start in starts:
        line = counted = 0
        place = lowered.find(start)
        while place >= 0:
            if _is_word(text, place, start):
                line += text.count("\n", counted, place)
                counted = place
                found.setdefault(line, set()).add(word)
            place = lowered.find(start, place + len(start))
    return found


@lru_cache(maxsize=CACHE_TOKENS)
def _start_of_forms(word: str) -> str:
    """Return the beginning that all forms of a word share: redirect of redirects, quer of queries."""
    pairs = zip(word, stem(word), strict=False)
    start = word[: next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), len(stem(word)))]
    return start.removesuffix("i") if len(start) > _SHORT_START_CHARS else start


def _is_word(text: str, place: int, start: str) -> bool:
    """Whether a word, or a part of a name in camelCase, begins there; a short one has to end there too."""
    before = text[place - 1] if place else " "
    if before.isalpha() and not (text[place].isupper() and before.islower()):
        return False
    if len(start) > _SHORT_START_CHARS:
        return True
    end = place + len(start)
    end += text[end : end + 1] == "s"
    return not text[end : end + 1].islower()
