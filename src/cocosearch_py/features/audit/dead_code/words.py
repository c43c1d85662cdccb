"""Where the names of definitions stand in the texts of an index, whatever stands there. Pure.

Not all that a parser takes for uses is in an index: reads of attributes are not, nor is what stands in texts, templates
and settings. That a name stands nowhere else is the one proof there is that nothing uses it.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from cocosearch_py.languages.liveness import Exports, Liveness

MENTIONED, MEMBER, HANDED_ON = 1, 2, 4  # in a comment or document; behind a dot; in a list of what a file exports
_FLAG_BITS, _LINE_BITS = 3, 24
_MOST_PLACES = 64  # of one name; one that stands in more is in use
_WORD = re.compile(r"((?:(?<!\.)\.#?|#)?)([^\W\d][\w$]*|\$[\w$]*)")
_PLAIN = re.compile(r"[\w$]+")
_ByWord = dict[str, tuple[str, ...]]
_COMPOSED_LEAST = 4  # characters of a part of a name that tell something
_AROUND_CHARS = 400  # of a part, within which it is looked up


@dataclass(slots=True)
class Names:
    """The names that are looked for.

    Attributes:
        wide: they stand for themselves in every file.
        local: by file, names that are looked for in it alone.
        foreign: they stand for themselves in files of other languages only.
    """

    wide: Collection[str] = frozenset()
    foreign: Collection[str] = frozenset()
    local: Mapping[int, Collection[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Places:
    """Where names were found.

    Attributes:
        everywhere: name -> places in all files.
        in_file: (file, name) -> places in it.
        many: names that stand in more places than are kept.
        exports: by file.
        decorators: (file, first line of a definition) -> names of its decorators.
        heads, tails: of names that are put together when a program runs.
        indented: (file, first line) of definitions that do not begin at the margin: in a block or a namespace.
        reflecting: files that take their own definitions by such names.
        registering: files with types that keep a list of those that inherit from them.
        inline: names taken from modules where these are named.
    """

    everywhere: "dict[str, array[int]]" = field(default_factory=lambda: defaultdict(lambda: array("q")))
    in_file: "dict[tuple[int, str], array[int]]" = field(default_factory=lambda: defaultdict(lambda: array("q")))
    many: set[str] = field(default_factory=set)
    exports: dict[int, Exports] = field(default_factory=dict)
    decorators: dict[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)
    indented: set[tuple[int, int]] = field(default_factory=set)
    heads: set[str] = field(default_factory=set)
    tails: set[str] = field(default_factory=set)
    reflecting: set[int] = field(default_factory=set)
    registering: set[int] = field(default_factory=set)
    inline: set[str] = field(default_factory=set)


def packed(file: int, line: int, flags: int = 0) -> int:
    """A place as one number; `file` counts from 0."""
    return (file << _LINE_BITS | line) << _FLAG_BITS | flags


def unpacked(place: int) -> tuple[int, int, int]:
    """The file, line and flags of a place."""
    rest = place >> _FLAG_BITS
    return rest >> _LINE_BITS, rest & (1 << _LINE_BITS) - 1, place & (1 << _FLAG_BITS) - 1


def words_of(text: str) -> set[str]:
    """All words of a text."""
    return set(_PLAIN.findall(text))


class Scanner:
    """Takes the texts of files one after the other."""

    def __init__(self, names: Names) -> None:
        """Look for these names."""
        self._names = names
        self._wide, self._foreign = _by_word(names.wide), _by_word(names.foreign)
        self.places = Places()

    def read(
        self,
        file: int,
        text: str,
        words: Collection[str],
        liveness: Liveness,
        starts: Collection[int],
        *,
        is_foreign: bool,
        is_document: bool,
    ) -> None:
        """Find names in a file.

        Args:
            words: what `words_of` gives.
            is_foreign: it is of no language whose imports decide what is used.
            is_document: whatever stands in it is a mention only.
            starts: first lines of the definitions whose decorators are wanted.
        """
        places, lines = self.places, text.split("\n")
        exports = None
        if liveness.read_exports is not None:
            exports = places.exports[file] = liveness.read_exports(text)
            places.inline |= exports.inline
        self._composed(file, text, liveness, is_document=is_document)
        for start in starts:
            places.decorators[file, start] = _decorators(lines, start, liveness)
            if lines[start - 1][:1].isspace():
                places.indented.add((file, start))
        handed_on = exports.lines if exports is not None else frozenset[int]()
        wanted = self._of_interest(file, words, is_foreign=is_foreign)
        sought = {*wanted[0], *wanted[1]}
        told = _documentation(lines, liveness.quotes) if sought else set[int]()
        for number, line in enumerate(lines, start=1) if sought else ():
            if sought.isdisjoint(_PLAIN.findall(line)):
                continue
            base = MENTIONED if is_document or number in told or liveness.comment.match(line) else 0
            if number in handed_on:
                base |= HANDED_ON
            self._take(file, packed(file, number, base), line, wanted)

    def _take(self, file: int, place: int, line: str, wanted: tuple[_ByWord, _ByWord]) -> None:
        """Note the names of a line: those that are looked for everywhere, and those in this file."""
        for prefix, word in _WORD.findall(line):
            here = place | (MEMBER if prefix[:1] == "." else 0)
            for is_wide, names in zip((True, False), wanted, strict=True):
                for name in names.get(word, ()):
                    if name[0] == "#" and "#" not in prefix:
                        continue
                    if is_wide:
                        self._add(name, here)
                    else:
                        self._add_local(file, name, here)

    def _of_interest(self, file: int, words: Collection[str], *, is_foreign: bool) -> tuple[_ByWord, _ByWord]:
        """Return the wanted words of a text, those wanted everywhere and those wanted in this file."""
        wide = {word: self._wide[word] for word in words if word in self._wide}
        if is_foreign:
            for word in self._foreign.keys() & words:
                wide[word] = (*wide.get(word, ()), *self._foreign[word])
        local = self._names.local.get(file, ())
        return wide, _by_word(name for name in local if name.removeprefix("#") in words)

    def _add_local(self, file: int, name: str, place: int) -> None:
        kept = self.places.in_file[file, name]
        if len(kept) < _MOST_PLACES:
            kept.append(place)

    def _add(self, name: str, place: int) -> None:
        kept = self.places.everywhere[name]
        if len(kept) < _MOST_PLACES:
            kept.append(place)
        elif name not in self.places.many:
            self.places.many.add(name)
            word = name.removeprefix("#")
            for names in (self._wide, self._foreign):
                if left := tuple(one for one in names.pop(word, ()) if one != name):
                    names[word] = left

    def _composed(self, file: int, text: str, liveness: Liveness, *, is_document: bool) -> None:
        places = self.places
        if is_document:
            return
        for found in liveness.composed.finditer(text):
            around = text[max(0, found.start() - _AROUND_CHARS) : found.end() + _AROUND_CHARS]
            if liveness.looks_up.search(around) is None:
                continue
            head, tail = found[1] or "", found[2] or ""
            if len(head) >= _COMPOSED_LEAST or head.endswith("_"):
                places.heads.add(head)
            if len(tail) >= _COMPOSED_LEAST:
                places.tails.add(tail)
        if liveness.reflects.search(text):
            places.reflecting.add(file)
        if liveness.registers.search(text):
            places.registering.add(file)


def _by_word(names: Iterable[str]) -> _ByWord:
    """Names by the word that they are without what stands before it."""
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        word = name.removeprefix("#")
        found[word] = (*found.get(word, ()), name)
    return found


def _decorators(lines: list[str], start: int, liveness: Liveness) -> tuple[str, ...]:
    """The names of what stands directly before or at the beginning of a definition."""
    found, depth = [], 0
    for line in lines[start - 1 : start + 200]:
        if (name := liveness.decorator.match(line)) is not None and not depth:
            found.append(name[1])
        elif not depth and line.strip() and not liveness.comment.match(line):
            break
        depth = max(0, depth + sum(map(line.count, "([{")) - sum(map(line.count, ")]}")))
    for line in reversed(lines[max(0, start - 8) : start - 1]):
        if (name := liveness.decorator.match(line)) is not None:
            found.append(name[1])
        elif not liveness.comment.match(line):
            break
    return tuple(found)


def _documentation(lines: list[str], quotes: Collection[str]) -> set[int]:
    """The lines of texts that document a file or the definition whose head is above them.

    What only looks so, as the end of another text does, is taken for code, where a name counts for more.
    """
    found, end, is_told, opens = set[int](), "", False, True
    for number, line in enumerate(lines, start=1) if quotes else ():
        at = 0
        if end:
            at = line.find(end)
            if is_told:
                found.add(number)
            if at < 0:
                continue
            at, end = at + len(end), ""
        while begins := [(place, one) for one in quotes if (place := line.find(one, at)) >= 0]:
            place, end = min(begins)
            is_told = opens and not line[:place].strip(" \trRuU")
            if is_told:
                found.add(number)
            at = line.find(end, place + len(end))
            if at < 0:
                break
            at, end = at + len(end), ""
        if line.strip():
            opens = line.rstrip().endswith(":")
    return found
