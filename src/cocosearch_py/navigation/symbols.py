"""Which of some definitions a name means. Pure."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Protocol, TypeVar

from cocosearch_py.analysis.words import name_key
from cocosearch_py.navigation.names import read_name

_LIKENESS = 0.6
_MOST_NEAR = 3


class Named(Protocol):
    """A definition."""

    @property
    def name(self) -> str: ...

    @property
    def qualified_name(self) -> str: ...


S = TypeVar("S", bound=Named)


def matching(name: str, symbols: Sequence[S]) -> list[S]:
    """Definitions that a name means, by the last parts of theirs: the exact one, else all, else in other styles."""
    meant = read_name(name)
    wanted = ".".join((*meant.owners, meant.spelled))
    if exact := [one for one in symbols if one.qualified_name == wanted]:
        return exact
    for key in (str, name_key):
        tail = "." + key(wanted)
        if found := [one for one in symbols if ("." + key(one.qualified_name)).endswith(tail)]:
            return found
    return []


def similar(name: str, symbols: Sequence[S]) -> list[str]:
    """Qualified names that are like a name, the likest first."""
    names = {one.name.lower(): one.qualified_name for one in symbols}
    return [names[near] for near in get_close_matches(read_name(name).spelled.lower(), names, _MOST_NEAR, _LIKENESS)]
