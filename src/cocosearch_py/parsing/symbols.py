"""From query matches to `Symbol` values: parents, qualified names, signatures and docs.

The captures are those of the definition queries in `languages`, sorted by `parsing.captures`.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from tree_sitter import Node

from cocosearch_py.languages import Language
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing.captures import Captured, Definition, last_row
from cocosearch_py.parsing.docs import docstring_text, is_pragma, join_comments
from cocosearch_py.parsing.signatures import declaration_of, decode
from cocosearch_py.parsing.visibility import visibility_of

_CLASS_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "object", "protocol", "impl", "extension"})
_FUNCTION_KINDS = frozenset({"function", "method", "constructor", "macro", "test"})
# Inside a function these are locals (or C++ variables that look like prototypes), not definitions.
_LOCAL_KINDS = frozenset({"variable", "constant", "prototype"})
_ANY_NAME_KINDS = frozenset({"macro", "test"})
_FILE_DOC = re.compile(r"@(?:file(?:overview)?|license|licence|module|copyright)\b")
_CLAUSE_KINDS = frozenset({"function", "method", "macro", "constant"})
_STEP_BYTES = 256
_MAX_NAME_CHARS = 200  # a "name" longer than this comes from broken source
_MAX_QUALIFIED_CHARS = 1_000  # else 100,000 nested functions would need gigabytes of names
_IMPL_NAME = re.compile(r"(?:&(?:'\w+ )?(?:mut )?)*(?:[\w$]+::)*([\w$]+)(?=<|$)")  # &'a mut path::Name<T> -> Name
_DOC_OPENING = "/**"
_IMPORT = "import"  # a definition in form only: `const fs = require("fs")`
_PROTOTYPE = "prototype"  # a function declared without a body


@dataclass(slots=True)
class _File:
    """State that all definitions of one file share while they are built."""

    language: Language
    source: bytes
    parsed: bytes  # the source as the parser saw it, with macros hidden
    captured: Captured
    symbols: list[Symbol] = field(default_factory=list)
    stack: list[int] = field(default_factory=list)  # positions of the definitions around the present place
    sections: dict[int | None, str] = field(default_factory=dict)  # by parent: its last "private:" or the like
    last_inside: dict[int | None, tuple[int, int]] = field(default_factory=dict)  # by parent: its last one, with arity
    may_have_inner_docs: bool = False

    def text(self, start: int, end: int) -> str:
        return decode(self.source, start, end)

    def node_text(self, node: Node) -> str:
        return " ".join(self.text(node.start_byte, node.end_byte).split())


def build_symbols(language: Language, captured: Captured, source: bytes, parsed: bytes) -> tuple[Symbol, ...]:
    """Return the file's definitions in order of their start, outer before inner.

    `parsed` is the source as the parser saw it: as long as `source`, with spaces for what was hidden from it.
    """
    file = _File(language, source, parsed, captured, may_have_inner_docs=_DOC_OPENING.encode() in source)
    sections = iter(captured.sections)
    section = next(sections, None)
    for one in captured.definitions:
        while section is not None and section[0] < one.start:
            parent = _close_until(file, section[0], section[1])
            file.sections[parent] = file.text(section[0], section[1]).strip().removesuffix(":").strip()
            section = next(sections, None)
        if language.ends_before_comments:
            one.end = _end_without_comments(file, one)
        parent = _close_until(file, one.start, one.end)
        if one.apart_from is not None:
            parent = _not_begun_in(file, one.apart_from)
        if one.of_class and parent is not None and file.symbols[parent].kind in _FUNCTION_KINDS:
            parent = file.symbols[parent].parent
        symbol = _build(file, one, parent)
        if symbol is not None and not (language.has_clauses and _add_clause(file, one, symbol)):
            file.last_inside[parent] = len(file.symbols), one.arity
            if symbol.kind != "type":  # `typedef struct a {...} b`: the struct is no member of b
                file.stack.append(len(file.symbols))
            file.symbols.append(symbol)
    return tuple(file.symbols)


def _close_until(file: _File, start: int, end: int) -> int | None:
    """Leave the definitions that end before a span and return the one around it; an equal span is not around it."""
    stack, symbols = file.stack, file.symbols
    while stack:
        outer = symbols[stack[-1]]
        same = outer.start_byte == start and outer.end_byte == end
        if not same and outer.start_byte <= start and end <= outer.end_byte:
            return stack[-1]
        stack.pop()
    return None


def _not_begun_in(file: _File, places: range) -> int | None:
    """The innermost definition around the present place that does not begin in `places`."""
    return next((at for at in reversed(file.stack) if file.symbols[at].start_byte not in places), None)


def _add_clause(file: _File, one: Definition, symbol: Symbol) -> bool:
    """Let the definition before take in this one if both are clauses of one function."""
    at, arity = file.last_inside.get(symbol.parent, (None, 0))
    if at is None or symbol.kind not in _CLAUSE_KINDS or arity != one.arity:
        return False
    first = file.symbols[at]
    if (first.kind, first.qualified_name, first.visibility) != (symbol.kind, symbol.qualified_name, symbol.visibility):
        return False
    if first.start_byte != symbol.start_byte:  # else `a, a :: Int`
        file.symbols[at] = first._replace(end_line=symbol.end_line, end_byte=symbol.end_byte)
    file.stack.append(at)
    return True


def _end_without_comments(file: _File, one: Definition) -> int:
    """The end of a definition, less blanks and comments on lines of their own that are not indented below it."""
    source, spans, column = file.source, file.captured.comment_spans, one.node.start_point[1]
    end = _end_of_text(source, one.start, one.end)
    while True:
        at = bisect_left(spans, (end, 0)) - 1
        if at < 0 or spans[at][1] != end or spans[at][0] <= one.name.end_byte:
            return end
        line_start = source.rfind(b"\n", 0, spans[at][0]) + 1
        if spans[at][0] - line_start > column or source[line_start : spans[at][0]].strip():
            return end
        end = _end_of_text(source, one.start, line_start)


def _end_of_text(source: bytes, start: int, end: int) -> int:
    """The end of a part of the source without blanks at its end; reads only that end."""
    while end > start:
        piece = source[max(start, end - _STEP_BYTES) : end]
        kept = len(piece.rstrip())
        end -= len(piece) - kept
        if kept:
            break
    return end


def _build(file: _File, one: Definition, parent: int | None) -> Symbol | None:
    outer = file.symbols[parent] if parent is not None else None
    depth = 0 if outer is None else outer.function_depth + (outer.kind in _FUNCTION_KINDS)
    if one.kind == _IMPORT or (depth and _is_local(file.language, one, outer)):
        return None
    name = file.node_text(one.name).lstrip(file.language.name_marker)
    if one.kind == "impl" and (plain := _IMPL_NAME.match(name)) is not None:
        name = plain.group(1)
    if name.startswith("operator "):  # C++: operator bool() const
        name = name.partition("(")[0].rstrip()
    name = name[:_MAX_NAME_CHARS]
    if not name or _is_no_name(file.language, name, one, outer):
        return None
    signature, head = declaration_of(file.source, file.captured, one)
    section = file.sections.get(parent) if parent is not None else None
    kind = _kind(file.language, name, one, outer)
    qualified_name, doc = _qualified(file, name, one, outer), _doc(file, one)
    visibility = visibility_of(file.language, kind, name, head, outer, section)
    lines = one.node.start_point[0] + 1, _end_line(file, one)
    # By position: with the names of the fields it takes four times as long.
    return Symbol(
        kind, name, qualified_name, signature, doc, visibility, *lines, one.start, one.end, parent, depth
    )  # fmt: skip


def _is_local(language: Language, one: Definition, outer: Symbol | None) -> bool:
    """Say whether a definition in a function is a local."""
    if outer is None or outer.kind in _CLASS_KINDS:
        return False
    return one.kind in _LOCAL_KINDS or (one.kind == "field" and language.has_anonymous_types)


def _is_no_name(language: Language, name: str, one: Definition, outer: Symbol | None) -> bool:
    """Say whether a name is a word of the language, or a macro's in a class: `BIT(x);` looks like a constructor."""
    if name in language.reserved and one.kind not in _ANY_NAME_KINDS:
        return True
    is_constructor = one.kind == "constructor" and language.constructors_are_named_like_classes
    return is_constructor and name.isupper() and outer is not None and outer.name != name


