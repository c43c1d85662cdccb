"""Chunks of a file without a syntax tree: whole lines packed up to a target, cut at blank lines if possible.

It does not look at the text's meaning; `syntax` does, and falls back to the cuts made here.
"""

import re

from cocosearch_py.model.chunks import ChunkSpan

# A line longer than this many targets is data or minified code; as one chunk it would drown its content.
LONG_LINE_TARGETS = 4
# A blank line is worth a shorter chunk only near its end, or chunks become needlessly many.
BLANK_LINE_WINDOW = 0.3
# A UTF-8 character has at most this many continuation bytes.
MAX_CONTINUATION_BYTES = 3

_BLANK_LINE = re.compile(rb"\n[ \t\r]*\n")
_INLINE_BREAK = re.compile(rb"[\s;,](?![\s;,])")


class LineCutter:
    """Finds where a chunk that starts at a given byte may end, by lines alone.

    Ask for rising starts only: the end of a long line is remembered between calls, so that a file of one line
    costs linear time.
    """

    __slots__ = ("_long_line_end", "_size", "_source", "_target")

    def __init__(self, source: bytes, target_bytes: int) -> None:
        if target_bytes < 1:
            raise ValueError(f"target_bytes must be at least 1, got {target_bytes}")
        self._source = source
        self._size = len(source)
        self._target = target_bytes
        self._long_line_end = 0

    def cut(self, start: int) -> int:
        """Return the end of the chunk that starts at `start`: above `start`, at most the size of the source.

        It is a line start, the end of the source, or a place inside a line above LONG_LINE_TARGETS targets.
        """
        limit = start + self._target
        if self._in_long_line(start):
            end = self._long_line_end
            return end if end <= limit else self._cut_inside_line(start, limit)
        if limit >= self._size:
            return self._size
        newline = self._source.rfind(b"\n", start, limit)
        if newline < 0:
            following = self._source.find(b"\n", limit)
            return self._size if following < 0 else following + 1
        blank_from = limit - int(self._target * BLANK_LINE_WINDOW)
        blanks = [match.end() for match in _BLANK_LINE.finditer(self._source, max(blank_from, start), limit)]
        return blanks[-1] if blanks else newline + 1

    def _in_long_line(self, start: int) -> bool:
        if start < self._long_line_end:
            return True
        longest = LONG_LINE_TARGETS * self._target
        if self._source.find(b"\n", start, start + longest) >= 0 or self._size - start <= longest:
            return False
        newline = self._source.find(b"\n", start + longest)
        self._long_line_end = self._size if newline < 0 else newline + 1
        return True

    def _cut_inside_line(self, start: int, limit: int) -> int:
        window_from = max(limit - int(self._target * BLANK_LINE_WINDOW), start)
        breaks = [match.end() for match in _INLINE_BREAK.finditer(self._source, window_from, limit)]
        if breaks:
            return breaks[-1]
        end = limit
        while end > max(start, limit - MAX_CONTINUATION_BYTES) and self._source[end] & 0xC0 == 0x80:
            end -= 1
        if end > start:
            return end
        end = start + 1  # the target is shorter than one character
        while end < min(self._size, start + 1 + MAX_CONTINUATION_BYTES) and self._source[end] & 0xC0 == 0x80:
            end += 1
        return end


def split_lines(source: bytes, *, target_bytes: int = 1000) -> list[ChunkSpan]:
    """Cut a file into runs of whole lines of about `target_bytes`.

    Returns:
        Spans in order that hold every byte once; [] for an empty source. A span is longer than the target
        only when it is one line. A line above LONG_LINE_TARGETS targets is cut inside, between characters.
    Raises:
        ValueError: `target_bytes` is below 1.
    """
    cutter = LineCutter(source, target_bytes)
    ends = []
    position = 0
    while position < len(source):
        position = cutter.cut(position)
        ends.append(position)
    return spans_from_ends(source, ends)


def spans_from_ends(source: bytes, ends: list[int]) -> list[ChunkSpan]:
    """Turn rising chunk ends, the last one the size of `source`, into spans with their lines."""
    spans = []
    start = newlines_before = 0
    for end in ends:
        newlines = source.count(b"\n", start, end)
        start_line = newlines_before + 1
        ends_line = source[end - 1] == 0x0A
        spans.append(ChunkSpan(start, end, start_line, start_line + newlines - ends_line))
        newlines_before += newlines
        start = end
    return spans
