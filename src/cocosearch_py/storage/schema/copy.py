"""Rows in PostgreSQL's binary COPY format, built by the worker processes so that the writer only forwards bytes.

Formats: PostgreSQL documentation, COPY "Binary Format"; field formats as the types' receive functions read them.
Knows columns and types, not where the values come from.
"""

import struct
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from cocosearch_py.storage.lexemes import LEXEME_SPACE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIGNATURE = b"PGCOPY\n\xff\r\n\0" + bytes(8)  # no flags, no header extension
TRAILER = b"\xff\xff"
_NULL = b"\xff\xff\xff\xff"
_INT4 = struct.Struct(">ii")
_INT8 = struct.Struct(">iq")
_LENGTH = struct.Struct(">i")
_COUNT = struct.Struct(">h")
_SPARSE_HEAD = struct.Struct(">iiii")
_HALF_HEAD = struct.Struct(">ihh")


def int4(value: int | None) -> bytes:
    return _NULL if value is None else _INT4.pack(4, value)


def int8(value: int) -> bytes:
    return _INT8.pack(8, value)


def boolean(value: bool) -> bytes:
    return b"\0\0\0\1\1" if value else b"\0\0\0\1\0"


def text(value: str | None) -> bytes:
    """PostgreSQL text cannot hold NUL; callers remove it from content, here it guards names and messages."""
    if value is None:
        return _NULL
    if "\0" in value:  # in bytes it is looked for ten times as slowly
        value = value.replace("\0", "")
    data = value.encode("utf-8", "backslashreplace")
    return _LENGTH.pack(len(data)) + data


@lru_cache(maxsize=10_000)
def word(value: str) -> bytes:
    """Return the bytes of a word that many rows have, such as a kind or a name."""
    return text(value)


def raw(value: bytes | None) -> bytes:
    return _NULL if value is None else _LENGTH.pack(len(value)) + value


def tsvector(lexemes: Collection[str]) -> bytes:
    """Distinct lexemes without positions, in any order: the server sorts."""
    body = ("\0\0\0".join(lexemes) + "\0\0\0").encode("utf-8") if lexemes else b""
    return _LENGTH.pack(4 + len(body)) + _LENGTH.pack(len(lexemes)) + body


def sparsevecs(positions: "NDArray[np.int64]", weights: "NDArray[np.float64]", bounds: Sequence[int]) -> list[bytes]:
    """One field for the entries from each bound to the next; positions are below LEXEME_SPACE and ascend in a field."""
    all_positions, all_weights = positions.astype(">i4").tobytes(), weights.astype(">f4").tobytes()
    return [
        _SPARSE_HEAD.pack(12 + 8 * (end - start), LEXEME_SPACE, end - start, 0)
        + all_positions[4 * start : 4 * end]
        + all_weights[4 * start : 4 * end]
        for start, end in pairwise(bounds)
    ]


def halfvecs(vectors: "NDArray[np.float32]") -> list[bytes]:
    """One field per row of an (n, dimension) array."""
    count, dimension = vectors.shape
    head = _HALF_HEAD.pack(4 + 2 * dimension, dimension, 0)
    data = vectors.astype(">f2").tobytes()
    width = 2 * dimension
    return [head + data[i * width : (i + 1) * width] for i in range(count)]


def row(*fields: bytes) -> bytes:
    """One row; `fields` in the order of the COPY statement's columns."""
    return _COUNT.pack(len(fields)) + b"".join(fields)
