"""Which of some definitions a name means. Pure."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Protocol, TypeVar

from cocosearch_py.analysis.words import name_key

_SEPARATORS = re.compile(r"::|->|[#/:]")
_LIKENESS = 0.6
_MOST_NEAR = 3


class Named(Protocol):
    """A definition."""

    @property
    def name(self) -> str: ...

    @property
    def qualified_name(self) -> str: ...


S = TypeVar("S", bound=Named)


def parts_of(name: str) -> list[str]:
    """The names in `Class.method`, `module::Class::method`, `Class#method`, the innermost last."""
    return [part for part in _SEPARATORS.sub(".", name).split(".") if part] or [name]


def matching(name: str, symbols: Sequence[S]) -> list[S]:
    """Definitions that a name means, by the last parts of theirs: the exact one, else all, else in other styles."""
    wanted = ".".join(parts_of(name))
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
    return [names[near] for near in get_close_matches(parts_of(name)[-1].lower(), names, _MOST_NEAR, _LIKENESS)]
