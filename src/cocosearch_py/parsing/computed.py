"""Names that code makes when it runs: what of them is written down. Pure."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple, Self

from cocosearch_py.model.references import COMPUTED

ANY = -1  # instead of a position: whatever there is, not one name
_MAX_BYTES = 400  # of the arguments that are looked at
_KEPT = 100
_OPENING, _CLOSING = b"([{", b")]}"
_QUOTES = b"\"'`"
_TAKEN = re.compile(rb"\(\)\s*(?:\[|\.get\()([^\]\n,)]*)")  # from all: `globals()[name]`
# No name, or one that is written out: a text, a symbol of Ruby or Elixir, a number, a class, a symbol of JavaScript.
_WRITTEN = re.compile(
    rb"""[A-Za-z@$:]{0,3}(["'`])[^"'`\\{$\#]*\1 | :\w+[?!=]? | [-+]?\d[\w.]* | [\w.]+\.length\s*-\s*\d+
    | Symbol\.\w+ | [\w\\.:]+(?:::|\.)class(?:\.\w+)? | (?:nameof|typeof)\([\w.<>,\s]*\)""",
    re.VERBOSE,
)
# Any of several expressions may give the name.
_CONDITION = re.compile(rb"\b(?:if|unless|or|and|else)\b|\?|\|\||&&")
# A text, which may have holes, and what follows: nothing that changes it.
_HEAD = re.compile(
    rb"""[A-Za-z@$:]{0,3}(["'`])(?P<text>[^"'`\\]*)\1
    (?:(?P<filled>\s*%(?!.*\+).*|\.format\([^()]*\)|\.to_sym|)$ | \s*(?:\+|\.\.|<>|%|~) | \s+\.\s | \s*\.\s*[$"'])""",
    re.DOTALL | re.VERBOSE,
)
_TAIL = re.compile(rb"""(?:\+|\.\.|<>|\s\.)\s*[A-Za-z]?(["'])(?P<text>\w+)\1$""")
_AFTER_HOLE = re.compile(rb"(?:\}|%s|\)s)(\w*)$")
_WORD = re.compile(rb"\w*")
_NAME = re.compile(rb"\$?[A-Za-z_]\w*")


class Taken(NamedTuple):
    """How a call takes a name: what stands before it, `*` for anything, and the position of the name, or ANY."""

    behind: bytes
    position: int


class Computed(NamedTuple):
    """A name that is made at run time: what gives it, what of it is written, the first argument of what takes it.

    `pattern` is None if the name is written out, or there is none.
    """

    expression: bytes = b""
    pattern: str | None = None
    first: bytes = b""

    @classmethod
    def of(cls, expression: bytes, first: bytes = b"") -> Self:
        """The name that an expression gives."""
        return cls(expression, pattern_of(expression), first)


@lru_cache(maxsize=_KEPT)
def reflective_calls(text: str) -> Mapping[bytes, tuple[Taken, ...]]:
    """By names that are called, how these calls take names; see `Language`."""
    found: dict[bytes, tuple[Taken, ...]] = {}
    for word in text.split():
        called, _, position = word.rpartition(":")
        behind, _, name = called.encode().rpartition(b".")
        found[name] = (*found.get(name, ()), Taken(behind, ANY if position == "-" else int(position)))
    return found


def computed_name(source: bytes, end: int, position: int) -> Computed:
    """The name that a call takes whose own name ends at a byte, in the argument at a position, or ANY."""
    first = argument_of(source, end, 0) or b""
    if position == ANY:
        taken = _TAKEN.match(source, end)
        return Computed(b"", "", first) if taken is None else Computed.of(taken.group(1).strip(), first)
    expression = argument_of(source, end, position)
    return Computed() if expression is None else Computed.of(expression, first)


def is_passed_on(expression: bytes, function: bytes) -> bool:
    """Whether an expression is a name that a function never gives another value."""
    given = rb"(?<![\w.])" + re.escape(expression) + rb"\s*(?:[-+*/%|&.]|\|\||\?\?)?=(?!=)"
    return _NAME.fullmatch(expression) is not None and re.search(given, function) is None


def argument_of(source: bytes, end: int, position: int) -> bytes | None:
    """An argument of the call of what ends at a byte; None if it has fewer, empty if it is too far behind."""
    text = source[end : end + _MAX_BYTES]
    at = len(text) - len(text.lstrip(b" \t"))
    bare = text[at : at + 1] != b"("  # Ruby's `send :a, b`
    start, depth, quote = at + (not bare), 0, 0
    for here in range(start, len(text)):
        byte = text[here]
        if quote:
            quote = 0 if byte == quote and text[here - 1] != ord("\\") else quote
        elif byte in _QUOTES:
            quote = byte
        elif byte in _OPENING:
            depth += 1
        elif byte in _CLOSING and depth:
            depth -= 1
        elif (byte in _CLOSING or (bare and byte == ord("\n"))) and not depth:
            return text[start:here].strip() or None if position == 0 else None
        elif byte == ord(",") and not depth:
            if position == 0:
                return text[start:here].strip()
            position, start = position - 1, here + 1
    return b"" if len(text) == _MAX_BYTES else text[start:].strip() or None if position == 0 else None


def pattern_of(expression: bytes) -> str | None:
    """Return the written parts of a computed name; None if it is written out, or is no name.

    `visit_…` for `"visit_" + x`, `…_at` for f"{x}_at", "" if nothing is known of it.
    """
    if _WRITTEN.fullmatch(expression):
        return None
    if _CONDITION.search(expression):
        return ""
    head, tail = b"", _TAIL.search(expression)
    if match := _HEAD.match(expression):
        head = _WORD.match(match["text"]).group()  # type: ignore[union-attr]  # it matches anything
        if match["filled"] is not None:
            tail = _AFTER_HOLE.search(match["text"])
    last = b"" if tail is None else tail[tail.lastindex or 0]
    return f"{head.decode()}{COMPUTED}{last.decode()}" if head or last else ""
