"""Tokens of many files as numbers, five bytes each: enough to compare them, without their texts."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cocosearch_py.parsing.parsers import keywords
from cocosearch_py.parsing.tokens import KINDS, MARK, NAME, tokens

MARKED, LITERAL, NAMED = 0, 1, 2  # Codes: a mark or keyword, a literal, names from here on.
FARTHEST = 255 - NAMED  # Maximum distance to a name's last use, in tokens.
MAX_TOKENS = 60_000_000  # of all files: 300 MB, twice that while they are compared
# A file of more is data: tables that a program has written.
MAX_FILE_TOKENS = 500_000

_KIND_OF_BYTE = np.frombuffer(KINDS, dtype=np.uint8)


@dataclass(slots=True)
class TokenStream:
    """Tokens of files, one after the other.

    Attributes:
        ids: a number for each token; equal tokens have equal ones.
        codes: MARKED, LITERAL, or for a name NAMED + how many tokens before the same name stands in its file; NAMED
            alone if it does not, or farther away than FARTHEST.
        starts: where each file begins, and where the last one ends.
    """

    ids: npt.NDArray[np.uint32]
    codes: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]

    def file_of(self, position: int) -> int:
        """Return the number of the file that a token is in."""
        return int(np.searchsorted(self.starts, position, side="right")) - 1


class StreamBuilder:
    """Puts files into a stream, in the order in which they are added."""

    def __init__(self) -> None:
        self._ids, self._codes = bytearray(), bytearray()  # they grow in place; many small arrays would leave holes
        self._lengths = [0]
        self._keywords: dict[str, npt.NDArray[np.uint32]] = {}
        self.count = 0

    def add(self, language_id: str, source: bytes) -> bool:
        """Add a file; return False and add nothing if it has too many tokens, or all files together have."""
        found = tokens(language_id, source)
        if len(found) > MAX_FILE_TOKENS or self.count + len(found) > MAX_TOKENS:
            return False
        ids = _numbers(found)
        self._ids += ids.tobytes()
        self._codes += self._coded(language_id, found, ids).tobytes()
        self._lengths.append(len(found))
        self.count += len(found)
        return True

    def build(self) -> TokenStream:
        """The stream; nothing can be added afterwards."""
        ids, codes = np.frombuffer(self._ids, dtype=np.uint32), np.frombuffer(self._codes, dtype=np.uint8)
        return TokenStream(ids, codes, np.cumsum(self._lengths, dtype=np.int64))

    def _coded(self, language_id: str, found: list[bytes], ids: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint8]:
        kinds = _KIND_OF_BYTE[np.frombuffer(bytes([token[0] for token in found]), dtype=np.uint8)]
        codes = np.where(kinds == MARK, MARKED, LITERAL).astype(np.uint8)
        known = self._keywords.get(language_id)
        if known is None:
            known = self._keywords[language_id] = np.sort(_numbers(sorted(keywords(language_id))))
        is_name = kinds == NAME
        if known.size:
            is_keyword = is_name & (known[np.searchsorted(known, ids) % known.size] == ids)
            codes[is_keyword] = MARKED
            is_name &= ~is_keyword
        else:  # without its keywords a language's names cannot be told from them
            codes[is_name] = MARKED
            return codes
        where = np.flatnonzero(is_name)
        codes[where] = NAMED + _distances(ids[where], where)
        return codes


def _distances(ids: npt.NDArray[np.uint32], where: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """Return the distance of each name to its last use, in tokens; 0 without one, or beyond FARTHEST."""
    order = np.argsort(ids, kind="stable")
    same = ids[order][1:] == ids[order][:-1]
    gaps = np.zeros(len(ids), dtype=np.int64)
    gaps[order[1:][same]] = (where[order[1:]] - where[order[:-1]])[same]
    return np.where(gaps > FARTHEST, 0, gaps).astype(np.uint8)


def _numbers(found: list[bytes]) -> npt.NDArray[np.uint32]:
    """Return 32-bit hashes of the tokens, which are equal only within one process."""
    wide = np.fromiter(map(hash, found), np.int64, len(found)).view(np.uint64)
    return (wide ^ (wide >> np.uint64(32))).astype(np.uint32)
