"""Choose the chunks that the ranking by keywords scores: those whose query terms are rare together. Pure.

A chunk's score is the sum of IDF x weight over the query's terms that it holds, and weights differ little. So the best
chunks are found among those whose IDFs add up to a threshold, be it by one rare term or by several common ones. That
condition is a tsquery, which the GIN index answers without touching the chunks that fail it.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# In larger indexes one of so many chunks: among 411,000, 2,500 hold 98 % of the 200 best and 5,000 all. Of a million
# one of 150 costs a tenth more than one of 200, and changes one answer of a hundred.
_CHUNKS_PER_CANDIDATE = 200
# Terms that the condition counts, most telling first: it may double with each, and seven find what ten do. Six do in
# indexes so large that the budget grows with them: of a million chunks they take three quarters of the time.
_MOST_TERMS, _MOST_TERMS_OF_MANY = 7, 6
# Places of the first terms that GIN walks through in any case, 0.2 us each; it looks the other terms up.
_WALKED = 100_000
# Terms of one question meet more often than by chance. As if all were held by this share of the chunks: then the
# estimate is right on average (real ones are 1.02 times it).
_TOPICAL_SHARE = 0.5
# Of a report's weighted terms; 20 and 120 give the same answers.
MOST_WEIGHTED_TERMS = 40
NO_WEIGHTS: Mapping[str, float] = {}
_ROUNDING = 1e-9  # sums of the same IDFs in another order differ by less, the smallest IDF of an index is larger


# Tsqueries, one of which a chunk has to match. GIN answers each by itself, and looks up only its terms for a place
# of its rarest one; in one tsquery for all it would look up all of them for each place.
Condition = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CandidateBudget:
    """Numbers of chunks to score, as estimated.

    `narrow`: of the 200 best chunks among 160,000 this many hold 99 %, and all of the best 50; the 5,000 with the
    rarest terms held 80 % and 88 % (docs/adr/0004). `wide`: where filters let few of those pass; more takes longer than
    people want to wait. Each candidate holds one of the first terms, as many as `walked_share` of all chunks hold.
    """

    narrow: int = 2_500
    wide: int = 10_000
    walked_share: float = 0.1

    def of(self, chunks: int) -> int:
        """Number of chunks to score in an index of so many."""
        return max(self.narrow, chunks // _CHUNKS_PER_CANDIDATE)


DEFAULT_BUDGET = CandidateBudget()


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A term of the query that the index knows."""

    lexeme: str
    df: int  # chunks that hold it
    idf: float


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """The query as the ranking by keywords reads it.

    `idf`: position -> inverse document frequency of each query term. `candidates`: conditions that choose the chunks to
    score, tried in turn until one brings enough; the last are all with any term. `identifiers`: lexemes to report in
    `ScoredChunk.holds`; `whole`: all lexemes of the query's text, and `words` a regular expression for it, for
    `ScoredChunk.words_held`. `leading`: the terms that the conditions count.
    """

    idf: dict[int, float]
    candidates: tuple[Condition, ...]
    identifiers: tuple[str, ...]
    whole: tuple[str, ...] = ()
    words: str = ""
    leading: tuple[QueryTerm, ...] = ()


def any_of(lexemes: Sequence[str]) -> str:
    """A tsquery that matches chunks with any of the lexemes."""
    return " | ".join(map(_quoted, lexemes))


def all_of(lexemes: Sequence[str]) -> str:
    """A tsquery that matches chunks with all of the lexemes."""
    return " & ".join(map(_quoted, lexemes))


def inverse_document_frequency(chunks: int, df: int) -> float:
    """BM25's IDF in the form that is never negative."""
    return math.log(1 + (chunks - df + 0.5) / (df + 0.5))


