"""Common beginnings and ends of two texts. Pure."""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Difference(NamedTuple):
    """Where two sequences differ: the old one from `start` to `old_end`, the new one from `start` to `new_end`."""

    start: int
    old_end: int
    new_end: int


def difference(old: Sequence[Any], new: Sequence[Any]) -> Difference:
    """The shortest part of each, with all differences in it; of bytes or of lists."""
    start = _common(old, new)
    most = min(len(old), len(new)) - start
    same = _common(old[::-1], new[::-1], most)
    return Difference(start, len(old) - same, len(new) - same)


def _common(one: Sequence[Any], other: Sequence[Any], most: int | None = None) -> int:
    """How many items both begin with."""
    low, high = 0, min(len(one), len(other)) if most is None else most
    while low < high:  # halving: slices are compared a thousand times faster than items
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
