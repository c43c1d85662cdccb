"""Measures of one ranked answer. Pure; all in 0..1, ranks from 1, binary relevance, a file counts once."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

CUT = 10  # ranks that are looked at: what one answer shows by default


@dataclass(frozen=True, slots=True)
class Measures:
    """Quality of one answer, or the mean over answers."""

    ndcg: float  # at CUT
    reciprocal_rank: float  # of the first right file, 0 beyond CUT
    first: float  # whether the first file is right
    in_five: float  # whether one of the first five is
    recall_at_1: float
    recall_at_5: float
    recall_at_10: float


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
    return Measures(
        ndcg=sum(value.ndcg for value in values) / count,
        reciprocal_rank=sum(value.reciprocal_rank for value in values) / count,
        first=sum(value.first for value in values) / count,
        in_five=sum(value.in_five for value in values) / count,
        recall_at_1=sum(value.recall_at_1 for value in values) / count,
        recall_at_5=sum(value.recall_at_5 for value in values) / count,
        recall_at_10=sum(value.recall_at_10 for value in values) / count,
    )
