"""The one line that declares a definition, and the text before its name."""

import re
from bisect import bisect_left
from collections.abc import Sequence

from cocosearch_py.model.symbols import MAX_SIGNATURE_CHARS
from cocosearch_py.parsing.captures import Captured, Definition

_SIGNATURE_SOURCE_BYTES = 8 * MAX_SIGNATURE_CHARS  # read no more than this of a signature spread over many lines
_NAME_BYTES = 100
_HEAD_CHARS = 60  # of a beginning that the line of the name is put behind
_ATTRIBUTE_OPENINGS = ("@", "#", "[")
_TRAILERS = ("{", ",", "\\", " =", "=>")
_BRACKET_OR_NEWLINE = re.compile(r"[()\[\]{}\n]")


def declaration_of(source: bytes, captured: Captured, one: Definition) -> tuple[str, str]:
    """Return the signature, and what stands in it before the name, on one line, with a space at its end.

    The signature goes to the body, or without one to the end of the first line; lines of annotations above that line
    are left out. Characters that only lead on to the body are cut off its end.
    """
    start = one.start if one.signature is None else one.signature.start_byte
    body_start = one.body.start_byte if one.body is not None else -1
    end = min(body_start if body_start > start else one.end, start + _SIGNATURE_SOURCE_BYTES)
    name_start, name_end = one.name.start_byte, one.name.end_byte
    comments = _comments(captured, start, end)
    before_name = _without_comments(source, comments, start, min(end, name_start))
    text = _without_comments(source, comments, start, end)
    if body_start <= start:
        text = _without_attributes(text, len(before_name)).strip().split("\n", 1)[0]
    line = _cut(_without_trailers(" ".join(text.split())))
    name = decode(source, name_start, min(name_end, name_start + _NAME_BYTES))
    if name not in line and "\n" not in name:
        line = _with_name(source, captured, one, start, line)
    return line, " ".join(before_name.split()) + " "


def _with_name(source: bytes, captured: Captured, one: Definition, start: int, line: str) -> str:
    """The signature of a definition whose name stands behind its body, its first line, or what fits of its annotations.

    It goes from behind the annotations to the end of the name's line; if that is too long, or holds the body, it is
    the beginning with that line.
    """
    end = source.find(b"\n", one.name.end_byte, one.end)
    end = one.end if end < 0 else end
    body = (one.body.start_byte, one.body.end_byte) if one.body is not None else (one.end, one.end)
    if one.name.end_byte <= body[0] < end:
        end = body[0]
    if body[0] >= one.name.start_byte and one.name.start_byte - start < _SIGNATURE_SOURCE_BYTES:
        comments = _comments(captured, start, end)
        text = _without_comments(source, comments, start, end)
        before_name = _without_comments(source, comments, start, one.name.start_byte)
        whole = _without_trailers(" ".join(_without_attributes(text, len(before_name)).split()))
        if len(whole) <= MAX_SIGNATURE_CHARS:
            return whole
    begin = max(start, source.rfind(b"\n", start, one.name.start_byte) + 1)
    begin = body[1] if begin <= body[1] <= one.name.start_byte else begin
    text = _without_comments(source, _comments(captured, begin, end), begin, end)
    rest = _without_trailers(" ".join(text.split()))
    return _cut(f"{line[:_HEAD_CHARS].rstrip('…').rstrip()} … {rest}")


def _cut(line: str) -> str:
    return line if len(line) <= MAX_SIGNATURE_CHARS else line[: MAX_SIGNATURE_CHARS - 1] + "…"


def _comments(captured: Captured, start: int, end: int) -> Sequence[tuple[int, int]]:
    """The spans of the comments that begin between two places."""
    spans = captured.comment_spans
    first = bisect_left(spans, (start, start))
    return spans[first : bisect_left(spans, (end, 0), first)] if first < len(spans) and spans[first][0] < end else ()


def _without_comments(source: bytes, comments: Sequence[tuple[int, int]], start: int, end: int) -> str:
    """The source between two places, less the comments that begin there; `comments` begin behind the first one."""
    pieces = []
    for comment_start, comment_end in comments:
        if comment_start >= end:
            break
        pieces.append(decode(source, start, comment_start))
        start = max(start, comment_end)
    rest = decode(source, start, max(start, end))
    return " ".join([*pieces, rest]) if pieces else rest


def _without_attributes(text: str, name_at: int) -> str:
    """Drop leading lines of annotations and attributes; one on the line of the name stays."""
    begin = len(text) - len(text.lstrip())
    while text[begin : begin + 1] in _ATTRIBUTE_OPENINGS:
        end, depth = -1, 0
        for match in _BRACKET_OR_NEWLINE.finditer(text, begin, name_at):
            if match.group() != "\n":
                depth += 1 if match.group() in "([{" else -1
            elif depth <= 0:
                end = match.end()
                break
        if end < 0:
            break
        begin = end + len(text[end:]) - len(text[end:].lstrip())
    return text[begin:]


def _without_trailers(line: str) -> str:
    while len(line) > 1 and line.endswith(_TRAILERS):
        line = line[: -2 if line[-1] in "=>" else -1].rstrip()
    return line


def decode(source: bytes, start: int, end: int) -> str:
    """The text between two bytes; what is no UTF-8 becomes U+FFFD, zeros are left out as databases refuse them."""
    text = source[start:end].decode("utf-8", "replace")
    return text.replace("\0", "") if "\0" in text else text
