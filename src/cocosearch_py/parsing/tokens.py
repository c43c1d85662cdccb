"""The tokens of a source, without a parse: names, numbers, strings, operators and single marks; no comments.

A lexer is enough where only equality counts: what is the same text is the same tokens, even in a broken file. It takes
a tenth of the time of a parse, and its memory does not depend on the text.
"""

import re
from functools import cache

from cocosearch_py.languages import LANGUAGES

_LINE_COMMENTS = {
    "slash": rb"//[^\n]*",
    "hash": rb"(?<!\S)#(?!\{)[^\n]*",
    "slash_hash": rb"//[^\n]*|(?<!\S)#(?!\[)[^\n]*",
    "dash": rb"--[^\n]*",
    "semicolon": rb";[^\n]*",
    "percent": rb"%[^\n]*",
    "paren": rb"(?<!:)//[^\n]*",
    "markup": rb"(?<![:\w])//[^\n]*",
}
# What is not closed goes on to the end of the text: looking for the end once for each such mark would never be done.
_SLASHED = rb"/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/|\Z)"
_BLOCK_COMMENTS = {
    "slash": _SLASHED,
    "slash_hash": _SLASHED,
    "hash": rb"(?m:^=begin\b)(?s:.*?)(?:\n=end\b[^\n]*|\Z)",
    "dash": rb"--\[\[(?s:.*?)(?:\]\]|\Z)|\{-(?![\d.])(?s:.*?)-\}|" + _SLASHED,
    "semicolon": rb"\#\|(?s:.*?)(?:\|\#|\Z)",
    "percent": rb"(?!)",
    "paren": rb"\(\*(?s:.*?)\*\)",
    "markup": rb"<!--(?s:.*?)(?:-->|\Z)|" + _SLASHED,
}
# Names may hold any letters; what is neither name nor literal is a token by itself. So is a quote that nothing closes
# on its line: primes, apostrophes in markup. What is read wrong is so wherever it stands.
_TOKENS = (
    rb"(?P<token>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*|\d[\w.]*"
    rb'|"""(?s:.*?)"""|' + rb"'''(?s:.*?)'''"
    rb'|"(?:[^"\\\n]|\\(?s:.))*"|' + rb"'(?:[^'\\\n]|\\(?s:.))*'"
)
_TEMPLATE = rb"`[^`\\]*(?:\\(?s:.)[^`\\]*)*`"  # over several lines, where comments are slashes

NAME, NUMBER, STRING, MARK = range(4)
# Kinds of tokens by their first bytes.
KINDS = bytes(
    NUMBER
    if chr(byte).isdigit() and byte < 0x80
    else NAME
    if byte >= 0x80 or chr(byte).isalpha() or chr(byte) in "_$"
    else STRING
    if chr(byte) in "\"'`"
    else MARK
    for byte in range(256)
)


def tokens(language_id: str, source: bytes) -> list[bytes]:
    """All tokens, in order."""
    return list(filter(None, _pattern(LANGUAGES[language_id].comments).findall(source)))


def token_spans(language_id: str, source: bytes) -> list[tuple[int, int]]:
    """Where each of `tokens` begins and ends, in bytes."""
    pattern = _pattern(LANGUAGES[language_id].comments)
    return [match.span() for match in pattern.finditer(source) if match.lastindex]


@cache
def _pattern(style: str) -> re.Pattern[bytes]:
    """Finds a comment, which is no group, or a token; white space is passed over by searching."""
    quoted = b"|" + _TEMPLATE if style == "slash" else rb"|`[^`\n]*`"
    return re.compile(_BLOCK_COMMENTS[style] + b"|" + _LINE_COMMENTS[style] + b"|" + _TOKENS + quoted + rb"|[^\s])")
