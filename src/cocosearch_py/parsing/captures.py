"""Sorts the matches of a definition query: definitions, comments and what stands around them.

Several matches with one name node are one definition: its span is the widest of theirs, its kind that of the pattern
that stands first in the query. Beyond the captures of the definition itself a query may have

- `@wrapped` in `@wrapper`: a definition that is exactly the wrapped node begins and ends with the wrapper
  (`export`, a decorator, `template <...>`);
- `@named`, a second name of the definition's node: its field `name` is its name; `@has_body`, on that node or one in
  it: its field `body` is the body, and without one this is no definition; `@may_have_body`: the same if it has one.
  In a large grammar such a pattern is compiled ten times as fast as one with these fields;
- `@of_parent`, a second name of a definition: the node around it is meant. So alternatives in one node,
  which cost no more to compile than one of them, can be definitions of several kinds;
- `@called` is what a definition that is a call calls: its field `method`, or this is no definition;
- `@of_class` on a definition in a function's head that belongs to the class around; `@parameters` on the parameters
  of a clause: clauses with other numbers of them are other functions;
- `@attribute`: may stand between a definition and its comment; `@section`: "private" and the like, holds for all that
  follows in the same class; `@file_scope`: a name that qualifies everything in the file.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tree_sitter import Node

Match = tuple[int, dict[str, list[Node]]]

# A file with more than these is generated, broken or data (one line of 600,000 `var a=1;`); what follows them is left
# out, so that memory stays within about 200 MB.
MAX_DEFINITIONS = 20_000
MAX_COMMENTS = 100_000
_DEFINITION = "definition."
_QUOTES = frozenset(b"\"'")
_COMMENT_OPENINGS = (b"/", b"#", b"-")  # those of most comments, looked at first


@dataclass(slots=True)
class Definition:
    """One definition as captured, before it has a place among the others."""

    pattern: int
    kind: str
    node: Node
    name: Node
    start: int
    end: int
    body: Node | None
    signature: Node | None
    docstring: Node | None
    owners: list[Node]
    of_class: bool = False  # belongs to what is around the function that it stands in
    arity: int = 0  # parameters, where the query captures them
    apart_from: range | None = None  # what begins there, in another branch of an `#if`, is not around this


@dataclass(slots=True)
class Captured:
    """All captures of one file. Rows are 0-based, lists are in order of the file."""

    definitions: list[Definition] = field(default_factory=list)
    comment_spans: list[tuple[int, int]] = field(default_factory=list)
    comments_by_end_row: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # start row, start, end byte
    attributes_by_end_row: dict[int, int] = field(default_factory=dict)  # start row
    sections: list[tuple[int, int]] = field(default_factory=list)
    wrappers: dict[tuple[int, int], Node] = field(default_factory=dict)  # by the wrapped node's span
    file_scope: str = ""
    cut: bool = False  # the file has more definitions or comments than the limits, the rest is missing


def sort_matches(matches: Iterable[Match], source: bytes) -> Captured:
    """Sort all matches of one file."""
    captured = Captured()
    by_name: dict[int, Definition] = {}
    spans = captured.comment_spans
    for pattern, captures in matches:
        nodes = captures.get("comment")
        if nodes is not None:
            for node in nodes:
                _add_comment(captured, node, source)
        elif "name" in captures or "named" in captures:
            _add_definition(by_name, pattern, captures)
        else:
            _add_other(captured, captures)
        if len(by_name) > MAX_DEFINITIONS or len(spans) > MAX_COMMENTS:
            captured.cut = True
            break
    captured.definitions = list(by_name.values())
    for one in captured.definitions:
        _widen(one, captured)
        if one.docstring is not None:
            captured.comment_spans.append((one.docstring.start_byte, one.docstring.end_byte))
    captured.definitions.sort(key=lambda one: (one.start, -one.end, one.name.start_byte))
    del captured.definitions[MAX_DEFINITIONS:]
    captured.comment_spans = sorted(set(captured.comment_spans))  # a docstring may be captured as a comment too
    captured.sections = sorted(set(captured.sections))
    return captured


def _first(captures: dict[str, list[Node]], name: str) -> Node | None:
    nodes = captures.get(name)
    return nodes[0] if nodes else None


def _add_definition(by_name: dict[int, Definition], pattern: int, captures: dict[str, list[Node]]) -> None:
    for capture, nodes in captures.items():
        if capture.startswith(_DEFINITION):
            node, kind = nodes[0], capture[len(_DEFINITION) :]
            break
    else:
        return
    if "of_parent" in captures:
        node = node.parent or node
    called = _first(captures, "called")
    if called is not None and node.child_by_field_name("method") != called:
        return
    name = node.child_by_field_name("name") if "named" in captures else captures["name"][0]
    body, signature = _first(captures, "body"), _first(captures, "signature")
    if (bodied := _first(captures, "has_body") or _first(captures, "may_have_body")) is not None:
        body = bodied.child_by_field_name("body")
    if name is None or (body is None and "has_body" in captures):
        return
    docstring, owners = _first(captures, "docstring"), captures.get("owner", [])
    new = Definition(pattern, kind, node, name, node.start_byte, node.end_byte, body, signature, docstring, owners)
    new.of_class = "of_class" in captures
    if (parameters := _first(captures, "parameters")) is not None:
        new.arity = parameters.named_child_count
    old = by_name.get(name.start_byte)
    by_name[name.start_byte] = new if old is None else _merge(old, new)


def _merge(old: Definition, new: Definition) -> Definition:
    wide, narrow = (new, old) if new.end - new.start > old.end - old.start else (old, new)
    if narrow.pattern < wide.pattern:
        wide.pattern, wide.kind = narrow.pattern, narrow.kind
    wide.body = wide.body or narrow.body
    wide.signature = wide.signature or narrow.signature
    wide.docstring = wide.docstring or narrow.docstring
    wide.owners = wide.owners or narrow.owners
    wide.of_class = wide.of_class or narrow.of_class
    wide.arity = max(wide.arity, narrow.arity)
    return wide


def _widen(one: Definition, captured: Captured) -> None:
    wrapper = captured.wrappers.get((one.start, one.end))
    while wrapper is not None:
        one.node, one.start, one.end = wrapper, wrapper.start_byte, wrapper.end_byte
        wrapper = captured.wrappers.get((one.start, one.end))


def _add_other(captured: Captured, captures: dict[str, list[Node]]) -> None:
    if (wrapped := _first(captures, "wrapped")) is not None:
        span = (wrapped.start_byte, wrapped.end_byte)
        wrapper = captures["wrapper"][0]
        if (wrapper.start_byte, wrapper.end_byte) != span:
            captured.wrappers[span] = wrapper
    elif (attribute := _first(captures, "attribute")) is not None:
        captured.attributes_by_end_row[last_row(attribute)] = attribute.start_point[0]
    elif (section := _first(captures, "section")) is not None:
        captured.sections.append((section.start_byte, section.end_byte))
    elif (scope := _first(captures, "file_scope")) is not None and scope.text is not None:
        captured.file_scope = scope.text.decode("utf-8", "replace")


def last_row(node: Node) -> int:
    """The last row that a node covers; some grammars let a line comment or directive end with its newline."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row


def _add_comment(captured: Captured, node: Node, source: bytes) -> None:
    start, end = node.start_byte, node.end_byte
    captured.comment_spans.append((start, end))
    row, column = node.start_point
    # A comment behind code documents that code; a docstring documents what it stands in.
    if not source[start - column : start].strip() and not _is_string(source, start):
        captured.comments_by_end_row[last_row(node)] = (row, start, end)


def _is_string(source: bytes, start: int) -> bool:
    head = source[start : start + 3]
    return head[:1] not in _COMMENT_OPENINGS and (
        (head[:1].isalpha() and not _QUOTES.isdisjoint(head)) or head[:1] in (b'"', b"'", b"@", b"~")
    )
