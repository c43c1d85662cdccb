"""Makes a language's `repair` from patterns of what its grammar does not know: same length, same lines.

Unlike a `rewrite` it is tried on files with syntax errors only, and kept only if these become fewer. So it may be
bolder, and costs other files nothing.
"""

import re
from collections.abc import Callable, Iterator, Sequence

_BLANKS = bytes(byte if byte in b"\r\n" else ord(" ") for byte in range(256))
Spans = Sequence[tuple[int, int]]
# What must be in the source, what to look for, and what to make of the pattern's first group.
Change = tuple[bytes, bytes, Callable[[bytes], bytes]]


def blank(text: bytes) -> bytes:
    """Spaces; lines stay."""
    return text.translate(_BLANKS)


def repair_by(*turns: tuple[Change, ...]) -> Callable[[bytes, Spans, int], Iterator[tuple[int, bytes]]]:
    """Return a repair that makes the changes of a turn, those that are likeliest to be right first."""

    def repair(source: bytes, _errors: Spans, turn: int) -> Iterator[tuple[int, bytes]]:
        for word, pattern, change in turns[turn] if turn < len(turns) else ():
            if word in source:
                for match in re.finditer(pattern, source):
                    yield match.start(1), change(match.group(1))

    return repair
