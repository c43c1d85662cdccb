"""Which definition is around a place."""

from collections.abc import Iterator, Sequence

from cocosearch_py.model.symbols import Symbol


def innermost(places: Sequence[int], symbols: Sequence[Symbol]) -> Iterator[int | None]:
    """For each place, in ascending order, the innermost definition around it."""
    stack: list[int] = []
    following = 0
    for place in places:
        while following < len(symbols) and symbols[following].start_byte <= place:
            stack.append(following)
            following += 1
        while stack and symbols[stack[-1]].end_byte <= place:
            stack.pop()
        yield stack[-1] if stack else None
