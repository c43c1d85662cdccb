"""Reciprocal rank fusion."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import count
from operator import itemgetter
from typing import TypeVar

RRF_RANK_CONSTANT = 60  # Cormack, Clarke & Buettcher, SIGIR 2009

Key = TypeVar("Key", bound=Hashable)


def fuse_rankings(rankings: Mapping[str, Sequence[Key]], weights: Mapping[str, float]) -> list[tuple[Key, float]]:
    """Merge ranked lists by weighted reciprocal rank.

    Args:
        rankings: name -> keys, best first, no key twice in one ranking; may be empty.
        weights: name -> weight; 1.0 for a ranking that is not named.
    Returns:
        (key, score) by falling score; keys of equal score keep the order in which the rankings first name them,
        so that keywords given first win ties.
    Raises:
        ValueError: a ranking names a key twice, which would count it double.
    """
    scores: dict[Key, float] = {}
    for name, keys in rankings.items():
        given = dict(zip(keys, map(weights.get(name, 1.0).__truediv__, count(RRF_RANK_CONSTANT + 1)), strict=False))
        if len(given) != len(keys):
            raise ValueError(f"ranking {name!r} names a key twice")
        if scores:
            for key, score in given.items():
                scores[key] = scores.get(key, 0.0) + score
        else:
            scores = given
    return sorted(scores.items(), key=itemgetter(1), reverse=True)
