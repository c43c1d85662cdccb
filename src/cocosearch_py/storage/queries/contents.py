"""The passages and definitions of an index in memory: what an answer shows, where many questions are asked."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg

from cocosearch_py.model.search import Member
from cocosearch_py.storage.queries.facts import ALIKE_CHARS, MOST_NAMES
from cocosearch_py.storage.queries.passages import EnclosingDefinition, NamedDefinition
from cocosearch_py.storage.queries.search import MAX_DEFINITIONS, ChunkKey, Definition, LegScores
from cocosearch_py.storage.queries.target import Target, parameters, statement
from cocosearch_py.storage.queries.texts import HitText, Reach, Read
from cocosearch_py.storage.statements import Rows, run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PASSAGE_BYTES = 2_600  # of a passage with its definitions, about
_SEPARATOR = "\0"  # no name has one
_NO_ROWS = slice(0, 0)
_depth = attrgetter("function_depth", "nested")

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Contents:
    """The passages and definitions of a whole index as one snapshot has them; nothing changes it.

    Each method gives what the function named in it reads of an index without filters.

    Args:
        passages: by file and number, with the columns of `read_contents`.
        definitions: by file and number (0, 1, ... in each file), with the columns of `read_contents`, which begin
            as those of `Definition`.
    """

    passages: Rows
    definitions: Rows

    @property
    def size_bytes(self) -> int:
        """About."""
        return PASSAGE_BYTES * len(self.passages)

    def find_definitions(
        self, named: Sequence[str], others: Sequence[str], file_ids: Sequence[int]
    ) -> list[Definition]:
        """See `search.finding_definitions`."""
        found: list[Definition] = []
        files, everywhere = set(file_ids), set(named)
        for key in dict.fromkeys([*named, *others]):
            rows = [self.definitions[row] for row in self._by_key.get(key, ())]
            defined = [Definition._make(row[:11]) for row in rows if key in everywhere or row[0] in files]
            defined.sort(key=_depth)
            found += defined
        return found[:MAX_DEFINITIONS]

    def find_dotted_definitions(self, key: str, file_ids: Sequence[int]) -> list[Definition]:
        """See `search.find_dotted_definitions`."""
        files, end = set(file_ids), f".{key}"
        rows = [row for row in self._dotted if row[3].endswith(end) and row[0] in files]
        return [Definition._make(row[:11]) for row in rows]

    def find_named(
        self, keys: Sequence[ChunkKey], kinds: Collection[str], starts: Sequence[str]
    ) -> dict[ChunkKey, list[NamedDefinition]]:
        """See `passages.finding_named`; one of the starts stands in the lookup key of each name."""
        found: dict[ChunkKey, list[NamedDefinition]] = {}
        for key in keys:
            if (place := self._places.get(key)) is None:
                continue
            file_id, chunk_no = key
            rows = set(self._starting.get(key, ()))
            if (about := self.passages[place][7]) is not None:
                rows.add(self._of_file(file_id).start + about)
            for row in sorted(rows):
                _, start_no, symbol_no, name_key, name, kind = self.definitions[row][:6]
                if kind in kinds and any([start in name_key for start in starts]):
                    named = NamedDefinition(file_id, chunk_no, symbol_no, kind, name, start_no == chunk_no)
                    found.setdefault(key, []).append(named)
        return found

    def read_passages(self, wanted: Mapping[ChunkKey, LegScores], reach: Reach, *, with_members: bool) -> Read:
        """See `texts.read_passages`."""
        read = Read({}, {}, self._members if with_members else _no_members)
        for key, scores in wanted.items():
            place = self._places[key]
            passage = self.passages[place]
            start, end = passage[2:4]
            read.texts[key] = HitText._make((*passage[:8], *scores, *passage[8:], *self._around(place, reach)))
            rows = self._of_file(key[0])
            firsts, lasts = self._lines[:, rows]
            inside = self._chosen(rows, (firsts <= end) & (lasts >= start))
            if inside:
                read.definitions[key] = [_enclosing(key, row) for row in inside]
        return read

    def texts_of(self, keys: Sequence[ChunkKey]) -> list[tuple[int, int, str]]:
        """See `passages.contents_of`."""
        places = [(key, self._places.get(key)) for key in keys]
        return [(*key, self.passages[place][4]) for key, place in places if place is not None]

    def matching(self, keys: Sequence[ChunkKey], words: str) -> list[ChunkKey] | None:
        """Those of the passages that match a `words_pattern`.

        None where a letter beyond ASCII counts: what is one, and in either case, the server's locale says.
        """
        if not words.isascii():
            return None
        pattern = words.replace(r"\m", r"(?<!\w)").replace(r"\M", r"(?!\w)")
        search = re.compile(pattern, re.ASCII | re.IGNORECASE).search
        held: list[ChunkKey] = []
        for file_id, chunk_no, text in self.texts_of(keys):
            if found := search(text):
                if not text[max(0, found.start() - 1) : found.end() + 1].isascii():
                    return None
                held.append((file_id, chunk_no))
        return held

    def names_like(self, text: str) -> list[str]:
        """See `facts.names_like`."""
        names, starts, joined = self._names
        held, begun = text.lower(), text[:ALIKE_CHARS].lower()
        found = {names[bisect_right(starts, place) - 1] for place in _places_of(held, joined)}
        nearest = sorted(found, key=lambda name: (len(name), name))[:MOST_NAMES]
        alike = {names[bisect_right(starts, place + 1) - 1] for place in _places_of(_SEPARATOR + begun, joined)}
        return sorted({*nearest, *alike})[:MOST_NAMES]

    @cached_property
    def _places(self) -> dict[ChunkKey, int]:
        return {row[:2]: place for place, row in enumerate(self.passages)}

    @cached_property
    def _files(self) -> dict[int, slice]:
        """Where the definitions of each file are."""
        firsts = {row[0]: place for place, row in reversed(list(enumerate(self.definitions)))}
        ends = {row[0]: place + 1 for place, row in enumerate(self.definitions)}
        return {file_id: slice(first, ends[file_id]) for file_id, first in firsts.items()}

    @cached_property
    def _lines(self) -> "NDArray[np.int32]":
        """Of each definition its first and last line, as one row each."""
        import numpy as np

        columns = [list(map(itemgetter(column), self.definitions)) for column in (8, 9)]
        return np.array(columns, np.int32)

    @cached_property
    def _starting(self) -> dict[ChunkKey, tuple[int, ...]]:
        """Where the definitions are that start in each passage."""
        return _grouped([row[:2] for row in self.definitions])

    @cached_property
    def _by_key(self) -> dict[str, tuple[int, ...]]:
        """Where the definitions of each name key are."""
        return _grouped([row[3] for row in self.definitions])

    @cached_property
    def _dotted(self) -> Rows:
        return [row for row in self.definitions if "." in row[3]]

    @cached_property
    def _names(self) -> tuple[list[str], list[int], str]:
        """All names, where each begins in the text that has them in lower case, and this text."""
        names = list(dict.fromkeys(map(itemgetter(4), self.definitions)))
        lowered = [f"{_SEPARATOR}{name.lower()}" for name in names]
        return names, list(accumulate(map(len, lowered[:-1]), initial=0)), "".join(lowered)

    def _of_file(self, file_id: int) -> slice:
        return self._files.get(file_id, _NO_ROWS)

    def _chosen(self, rows: slice, chosen: "NDArray[np.bool_]") -> Rows:
        return [self.definitions[rows.start + place] for place in chosen.nonzero()[0].tolist()]

    def _around(self, place: int, reach: Reach) -> tuple[int | None, str | None]:
        """The first line and the text of the passages that have the lines around one, with this one."""
        if not any(reach):
            return None, None
        rows = self.passages
        file_id, _, start, end = rows[place][:4]
        least, most = max(0, place - reach.before), min(len(rows), place + reach.after + 1)
        first, last = place, place + 1
        while first > least and (row := rows[first - 1])[0] == file_id and row[3] >= start - reach.before:
            first -= 1
        while last < most and (row := rows[last])[0] == file_id and row[2] <= end + reach.after:
            last += 1
        return rows[first][2], "".join([row[4] for row in rows[first:last]])

    def _members(self, file_id: int, owner: str) -> list[Member]:
        """See `Read.members`."""
        begin = f"{owner}."
        below = [row for row in self.definitions[self._of_file(file_id)] if row[10].startswith(begin)]
        own = [row for row in below if len(row[10]) == len(begin) + len(row[4]) and row[10].endswith(row[4])]
        return [Member(row[5], row[4], row[8]) for row in sorted(own, key=itemgetter(8, 2))]


def _enclosing(key: ChunkKey, row: tuple[Any, ...]) -> EnclosingDefinition:
    _, start_no, symbol_no, _, name, kind, _, _, first, last, qualified_name, signature = row
    of_name = (*key, symbol_no, kind, name, qualified_name, signature)
    return EnclosingDefinition._make((*of_name, first, last, start_no == key[1]))


def _grouped(keys: Iterable[K]) -> dict[K, tuple[int, ...]]:
    """Where each key stands among all."""
    found: defaultdict[K, list[int]] = defaultdict(list)
    for place, key in enumerate(keys):
        found[key].append(place)
    return {key: tuple(places) for key, places in found.items()}


def _no_members(_file_id: int, _owner: str) -> list[Member]:
    return []


def _places_of(text: str, joined: str) -> Iterator[int]:
    place = joined.find(text)
    while place >= 0:
        yield place
        place = joined.find(text, place + 1)


def read_contents(conn: psycopg.Connection, target: Target) -> Contents:
    """All passages and definitions of an index."""
    passages = statement(
        "SELECT file_id, chunk_no, start_line, end_line, content, block_type, hierarchy, symbol_no, size_bytes, "
        "mtime_ns, content_hash, start_byte FROM {chunks} c JOIN {files} f USING (file_id) ORDER BY file_id, chunk_no",
        target,
    )
    definitions = statement(
        "SELECT file_id, chunk_no, symbol_no, name_key, name, kind, nested, function_depth, start_line, end_line, "
        "qualified_name, signature FROM {symbols} s ORDER BY file_id, symbol_no",
        target,
    )
    values = parameters(target)
    return Contents(*(run(conn, query, values, prepare=False) for query in (passages, definitions)))