def _end_line(file: _File, one: Definition) -> int:
    if one.end == one.node.end_byte:
        return last_row(one.node) + 1
    node_end = one.node.end_byte
    lines_more = file.source.count(b"\n", node_end, one.end) - file.source.count(b"\n", one.end, node_end)
    return one.node.end_point[0] + 1 + lines_more


def _kind(language: Language, name: str, one: Definition, outer: Symbol | None) -> str:
    kind = "function" if one.kind == _PROTOTYPE else one.kind
    if kind == "function" and (one.owners or (outer is not None and outer.kind in _CLASS_KINDS)):
        kind = "method"
    if kind == "method" and outer is not None and outer.name == name and language.constructors_are_named_like_classes:
        return "constructor"  # behind a macro the grammar takes it for a method
    return kind


def _qualified(file: _File, name: str, one: Definition, outer: Symbol | None) -> str:
    prefix = outer.qualified_name if outer is not None else file.captured.file_scope
    for owner in one.owners:
        owner_name = file.node_text(owner).replace(" ", "")
        prefix = f"{prefix}.{owner_name}" if prefix else owner_name
    prefix = _dotted(prefix)
    if not name.isidentifier() and any(map(str.isalnum, name)):  # not an operator such as :: of Scala
        name = _dotted(name)
    return (f"{prefix}.{name}" if prefix else name)[-_MAX_QUALIFIED_CHARS:]


