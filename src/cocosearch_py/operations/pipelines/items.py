"""What streams consist of: an item of each kind, made of what the services find. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cocosearch_py.tools.answers import Json, timestamp

if TYPE_CHECKING:
    from cocosearch_py.model.code import CodePart
    from cocosearch_py.model.definitions import Definition, OutlineEntry
    from cocosearch_py.model.listing import ListedFile
    from cocosearch_py.model.search import Hit
    from cocosearch_py.model.texts import TextMatch
    from cocosearch_py.model.usages import Usage

_NS = 1_000_000_000
_SEARCHED = ("path", "name", "signature", "text", "content")  # by `filter`
_FIGURES = {"size": "byte_size", "symbols": "symbol_count"}
_LARGEST_FIRST = ("score", "lines", "size", "symbols", "modified")


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """One thing of a stream: a file, or something in it.

    Attributes:
        path: relative to the root of the index.
        shown: what is answered of it.
        lines: first and last, from 1; None for a whole file.
        target: how a part of the file is named to `read` or `callers` where lines do not do: `path#name`.
        language: None where only the index knows it.
    """

    path: str
    shown: Json
    lines: tuple[int, int] | None = None
    target: str = ""
    kind: str = ""
    language: str | None = None

    def holds(self, text: str, *, ignore_case: bool) -> bool:
        """Whether its path, its name or its text holds a text."""
        values = (self.shown.get(name) for name in _SEARCHED)
        found = (value.lower() if ignore_case else value for value in values if isinstance(value, str))
        return any(text in value for value in found)

    def rank(self, key: str) -> tuple[Any, ...]:
        """Where it stands when a stream is sorted; what has no such value stands last."""
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


def of_file(file: "ListedFile") -> Item:
    shown: Json = {
        "path": file.path,
        "language": file.language_id,
        "line_count": file.line_count,
        "byte_size": file.size_bytes,
        "symbol_count": file.symbol_count,
        "modified": timestamp(datetime.fromtimestamp(file.mtime_ns // _NS, UTC)),
    }
    return Item(file.path, shown, language=file.language_id)


def of_hit(hit: "Hit") -> Item:
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


def of_match(match: "TextMatch") -> Item:
    shown: Json = {"path": match.path, "line": match.line, "column": match.column, "text": match.text}
    if match.scope is not None:
        shown["scope"] = f"{match.scope.kind} {match.scope.name}"
    kind = match.scope.kind if match.scope else ""
    return Item(match.path, shown, (match.line, match.end_line or match.line), kind=kind)


def of_definition(one: "Definition") -> Item:
    return _defined(one.path, one, one.language_id)


def of_entry(path: str, one: "OutlineEntry", language: str) -> Item:
    return _defined(path, one, language)


def _defined(path: str, one: "Definition | OutlineEntry", language: str) -> Item:
    shown: Json = {
        "path": path,
        "start_line": one.start_line,
        "end_line": one.end_line,
        "kind": one.kind,
        "name": one.qualified_name,
        "signature": one.signature,
        "visibility": one.visibility,
    }
    lines = (one.start_line, one.end_line)
    return Item(path, shown, lines, f"{path}#{one.qualified_name}", one.kind, language)


def of_usage(one: "Usage") -> Item:
    shown: Json = {
        "path": one.path,
        "line": one.line,
        "column": one.column,
        "kind": one.kind,
        "name": one.name,
        "confidence": one.confidence,
        "text": one.text,
    }
    if one.around is not None:
        shown["enclosing"] = f"{one.around.kind} {one.around.qualified_name}"
    return Item(one.path, shown, (one.line, one.line), kind=one.kind)


def of_part(part: "CodePart") -> Item:
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
