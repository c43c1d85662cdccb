"""Attributes of files in a repository's .gitattributes: `linguist-vendored`, `-generated`, `-documentation`.

Read as git does (gitattributes(5)): the last line of a file that matches decides, a deeper file over one above it,
`info/attributes` over all; `-name` unsets, `!name` leaves it open, macros are expanded. A user's own attributes file is
not looked at: it says nothing of the repository. Runs no git; a test compares the answers with git's.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from cocosearch_py.discovery.gitignore import Pattern, compile_patterns, read_lines, union_of
from cocosearch_py.discovery.repository import Repository, find_repository
from cocosearch_py.discovery.rules import GIT_NAME

VENDORED, GENERATED, DOCUMENTATION = "linguist-vendored", "linguist-generated", "linguist-documentation"
ATTRIBUTES = frozenset({VENDORED, GENERATED, DOCUMENTATION})

FILE_NAME = ".gitattributes"
_MACRO = b"[attr]"
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


@dataclass(frozen=True, slots=True)
class Said:
    """Value of one attribute of a file; None where it is left open. `rule` is for people."""

    value: bool | None
    rule: str


_Assigned = tuple[tuple[str, bool | None], ...]  # attributes with their values; the last one of a name counts


@dataclass(frozen=True, slots=True)
class _Line:
    pattern: Pattern
    assigned: _Assigned


@dataclass(frozen=True, slots=True)
class _Level:
    """One file: its lines mean a path of the walk without its first `cut` bytes, after `prefix`.

    `any_line` matches what one of its lines matches.
    """

    lines: tuple[_Line, ...]
    prefix: bytes
    cut: int
    any_line: re.Pattern[bytes] | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Rules for the files of one folder, the strongest last; `macros` maps names to the attributes they stand for."""

    levels: tuple[_Level, ...]
    info: tuple[_Level, ...]
    macros: Mapping[str, _Assigned]


class AttributeFiles(Protocol):
    """Where files of attributes are read, and where repositories begin."""

    def lines(self, path: Path) -> list[bytes] | None:
        """Lines of a file; None where there is none."""

    def repository(self, folder: Path) -> Repository | None:
        """The repository that a folder is in."""

    def begins_repository(self, folder: Path) -> bool:
        """Whether a folder below the root has a repository of its own."""


class _OnDisk:
    """The files as they are on disk."""

    def lines(self, path: Path) -> list[bytes] | None:
        return read_lines(path)

    def repository(self, folder: Path) -> Repository | None:
        return find_repository(folder)

    def begins_repository(self, folder: Path) -> bool:
        return os.path.lexists(folder / GIT_NAME)


ON_DISK = _OnDisk()


@dataclass(slots=True)
class Attributes:
    """Answers for the files below `root`; reads each folder's file once, when one of its files is asked about.

    `files` are the .gitattributes files that a walk has seen below the root; others are not looked for there.
    """

    root: Path
    files: frozenset[str]
    kept: AttributeFiles = ON_DISK
    _places: dict[str, _Place] = field(default_factory=dict)

    def of(self, path: str) -> dict[str, Said]:
        """Return the values of the three attributes of a file, relative to the root; unset ones are left out."""
        place = self._place(path.rpartition("/")[0])
        if not (place.levels or place.info):
            return {}
        said: dict[str, Said] = {}
        encoded = os.fsencode(path)
        for level in reversed((*place.levels, *place.info)):
            inner = level.prefix + encoded[level.cut :]
            if level.any_line is None or level.any_line.fullmatch(inner) is None:
                continue
            for line in reversed(level.lines):
                if line.pattern.fits(inner):
                    _add(said, line.assigned, line.pattern.rule, place.macros)
        return {name: one for name, one in said.items() if name in ATTRIBUTES}

    def _place(self, folder: str) -> _Place:
        if (known := self._places.get(folder)) is not None:
            return known
        unknown = [folder]  # from below; a path may have more folders than a stack has room for
        while (above := unknown[-1].rpartition("/")[0]) not in self._places and unknown[-1]:
            unknown.append(above)
        for one in reversed(unknown):
            self._places[one] = self._look(one)
        return self._places[folder]

    def _look(self, folder: str) -> _Place:
        if not folder:
            return self._start(self.root, folder)
        above = self._place(folder.rpartition("/")[0])
        source = f"{folder}/{FILE_NAME}"
        if source not in self.files and not (above.levels or above.info):
            return above
        if self.kept.begins_repository(self.root / folder):
            return self._start(self.root / folder, folder)
        if source not in self.files:
            return above
        own = _read(self.kept.lines(self.root / source), source, above.macros, b"", len(os.fsencode(folder)) + 1)
        return _Place((*above.levels, own), above.info, above.macros) if own.lines else above

    def _start(self, at: Path, folder: str) -> _Place:
        """Begin with the repository that `at` is in: its own attributes, and the files from its top down to `at`."""
        repository = self.kept.repository(at)
        top = at if repository is None else repository.root
        above = os.fsencode(os.path.relpath(at, top).replace(os.sep, "/")).split(b"/") if at != top else []
        cut = len(os.fsencode(folder)) + 1 if folder else 0
        whole = b"".join(part + b"/" for part in above)
        info_file = None if repository is None else repository.common_dir / "info" / "attributes"
        info_lines = self.kept.lines(info_file) if info_file else None
        macros = {**_macros(self.kept.lines(top / FILE_NAME)), **_macros(info_lines)}
        levels = []
        for depth in range(len(above) + 1):
            place = Path(os.fsdecode(os.path.join(os.fsencode(top), *above[:depth])))
            source = "../" * (len(above) - depth) + (f"{folder}/" if folder and depth == len(above) else "") + FILE_NAME
            lines = self.kept.lines(place / FILE_NAME)
            levels.append(_read(lines, source, macros, b"".join(p + b"/" for p in above[depth:]), cut))
        info = _read(info_lines, "info/attributes", macros, whole, cut)
        return _Place(_telling(levels), _telling([info]), macros)


