"""Measures of one ranked answer. Pure; all in 0..1, ranks from 1, binary relevance, a file counts once."""

import math
from collections.abc import Collection, Sequence

from cocosearch_py.model.answers import Part, Share

CUT = 10  # ranks that are looked at: what one answer shows by default


class Measures(Part):
    """Quality of one answer, or the mean over answers."""

    ndcg: Share  # at CUT
    reciprocal_rank: Share  # of the first right file, 0 beyond CUT
    first: Share  # whether the first file is right
    in_five: Share  # whether one of the first five is
    recall_at_1: Share
    recall_at_5: Share
    recall_at_10: Share


_NAMES = Measures.__struct_fields__


def measure(ranked: Sequence[str], wanted: Collection[str]) -> Measures:
    """Measures of distinct files, best first. Raises ValueError when nothing is wanted."""
    if not wanted:
        raise ValueError("a case wants no file")
    hits = [path in wanted for path in ranked[:CUT]]
    ideal = sum(_discount(rank) for rank in range(1, min(len(wanted), CUT) + 1))
    gain = sum(_discount(rank) for rank, hit in enumerate(hits, start=1) if hit)
    first = next((rank for rank, hit in enumerate(hits, start=1) if hit), 0)
    return Measures(
        ndcg=gain / ideal,
        reciprocal_rank=1 / first if first else 0.0,
        first=float(first == 1),
        in_five=float(0 < first <= 5),
        recall_at_1=sum(hits[:1]) / len(wanted),
        recall_at_5=sum(hits[:5]) / len(wanted),
        recall_at_10=sum(hits) / len(wanted),
    )


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def mean(values: Sequence[Measures]) -> Measures:
    """The mean of each measure; zeros of nothing."""
    count = len(values) or 1
    return Measures(**{name: sum(getattr(value, name) for value in values) / count for name in _NAMES})
