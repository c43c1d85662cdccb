"""Sets one member in the text of a JSON document; every other character stays as it is. Pure.

Comments and trailing commas are refused: what a client with its own dialect would make of the result is not known.
"""

import json
import re
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from cocosearch_py.errors import ConfigurationError

_SPACE = re.compile(r"[ \t\r\n]*")
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_BOM = "\ufeff"
_DEFAULT_INDENT = "  "
_decoder = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class _Member:
    start: int  # of the value
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """Where an object of the text and its members are."""

    start: int
    end: int
    members: dict[str, _Member]
    doubled: frozenset[str]


def parse(text: str, name: str) -> dict[str, Any]:
    """The document's object, {} for an empty text. Raises ConfigurationError for anything else."""
    body = text.removeprefix(_BOM)
    if not body.strip():
        return {}
    try:
        value = json.loads(body)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        if _has_comments(body):
            raise ConfigurationError(
                f"{name} has comments or trailing commas ({where}), which an edit could destroy",
                hint="add the entry by hand (see docs/clients.md), or remove them first",
            ) from error
        raise ConfigurationError(
            f"{name} is not valid JSON: {error.msg} ({where})", hint="fix the file; nothing was written"
        ) from error
    except RecursionError as error:
        raise ConfigurationError(f"{name} is nested too deeply", hint="fix the file; nothing was written") from error
    if not isinstance(value, dict):
        raise ConfigurationError(f"{name} is not a JSON object", hint="fix the file; nothing was written")
    return value


def set_member(text: str, section: str, name: str, value: object) -> str:
    """Set `section.name` of a document that `parse` accepts; new members come last.

    Raises:
        ConfigurationError: the section is not an object, or a key on the way appears twice.
    """
    bom = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    if not body.strip():
        return bom + json.dumps({section: {name: value}}, indent=2, ensure_ascii=False) + "\n"
    style = _style(body)
    root = _scan(body, _SPACE.match(body, 0).end())  # type: ignore[union-attr]
    if section not in root.members:
        return bom + _insert(body, root, section, {name: value}, (style, 1))
    _refuse_doubled(root, section)
    at = root.members[section].start
    if body[at] != "{":
        raise ConfigurationError(f"'{section}' is not an object", hint="fix the file; nothing was written")
    inner = _scan(body, at)
    if name not in inner.members:
        return bom + _insert(body, inner, name, value, (style, 2))
    _refuse_doubled(inner, name)
    member = inner.members[name]
    inline = "\n" not in body[inner.start : inner.end]
    return bom + body[: member.start] + _dump(value, None if inline else style, 2, body) + body[member.end :]


def append_item(text: str, section: str, name: str, value: object) -> str:
    """Put an item at the end of the array `section.name`, which is made where it is missing.

    Raises:
        ConfigurationError: the section is not an object, the member no array, or a key on the way appears twice.
    """
    bom = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    root = _scan(body, _skip(body, 0)) if body.strip() else None
    if root is None or section not in root.members:
        return set_member(text, section, name, [value])
    _refuse_doubled(root, section)
    at = root.members[section].start
    inner = _scan(body, at) if body[at] == "{" else None
    if inner is None or name not in inner.members:
        return set_member(text, section, name, [value])  # which refuses what is not an object
    _refuse_doubled(inner, name)
    member = inner.members[name]
    if body[member.start] != "[":
        raise ConfigurationError(f"'{section}.{name}' is not an array", hint="fix the file; nothing was written")
    return bom + body[: member.start] + _appended(body[member.start : member.end], value, body) + body[member.end :]


def _appended(array: str, value: object, body: str) -> str:
    """The text of an array with one more item, on lines of its own unless the array is all on one line."""
    inside = array[1:-1].rstrip(" \t\r\n")
    comma = "," if inside.strip() else ""
    if comma and "\n" not in array:
        return f"[{inside}, {json.dumps(value, ensure_ascii=False)}]"
    style, newline = _style(body), "\r\n" if "\r\n" in body else "\n"
    item = _dump(value, style, 3, body)
    return f"[{inside.rstrip() if comma else ''}{comma}{newline}{style * 3}{item}{newline}{style * 2}]"


def _insert(body: str, into: _Object, name: str, value: object, place: tuple[str, int]) -> str:
    """Add a member as the last of an object, on a line of its own unless the object is all on one line."""
    style, depth = place
    newline = "\r\n" if "\r\n" in body else "\n"
    key = json.dumps(name, ensure_ascii=False)
    last = max((member.end for member in into.members.values()), default=into.start + 1)
    inline = bool(into.members) and "\n" not in body[into.start : into.end]
    if inline:
        return f"{body[:last]}, {key}: {_dump(value, None, depth, body)}{body[last:]}"
    comma = "," if into.members else ""
    added = f"{comma}{newline}{style * depth}{key}: {_dump(value, style, depth, body)}"
    closing = f"{newline}{style * (depth - 1)}" if not into.members else body[last : into.end - 1]
    return body[:last] + added + closing + body[into.end - 1 :]


def _dump(value: object, style: str | None, depth: int, body: str) -> str:
    if style is None:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, indent=style, ensure_ascii=False).split("\n")
    newline = "\r\n" if "\r\n" in body else "\n"
    return f"{newline}{style * depth}".join(lines)


def _style(body: str) -> str:
    """The indent of the first indented line."""
    match = _INDENT.search(body)
    return match.group(1) if match else _DEFAULT_INDENT


def _scan(body: str, start: int) -> _Object:
    """Find the members of the object that begins at `start`; the text is known to be valid."""
    members: dict[str, _Member] = {}
    doubled = set()
    at = _skip(body, start + 1)
    while body[at] != "}":
        key, at = scanstring(body, at + 1)
        at = _skip(body, _skip(body, at) + 1)
        _, end = _decoder.raw_decode(body, at)
        if key in members:
            doubled.add(key)
        members[key] = _Member(at, end)
        at = _skip(body, end)
        if body[at] == ",":
            at = _skip(body, at + 1)
    return _Object(start, at + 1, members, frozenset(doubled))


def _skip(body: str, at: int) -> int:
    match = _SPACE.match(body, at)
    return match.end() if match else at


def _refuse_doubled(where: _Object, key: str) -> None:
    if key in where.doubled:
        raise ConfigurationError(f"the key '{key}' appears twice", hint="remove one of them; nothing was written")


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_COMMENT = re.compile(r"//|/\*|,\s*[}\]]")


def _has_comments(body: str) -> bool:
    return _COMMENT.search(_STRING.sub('""', body)) is not None
