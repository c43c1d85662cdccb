"""Sets one table `[section.name]` in the text of a TOML document; all other lines stay as they are. Pure.

The edit works on lines; a TOML parser then checks that the result says what it must, so that a form the line rules do
not know is refused and never damaged.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from cocosearch_py.errors import ConfigurationError

_HEADER = re.compile(r"^\s*\[")
_KEY = re.compile(r"^\s*([A-Za-z0-9_-]+)\s*=")


def parse(text: str, name: str) -> dict[str, Any]:
    """The document. Raises ConfigurationError when it is not valid."""
    try:
        return tomllib.loads(_unix(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(
            f"{name} is not valid TOML: {error}", hint="fix the file; nothing was written"
        ) from error


def set_table(text: str, section: str, name: str, value: Mapping[str, Any]) -> str:
    """Make the table have exactly these values; a new one is appended.

    Lines of an existing table whose values stay, comments among them, are kept. So are its sub-tables, unless `value`
    has none of that name.

    Raises:
        ConfigurationError: the table is written in a form that only a person can change.
    """
    before = parse(text, "the file")
    section_before = before.get(section, {})
    old = section_before.get(name) if isinstance(section_before, dict) else None
    lines = _unix(text).splitlines()
    changed = _appended(lines, section, name, value) if old is None else _replaced(lines, (section, name), old, value)
    result = "\n".join(changed).rstrip("\n") + "\n"
    others = section_before if isinstance(section_before, dict) else {}
    wanted = {**before, section: {**others, name: dict(value)}}
    try:
        good = tomllib.loads(result) == wanted
    except tomllib.TOMLDecodeError:
        good = False
    if not good:
        raise ConfigurationError(
            f"'{section}.{name}' is written in a form that cannot be edited safely",
            hint=f"write it as a table [{section}.{name}] by hand; nothing was written",
        )
    return result.replace("\n", "\r\n") if "\r\n" in text else result


def _appended(lines: list[str], section: str, name: str, value: Mapping[str, Any]) -> list[str]:
    gap = [""] if any(line.strip() for line in lines) else []
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return [*lines, *gap, f"[{section}.{name}]", *_statements(value)]


def _replaced(lines: list[str], path: tuple[str, str], old: Mapping[str, Any], value: Mapping[str, Any]) -> list[str]:
    header = _header_pattern(path, "")
    changed = {key: item for key, item in value.items() if old.get(key) != item}
    gone = {key for key in old if key not in value}
    result: list[str] = []
    for block in _blocks(lines):
        if header.match(block[0]):
            result += [block[0], *_statements(changed), *_without(block[1:], gone | set(changed))]
        elif not any(_header_pattern(path, key).match(block[0]) for key in gone):
            result += block
    return result


def _header_pattern(path: tuple[str, str], below: str) -> re.Pattern[str]:
    """Matches `[section.name]`, with `below` that of a sub-table and of everything under it."""
    parts = [_any_quotes(part) for part in (*path, *([below] if below else []))]
    rest = r"\s*(?:\..*)?" if below else r"\s*"
    return re.compile(r"^\s*\[\s*" + r"\s*\.\s*".join(parts) + rest + r"\]")


def _any_quotes(part: str) -> str:
    plain = re.escape(part)
    return f"(?:{plain}|\"{plain}\"|'{plain}')"


def _blocks(lines: list[str]) -> list[list[str]]:
    """Cut before every line that begins like a header; what stands before the first is a block too."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if _HEADER.match(line) and blocks[-1]:
            blocks.append([])
        blocks[-1].append(line)
    return [block for block in blocks if block]


def _without(lines: list[str], keys: set[str]) -> list[str]:
    """Leave out the statements of these keys, also where they have several lines."""
    kept: list[str] = []
    at = 0
    while at < len(lines):
        match = _KEY.match(lines[at])
        if match is None or match.group(1) not in keys:
            kept.append(lines[at])
            at += 1
            continue
        at += 1
        begun = at - 1
        while at < len(lines) and not _complete(lines[begun:at]):
            at += 1
    return kept


def _complete(lines: list[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _statements(value: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_literal(item)}" for key, item in value.items()]


def _literal(value: Any) -> str:
    """A string, boolean or list of strings; JSON's escapes are TOML's, except that of the delete character."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
