"""Syntax trees as the chunker needs them, so that only `parsing` knows tree-sitter."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.references import NO_FACTS, FileFacts
from cocosearch_py.model.symbols import Symbol


class SyntaxNode(Protocol):
    """A node of a syntax tree; `tree_sitter.Node` satisfies it. Bytes are offsets into the UTF-8 source."""

    @property
    def type(self) -> str: ...
    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    @property
    def children(self) -> "Sequence[SyntaxNode]": ...


@dataclass(frozen=True, slots=True)
class ParsedSource:
    """The result of parsing one file.

    `error` locates the first error ("line 12, column 4: ..."), "" when there is none; `error_bytes` counts the
    bytes inside error nodes, the first of which are `error_places`, spans of bytes. `symbols` are in order of their
    start. `comments` are byte spans, in order, of comments and docstrings. `root` is None when there is no usable tree.
    """

    status: ParseStatus
    error: str
    error_bytes: int
    symbols: tuple[Symbol, ...]
    comments: tuple[tuple[int, int], ...]
    root: SyntaxNode | None
    facts: FileFacts = NO_FACTS
    error_places: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Soundness:
    """Whether a file can be parsed; `error` locates the first error, `lines` are those with errors, from 1."""

    status: ParseStatus
    error: str = ""
    lines: tuple[int, ...] = ()
