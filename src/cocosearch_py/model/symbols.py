"""Definitions found in a file."""

from typing import NamedTuple


class Symbol(NamedTuple):  # made for every definition, and a frozen dataclass takes four times as long to make
    """One definition. Lines are 1-based and inclusive; bytes are offsets into the UTF-8 source, end exclusive.

    `parent` is the position of the enclosing definition in the file's symbol list (always smaller than the
    symbol's own position), or None. `function_depth` counts enclosing functions: 0 for what other files can reach.
    """

    kind: str  # function, method, class, interface, struct, enum, trait, type, module, constant, variable, ...
    name: str
    qualified_name: str  # "Outer.inner", joined by '.' in every language
    signature: str  # one line, at most MAX_SIGNATURE_CHARS
    doc: str  # comment or docstring that belongs to it, markers stripped; "" when there is none
    visibility: str  # public, private, protected, internal
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    parent: int | None = None
    function_depth: int = 0


MAX_SIGNATURE_CHARS = 200  # CocoSearch's limit, kept so that answers stay short
