"""Reading names of symbols as people write them, and finding similar ones. Pure."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from cocosearch_py.analysis.words import name_key, split_identifier
from cocosearch_py.model.definitions import NamedSymbol

_FRAME = re.compile(r"[@$&:]*(.+?)(?:\(.*\))?[;:,]*", re.DOTALL)  # what people and tools write around a name
_SEPARATOR = re.compile(r"::|\\|->|[.#:/]")
_OPERATOR = re.compile(r"\W+")
_GRAM_CHARS = 2
_MIN_LIKENESS = 0.7
_WORDS_IN_ORDER = 0.75  # likeness of a name that has all words of another, in their order


def read_name(text: str) -> NamedSymbol:
    """The name that a text means; a name of nothing but signs, an operator, is taken as it stands."""
    bare = text.strip()
    framed = _FRAME.fullmatch(bare)
    if framed is None or _OPERATOR.fullmatch(bare):
        return NamedSymbol(bare, whole=bare)
    name = framed[1]
    before, _, after = bare.rpartition("#")
    if before and _OPERATOR.fullmatch(after):  # it may hold what sets names apart
        return NamedSymbol(after, tuple(_parts(before)), bare)
    parts = _parts(name)
    if not parts:
        return NamedSymbol(name, whole=bare)
    return NamedSymbol(parts[-1], tuple(parts[:-1]), bare, member=len(parts) == 1 and name.startswith("#"))


def _parts(name: str) -> list[str]:
    return [part.strip() for part in _SEPARATOR.split(name) if part.strip()]


def keys_of(symbol: NamedSymbol) -> list[str]:
    """Lookup keys that a definition of this name may have."""
    name = symbol.spelled
    found = (name, name.rstrip("!?="), name.replace("-", ""), name.replace(" ", ""), symbol.whole)
    return [key for key in dict.fromkeys(map(name_key, found)) if key]


def grams_of(key: str) -> list[str]:
    """The groups of letters of a key by which keys like it are found."""
    return list(dict.fromkeys(key[at : at + _GRAM_CHARS] for at in range(max(1, len(key) - _GRAM_CHARS + 1))))


def likest(name: str, known: Iterable[str]) -> list[tuple[str, float]]:
    """(name, likeness from 0 to 1) of those that are like a name, the likest first."""
    wanted = name_key(name)
    words = [re.escape(word) for word in split_identifier(name)]
    in_order = re.compile(".*".join(words)) if words else None
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    found = []
    for one in known:
        key = name_key(one)
        matcher.set_seq1(key)
        likeness = matcher.ratio()
        if in_order is not None and in_order.search(key):
            likeness = max(likeness, _WORDS_IN_ORDER)
        if likeness >= _MIN_LIKENESS:
            found.append((one, likeness))
    return sorted(found, key=lambda pair: (-pair[1], len(pair[0]), pair[0]))
