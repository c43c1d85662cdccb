"""Importers of a file's exports, also under other names and through files that re-export them. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from sys import intern
from typing import NamedTuple

from cocosearch_py.features.audit.dead_code.words import MEMBER, MENTIONED, Places, unpacked
from cocosearch_py.features.audit.queries import ImportRow
from cocosearch_py.languages.liveness import Exports
from cocosearch_py.model.references import DEFAULT_EXPORT, WILDCARD

Place = tuple[int, int]  # file and line
Named = tuple[int, frozenset[str]]  # a file, and what it exports under these names


class Importer(NamedTuple):
    """An import that leads to a file."""

    file: int
    line: int
    name: str | None
    alias: str | None


@dataclass(slots=True)
class Imports:
    """The imports of an index; files by their number in the audit.

    Attributes:
        of: file -> who imports it.
        locals: (file, name in it) -> files that imports of this name lead to, and what it is called there; an empty set
            for what is of a library, None among them for a file that is not there.
        loose: names that are imported from files which are not there.
        wholes, named: file -> those of which it imports all, or as a whole; names that it imports one by one.
    """

    of: dict[int, list[Importer]] = field(default_factory=lambda: defaultdict(list))
    locals: dict[tuple[int, str], set[tuple[int | None, str]]] = field(default_factory=dict)
    loose: set[str] = field(default_factory=set)
    wholes: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    named: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def read(cls, rows: Iterable[ImportRow], numbers: dict[int, int], names: Collection[str]) -> "Imports":
        """Of rows, with the numbers of files by their ids; `locals` of these names."""
        made = cls()
        for row in rows:
            file = numbers.get(row.file_id)
            is_named = row.name is not None and row.name not in (WILDCARD, DEFAULT_EXPORT)
            if file is None:
                continue
            name, local = intern(row.name or ""), intern(row.alias or row.name or "")
            target = numbers.get(row.target) if row.target else None
            if target is not None and target != file:
                made.of[target].append(Importer(file, row.line, row.name and name, row.alias and local))
                if is_named:
                    made.named[file].add(local)
                else:
                    made.wholes[file].add(target)
            if row.target == 0:
                made.loose.add(name)
            if is_named and (name in names or local in names):
                found = made.locals.setdefault((file, local), set())
                if row.target is not None:
                    found.add((target, name))
        return made

    def names_behind(self, file: int, defined: dict[int, set[str]]) -> set[str]:
        """All names that a file may offer: its own, and those that it imports."""
        found, seen, left = set[str](), set[int](), [file]
        while left:
            at = left.pop()
            if at not in seen:
                seen.add(at)
                found |= defined.get(at, set()) | self.named.get(at, set())
                left += self.wholes.get(at, ())
        return found

    def origins(self, file: int, name: str, defining: Collection[tuple[int, str]]) -> set[int | None]:
        """The files whose definition a local name means; None among them if that is not known. Empty: a library's."""
        found, seen, left = set[int | None](), set[tuple[int, str]](), [(file, name)]
        while left:
            here = left.pop()
            if here in seen:
                continue
            seen.add(here)
            for target, called in self.locals.get(here, ()):
                if target is not None and (target, called) in defining:
                    found.add(target)
                elif target is not None and (target, called) in self.locals:
                    left.append((target, called))
                else:
                    found.add(None)
        return found


class Taken(NamedTuple):
    """Users of a file's exports; whether it begins a package, and whether there may be other users."""

    places: list[Place]
    is_entry: bool
    is_doubtful: bool


def users_of(imports: Imports, places: Places, of: Named, entries: Collection[int]) -> Taken:
    """Follow the exported names of a definition to whoever uses them."""
    found: list[Place] = []
    is_entry = is_doubtful = False
    seen, left = set[Named](), [of]
    while left:
        here = left.pop()
        if here in seen or not here[1]:
            continue
        seen.add(here)
        is_entry |= here[0] in entries
        for one in imports.of.get(here[0], ()):
            exports = places.exports.get(one.file)
            if exports is None:  # of another language
                found.append((one.file, one.line))
                continue
            used, handed_on = _by(one, exports, places, here[1])
            is_doubtful |= one.name is None and one.line in exports.dynamic
            found += used
            left += handed_on
    return Taken(found, is_entry, is_doubtful)


def _by(one: Importer, exports: Exports, places: Places, wanted: frozenset[str]) -> tuple[list[Place], list[Named]]:
    """Where one import leads to uses of these names, and what it hands on of them."""
    here, hands_on = [(one.file, one.line)], one.line in exports.passed_on
    if one.name == WILDCARD or (one.name is None and hands_on):
        if hands_on and one.alias is None:
            return [], [(one.file, wanted - {DEFAULT_EXPORT})]
        return here, []
    if one.name is not None:
        if one.name not in wanted:
            return [], []
        return ([], [(one.file, frozenset({one.alias or one.name}))]) if hands_on else (here, [])
    is_dynamic = one.line in exports.dynamic
    if one.alias in exports.escaped or (is_dynamic and DEFAULT_EXPORT in wanted):
        return here, []
    found = []
    for name in wanted if is_dynamic or one.alias is not None else ():
        for place in places.in_file.get((one.file, name), ()):
            _, line, flags = unpacked(place)
            if not flags & MENTIONED and (is_dynamic or flags & MEMBER):
                found.append((one.file, line))
    return found, []