def _telling(levels: list[_Level]) -> tuple[_Level, ...]:
    return tuple(level for level in levels if level.lines)


def _add(said: dict[str, Said], assigned: _Assigned, place: str, macros: Mapping[str, _Assigned]) -> None:
    """Add what is not decided yet, the last first; a macro that is set by this is set with all that it stands for."""
    for name, value in reversed(assigned):
        if name not in said:
            sign = "!" if value is None else "" if value else "-"
            said[name] = Said(value, f"{place}: {sign}{name}")
            if value and name in macros:
                _add(said, macros[name], place, macros)


def _entries(lines: list[bytes] | None) -> Iterator[tuple[int, bytes, _Assigned]]:
    """(line number, pattern, what it assigns) of each line; nothing when the file cannot be read."""
    for number, line in enumerate(lines or (), start=1):
        text = line.strip(b" \t")
        if not text or text.startswith(b"#"):
            continue
        quoted = _QUOTED.match(text)
        pattern = _unquoted(quoted[1]) if quoted else text.split(None, 1)[0]
        rest = text[quoted.end() :] if quoted else text[len(pattern) :]
        yield number, pattern, tuple(map(_assignment, rest.decode("utf-8", "replace").split()))


def _assignment(word: str) -> tuple[str, bool | None]:
    """An attribute and its value; Linguist takes the text `false` for unset, and any other for set."""
    name, _, text = word.lstrip("-!").partition("=")
    return name, None if word.startswith("!") else not (word.startswith("-") or text == "false")


def _macros(lines: list[bytes] | None) -> dict[str, _Assigned]:
    """Name -> what it stands for, of the macros that a file defines."""
    return {
        pattern.removeprefix(_MACRO).decode("utf-8", "replace"): assigned
        for _, pattern, assigned in _entries(lines)
        if pattern.startswith(_MACRO)
    }


def _read(text: list[bytes] | None, source: str, macros: Mapping[str, _Assigned], prefix: bytes, cut: int) -> _Level:
    lines = []
    for number, pattern, assigned in _entries(text):
        telling = tuple(pair for pair in assigned if pair[0] in ATTRIBUTES or pair[0] in macros)
        if not telling or pattern.startswith((b"!", _MACRO)):  # git refuses patterns that negate
            continue
        # What begins with # is no comment in quotes.
        compiled = compile_patterns([b"\\" + pattern if pattern.startswith(b"#") else pattern], "").patterns
        named = [replace(one, rule=f"{source}:{number}") for one in compiled if not one.directory_only]
        lines += [_Line(one, telling) for one in named]
    return _Level(tuple(lines), prefix, cut, union_of([line.pattern for line in lines]))


def _unquoted(quoted: bytes) -> bytes:
    """The text of a pattern in double quotes, with C's escapes."""
    parts = re.split(rb'\\([abtnvfr"\\]|[0-7]{3})', quoted)
    for place in range(1, len(parts), 2):
        escape = parts[place].decode()
        parts[place] = bytes([_ESCAPES[escape] if escape in _ESCAPES else int(escape, 8) & 0xFF])
    return b"".join(parts)