def keyword_query(
    known: Mapping[str, tuple[int, int]],
    chunks: int,
    identifiers: tuple[str, ...] = (),
    weights: Mapping[str, float] = NO_WEIGHTS,
    budget: CandidateBudget = DEFAULT_BUDGET,
) -> KeywordQuery:
    """IDFs of known terms, and which chunks are worth scoring.

    Args:
        known: term -> (position, chunks that hold it).
        weights: term -> what its IDF is multiplied by; the terms that then count most are kept.
    """
    terms = [
        QueryTerm(term, df, inverse_document_frequency(chunks, df) * weights.get(term, 1.0))
        for term, (_, df) in known.items()
    ]
    if weights:
        terms = sorted(terms, key=lambda term: (-term.idf, term.lexeme))[:MOST_WEIGHTED_TERMS]
    idf: dict[int, float] = {}
    for term in terms:
        place = known[term.lexeme][0]
        idf[place] = idf.get(place, 0.0) + term.idf
    leading = tuple(_leading(terms, chunks, budget))
    return KeywordQuery(idf, candidate_queries(terms, chunks, budget), identifiers, leading=leading)


def candidate_queries(
    terms: Sequence[QueryTerm], chunks: int, budget: CandidateBudget = DEFAULT_BUDGET
) -> tuple[Condition, ...]:
    """Conditions to try in turn until one brings enough chunks: the likely winners, more of them, all with any term.

    The wider ones are for filters, which few winners may pass, and for terms that never meet.
    """
    held = sum(term.df for term in terms)
    narrow = budget.of(chunks)
    budgets = [most for most in (narrow, max(narrow, budget.wide)) if most < held]
    leading = _leading(terms, chunks, budget)
    expected = _expected(leading, chunks) if budgets else []
    walked = _walked(leading, narrow, max(_WALKED, budget.walked_share * chunks))
    conditions = [_reaching(leading, _threshold(expected, most), walked) for most in budgets]
    with_any = tuple([_quoted(term.lexeme) for term in terms])
    return tuple(dict.fromkeys([*[one for one in conditions if one and one != with_any], with_any]))


def _leading(terms: Sequence[QueryTerm], chunks: int, budget: CandidateBudget) -> list[QueryTerm]:
    most = _MOST_TERMS if budget.of(chunks) == budget.narrow else _MOST_TERMS_OF_MANY
    return sorted(terms, key=lambda term: (-term.idf, term.lexeme))[:most]


def _walked(leading: Sequence[QueryTerm], least: int, most: float) -> int:
    """Number of leading terms that GIN walks through: enough for the budget, then as many as are not too common."""
    held = 0
    for number, term in enumerate(leading):
        if held >= least and held + term.df > most:
            return number
        held += term.df
    return len(leading)


def _expected(terms: Sequence[QueryTerm], chunks: int) -> list[tuple[float, float]]:
    """(sum of IDFs, chunks that are expected to have just that sum), the largest sum first; without those of 0."""
    topical = chunks * _TOPICAL_SHARE
    expected = {0.0: topical}  # sum of IDFs -> chunks with just that sum
    for term in terms:
        share = min(1.0, term.df / topical)
        grown: defaultdict[float, float] = defaultdict(float)
        for total, count in expected.items():
            grown[total] += count * (1 - share)
            grown[total + term.idf] += count * share
        expected = grown
    return sorted(expected.items(), reverse=True)[:-1]  # the last is 0: none of the terms


def _threshold(expected: Sequence[tuple[float, float]], budget: int) -> float:
    """Lowest sum of IDFs that not more than `budget` chunks are expected to reach; at most the sum of all."""
    opened = 0.0
    threshold = expected[0][0]
    for total, chunks in expected:
        opened += chunks
        if opened > budget:
            break
        threshold = total
    return threshold


def _reaching(terms: Sequence[QueryTerm], wanted: float, walked: int) -> Condition | None:
    """A condition for chunks that hold one of the first `walked` terms, and whose terms' IDFs add up to `wanted`.

    Empty when all do, None when none can.
    """
    if wanted <= _ROUNDING:
        return ()
    if sum(term.idf for term in terms) < wanted - _ROUNDING:
        return None
    first, *others = terms
    with_first: Condition = ()
    if (rest := _reaching(others, wanted - first.idf, len(others))) is not None:
        with_first = (f"{_quoted(first.lexeme)} & ({' | '.join(rest)})" if rest else _quoted(first.lexeme),)
    return with_first + ((_reaching(others, wanted, walked - 1) or ()) if walked > 1 else ())


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"
