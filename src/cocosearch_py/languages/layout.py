"""What the layout of a broken source says of its braces: same length, same lines.

A grammar that lacks one brace takes what follows for something else, up to the end of the file. Who wrote the file has
indented it, which tells where a block ends.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from cocosearch_py.languages.repairing import blank

Edit = tuple[int, bytes]

# What is passed over: strings, comments, directives, of conditions all branches but the first. Then the blanks before a
# line's text, and brackets.
_TOKENS = re.compile(
    rb'"""(?:[^"]|"(?!""))*+"""|"(?:[^"\\\n]|\\.)*+"|\'(?:[^\'\\\n]|\\.)*+\'|`[^`]*+`|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)'
    rb"|(?m:^)[ \t]*+#[ \t]*+(?:el(?:[^\n]|\n(?![ \t]*+#[ \t]*+endif\b))*+|(?:if|endif|end|region)[^\n]*+)"
    rb"|(?m:^)([ \t]*+)(?=\S)|([{}()\[\]])"
)
# What may begin a line behind a block that lacks its end. Elsewhere commands and labels stand less deep, too.
_BEGINS = re.compile(rb"(?!(?:case|default)\b)[A-Za-z@]|/\*\*")
_PART_OF_COMMENT = re.compile(rb"(?m)^([ \t]*\*(?:/|[ \t\r].*)?)$")


@dataclass(slots=True)
class _Block:
    indent: int  # of the line that opens it
    body: int = -1  # indent of its first line; -1 before that
    is_odd: bool = False  # its body is not indented: nothing can be told of it


def layout_repairs(block_end: bytes) -> tuple[Callable[[bytes], Iterator[Edit]], ...]:
    """What to write over a broken source, the likeliest first; `block_end` closes a block in the midst of a line."""
    return partial(_mend_braces, block_end=block_end), _hide_comments


def _mend_braces(source: bytes, block_end: bytes) -> Iterator[Edit]:
    """Yield ends for blocks that lack theirs, and beginnings for what is indented and ends."""
    lines = _Lines(source, block_end)
    for token in _TOKENS.finditer(source):
        at, bracket = token.start(), token[2]
        if token[1] is not None:
            yield from lines.go_on(at, len(token[1]))
        elif bracket == b"}":
            yield from lines.close(at)
        elif bracket is not None:
            lines.open(bracket)


@dataclass(slots=True)
class _Lines:
    """The lines of a source, one after the other, with the blocks that are open."""

    source: bytes
    block_end: bytes
    blocks: list[_Block] = field(default_factory=list)
    parentheses: list[int] = field(default_factory=list)  # open ones: indents of the lines in which they stand
    deeper: list[tuple[int, int]] = field(default_factory=list)  # indents and places of lines that are so deep as first
    begin: int = 0
    last: int = 0  # where the line before it begins
    indent: int = 0
    statement: int = 0  # indent of the line in which the statement begins, as far as parentheses tell
    left: int | None = None  # where the first of the deeper lines above begins

    def go_on(self, begin: int, indent: int) -> Iterator[Edit]:
        """Go to the next line, and close what it shows to be at its end."""
        self.begin, self.last = begin, self.begin
        self.indent = self.statement = indent
        self.left = None
        while self.deeper and self.deeper[-1][0] > indent:
            self.left = self.deeper.pop()[1]
        if not self.deeper or self.deeper[-1][0] < indent:
            self.deeper.append((indent, begin))
        text = begin + indent
        if self.source[text] == ord("}"):
            return
        if self.blocks and self.blocks[-1].body < 0:
            self.blocks[-1].body, self.blocks[-1].is_odd = indent, indent <= self.blocks[-1].indent
        elif not self.parentheses and _BEGINS.match(self.source, text):
            yield from self._end_blocks(indent)

    def open(self, bracket: bytes) -> None:
        """Go over a bracket that is no brace, or opens a block."""
        if bracket == b"{":
            self.blocks.append(_Block(self.statement))
            self.parentheses.clear()
        elif bracket in b"([":
            self.parentheses.append(self.statement)
        elif self.parentheses:
            self.statement = min(self.statement, self.parentheses.pop())

    def close(self, at: int) -> Iterator[Edit]:
        """Go over a closing brace; where nothing is open that it may close, something is missing above."""
        self.parentheses.clear()
        if at == self.begin + self.indent:
            yield from self._end_blocks(self.indent + 1)
            block = self.blocks[-1] if self.blocks else None
            if block is None or (0 <= block.body <= self.indent and not block.is_odd):
                yield (at, b" ") if self.left is None else (self.left, b"{")
                return
        if self.blocks:
            self.blocks.pop()

    def _end_blocks(self, indent: int) -> Iterator[Edit]:
        """End the blocks whose first lines are so deep, or deeper: before the text of this line, or of the last one."""
        end = b""
        while self.blocks and self.blocks[-1].indent >= indent and not self.blocks[-1].is_odd:
            self.blocks.pop()
            end += self.block_end
        for at in (self.begin, self.last) if end else ():
            if not self.source[at : at + len(end)].strip(b" \t"):
                yield at, end
                return


def _hide_comments(source: bytes) -> Iterator[Edit]:
    """Yield blanks for the lines of a comment that lacks its beginning."""
    for token in _TOKENS.finditer(source):
        if token[1] is not None and (part := _PART_OF_COMMENT.match(source, token.start())):
            yield part.start(), blank(part[0])
