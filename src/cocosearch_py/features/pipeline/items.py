"""Items of streams, made of the results of services."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from cocosearch_py.model.code import CodePart
from cocosearch_py.model.definitions import Definition, OutlineEntry
from cocosearch_py.model.listing import ListedFile
from cocosearch_py.model.search import Hit
from cocosearch_py.model.texts import TextMatch
from cocosearch_py.model.usages import Usage
from cocosearch_py.tools.answers import Json, timestamp

_NS = 1_000_000_000
_SEARCHED = ("path", "name", "signature", "text", "content")  # Fields that `filter` searches.
_FIGURES = {"size": "byte_size", "symbols": "symbol_count"}
_LARGEST_FIRST = ("score", "lines", "size", "symbols", "modified")


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """Item of a stream: a file, or a part of a file.

    Attributes:
        path: relative to the root of the index.
        shown: its JSON in the answer.
        lines: first and last, from 1; None for a whole file.
        target: `path#name` of a definition, for `callers`.
        language: None if only the index knows it.
    """

    path: str
    shown: Json
    lines: tuple[int, int] | None = None
    target: str = ""
    kind: str = ""
    language: str | None = None

    def holds(self, text: str, *, ignore_case: bool) -> bool:
        """Whether the path, the name or the text of the item contains a text."""
        values = (self.shown.get(name) for name in _SEARCHED)
        texts = (value.lower() if ignore_case else value for value in values if isinstance(value, str))
        return any(text in value for value in texts)

    def rank(self, key: str) -> tuple[Any, ...]:
        """Return the sort key of the item; items without the value come last."""
        value = self._value(key)
        place = (self.path, self.lines or (0, 0))
        if value is None:
            return (1, *place)
        if key == "modified":
            return (0, [-ord(character) for character in value], *place)
        return (0, -value if key in _LARGEST_FIRST else value, *place)

    def _value(self, key: str) -> Any:
        if key == "lines":
            return self.lines[1] - self.lines[0] + 1 if self.lines else self.shown.get("line_count")
        return self.shown.get(_FIGURES.get(key, key))


def of_file(file: ListedFile) -> Item:
    """Make the item of a file."""
    shown: Json = {
        "path": file.path,
        "language": file.language_id,
        "line_count": file.line_count,
        "byte_size": file.size_bytes,
        "symbol_count": file.symbol_count,
        "modified": timestamp(datetime.fromtimestamp(file.mtime_ns // _NS, UTC)),
    }
    return Item(file.path, shown, language=file.language_id)


def of_hit(hit: Hit) -> Item:
    """Make the item of a search result."""
    name = {"kind": hit.symbol_type, "name": hit.symbol_name} if hit.symbol_name else {}
    shown: Json = {
        "path": hit.file_path,
        "start_line": hit.start_line,
        "end_line": hit.end_line,
        "score": hit.score,
        "language": hit.language_id,
        **name,
        "content": hit.content,
    }
    lines = (hit.start_line, hit.end_line)
    return Item(hit.file_path, shown, lines, kind=hit.symbol_type or "", language=hit.language_id)


def of_match(match: TextMatch) -> Item:
    """Make the item of a line."""
    shown: Json = {"path": match.path, "line": match.line, "column": match.column, "text": match.text}
    if match.scope is not None:
        shown["scope"] = f"{match.scope.kind} {match.scope.name}"
    kind = match.scope.kind if match.scope else ""
    return Item(match.path, shown, (match.line, match.end_line or match.line), kind=kind)


def of_definition(definition: Definition) -> Item:
    """Make the item of a definition."""
    return of_entry(definition.path, definition, definition.language_id)


def of_entry(path: str, definition: Definition | OutlineEntry, language: str) -> Item:
    """Make the item of a definition in an outline."""
    shown: Json = {
        "path": path,
        "start_line": definition.start_line,
        "end_line": definition.end_line,
        "kind": definition.kind,
        "name": definition.qualified_name,
        "signature": definition.signature,
        "visibility": definition.visibility,
    }
    lines = (definition.start_line, definition.end_line)
    return Item(path, shown, lines, f"{path}#{definition.qualified_name}", definition.kind, language)


def of_usage(use: Usage) -> Item:
    """Make the item of a use."""
    shown: Json = {
        "path": use.path,
        "line": use.line,
        "column": use.column,
        "kind": use.kind,
        "name": use.name,
        "confidence": use.confidence,
        "text": use.text,
    }
    if use.around is not None:
        shown["enclosing"] = f"{use.around.kind} {use.around.qualified_name}"
    return Item(use.path, shown, (use.line, use.line), kind=use.kind)


def of_part(part: CodePart) -> Item:
    """Make the item of a part of a file that was read."""
    last = part.end_line if part.rest is None else part.rest - 1
    name = {"kind": part.kind, "name": part.name} if part.name else {}
    shown: Json = {
        "path": part.path,
        "language": part.language_id,
        "start_line": part.start_line,
        "end_line": last,
        **name,
        "hash": part.hash,
        "source": "\n".join(text for _, text in part.lines),
    }
    if part.rest is not None:
        shown["next_target"] = f"{part.path}:{part.rest}-{part.end_line}"
    return Item(part.path, shown, (part.start_line, last), language=part.language_id)
