r"""Lexing of a pipeline into steps of words.

White space separates words, and `|` separates steps. Between '…' every character stands for itself; between "…" as
well, but \" is a quote and \\ a backslash. Elsewhere a backslash before white space, a quote, `|` or a backslash makes
that a plain character. Any other backslash stands for itself, because regular expressions have many.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from cocosearch_py.errors import ValidationError

_QUOTES = "'\""
_SPECIAL = frozenset(" \t\r\n\f\v|'\"\\")
_SPACE = frozenset(" \t\r\n\f\v")
_HINT = 'put text that contains spaces, quotes or | into quotes: text "a | b"'


class Word(NamedTuple):
    """A word; `is_plain` if no part was quoted, so that it may be an option."""

    text: str
    is_plain: bool


@dataclass(slots=True)
class _Reading:
    """Steps read so far, and the parts of the current word."""

    steps: list[list[Word]] = field(default_factory=lambda: [[]])
    parts: list[str] = field(default_factory=list)
    is_plain: bool = True

    def add(self, text: str, *, is_plain: bool = True) -> None:
        self.is_plain = self.is_plain and is_plain
        self.parts.append(text)

    def end_word(self) -> None:
        if self.parts:
            self.steps[-1].append(Word("".join(self.parts), self.is_plain))
        self.parts, self.is_plain = [], True


def lex(text: str) -> list[list[Word]]:
    """Return the words of each step; a step without words is an empty list.

    Raises:
        ValidationError: a quote is not closed.
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
            read.add(inside, is_plain=False)
            at = end
        elif character == "\\" and at + 1 < len(text) and text[at + 1] in _SPECIAL:
            read.add(text[at + 1], is_plain=False)
            at += 1
        else:
            read.add(character)
        at += 1
    read.end_word()
    return read.steps


def _quoted(text: str, begin: int) -> tuple[str, int]:
    """Return the text between the quote at `begin` and its closing quote, and the place of the closing quote."""
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
    """Return the words of a text that is one step.

    Raises:
        ValidationError: a quote is not closed, or a `|` stands outside quotes.
    """
    steps = lex(text)
    if len(steps) > 1:
        raise ValidationError(f"step {number} has a | outside quotes", hint="split it into two steps, or quote the |")
    return steps[0]
