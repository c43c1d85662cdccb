"""Which class a member is inherited from. By names of classes: two of one name are taken for one."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice

from cocosearch_py.graph.cache import IndexFacts
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.references import Defined

Bases = Mapping[str, Collection[str]]  # class -> those that it inherits from, as far as they matter

_MOST_LEVELS = 6
_MOST_OWNERS = 100
_MOST_HEIRS = 2_000  # of a class that more inherit from, they are not followed


def bases_of_heirs(conn: Connection, facts: IndexFacts, owners: Collection[str]) -> Bases:
    """The classes below some, of which only the first ones are looked at, with what each of them inherits from."""
    bases: dict[str, set[str]] = defaultdict(set)
    left = set(islice(owners, _MOST_OWNERS))
    known = set(left)
    for _ in range(_MOST_LEVELS):
        if not left:
            break
        heirs = facts.heirs(conn, left, _MOST_HEIRS)
        if heirs is None:
            return {}
        for base, heir in heirs:
            if heir != base:
                bases[heir].add(base)
        left = {heir for _, heir in heirs} - known
        known |= left
    return bases


def heirs_of(conn: Connection, facts: IndexFacts, classes: Collection[str]) -> set[str] | None:
    """Classes, those above a limit left out, and all that inherit from them; None if these are too many."""
    left = set(islice(classes, _MOST_OWNERS))
    known = set(left)
    while left:
        heirs = facts.heirs(conn, left, _MOST_HEIRS)
        if heirs is None or len(known) > _MOST_HEIRS:
            return None
        left = {heir for _, heir in heirs} - known
        known |= left
    return known


def inherited(bases: Bases, classes: Iterable[str], members: Mapping[str, Sequence[Defined]]) -> list[Defined]:
    """Those of these members, by their classes, that a class has from the nearest classes above it."""
    seen = set(classes)
    left = {base for one in seen for base in bases.get(one, ())} - seen
    while left:
        if found := [one for owner in sorted(left) for one in members.get(owner, ())]:
            return found
        seen |= left
        left = {base for one in left for base in bases.get(one, ())} - seen
    return []
