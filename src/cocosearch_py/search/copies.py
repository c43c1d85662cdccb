"""Passages that say the same: mirrors, generated clients, examples in variants. Pure."""

from collections.abc import Sequence

ALIKE = 0.9  # share of the lines of both that both have
_LEAST_LINES = 3  # shorter passages are alike by chance: licences, imports, braces
_LEAST_CHARS = 4


def find_copies(passages: Sequence[str]) -> dict[int, int]:
    """Number of each passage that says almost the same as an earlier one -> number of that one, which is no copy."""
    kept: list[tuple[int, frozenset[str]]] = []
    copies: dict[int, int] = {}
    for number, passage in enumerate(passages):
        lines = frozenset([line for line in map(str.strip, passage.splitlines()) if len(line) >= _LEAST_CHARS])
        if len(lines) < _LEAST_LINES:
            continue
        original = next((earlier for earlier, others in kept if _alike(lines, others)), None)
        if original is None:
            kept.append((number, lines))
        else:
            copies[number] = original
    return copies


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(one), len(other)) < ALIKE * max(len(one), len(other)):
        return False
    both = len(one & other)
    return both >= ALIKE * (len(one) + len(other) - both)
