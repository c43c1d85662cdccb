"""Finds the braces that a function opens and never closes, so that the functions behind it are not taken for its own.

A brace under a condition whose other half stands under another one, or in a macro, cannot be told from what is around
it by syntax. The layout tells it: a closing brace at the beginning of a line closes what a line without indentation has
opened.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKENS = re.compile(
    rb"\"(?:[^\"\\\n]|\\.){0,10000}\"|'(?:[^'\\\n]|\\.){1,10}'|//[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/"
    rb"|(?m:^)[ \t]*#[ \t]*(\w*)(?:[^\\\n]|\\(?:\r?\n|.))*+|([{};])"
)
_TEXT = re.compile(rb"\S")


@dataclass(slots=True, eq=False)
class _Condition:
    branches: int = 1


@dataclass(slots=True)
class _Brace:
    at: int
    is_outer: bool  # the line in which its statement begins is not indented
    conditions: tuple[_Condition, ...]


def unclosed(source: bytes) -> Iterator[int]:
    """Yield where such braces stand, without those that another branch of a condition may open, too."""
    if source.count(b"{") <= source.count(b"}"):
        return
    found: list[_Brace] = []
    open_braces: list[_Brace] = []
    conditions: list[_Condition] = []
    begin = 0  # of a statement, with the blanks before it
    for token in _TOKENS.finditer(source):
        at = token.start()
        if token[1] is not None:
            _follow(conditions, token[1])
        elif token[2] == b"{":
            open_braces.append(_Brace(at, _is_outer(source, begin), tuple(conditions)))
        elif token[2] == b"}" and source[at - 1 : at] in (b"", b"\n"):
            found += _close_outer(open_braces)
        elif token[2] == b"}":
            del open_braces[-1:]
        if token[1] is not None or token[2] is not None or (token[0][:1] == b"/" and source[begin:at].isspace()):
            begin = token.end()
    yield from (brace.at for brace in found if all(one.branches == 1 for one in brace.conditions))


def _is_outer(source: bytes, begin: int) -> bool:
    text = _TEXT.search(source, begin)
    return text is not None and source[text.start() - 1 : text.start()] in (b"", b"\n")


def _follow(conditions: list[_Condition], directive: bytes) -> None:
    if directive.startswith(b"if"):
        conditions.append(_Condition())
    elif conditions and directive.startswith(b"el"):
        conditions[-1].branches += 1
    elif conditions and directive == b"endif":
        conditions.pop()


def _close_outer(open_braces: list[_Brace]) -> list[_Brace]:
    """Close the innermost brace of a line that is not indented; return those inside that are still open."""
    outer = next((at for at in reversed(range(len(open_braces))) if open_braces[at].is_outer), None)
    if outer is None:
        del open_braces[-1:]
        return []
    inside = open_braces[outer + 1 :]
    del open_braces[outer:]
    return inside
