"""Source without the bodies of its functions. Pure: it goes by what the index knows of definitions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

_FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro", "test"})
_MOST_HEADER_LINES = 40
_FEWEST_FOLDED = 2  # a mark instead of one line saves nothing
_CLOSING = re.compile(r"\s*(?:[)\]};,]+|end\b\S*|fi|done|esac)[\s)\]};,]*")
_OPENING = re.compile(r"\s*(?:\{|do|begin)\s*")
_ENDS_HEADER = ("{", ":", "=>", "=", "do", "then", "->")


class Spanning(Protocol):
    """A definition with its lines, from 1, inclusive."""

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def signature(self) -> str: ...

    @property
    def start_line(self) -> int: ...

    @property
    def end_line(self) -> int: ...


def folded(lines: Mapping[int, str], symbols: Sequence[Spanning]) -> list[tuple[int, str]]:
    """The lines in order, with one that names the lines it stands for in place of each body.

    Args:
        lines: number -> text, without gaps.
        symbols: definitions of the file, outer before inner.
    """
    shown: list[tuple[int, str]] = []
    bodies = iter(_bodies(lines, symbols))
    body = next(bodies, None)
    for number, text in lines.items():
        while body is not None and number > body[1]:
            body = next(bodies, None)
        if body is None or number < body[0]:
            shown.append((number, text))
        elif number == body[0]:
            indent = text[: len(text) - len(text.lstrip())] if text.strip() else ""
            shown.append((number, f"{indent}... lines {body[0]}-{body[1]}"))
    return shown


def _bodies(lines: Mapping[int, str], symbols: Sequence[Spanning]) -> Iterator[tuple[int, int]]:
    """First and last line of the bodies of outermost functions, in order."""
    done = 0
    for one in symbols:
        if one.kind not in _FUNCTION_KINDS or one.start_line <= done or one.start_line not in lines:
            continue
        done = one.end_line
        first, last = _header_end(lines, one) + 1, min(one.end_line, max(lines))
        if _CLOSING.fullmatch(lines[last]):
            last -= 1
        while first <= last and not lines[first].strip():
            first += 1
        if last - first + 1 >= _FEWEST_FOLDED:
            yield first, last


def _header_end(lines: Mapping[int, str], one: Spanning) -> int:
    """The last line of what declares a function: where its signature ends, or the brace after it."""
    last = min(one.end_line, one.start_line + _MOST_HEADER_LINES, max(lines))
    end = _signature_end(lines, one, last)
    if end + 1 <= last and _OPENING.fullmatch(lines[end + 1]):
        end += 1
    return end


def _signature_end(lines: Mapping[int, str], one: Spanning, last: int) -> int:
    """Where the signature stands in the lines; with comments in it, the line from its name on that opens a body."""
    signature = "".join(one.signature.removesuffix("…").split())
    is_cut = one.signature.endswith("…")
    read, named = "", one.start_line
    for number in range(one.start_line, last + 1):
        read += "".join(lines[number].split())
        if signature in read and (not is_cut or lines[number].rstrip().endswith(_ENDS_HEADER)):
            return number
    for number in range(one.start_line, last + 1):
        if one.name in lines[number]:
            named = number
            break
    return next((at for at in range(named, last + 1) if lines[at].rstrip().endswith(_ENDS_HEADER)), named)
