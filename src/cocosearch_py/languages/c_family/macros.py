"""Hides macros from the C and C++ grammars, which cannot know them.

`class LIB_API Name {`, a line `LIB_BEGIN_NAMESPACE` and `LIB_EXPORT int f(...)` make tree-sitter lose whole classes and
namespaces. Each such macro is replaced by as many spaces before parsing, so that all offsets stay those of the source.
Nothing is expanded; macros in other places stay.
"""

import re

# Group 1 is a macro before a type or template, 2 a class's, 3 a function's, 4 one alone on its line. All repetitions
# have bounds, so that a line of a million words costs no more than its length. The newline in front makes the search
# four times as fast as "^".
_MACROS = (
    rb"\n[ \t]*(?=[A-Zcstueivf])(?:"
    rb"(?:(?:typedef|static|extern|inline)[ \t]+){0,2}([A-Z][A-Z0-9_]{2,}[ \t]+)"
    rb"(?=(?:template[ \t]*<|(?:enum|class|struct|union|namespace|using|typedef)[ \t]+\w))|"
    rb"(?:template[ \t]*<[^\n;{}]{0,200}>[ \t]*)?(?:"
    rb"(?:(?:typedef|friend|static|extern)[ \t]+){0,2}(?:enum[ \t]+)?(?:class|struct|union|enum)[ \t]+"
    rb"([A-Z][A-Z0-9_]*(?:\([^()\n]{0,200}\))?)(?=[ \t]+[A-Za-z_][\w:]*[^;=()\n{]{0,200}[{\n])"
    rb"|(?:(?:static|extern|inline|virtual|friend|explicit|constexpr)[ \t]+){0,4}"
    rb"((?:[A-Z][A-Z0-9_]{2,}(?:\([^()\n]{0,200}\))?[ \t]+){1,4})"
    rb"(?=(?:[A-Za-z_][\w:]*(?:<[^<>\n]{0,200}>)?[ \t*&]+){1,6}"
    rb"(?:[A-Za-z_~][\w:]*|operator[^\w\s(]{1,3}|operator\(\))[ \t]*\(|~\w)"
    rb")|([A-Z][A-Z0-9]*_[A-Z0-9_]+(?:[ \t]*\((?:[^()\n]|\([^()\n]{0,200}\)){0,300}\))?)"
    rb"[ \t]*(?://[^\n]*)?\r?(?=\n))"
)
# The same before a class behind something else on its line: namespace a { class LIB_API B {}; }
_BEFORE_CLASS = (
    rb"[{;>][ \t]+(?:enum[ \t]+)?(?:class|struct|union|enum)[ \t]+([A-Z][A-Z0-9_]{2,60}(?:\([^()\n]{0,200}\))?)"
    rb"(?=[ \t]+[A-Za-z_][\w:]*[^;=()\n{]{0,200}\{)"
)
_LINE_GROUP = 4
_GOES_ON_BEFORE = b",(=|&+-?:<\\"  # the line above is not finished: an enumerator, an operand, a macro's body
_GOES_ON_AFTER = b"}),=|&+-?:;({[.<"
_LOOK_AROUND_BYTES = 400  # far enough to see past blank lines


def hide_macros(source: bytes) -> bytes:
    """Return the source, of the same length, without the macros that break its syntax."""
    source = re.sub(_MACROS, _blank, b"\n" + source + b"\n")[1:-1]
    return re.sub(_BEFORE_CLASS, _blank, source)


def _blank(match: re.Match[bytes]) -> bytes:
    text, group = match.group(0), match.lastindex or 0
    if group == _LINE_GROUP and _goes_on(match):
        return text
    start, end = match.start(group) - match.start(0), match.end(group) - match.start(0)
    return text[:start] + b" " * (end - start) + text[end:]


def _goes_on(match: re.Match[bytes]) -> bool:
    """Say whether a macro alone on its line is part of what stands around it."""
    source = match.string
    before = source[max(0, match.start() - _LOOK_AROUND_BYTES) : match.start()].rstrip()[-1:]
    after = source[match.end() : match.end() + _LOOK_AROUND_BYTES].lstrip()[:1]
    return bool((before and before in _GOES_ON_BEFORE) or (after and after in _GOES_ON_AFTER))
