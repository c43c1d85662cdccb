"""Lets the grammar read class bodies of one line, `class A { val x = 1 }`.

It wants a line end or a semicolon behind each member, also before the closing brace. The blank there becomes one.
"""

import re

_LAST_BRACES = rb" \}(?<=[^\s{;] \})(?: \})*(?=[ \t\r]*(?://[^\n]{0,200})?(?:\n|\Z))"
_BODY = rb"\b(?:class|interface|object)\b[^{\"]*\{"
_MAX_LINE_BYTES = 1_000  # longer ones are data; each is looked at once


def end_members(source: bytes) -> bytes:
    """Return the source, of the same length, with a semicolon behind the last member of such bodies."""
    return re.sub(_LAST_BRACES, _end_member, source)


def _end_member(braces: re.Match[bytes]) -> bytes:
    end = braces.start()
    line = braces.string[braces.string.rfind(b"\n", max(0, end - _MAX_LINE_BYTES), end) + 1 : end]
    is_body = len(line) <= _MAX_LINE_BYTES and re.search(_BODY, line) is not None
    return braces.group().replace(b" }", b";}") if is_body else braces.group()
