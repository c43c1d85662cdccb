"""How well a file was parsed: ok, partial or error, how many bytes are in doubt, and where the first error is."""

from dataclasses import dataclass, field

from tree_sitter import Node

from cocosearch_py.model.files import ParseStatus

ERROR_SHARE = 0.5  # with more than half of the bytes in error nodes the tree says nothing about the file
SNIPPET_BYTES = 40  # enough of the source to recognise the place in an editor


@dataclass(frozen=True, slots=True)
class Health:
    """`error` is "" when there is none; `error_bytes` counts what fits nowhere, good parts between it not."""

    status: ParseStatus
    error: str
    error_bytes: int
    widest_error: int  # children of the error node that has most of them
    errors: tuple[tuple[int, int], ...] = ()  # the first places in error, in bytes


_HEALTHY = Health(ParseStatus.OK, "", 0, 0)
_MAX_PLACES = 50


def check_health(root: Node, source: bytes, *, bare_calls: bool = False) -> Health:
    """Judge a tree. Nodes without an error below them are not visited.

    Args:
        bare_calls: a call without a semicolon is none: `LIST_FOREACH(a, b) {` is a macro's.
    """
    if not root.has_error:
        return _HEALTHY
    tally = _Tally(bare_calls=bare_calls)
    _walk_errors(root, tally)
    if bare_calls and tally.first is None and not root.is_error:
        return _HEALTHY
    status = ParseStatus.ERROR if tally.error_bytes > ERROR_SHARE * len(source) else ParseStatus.PARTIAL
    error = _describe(tally.first or root, source)
    return Health(status, error, tally.error_bytes, tally.widest, tuple(tally.places))


@dataclass(slots=True)
class _Tally:
    """Counts of a walk over the errors."""

    bare_calls: bool
    allowed: Node | None = None
    first: Node | None = None
    error_bytes: int = 0
    widest: int = 0
    places: list[tuple[int, int]] = field(default_factory=list)

    def visit(self, node: Node, *, in_error: bool) -> bool:
        """Count a node and say whether to look below it.

        A whole construct inside an error node (the functions of a header whose #if has no end) was understood: its
        bytes, and those of comments, are taken off the error node's.
        """
        size_bytes, children, is_error = node.end_byte - node.start_byte, node.child_count, node.is_error
        if is_error:
            self.widest = max(self.widest, children)
            if not in_error:
                self.error_bytes += size_bytes
                self._note(node)
        elif in_error and (children or node.is_extra):
            self.error_bytes -= size_bytes
        if children:
            if self.bare_calls and node.type == "expression_statement":
                self.allowed = _semicolon_of_bare_call(node)
            return node.has_error
        if node.is_missing and node == self.allowed:
            return False
        if self.first is None and (in_error or is_error or node.is_missing) and not node.is_extra:
            self.first = node
        if node.is_missing:
            self._note(node)
        return False

    def _note(self, node: Node) -> None:
        if len(self.places) < _MAX_PLACES:
            self.places.append((node.start_byte, node.end_byte))


def _semicolon_of_bare_call(statement: Node) -> Node | None:
    """The missing semicolon of `LIST_FOREACH(a, b) {`; asked from above: a parent is found by recursion."""
    call, last = statement.child(0), statement.child(statement.child_count - 1)
    if call is None or last is None or call.type != "call_expression" or not last.is_missing:
        return None
    return last


def _walk_errors(root: Node, tally: _Tally) -> None:
    """Visit all nodes with errors and the children of error nodes.

    Walks with a cursor, not with lists of children and not by recursion: a tree may be 100,000 levels deep or have
    a million siblings.
    """
    cursor = root.walk()
    if not tally.visit(root, in_error=False) or not cursor.goto_first_child():
        return
    in_error = [root.is_error]  # for each level below the root: are its nodes children of an error node?
    while (node := cursor.node) is not None:
        if tally.visit(node, in_error=in_error[-1]) and cursor.goto_first_child():
            in_error.append(node.is_error)
            continue
        while not cursor.goto_next_sibling():
            in_error.pop()
            if not in_error or not cursor.goto_parent():
                return


def _describe(node: Node, source: bytes) -> str:
    row, column = node.start_point
    place = f"line {row + 1}, column {column + 1}"
    if node.is_missing:
        return f"{place}: missing {node.type!r}"
    line = source[node.start_byte : node.start_byte + SNIPPET_BYTES].split(b"\n", 1)[0]
    snippet = line.decode("utf-8", "replace").replace("\x00", "").strip()
    return f"{place}: syntax error near {snippet!r}" if snippet else f"{place}: syntax error"
