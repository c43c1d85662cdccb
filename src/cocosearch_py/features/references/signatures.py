"""Parameter and return types of signatures, in any language. Pure."""

import re
from typing import NamedTuple

_OPENING, _CLOSING = "([{", ")]}"
# What stands behind a return type.
_BEHIND = re.compile(r"\bwhere\b|\bthrows\b|(?<!:)(?<!: )\{|;|=>\s*(?:[{\n]|$)|\s=\s|:\s*(?:\n|$)")
_GROUP = re.compile(r"\([^()]*\)|(?:^|(?<=\s))<[^<>]*>")  # a receiver; declared type parameters
_OWNER = re.compile(r"[\w.:<>]*(?:\.|::)$")  # `Money.` of an extension, `Cart::` of a member
_ARROWS = re.compile(r"->|→")


class Head(NamedTuple):
    """The texts of a signature in which types of parameters and of the result stand."""

    accepted: str
    returned: str


def read_head(signature: str, name: str) -> Head:
    """The parts of a signature, or of the text that begins with one.

    The result stands behind the parameters (`-> T`, `: T`, `T`), or before the name, as in C; where there are no
    parentheses (`f :: A -> B`), behind the last arrow.
    """
    found = re.search(
        rf"(?<!\w){re.escape(name)}(?!\w)\s*(?:[=:]\s*(?:async\s+)?)?(?:<[^()]*?>|\[[^()]*?\])?\s*\(", signature
    )
    if found is None:
        _, marker, types = signature.partition("::")
        parts = _ARROWS.split(types)
        return Head(" ".join(parts[:-1]), parts[-1]) if marker and len(parts) > 1 else Head("", types)
    end = _closing(signature, found.end() - 1)
    before = _OWNER.sub("", _GROUP.sub(" ", signature[: found.start()]).rstrip())
    rest = signature[end + 1 :]
    behind = _BEHIND.search(rest)
    returned = rest if behind is None else rest[: behind.start()]
    return Head(signature[found.end() : end], f"{before} {returned}")


def _closing(text: str, at: int) -> int:
    """Where the bracket at a place is closed; the end of the text if it is not."""
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] in _OPENING) - (text[place] in _CLOSING)
        if depth == 0:
            return place
    return len(text)
