r"""The text of a pipeline as steps of words. Pure.

White space separates words and `|` separates steps. Between '…' everything stands for itself; between "…" as well,
except that \" and \\ are a quote and a backslash. Elsewhere a backslash before white space, a quote, `|` or another
backslash makes that a plain character; any other backslash stands for itself, as regular expressions have many.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from cocosearch_py.errors import ValidationError

_QUOTES = "'\""
_SPECIAL = frozenset(" \t\r\n\f\v|'\"\\")
_SPACE = frozenset(" \t\r\n\f\v")
_HINT = 'put text that contains spaces, quotes or | into quotes: text "a | b"'


class Word(NamedTuple):
    """A word; `is_plain` when no part of it was quoted, so that it may be an option. `column` counts from 1."""

    text: str
    is_plain: bool
    column: int


@dataclass(slots=True)
class _Reading:
    """What has been read of a step, and of a word of it."""

    steps: list[list[Word]] = field(default_factory=lambda: [[]])
    parts: list[str] = field(default_factory=list)
    begin: int | None = None  # where the word begins; None between words
    is_plain: bool = True

    def add(self, text: str, at: int, *, is_plain: bool = True) -> None:
        if self.begin is None:
            self.begin, self.is_plain = at, True
        self.is_plain = self.is_plain and is_plain
        self.parts.append(text)

    def end_word(self) -> None:
        if self.begin is not None:
            self.steps[-1].append(Word("".join(self.parts), self.is_plain, self.begin + 1))
        self.parts, self.begin = [], None


def lex(text: str) -> list[list[Word]]:
    """The words of each step; a step without words is an empty list.

    Raises:
        ValidationError: a quote that is not closed.
    """
    read, at = _Reading(), 0
    while at < len(text):
        character = text[at]
        if character in _SPACE:
            read.end_word()
        elif character == "|":
            read.end_word()
            read.steps.append([])
        elif character in _QUOTES:
            inside, end = _quoted(text, at)
            read.add(inside, at, is_plain=False)
            at = end
        elif character == "\\" and at + 1 < len(text) and text[at + 1] in _SPECIAL:
            read.add(text[at + 1], at, is_plain=False)
            at += 1
        else:
            read.add(character, at)
        at += 1
    read.end_word()
    return read.steps


def _quoted(text: str, begin: int) -> tuple[str, int]:
    """What stands between the quote at `begin` and the one that closes it, and where that is."""
    quote, parts, at = text[begin], list[str](), begin + 1
    while at < len(text) and text[at] != quote:
        if quote == '"' and text[at] == "\\" and text[at + 1 : at + 2] in ('"', "\\"):
            at += 1
        parts.append(text[at])
        at += 1
    if at >= len(text):
        raise ValidationError(f"the quote at column {begin + 1} is not closed", hint=_HINT)
    return "".join(parts), at


def lex_step(text: str, number: int) -> list[Word]:
    """The words of a text that is one step by itself.

    Raises:
        ValidationError: a quote that is not closed, or a `|` outside of quotes.
    """
    steps = lex(text)
    if len(steps) > 1:
        raise ValidationError(f"step {number} has a | outside quotes", hint="split it into two steps, or quote the |")
    return steps[0]
