"""Reciprocal rank fusion keeps what it is given, in an order that follows from the ranks alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.search.fusion import RRF_RANK_CONSTANT, fuse_rankings

LEG = st.lists(st.integers(0, 30), unique=True, max_size=20)
LEGS = st.dictionaries(st.sampled_from("abc"), LEG, max_size=3)
WEIGHTS = st.dictionaries(st.sampled_from("abc"), st.floats(0.01, 10), max_size=3)


@given(LEGS, WEIGHTS)
def test_every_key_once_with_the_sum_of_its_shares(legs: dict[str, list[int]], weights: dict[str, float]) -> None:
    fused = fuse_rankings(legs, weights)
    assert sorted(key for key, _ in fused) == sorted({key for keys in legs.values() for key in keys})
    for key, score in fused:
        shares = [
            weights.get(leg, 1.0) / (RRF_RANK_CONSTANT + keys.index(key) + 1)
            for leg, keys in legs.items()
            if key in keys
        ]
        assert score == pytest.approx(sum(shares))
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)


@given(LEG, st.floats(0.01, 10))
def test_one_leg_keeps_its_order(keys: list[int], weight: float) -> None:
    assert [key for key, _ in fuse_rankings({"only": keys}, {"only": weight})] == keys


@given(LEGS, WEIGHTS, st.floats(0.1, 10))
def test_scaling_all_weights_changes_no_order(
    legs: dict[str, list[int]], weights: dict[str, float], factor: float
) -> None:
    full = {leg: weights.get(leg, 1.0) for leg in legs}
    exact = {leg: 2.0 ** round(weight) for leg, weight in full.items()}  # powers of two: no rounding decides
    scaled = {leg: weight * 2.0 ** round(factor) for leg, weight in exact.items()}
    assert [key for key, _ in fuse_rankings(legs, exact)] == [key for key, _ in fuse_rankings(legs, scaled)]


@given(LEG.filter(lambda keys: len(keys) >= 2), LEG)
def test_rising_in_a_leg_never_lowers(keys: list[int], other: list[int]) -> None:
    raised = [keys[1], keys[0], *keys[2:]]
    before = [key for key, _ in fuse_rankings({"a": keys, "b": other}, {})].index(keys[1])
    after = [key for key, _ in fuse_rankings({"a": raised, "b": other}, {})].index(keys[1])
    assert after <= before


def test_ties_go_to_the_leg_named_first() -> None:
    assert [key for key, _ in fuse_rankings({"keyword": ["k"], "vector": ["v"]}, {})] == ["k", "v"]
    assert [key for key, _ in fuse_rankings({"vector": ["v"], "keyword": ["k"]}, {})] == ["v", "k"]


@given(LEG.filter(bool))
def test_a_key_twice_in_a_leg_is_an_error(keys: list[int]) -> None:
    with pytest.raises(ValueError, match="twice"):
        fuse_rankings({"a": [*keys, keys[0]]}, {})


def test_nothing_gives_nothing() -> None:
    assert fuse_rankings({}, {}) == []
    assert fuse_rankings({"a": [], "b": []}, {"a": 1.0}) == []
