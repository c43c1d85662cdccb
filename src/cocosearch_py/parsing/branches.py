"""Joins what was captured in several readings of one file, each with another branch of its `#if` lines."""

from bisect import bisect_right

from cocosearch_py.languages.conditionals import Stretch
from cocosearch_py.parsing.captures import Captured, Definition, Match


class Branches:
    """The branches that one reading has and none before it had."""

    def __init__(self, branches: list[Stretch]) -> None:
        self._branches = sorted(branches)
        self._starts = [one.start for one in self._branches]

    def _around(self, start: int, end: int) -> Stretch | None:
        at = bisect_right(self._starts, start) - 1
        return self._branches[at] if at >= 0 and end <= self._branches[at].end else None

    def have(self, match: Match) -> bool:
        """Say whether a match begins in one of them."""
        nodes = next(nodes for name, nodes in match[1].items() if not name.startswith("_"))  # the query's own
        return self._around(nodes[0].start_byte, nodes[0].start_byte) is not None

    def add(self, captured: Captured, other: Captured, source: bytes) -> None:
        """Add to `captured` what another reading has in these branches.

        A construct that goes on behind its branch ends with the branch here, and is left out if the first reading has
        one of its name around it: `#if A / int f(int a) { / #else / int f() { / #endif / ... }` is one function.
        """
        for one in other.definitions:
            branch = self._around(one.name.start_byte, one.name.end_byte)
            if branch is None or one.start < branch.start:
                continue
            if one.end > branch.end:
                if _has_around(captured, one, source):
                    continue
                one.end = branch.end
            one.apart_from = range(branch.conditional, branch.start)
            captured.definitions.append(one)
        captured.sections += [section for section in other.sections if self._around(*section)]


def add_whole(captured: Captured, whole: Captured, source: bytes) -> None:
    """Add what only the file as it stands has, such as macros under conditions that no reading was made for."""
    known = {one.name.start_byte for one in captured.definitions}
    for one in whole.definitions:
        if one.name.start_byte not in known and not one.node.has_error and not _has_around(captured, one, source):
            captured.definitions.append(one)
    captured.comment_spans += whole.comment_spans
    captured.comments_by_end_row = whole.comments_by_end_row | captured.comments_by_end_row


def extend(captured: Captured, other: Captured) -> None:
    """Let what both have end where it ends in either: the last members of a class may be in a branch."""
    ends = {one.name.start_byte: one.end for one in other.definitions}
    for one in captured.definitions:
        one.end = max(one.end, ends.get(one.name.start_byte, 0))


def put_in_order(captured: Captured) -> None:
    """Bring what was added into the order of the file."""
    captured.definitions.sort(key=lambda one: (one.start, -one.end, one.name.start_byte))
    captured.comment_spans = sorted(set(captured.comment_spans))
    captured.sections = sorted(set(captured.sections))


def _has_around(captured: Captured, one: Definition, source: bytes) -> bool:
    name = source[one.name.start_byte : one.name.end_byte]
    return any(
        outer.start < one.start < outer.end and source[outer.name.start_byte : outer.name.end_byte] == name
        for outer in captured.definitions
    )
