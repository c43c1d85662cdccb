"""Lines around a hit: up to its enclosing definition, or as many as asked for."""

from dataclasses import dataclass

from cocosearch_py.model.search import MAX_CONTEXT_LINES, SearchRequest
from cocosearch_py.storage.queries.texts import Reach

MAX_LINE_CHARS = 200  # longer lines are cut with "..."; minified lines would fill the answer


@dataclass(frozen=True, slots=True)
class LineRange:
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
    """The most lines that `context_range` may want around a hit."""
    if request.context_before is not None or request.context_after is not None:
        return Reach(request.context_before or 0, request.context_after or 0, in_scope=False)
    most = MAX_CONTEXT_LINES if request.smart_context else 0
    return Reach(most, most, in_scope=request.smart_context)


def cut_lines(chunks: list[tuple[int, str]], first: int, last: int) -> str:
    """Lines first..last out of consecutive chunks given as (start line, text), long lines cut."""
    if first > last or not chunks:
        return ""
    start = chunks[0][0]
    lines = "".join(text for _, text in chunks).removesuffix("\n").split("\n")
    wanted = lines[max(0, first - start) : max(0, last - start + 1)]
    return "\n".join(line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "..." for line in wanted)
