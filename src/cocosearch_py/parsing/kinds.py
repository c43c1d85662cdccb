"""Kinds of nodes that a query leaves to the program or to chance, which makes it compile in less than half the time.

When tree-sitter compiles a query it follows, for each node with children that a pattern names, all ways in which the
grammar makes such a node: in a large grammar milliseconds each. Of a wildcard it asks nothing. So `(a (~b (c) @d))` is
compiled as `(a (_ (c) @d) @is.b)`, and `are_right` says whether a match has the nodes that the pattern named. Where no
other node can have such children, as none but a member access has both `object:` and `property:`, `(=b …)` is a
wildcard that nobody looks at, which is found faster than a kind.

Not for the outermost node of a pattern, which tells where it begins. `~` not for what may be missing or repeated, and
not beside an alternative without a capture: where matches differ in captures alone, tree-sitter keeps the one with
more, and that may be the wrong one. Nor where a node has many children, each of which would be tried
(`translation_unit`).

What else is dear: each further pattern that begins at a call or another expression (one with alternatives takes as long
to compile as one of them), a second field, kinds within a body. So names and bodies are often read by the program, see
`captures`.
"""

import re
from collections.abc import Mapping

from tree_sitter import Node, Query

_PREFIX = "is."
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|;[^\n]*|\(([~=])\s*(\w+)|[()]')


def loosened(query: str) -> str:
    """The text of a query as tree-sitter reads it."""
    kinds: list[str | None] = []  # of the nodes around the present place; None if it is the query's matter

    def replace(token: re.Match[str]) -> str:
        text = token.group()
        if text.startswith("("):
            kinds.append(token[2] if token[1] == "~" else None)
            return "(" if token[1] is None else "(_"
        kind = kinds.pop() if text == ")" and kinds else None
        return text if kind is None else f") @{_PREFIX}{kind}"

    return _TOKEN.sub(replace, query)


def kinds_of(query: Query) -> dict[str, str]:
    """The kinds that the program looks at, by the names of their captures."""
    names = map(query.capture_name, range(query.capture_count))
    return {name: name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)}


def loose_patterns(query: Query, text: bytes) -> frozenset[int]:
    """The patterns of a query, of this text, that have such a kind."""
    mark, numbers = f"@{_PREFIX}".encode(), range(query.pattern_count)
    spans = ((query.start_byte_for_pattern(number), query.end_byte_for_pattern(number)) for number in numbers)
    return frozenset(number for number, span in zip(numbers, spans, strict=True) if text.find(mark, *span) >= 0)


def are_right(captures: Mapping[str, list[Node]], kinds: Mapping[str, str]) -> bool:
    """Whether the nodes of a match are of the kinds that its pattern named."""
    for name, nodes in captures.items():
        kind = kinds.get(name)
        if kind is not None:
            for node in nodes:
                if node.type != kind:
                    return False
    return True
