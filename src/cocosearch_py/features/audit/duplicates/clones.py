"""Puts runs that occur again together: the longest stretches that the same places have in common (pure)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cocosearch_py.features.audit.duplicates.repeats import Repeats

_STEP = 64  # runs that are compared at once when a stretch is made longer
_LEAST_NEW = 0.1  # of one of its copies must be in no larger group, or a group says nothing new


@dataclass(frozen=True, slots=True)
class CloneGroup:
    """Stretches of `length` tokens, the same in all places; `positions` ascend and the stretches do not overlap."""

    length: int
    positions: tuple[int, ...]


def group_clones(repeats: Repeats, run: int, covered: npt.NDArray[np.bool_]) -> list[CloneGroup]:
    """Make groups of repeats, first those with the most to save; what says nothing new beside these is left out.

    Args:
        run: how many tokens a run has.
        covered: tokens that groups have been found for already; those of the new ones are added.
    """
    result = []
    for longest, head, before in _stretches(repeats, run):
        positions, length = _apart(_members(repeats, head) - before, longest, run)
        if len(positions) < 2 or _is_covered(positions, length, covered, 1 - _LEAST_NEW):
            continue
        for position in positions:
            covered[position : position + length] = True
        result.append(CloneGroup(length, tuple(map(int, positions))))
    return result


def _stretches(repeats: Repeats, run: int) -> list[tuple[int, int, int]]:
    """Groups of runs made as long as all their places are alike, first those that repeat the most.

    Returns:
        How many tokens, a group, and how many tokens before its members the stretches begin.
    """
    found: dict[tuple[int, int], tuple[int, int, int]] = {}
    for head, windows in _chains(repeats):
        members = _members(repeats, head)
        before, after = _more(repeats.group_at, members, -1), _more(repeats.group_at, members + windows - 1, 1)
        length, begin = windows + before + after + run - 1, int(members[0]) - before
        found.setdefault((-length * (len(members) - 1), begin), (length, head, before))
    return [found[key] for key in sorted(found)]


def _members(repeats: Repeats, group: int) -> npt.NDArray[np.int64]:
    begin = repeats.first[group]
    return repeats.members[begin : begin + repeats.sizes[group]]


def _chains(repeats: Repeats) -> Iterator[tuple[int, int]]:
    """Groups with as many as follow them at the very same places, and how many these are; the longest first."""
    if not len(repeats.sizes):
        return
    following = repeats.group_at[repeats.members + 1]
    least = np.minimum.reduceat(following, repeats.first)
    goes_on = (least == np.maximum.reduceat(following, repeats.first)) & (least >= 0)
    goes_on &= repeats.sizes[least] == repeats.sizes
    firsts = repeats.members[repeats.first]
    order = np.argsort(firsts)
    linked = (firsts[order][1:] == firsts[order][:-1] + 1) & goes_on[order][:-1] & (least[order][:-1] == order[1:])
    heads = np.flatnonzero(np.concatenate([[True], ~linked]))
    counts = np.diff(np.append(heads, len(order)))
    for at in np.argsort(-counts, kind="stable"):
        yield int(order[heads[at]]), int(counts[at])


def _more(group_at: npt.NDArray[np.int32], members: npt.NDArray[np.int64], direction: int) -> int:
    """By how many runs all members go on alike, forwards or backwards."""
    total = 0
    while True:
        steps = np.arange(total + 1, total + _STEP + 1) * direction
        places = members[:, None] + steps
        inside = (places >= 0) & (places < len(group_at))
        groups = np.where(inside, group_at[np.where(inside, places, 0)], -1)
        alike = (groups == groups[0]).all(axis=0) & (groups[0] >= 0)
        if not alike.all():
            return total + int(np.argmin(alike))
        total += _STEP


def _apart(positions: npt.NDArray[np.int64], length: int, run: int) -> tuple[npt.NDArray[np.int64], int]:
    """Stretches that do not overlap, and their length: shortened where that parts them, else some left out.

    None of a pattern that repeats itself in short steps, as a table does, if it stands in one place only.
    """
    least = int(np.diff(positions).min())
    if least >= run:
        return positions, min(length, least)
    kept = [int(positions[0])]
    for position in positions[1:]:
        if position >= kept[-1] + length:
            kept.append(int(position))
    found = np.array(kept, dtype=np.int64)
    return (found if (np.diff(found) >= 2 * length).any() else found[:0]), length


def _is_covered(positions: npt.NDArray[np.int64], length: int, covered: npt.NDArray[np.bool_], share: float) -> bool:
    """Whether of each stretch at least that share is covered."""
    return all(covered[at : at + length].sum() >= share * length for at in map(int, positions))
