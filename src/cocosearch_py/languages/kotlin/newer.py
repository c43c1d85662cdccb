"""Lets the grammar read Kotlin that is newer or rarer than it: replaces, keeping all offsets, what it stumbles over.

Each change has a short test in front, so that a file without the construct costs no more than a look for a word.
"""

import re
from collections.abc import Callable

from cocosearch_py.languages.repairing import blank

Match = re.Match[bytes]

_PARENTHESES = rb"\((?:[^()]|\((?:[^()]|\([^()]{0,200}\)){0,200}\)){0,400}\)"
_ANNOTATION = rb"@[\w.:]+(?:" + _PARENTHESES + rb")?"
_MODIFIERS = rb"(?:(?:public|private|protected|internal|inline|external|actual|expect)[ \t]+)*"


def _blank(found: Match) -> bytes:
    """Spaces for the first group, lines stay."""
    text, start, end = found.group(), found.start(1) - found.start(), found.end(1) - found.start()
    return text[:start] + blank(text[start:end]) + text[end:]


def _without_dollars(found: Match) -> bytes:
    return found.group().replace(b"$", b" ")


def _end_entry(found: Match) -> bytes:
    return found.group(1) + b";}"


# What must be in the source, what is replaced, and how.
_CHANGES: tuple[tuple[bytes, bytes, bytes | Callable[[Match], bytes]], ...] = (
    # when (x) { is X if cond -> ... }
    (
        b" if ",
        rb"[\n{;][ \t]*(?:!?(?:is|in)[ \t]+(?:(?!->)[^\n{}\"]){1,200}?|else|[\w.]{1,200})[ \t]+"
        rb"(if\b(?:[ \t]*" + _PARENTHESES + rb"|[^\n{]{0,300}?))(?=[ \t]*->)",
        _blank,
    ),
    (b"suspend", rb"(suspend)(?<![\w.`]suspend)(?=[ \t]*\{)", _blank),  # a suspending function without parameters
    (b"where", rb"where(?<![\w`]where)(?!\w|[ \t\r\n]+[\w@`/])", b"wherE"),  # a name: no constraint behind it
    # @Annotation set(value) { ... }: annotations of accessors
    (
        b"@",
        rb"\n[ \t]*((?:" + _ANNOTATION + rb"[ \t\r\n]+){1,9})(?=" + _MODIFIERS + rb"[gs]et[ \t]*(?:[\r\n(]|\Z))",
        _blank,
    ),
    # a call behind a declaration, which the grammar takes for its accessor
    (b"get", rb"(\n[ \t]*)get(?=[ \t]*(?:\([^)\s]|\{))", rb"\1geT"),
    (b"set(", rb"(\n[ \t]*)set(?=\((?!\w+(?::[^(),]+)?\)))", rb"\1seT"),
    # class A<newline>@Annotation internal constructor(...)
    (
        b"constructor",
        rb"\bclass[ \t]+\w+(?:[ \t]*<[^{}()]{0,300}>)?[ \t\r]*\n[ \t]*((?:"
        + _ANNOTATION
        + rb"\s+){0,9}"
        + _MODIFIERS
        + rb")(?=constructor[ \t]*\()",
        _blank,
    ),
    (b'$"', rb"\$\$+(?:\"\"\"[\s\S]*?\"\"\"|\"(?:\\.|[^\"\\\n])*\")", _without_dollars),  # $$"a $literal"
    (b'""""', rb"(?<=[^\s\"(,])(\"{1,2})(?=\"\"\"(?:[\s,).;]|\Z))", _blank),  # """ends with a quote""""
    (b" @file:", rb"(?m)(?<=[\w)])([ \t]+@file:[^\n]*)", _blank),
    (b"?::", rb"(?<=[\w>])(\?)(?=::)", _blank),  # String?::plus
    (b"context(", rb"(?m)^[ \t]*(context" + _PARENTHESES + rb")(?=[ \t]*\r?\n?[ \t]*[@a-z])", _blank),
    # an enumerator's body on one line: the grammar wants a semicolon behind its last member
    (
        b"{ override ",
        rb"(?m)^([ \t]*[A-Z]\w*[ \t]*(?:\([^()\n]*\)[ \t]*)?\{ override [^\n]{1,300}?) \}(?=[,;]?[ \t\r]*$)",
        _end_entry,
    ),
)


def mend(source: bytes) -> bytes:
    """Return the source, of the same length and with the same lines, as the grammar can read it."""
    for word, pattern, replacement in _CHANGES:
        if word in source:
            source = re.sub(pattern, replacement, source)
    return source
