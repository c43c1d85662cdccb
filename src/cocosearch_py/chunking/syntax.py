"""Chunks at the boundaries of a syntax tree: a definition that fits is whole, small neighbours share a chunk.

It knows node sizes and a few node names (comments, attributes), not languages. Three steps: collect the line
starts where a node begins, rate each as a place to cut, pack from the front.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from cocosearch_py.chunking.lines import LineCutter, spans_from_ends
from cocosearch_py.model.chunks import ChunkSpan
from cocosearch_py.model.syntax import SyntaxNode

# A chunk may grow to this many targets when that keeps a header, comment or closing line with its node.
OVERFLOW = 1.5
# Between these two fills the shallowest boundary wins; a lower bound would make chunks needlessly many.
MIN_FILL = 0.5
# A remainder below this share of the target (a closing brace, one import) is no passage; it joins the
# next node.
TINY_FILL = 0.1
# Blank lines wider than this share of the target may be cut off the node before them; else it might be cut.
WIDE_GAP = 0.25
# The last child of a node up to this many bytes ("}", "end", "esac") closes it and opens nothing.
MAX_CLOSER_BYTES = 8
# Costs of a cut: its depth in the tree, plus one of these. No tree that fits in memory is deeper than SOFT.
SOFT = 1 << 40  # parts a node from its header, its leading comment or its closing line
WEAK = 1 << 41  # parts the last line of a node that shares this line with the next node
# Node names that belong to the node after them. "@" in front says the same in Java, Python and Elixir.
LEADING_TYPES = frozenset(
    {"decorator", "attribute_item", "attribute_list", "annotation", "attribute", "modifiers", "signature"}
)
_AT_SIGN = 0x40


def split_syntax(root: SyntaxNode, source: bytes, *, target_bytes: int = 1000) -> list[ChunkSpan]:
    """Cut a parsed file into passages of about `target_bytes`, at the starts of lines where nodes start.

    Args:
        root: the tree of exactly `source`.
        source: the file, UTF-8 as far as possible.
        target_bytes: a node up to this size is cut only where it shares a line with another node.
    Returns:
        Spans in order that hold every byte once; [] for an empty source. A span is longer than OVERFLOW
        targets only when it is one line. Lines above LONG_LINE_TARGETS targets are cut inside.
    Raises:
        ValueError: `target_bytes` is below 1.
    """
    cutter = LineCutter(source, target_bytes)
    positions, costs = _collect_boundaries(root, source, target_bytes)
    positions.append(len(source))
    costs.append(-1)
    ends = []
    position = 0
    while position < len(source):
        end = _choose_boundary(positions, costs, position, target_bytes)
        position = cutter.cut(position) if end < 0 else end
        ends.append(position)
    return spans_from_ends(source, ends)


def _collect_boundaries(root: SyntaxNode, source: bytes, target_bytes: int) -> tuple[list[int], list[int]]:
    """Return the rising line starts where nodes begin, and the cost of a cut at each.

    Descends only into nodes above the target, with its own stack, since trees may be 100,000 levels deep.
    """
    positions: list[int] = []
    costs: list[int] = []
    children: Sequence[SyntaxNode] = (root,)
    stack = [(children, iter(children))]
    last_position = previous_start = previous_end = 0
    previous: SyntaxNode | None = None  # the last node passed, if it began its line
    line_opener = root.start_byte  # where the node that began the latest line starts
    in_header = False  # since the latest descent, no node has begun a line of its own
    while stack:
        children, rest = stack[-1]
        for child in rest:
            start, end = child.start_byte, child.end_byte
            if start == end:
                continue
            position = source.rfind(b"\n", previous_start, start) + 1
            if position > last_position and previous_end:  # only blanks come before the first node
                if position < previous_end:
                    cost = WEAK
                elif in_header or _leads(previous, source, start) or _closes(child, children):
                    cost = SOFT
                else:
                    cost = len(stack)
                for place in _around_gap(source, previous_end, position, target_bytes):
                    if place > last_position:
                        positions.append(place)
                        costs.append(cost)
                        last_position = place
                line_opener, in_header = start, False
            inner = child.children if end - start > target_bytes else ()
            if inner:
                stack.append((inner, iter(inner)))
                previous_start = previous_end = start
                previous, in_header = None, child is not root
                break
            previous = child if start == line_opener else None
            in_header = in_header and (previous is None or end - start <= MAX_CLOSER_BYTES)
            previous_start, previous_end = start, end
        else:
            stack.pop()
            in_header = False
    return positions, costs


def _around_gap(source: bytes, gap_start: int, position: int, target_bytes: int) -> tuple[int, ...]:
    """Return `position`, the end of a gap between nodes; before it the first line start of a wide gap."""
    if position - gap_start <= target_bytes * WIDE_GAP:
        return (position,)
    return source.find(b"\n", gap_start - 1, position) + 1, position


def _leads(node: SyntaxNode | None, source: bytes, following_start: int) -> bool:
    """Say whether a node belongs to the one after it: an attribute, or a comment without a blank line."""
    if node is None:
        return False
    kind = node.type
    if "comment" in kind:
        return source.count(b"\n", node.end_byte - 1, following_start) <= 1
    return kind in LEADING_TYPES or source[node.start_byte] == _AT_SIGN


def _closes(node: SyntaxNode, siblings: Sequence[SyntaxNode]) -> bool:
    return node.end_byte - node.start_byte <= MAX_CLOSER_BYTES and node is siblings[-1]


def _choose_boundary(positions: list[int], costs: list[int], start: int, target_bytes: int) -> int:
    """Return where the chunk from `start` ends, or -1 when no boundary is near and lines must decide.

    Takes the kinds of boundary in order: plain ones, then soft, then weak; each within the target before
    beyond it.
    """
    first = bisect_right(positions, start)
    fitting = bisect_right(positions, start + target_bytes, first)
    beyond = bisect_right(positions, start + int(target_bytes * OVERFLOW), fitting)
    if fitting == len(positions):
        return positions[-1]
    enough = bisect_left(positions, start + target_bytes * MIN_FILL, first, fitting)
    for most_cost in (SOFT - 1, WEAK - 1, WEAK):
        filled = [(costs[index], -index) for index in range(enough, fitting) if costs[index] <= most_cost]
        if filled:
            return positions[-min(filled)[1]]
        inside = [index for index in range(first, enough) if costs[index] <= most_cost]
        outside = next((index for index in range(fitting, beyond) if costs[index] <= most_cost), -1)
        if inside and (outside < 0 or positions[inside[-1]] - start >= target_bytes * TINY_FILL):
            return positions[inside[-1]]
        if outside >= 0:
            return positions[outside]
    return -1