def _dotted(name: str) -> str:
    return name.replace("::", ".").replace("\\", ".")


def _doc(file: _File, one: Definition) -> str:
    """The docstring, or the comments that end on the line above; attributes may stand between."""
    if one.docstring is not None:
        return docstring_text(file.text(one.docstring.start_byte, one.docstring.end_byte))
    row, column = one.node.start_point
    comments, attributes = file.captured.comments_by_end_row, file.captured.attributes_by_end_row
    if row - 1 not in comments and row - 1 not in attributes:
        parted = _parted_doc(file, one) if row - 2 in comments else ""
        return parted or (_inner_doc(file, one) if file.may_have_inner_docs else "")
    if file.parsed[one.start - column : one.start].strip():
        return ""  # what stands above the line belongs to what begins the line
    texts: list[str] = []
    row -= 1
    while True:
        if (comment := comments.get(row)) is not None:
            text = file.text(comment[1], comment[2])
            texts += [] if is_pragma(text) else [text]
            row = comment[0] - 1
        elif (attribute := attributes.get(row)) is not None:
            row = attribute - 1
        else:
            return join_comments(texts[::-1])


def _inner_doc(file: _File, one: Definition) -> str:
    """The documentation that stands between the annotations of a definition and its name."""
    spans, end = file.captured.comment_spans, one.name.start_byte
    at = bisect_left(spans, (end, 0)) - 1
    if at < 0 or spans[at][0] <= one.start:
        return ""
    text = file.text(*spans[at])
    return join_comments([text]) if text.startswith(_DOC_OPENING) else ""


def _parted_doc(file: _File, one: Definition) -> str:
    """The documentation that only one blank line parts from a definition, unless the comment is about the file."""
    opening = file.language.parted_doc_opening
    if not opening:
        return ""
    _row, start, end = file.captured.comments_by_end_row[one.node.start_point[0] - 2]
    text = file.text(start, end)
    if not text.startswith(opening) or file.source[end : one.start].strip():
        return ""
    return "" if _FILE_DOC.search(text) else join_comments([text])
