"""Which chunks the keyword leg scores, as a condition on their lexemes."""

import itertools
import math
import re

import pytest

from cocosearch_py.storage.queries import candidates
from cocosearch_py.storage.queries.candidates import (
    CandidateBudget,
    Condition,
    QueryTerm,
    candidate_queries,
    keyword_query,
)

CHUNKS = 100_000


def terms(*frequencies: int) -> list[QueryTerm]:
    return terms_of(CHUNKS, *frequencies)


def terms_of(chunks: int, *frequencies: int) -> list[QueryTerm]:
    idfs = [math.log(1 + (chunks - df + 0.5) / (df + 0.5)) for df in frequencies]
    return [QueryTerm(f"t{number}", df, idf) for number, (df, idf) in enumerate(zip(frequencies, idfs, strict=True))]


def matches(condition: Condition, lexemes: set[str]) -> bool:
    """What PostgreSQL makes of such tsqueries."""
    python = [re.sub(r"'(\w+)'", lambda found: str(found[1] in lexemes), query) for query in condition]
    return any(map(eval, python))


def test_few_chunks_are_all_scored() -> None:
    known = terms(10, 200, 300)
    assert candidate_queries(known, CHUNKS) == (("'t0'", "'t1'", "'t2'"),)


@pytest.mark.parametrize("frequencies", [(50, 9_000, 12_000, 30_000), (6_000, 7_000, 8_000, 20_000, 40_000)])
def test_chunks_qualify_by_the_sum_of_their_idfs(frequencies: tuple[int, ...]) -> None:
    known = terms(*frequencies)
    narrow, *_ = candidate_queries(known, CHUNKS)
    sums = {True: [], False: []}  # type: dict[bool, list[float]]
    for chosen in itertools.product([True, False], repeat=len(known)):
        held = [term for term, is_held in zip(known, chosen, strict=True) if is_held]
        sums[matches(narrow, {term.lexeme for term in held})].append(sum(term.idf for term in held))
    assert min(sums[True]) > max(sums[False])


def test_each_query_is_wider_than_the_one_before() -> None:
    known = terms(50, 9_000, 12_000, 30_000)
    queries = candidate_queries(known, CHUNKS)
    assert len(queries) == 3
    assert queries[-1] == tuple([f"'{term.lexeme}'" for term in known])
    for narrow, wide in itertools.pairwise(queries):
        for chosen in itertools.product([True, False], repeat=len(known)):
            held = {term.lexeme for term, is_held in zip(known, chosen, strict=True) if is_held}
            assert matches(wide, held) or not matches(narrow, held)


def test_a_rare_term_suffices_and_common_ones_need_company() -> None:
    narrow, *_ = candidate_queries(terms(50, 9_000, 12_000, 30_000), CHUNKS)
    assert matches(narrow, {"t0"})
    assert not matches(narrow, {"t3"})
    assert matches(narrow, {"t1", "t2", "t3"})


def test_a_single_common_term_is_searched_whole() -> None:
    assert candidate_queries(terms(60_000), CHUNKS) == (("'t0'",),)


def test_each_tsquery_asks_for_a_term_of_its_own_and_those_behind_it() -> None:
    narrow, *_ = candidate_queries(terms(50, 9_000, 12_000, 30_000), CHUNKS)
    assert len(narrow) > 1
    for first, query in enumerate(narrow):
        assert query.startswith(f"'t{first}'")
        assert not matches((query,), {f"t{number}" for number in range(4) if number != first})
        assert not any(f"'t{number}'" in query for number in range(first))


def test_long_questions_have_short_conditions() -> None:
    narrow, *_ = candidate_queries(terms(*range(5_000, 45_000, 1_000)), CHUNKS)
    assert "".join(narrow).count("'t") <= 2**candidates._MOST_TERMS


def test_candidates_hold_one_of_the_terms_that_are_walked_through() -> None:
    known = terms_of(2_000_000, *[150_000] * 5)
    narrow, *_ = candidate_queries(known, 2_000_000)
    assert matches(narrow, {"t0", "t2", "t3", "t4"})
    assert not matches(narrow, {"t1", "t2", "t3", "t4"})  # a tenth of the chunks hold t0 or t1
    query = keyword_query({term.lexeme: (place, term.df) for place, term in enumerate(known)}, 2_000_000)
    assert query.candidates[0] == narrow
    every_term = CandidateBudget(walked_share=1.0)
    assert matches(candidate_queries(known, 2_000_000, every_term)[0], {"t1", "t2", "t3", "t4"})


def test_terms_are_walked_through_until_they_bring_enough() -> None:
    narrow, *_ = candidate_queries(terms_of(2_000_000, 3, *[250_000] * 5), 2_000_000)
    assert matches(narrow, {"t1", "t2", "t3", "t4", "t5"})
