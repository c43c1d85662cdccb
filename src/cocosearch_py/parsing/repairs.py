"""Mends a source near its syntax errors and parses again what that changed, as long as errors become fewer."""

from collections.abc import Collection

from tree_sitter import Parser, Tree

from cocosearch_py.languages import Language
from cocosearch_py.parsing.health import Health, check_health

MAX_TURNS = 3
MAX_REPAIRED_BYTES = 1_000_000


def repaired(
    parser: Parser, language: Language, source: bytes, tree: Tree, health: Health
) -> tuple[bytes, Tree, Health]:
    """Return the source, its tree and its health after repairs, or what was given where they help nothing.

    The tree of the source before is given to the parser, which reads anew only what was written over.
    """
    if (repair := language.repair) is None or len(source) > MAX_REPAIRED_BYTES:
        return source, tree, health
    for turn in range(MAX_TURNS):
        if not health.error:
            break
        mended = bytearray(source)
        spans = [span for at, text in repair(source, health.errors, turn) if (span := _write(mended, at, text))]
        if not spans:
            continue
        read = parser.parse(bytes(mended), edited(tree, source, spans))
        found = check_health(read.root_node, bytes(mended), bare_calls=language.bare_calls)
        if _weight(found) < _weight(health):
            source, tree, health = bytes(mended), read, found
    return source, tree, health


def _weight(health: Health) -> tuple[int, int, bool]:
    """How bad it is. A token that is missing and that the tree does not show has no place and no bytes."""
    return health.error_bytes + len(health.errors), len(health.errors), bool(health.error)


def _write(mended: bytearray, at: int, text: bytes) -> tuple[int, int] | None:
    """Write over a part; None if that changes nothing."""
    end = at + len(text)
    if mended[at:end] == text:
        return None
    mended[at:end] = text
    return at, end


def edited(tree: Tree, source: bytes, spans: Collection[tuple[int, int]]) -> Tree:
    """A copy of the tree of a source for one that has other text of the same length and lines in these parts."""
    tree = tree.copy()
    row, line, seen = 0, 0, 0
    points: dict[int, tuple[int, int]] = {}
    for at in sorted({at for span in spans for at in span}):
        row += source.count(b"\n", seen, at)
        line = max(line, source.rfind(b"\n", seen, at) + 1)
        points[at], seen = (row, at - line), at
    for start, end in spans:
        tree.edit(start, end, end, points[start], points[end], points[end])
    return tree
