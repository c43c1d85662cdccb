"""Lines around a hit: up to its enclosing definition, or as many as asked for; the members of a type."""

from collections.abc import Sequence
from typing import NamedTuple

from cocosearch_py.model.search import MAX_CONTEXT_LINES, Member, SearchRequest
from cocosearch_py.search.exact_names import TYPE_KINDS
from cocosearch_py.search.passages import head_line
from cocosearch_py.storage.queries.passages import EnclosingDefinition
from cocosearch_py.storage.queries.texts import HitText, Reach

MAX_LINE_CHARS = 200  # longer lines are cut with "..."; minified lines would fill the answer
HEAD_LINES = 12  # that a type shows of itself at least, if it has as many
MAX_LINES_ADDED = 12  # Maximum lines before a passage that are added so that it begins with its definition.


class LineRange(NamedTuple):
    """Lines to show before and after a hit; empty when first > last."""

    before: tuple[int, int]
    after: tuple[int, int]

    @property
    def span(self) -> tuple[int, int]:
        """First and last line of both ranges together."""
        return self.before[0], self.after[1]

    @property
    def is_empty(self) -> bool:
        return self.before[0] > self.before[1] and self.after[0] > self.after[1]


class Window(NamedTuple):
    """Shown part of a hit: lines `start`..`end` as its text, those around it, and members of its type."""

    start: int
    end: int
    around: LineRange
    members: Sequence[Member] = ()

    @property
    def span(self) -> tuple[int, int]:
        """First and last line shown."""
        return min(self.start, self.around.before[0]), max(self.end, self.around.after[1])


def is_automatic(request: SearchRequest) -> bool:
    """Whether the context is ours to choose."""
    return request.smart_context and request.context_before is None and request.context_after is None


def is_head(text: HitText, definition: EnclosingDefinition | None) -> bool:
    """Whether a passage is shown for a type that begins in it."""
    return definition is not None and definition.kind in TYPE_KINDS and definition.start_line >= text.start_line


def window_of(
    request: SearchRequest,
    text: HitText,
    definition: EnclosingDefinition | None,
    members: Sequence[Member],
    *,
    is_about: bool,
) -> Window:
    """Choose the lines shown of a passage.

    A passage begins with its definition, or the comment before that, if it `is_about` it. A type shows at least
    HEAD_LINES. A type that is longer than the context has no context, but lists its members that no line shows.
    """
    if definition is None:
        return Window(text.start_line, text.end_line, context_range(request, text.start_line, text.end_line, None))
    scope = (definition.start_line, definition.end_line)
    start, end = _start_of(request, text, definition, is_about=is_about), text.end_line
    if is_head(text, definition) and text.content.endswith("\n") and is_automatic(request):
        head, _ = own_lines(text, definition)
        end = max(end, min(definition.end_line, head + HEAD_LINES - 1))
    window = Window(start, end, context_range(request, start, end, scope))
    if not members or not is_automatic(request):
        return window
    if window.span[1] < definition.end_line:
        window = window._replace(around=LineRange((start, start - 1), (end + 1, end)))
    _, last = window.span
    return window._replace(members=[one for one in members if not start <= one.start_line <= last])


def _start_of(request: SearchRequest, text: HitText, definition: EnclosingDefinition, *, is_about: bool) -> int:
    """First line shown of a passage, up to MAX_LINES_ADDED lines before its own first line."""
    lines = text.content.split("\n")
    head = head_line(lines, text.start_line, definition.start_line)
    if head > text.start_line:
        return head if is_about else text.start_line
    around = chunks_of(text) if is_automatic(request) else []
    if lines_between(around, text.start_line, text.start_line) != lines[:1]:  # no text around, or a line that was cut
        return text.start_line
    first, last = around[0][0], min(definition.start_line, text.start_line)
    head = head_line(lines_between(around, first, last), first, last)
    near = [line for line in (head, last) if line >= text.start_line - MAX_LINES_ADDED]
    return min(near, default=text.start_line)


def own_lines(text: HitText, definition: EnclosingDefinition | None) -> tuple[int, int]:
    """First and last line of a passage that belong to a definition, with the comment before it."""
    if definition is None:
        return text.start_line, text.end_line
    head = head_line(text.content.split("\n"), text.start_line, definition.start_line)
    return max(text.start_line, head), min(text.end_line, definition.end_line)


def context_range(request: SearchRequest, start: int, end: int, scope: tuple[int, int] | None) -> LineRange:
    """Which lines surround a hit at `start`..`end` whose definition spans `scope`.

    Explicit counts win; a side without a count gets 0 lines then. Smart context reaches to the scope's ends, at most
    MAX_CONTEXT_LINES with the hit itself, spread evenly.
    """
    if request.context_before is not None or request.context_after is not None:
        before, after = request.context_before or 0, request.context_after or 0
    elif request.smart_context and scope is not None:
        before, after = max(0, start - scope[0]), max(0, scope[1] - end)
        room = max(0, MAX_CONTEXT_LINES - (end - start + 1))
        if before + after > room:
            before = min(before, max(room // 2, room - after))
            after = min(after, room - before)
    else:
        before = after = 0
    return LineRange((max(1, start - before), start - 1), (end + 1, end + after))


def context_reach(request: SearchRequest) -> Reach:
    """The most lines that a window may want around a passage."""
    if request.context_before is not None or request.context_after is not None:
        return Reach(request.context_before or 0, request.context_after or 0)
    most = MAX_CONTEXT_LINES if request.smart_context else 0
    return Reach(most, most)


def lines_between(chunks: Sequence[tuple[int, str]], first: int, last: int) -> list[str]:
    """Lines first..last out of consecutive chunks given as (start line, text)."""
    if first > last or not chunks:
        return []
    start = chunks[0][0]
    lines = "".join(text for _, text in chunks).removesuffix("\n").split("\n")
    return lines[max(0, first - start) : max(0, last - start + 1)]


def cut_lines(chunks: Sequence[tuple[int, str]], first: int, last: int) -> str:
    """Return lines as one text, long lines cut."""
    return "\n".join(map(_cut, lines_between(chunks, first, last)))


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "..."


def content_of(text: HitText, window: Window) -> str:
    """The text of the window's own lines: of the passage, and of the chunks around it where it shows more."""
    content = "".join(f"{line}\n" for line in _lines_added(text, window)) + text.content
    if window.start > text.start_line:
        content = "\n".join(content.split("\n")[window.start - text.start_line :])
    if window.end > text.end_line:
        content += "".join(f"{line}\n" for line in lines_between(chunks_of(text), text.end_line + 1, window.end))
    return content


def start_byte_of(text: HitText, window: Window) -> int:
    """Where the text of the window's own lines begins in the UTF-8 text of the file."""
    count = max(0, window.start - text.start_line)
    above = text.content.split("\n", count)[:count]
    return text.start_byte + _bytes_of(above) - _bytes_of(_lines_added(text, window))


def _lines_added(text: HitText, window: Window) -> list[str]:
    """Lines that a window shows before those of its passage."""
    return lines_between(chunks_of(text), window.start, text.start_line - 1)


def _bytes_of(lines: Sequence[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def chunks_of(text: HitText) -> list[tuple[int, str]]:
    """The text around a passage, with it, as (start line, text)."""
    return [(text.around_start, text.around)] if text.around_start and text.around else []
