"""Reads files into a stream of tokens, finds what is in it more than once, and says where that stands."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from cocosearch_py.discovery.reading import Reader
from cocosearch_py.features.audit.duplicates.clones import CloneGroup, group_clones
from cocosearch_py.features.audit.duplicates.repeats import find_repeats
from cocosearch_py.features.audit.duplicates.stream import StreamBuilder, TokenStream
from cocosearch_py.features.audit.files import read_text
from cocosearch_py.features.audit.findings import Place
from cocosearch_py.parsing.parsers import keywords
from cocosearch_py.parsing.tokens import KINDS, MARK, NAME, token_spans

MIN_TOKENS = 50
# Lists of names and values are alike everywhere: what is renamed must have some different marks and keywords.
_LEAST_MARKS = 7
_LINE_END = re.compile(rb"\n")


@dataclass(frozen=True, slots=True)
class Clone:
    """Code that stands at two places or more.

    Attributes:
        renamed: names, one for one, or literals differ.
        tokens: how many each place has.
        places: by path and line.
        digest: of the tokens of the first place; what is left of them when names and literals are, where renamed.
    """

    renamed: bool
    tokens: int
    places: tuple[Place, ...]
    digest: str


@dataclass(slots=True)
class Clones:
    """Clones found, the largest first.

    Attributes:
        unread: files that could not be read, and why.
        too_large: files that have more tokens than are compared.
    """

    clones: list[Clone] = field(default_factory=list)
    file_count: int = 0
    unread: dict[str, str] = field(default_factory=dict)
    too_large: list[str] = field(default_factory=list)


def find_clones(reader: Reader, files: Iterable[tuple[str, str]], min_tokens: int = MIN_TOKENS) -> Clones:
    """Find all code that stands more than once in some files.

    Args:
        reader: of the root's files.
        files: path and language id of each, in the order in which places are to be told.
    """
    found, builder, read = Clones(), StreamBuilder(), list[tuple[str, str]]()
    for path, language_id in files:
        source = read_text(reader, path)
        if isinstance(source, str):
            found.unread[path] = source
        elif builder.add(language_id, source):
            read.append((path, language_id))
        else:
            found.too_large.append(path)
    found.file_count = len(read)
    starts, groups = _groups(builder.build(), min_tokens)
    del builder  # what is left are groups: tokens are read again, a file at a time
    found.clones = _located(reader, read, starts, groups)
    return found


def _groups(stream: TokenStream, min_tokens: int) -> tuple[list[int], list[tuple[bool, CloneGroup]]]:
    """Where each file begins in a stream, and the groups of it, each with whether it is of renamed copies."""
    covered = np.zeros(len(stream.ids), bool)
    groups = []
    for renamed in (False, True):
        found = group_clones(find_repeats(stream, min_tokens, renamed=renamed), min_tokens, covered)
        groups += [(renamed, one) for one in found]
    return stream.starts.tolist(), groups


@dataclass(slots=True)
class _Piece:
    """One stretch of a group, read again.

    Attributes:
        digest: of its tokens, or of what is left of them when names and literals are.
        says_enough: there are enough different ones left of these.
    """

    group: int
    place: Place
    digest: str
    says_enough: bool = True


def _located(
    reader: Reader, files: Sequence[tuple[str, str]], starts: Sequence[int], groups: Sequence[tuple[bool, CloneGroup]]
) -> list[Clone]:
    """The places of groups, where the files still say what they said; largest first."""
    by_file: dict[int, list[tuple[int, int, int]]] = {}
    is_renamed = [renamed for renamed, _ in groups]
    for number, (_, group) in enumerate(groups):
        for position in group.positions:
            file = bisect_right(starts, position) - 1
            by_file.setdefault(file, []).append((number, position - starts[file], group.length))
    pieces: dict[int, list[_Piece]] = {}
    for file in sorted(by_file):
        path, language_id = files[file]
        count = starts[file + 1] - starts[file]
        for piece in _pieces(reader, path, language_id, count, by_file[file], is_renamed):
            pieces.setdefault(piece.group, []).append(piece)
    result = []
    for number, (renamed, group) in enumerate(groups):
        if (clone := _clone(renamed, group.length, pieces.get(number, []))) is not None:
            result.append(clone)
    return sorted(result, key=lambda one: (-one.tokens * (len(one.places) - 1), one.places))


def _pieces(
    reader: Reader,
    path: str,
    language_id: str,
    count: int,
    wanted: Sequence[tuple[int, int, int]],
    is_renamed: Sequence[bool],
) -> list[_Piece]:
    """Stretches of a file by group, first token and length; none if it has changed meanwhile."""
    source = read_text(reader, path)
    if isinstance(source, str):
        return []
    spans = token_spans(language_id, source)
    if len(spans) != count:
        return []
    lines = [0, *(found.end() for found in _LINE_END.finditer(source))]
    result = []
    for group, begin, length in wanted:
        first, last = spans[begin][0], spans[begin + length - 1][1]
        top, bottom = bisect_right(lines, first), bisect_right(lines, last - 1)
        place = Place(
            path, top, bottom, _column(source, lines[top - 1], first), _column(source, lines[bottom - 1], last)
        )
        words, says_enough = [source[at:end] for at, end in spans[begin : begin + length]], True
        if is_renamed[group]:
            shape = _shape(words, language_id)
            says_enough = len({word for word in shape if isinstance(word, bytes)}) >= _LEAST_MARKS
            words = [word if isinstance(word, bytes) else b"%d" % word for word in shape]
        digest = blake2b(b"\0".join(words), digest_size=10).hexdigest()
        result.append(_Piece(group, place, digest, says_enough))
    return result


def _column(source: bytes, line: int, at: int) -> int:
    return len(source[line:at].decode("utf-8", "replace")) + 1


def _clone(renamed: bool, length: int, pieces: list[_Piece]) -> Clone | None:
    """A clone of the pieces that say the same as the first; None if there is none."""
    if len(pieces) < 2:
        return None
    alike = [piece.place for piece in pieces if piece.digest == pieces[0].digest]
    if len(alike) < 2 or not pieces[0].says_enough:
        return None
    return Clone(renamed, length, tuple(sorted(alike)), pieces[0].digest)


def _shape(words: Sequence[bytes], language_id: str) -> list[bytes | int]:
    """Tokens, with the number of a name's first one for names, and -1 for literals."""
    known, seen = keywords(language_id), dict[bytes, int]()
    result: list[bytes | int] = []
    for word in words:
        kind = KINDS[word[0]]
        if kind == MARK or (kind == NAME and (word in known or not known)):
            result.append(word)
        else:
            result.append(seen.setdefault(word, len(seen)) if kind == NAME else -1)
    return result
