"""Text of a query that stands in the code as it is: quoted phrases, and pasted messages with values filled in. Pure."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from cocosearch_py.analysis.words import STOP_WORDS, TOKEN, terms_of

_PHRASE = re.compile(r'(?<![^\s(\[=])"((?:[^"\\]|\\.)*[^\s"\\](?:\\.)*)"(?!\w)')
_TYPOGRAPHIC = str.maketrans("\u201c\u201d\u201e", '"""')
MOST_PHRASES = 4
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|;|%|@\w*doc\b|[rbu]?(?:\"\"\"|'''))")
_QUOTES = "\"'`"
_TRIPLE_QUOTES = ('"""', "'''")
_VALUE = re.compile(
    r"^\[?\d{4}-\d\d-\d\d\S*|(?<![\w'])'[^'\n]*'(?!\w)|`[^`\n]*`|\"[^\"\n]*\""
    # Paths: `user/password` is none but at the end, it has neither a second slash nor a dot.
    r"|(?<![^\s(\[{<=])(?:[A-Za-z]:)?(?:[.~$]*[/\\]|[\w.~$@+-]+[/\\](?=[^\s,;)\]]*[/\\.]\w|[\w-]+$))[^\s,;)\]]*"
    r"|(?<!\w)\d[\w.:,-]*|(?<!\w)0x[0-9a-f]+"
    r"|^\W*(?:(?:ERROR|WARN|WARNING|FATAL|INFO|DEBUG)\b\W*|(?:[Ee]rror|warn(?:ing)?)\b[\]:]\W*)+"
)
_OUTPUT = re.compile(r"(?<!:):(?!:)|[;!%{}=<>'\"`]|\.(?:\s|$)")
# What programs say of failures; a question that begins so is not asked as one.
_SAID = re.compile(
    r"\b(?:fail(?:ed|ure) to|(?:un|not )able to|could(?: not|n't)|can(?:not|'t)|must(?: not)? be|(?:does|do|did) not"
    r"|not (?:found|supported|allowed|defined|implemented)|is (?:not|already|missing|invalid)"
    r"|unexpected|invalid)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(r"(?i:\s*(?:how|what|where|which|who|why|when|is|are|can|does|do)\b)|.*\?\s*$", re.DOTALL)
_PRINTED = re.compile(
    r"\w\s+\S+\.\s*$|^\W*(?:\d{4}-\d\d-\d\d\S*\W+)?(?:ERROR|WARN|WARNING|FATAL|INFO|DEBUG|(?:error|warn|warning)[\]:])"
)
_PLACEHOLDER = re.compile(r"%[-+#0]?\d*(?:\.\d+)?[a-zA-Z]\b|[$#]\{|\\\(\w|\{[\w.!:]*\}")
WORD = re.compile(r"\w+")
MIN_WORDS = 3  # shorter queries stand in the code by chance
LEAST_TELLING = 2  # words of a run that are no function words
_LONG_RUN = 6  # words, of which one will do
_CLAUSE = re.compile(r"[:=]\s")
_GAP_WORDS = 8  # between two parts of one message: what a program puts into its placeholders
_VALUE_WORDS = 3  # the same behind a single word


def find_phrases(text: str) -> tuple[str, ...]:
    """The quoted parts of a query, at most MOST_PHRASES; not those inside words, as in pasted JSON."""
    found = (match.replace('\\"', '"') for match in _PHRASE.findall(text.translate(_TYPOGRAPHIC)))
    return tuple(dict.fromkeys(found))[:MOST_PHRASES]


def quotes_most(text: str, phrases: Sequence[str]) -> bool:
    """Whether a query with phrases is mainly these: no more words that say something stand outside the quotes."""
    outside = _PHRASE.sub(" ", text.translate(_TYPOGRAPHIC))
    said = [word for word in TOKEN.findall(outside.lower()) if word not in STOP_WORDS]
    return len(said) <= sum(len(WORD.findall(phrase)) for phrase in phrases)


def is_folded(phrase: str) -> bool:
    """Whether a phrase is found in either case: it is typed without capitals."""
    return phrase == phrase.lower()


def terms_within(text: str, *, whole: bool = True) -> tuple[str, ...]:
    """Lexemes of all tokens of a text, function words too; of the inner ones if the text may be cut inside a word."""
    tokens = [match[0] for match in TOKEN.finditer(text) if whole or (match.start() > 0 and match.end() < len(text))]
    return tuple(dict.fromkeys(term for token in tokens for term in terms_of(token)))


class Match(NamedTuple):
    """How a query stands in a text: what share of its weight, in how many words, and where most of them begin."""

    share: float
    words: int
    place: int


class _Chain(NamedTuple):
    """Runs of words that follow each other, in the text and in the query."""

    text_end: int
    query_end: int
    weight: float
    words: int
    longest: int
    text_start: int
    query_start: int


class Runs:
    """Finds how much of a query stands in a text in runs of neighbouring words.

    Args:
        query: the words of the query are what matters, without case.
        weights: word -> weight; words without one are filled-in values as like as not, and weigh nothing.
    """

    def __init__(self, query: str, weights: Mapping[str, float]) -> None:
        found = list(WORD.finditer(query.lower()))
        self._words = [match[0] for match in found]
        self._weights = [weights.get(word, 0.0) for word in self._words]
        # A program's name and what it was doing stand before a message: a share is that of the rest of the query.
        begins = [place for place, match in enumerate(found) if not place or _CLAUSE.match(query, match.start() - 2)]
        rests = [sum(self._weights[begins[bisect(begins, place) - 1] :]) or 1.0 for place in range(len(found))]
        self._rests = rests
        # A name before a value may be all that stands before it: `Video {id} does not exist`.
        ends = [not weight for weight in self._weights[1:]] + [False]
        self._alone = {place for place in range(len(found)) if place in begins or ends[place]}
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, match in enumerate(found):
            self._places[match[0]].append(place)

    def best_match(self, text: str) -> Match | None:
        """The heaviest chain of runs, in the query's order and near each other; None without a run of MIN_WORDS."""
        lowered = text.lower()
        held = "".join(["+" if word in lowered else " " for word in self._words])
        if "+" * MIN_WORDS not in held:
            return None  # as of many passages
        runs = self._runs(WORD.findall(lowered))
        if all([length < MIN_WORDS for _, _, length in runs]):
            return None
        best: list[_Chain] = []  # the heaviest, in the text's order
        chains: list[_Chain] = []
        for run in runs:
            chains = [chain for chain in chains if run[0] <= chain.text_end + _GAP_WORDS]
            for first, start, length in self._without_overlap(run, chains):
                # A single word goes on only with a chain that has just ended, behind one value.
                gap = _GAP_WORDS if length > 1 else 1
                near = [
                    chain
                    for chain in chains
                    if chain.query_end <= start
                    and chain.text_end <= first <= chain.text_end + (gap if chain.words > 1 else _VALUE_WORDS)
                ]
                if length == 1 and not near and start not in self._alone:
                    continue
                before = max(near, key=attrgetter("weight"), default=_Chain(0, 0, 0.0, 0, 0, first, start))
                chain = before._replace(
                    text_start=first if length > before.longest else before.text_start,
                    text_end=first + length,
                    query_end=start + length,
                    weight=before.weight + sum(self._weights[start : start + length]),
                    words=before.words + length,
                    longest=max(before.longest, length),
                )
                chains.append(chain)
                if chain.longest >= MIN_WORDS and (not best or chain.weight >= best[0].weight):
                    best = [*best, chain] if best and chain.weight == best[0].weight else [chain]
        if not best:
            return None
        starts = {chain.text_start for chain in best}
        places = [match.start() for number, match in enumerate(WORD.finditer(lowered)) if number in starts]
        place = next((place for place in places if is_in_string(text, place)), places[0])
        return Match(min(1.0, best[0].weight / self._rests[best[0].query_start]), best[0].words, place)

    @staticmethod
    def _without_overlap(run: tuple[int, int, int], chains: Sequence[_Chain]) -> list[tuple[int, int, int]]:
        """The run, and what is left of it behind chains that end inside it: `X of X` may share a word."""
        first, start, length = run
        ends = {chain.query_end for chain in chains if start < chain.query_end < start + length - 1}
        return [run, *((first + end - start, end, length - end + start) for end in sorted(ends))]

    def _runs(self, words: Sequence[str]) -> list[tuple[int, int, int]]:
        """(first word of the text, first word of the query, words) of each longest run, in the text's order."""
        found: list[tuple[int, int, int]] = []
        open_runs: dict[int, int] = {}  # place in the query of the last word -> words
        for number, word in enumerate([*words, ""]):
            if not open_runs and word not in self._places:
                continue
            grown = {place: open_runs.get(place - 1, 0) + 1 for place in self._places.get(word, ())}
            found += [
                (number - length, place + 1 - length, length)
                for place, length in open_runs.items()
                if place + 1 not in grown
            ]
            open_runs = grown
        return sorted(found)


def without_values(text: str) -> str:
    """A message without what a program fills in: paths, addresses, numbers, names in quotes, the time and level."""
    return " ".join(_VALUE.sub(" ", text).split())


def telling_runs(text: str, is_known: Callable[[Sequence[str]], bool]) -> list[list[str]]:
    """Neighbouring words of a message that its program wrote as they are, the longest first; none that say too little.

    Args:
        is_known: whether all of some terms stand in the index; a word of others is a value.
    """
    runs: list[list[str]] = [[]]
    for part in _CLAUSE.split(_VALUE.sub(": ", text)):
        runs.append([])
        for word in WORD.findall(part):
            if is_known(terms_of(word)):
                runs[-1].append(word)
            else:
                runs.append([])
    telling = [
        run
        for run in runs
        if len(run) >= MIN_WORDS
        and sum(word.lower() not in STOP_WORDS for word in run) >= (1 if len(run) >= _LONG_RUN else LEAST_TELLING)
    ]
    return sorted(telling, key=len, reverse=True)


def is_message(text: str) -> bool:
    """Whether a query looks pasted rather than asked: it has values or the punctuation of a program's output."""
    return _OUTPUT.search(text) is not None or without_values(text) != text or is_printed(text)


def is_printed(text: str) -> bool:
    """Whether a query is what programs print, which settings are not: a sentence, a log line, what has failed."""
    return _PRINTED.search(text) is not None or (_SAID.search(text) is not None and _ASKED.match(text) is None)


def has_placeholders(text: str) -> bool:
    """Whether a text was copied from the code that makes a message: what it fills in is not there yet."""
    return _PLACEHOLDER.search(text) is not None


def is_in_string(text: str, place: int) -> bool:
    """Whether a place in code is inside a string literal: a quote is open before it on its line, or a triple quote.

    A triple quote that begins its line opens documentation.
    """
    before = text[text.rfind("\n", 0, place) + 1 : place]
    if not _COMMENT.match(before) and any(before.count(quote) % 2 for quote in _QUOTES):
        return True
    opened = next((quote for quote in _TRIPLE_QUOTES if text.count(quote, 0, place) % 2), None)
    if opened is None:
        return False
    at = text.rfind(opened, 0, place)
    return re.fullmatch(r"\s*[rbuf]*", text[text.rfind("\n", 0, at) + 1 : at], re.IGNORECASE) is None
