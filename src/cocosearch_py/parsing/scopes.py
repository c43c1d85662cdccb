"""Which definition is around a place."""

import sys
from collections.abc import Sequence

from cocosearch_py.model.symbols import Symbol


def innermost(places: Sequence[int], symbols: Sequence[Symbol]) -> list[int | None]:
    """For each place, in ascending order, the innermost definition around it."""
    found: list[int | None] = []
    stack: list[int] = []
    following, one = 0, None
    next_start = symbols[0].start_byte if symbols else sys.maxsize
    change = next_start  # from this place on it may be another one
    for place in places:
        if place >= change:
            while next_start <= place:
                stack.append(following)
                following += 1
                next_start = symbols[following].start_byte if following < len(symbols) else sys.maxsize
            while stack and symbols[stack[-1]].end_byte <= place:
                stack.pop()
            one = stack[-1] if stack else None
            change = next_start if one is None else min(next_start, symbols[one].end_byte)
        found.append(one)
    return found
