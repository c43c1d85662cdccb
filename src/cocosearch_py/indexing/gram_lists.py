"""Lists of the chunks that hold each gram, of many texts at once. Imports numpy.

The same grams and lists as `analysis/grams.py` describes, made of arrays.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from cocosearch_py.analysis.grams import BITS, GAPS, LONGEST_GAP, MULTIPLIER, NUMBERS, folded
from cocosearch_py.indexing.memory import trim

_TEXTS_AT_ONCE = 1_024  # about 1 MB: what is sorted stays in the processor's cache
_GRAMS = 1 << 16
_GRAMS_AT_ONCE = 1 << 12  # whose lists are made together, in some 10 MB for a full segment
_TRIM_BATCHES = 8
_LINE_END = 10


def lists_of(texts: Iterable[str]) -> Iterator[tuple[int, int, bytes]]:
    """(gram, number of texts that hold it, list of them), by gram.

    Args:
        texts: at most SEGMENT_CHUNKS; the number of each is its position.
    """
    parts: list[tuple[NDArray[np.uint16], NDArray[np.uint16]]] = []  # numbers by gram, how many each gram has
    rest = iter(texts)
    while batch := list(islice(rest, _TEXTS_AT_ONCE)):
        held = _held(batch, len(parts) * _TEXTS_AT_ONCE)
        counts = np.bincount(held >> np.uint32(16), minlength=_GRAMS).astype(np.uint16)
        parts.append((held.astype(np.uint16), counts))
        if len(parts) % _TRIM_BATCHES == 0:
            trim()
    trim()  # of what the texts took between the parts
    done = [0] * len(parts)
    for first in range(0, _GRAMS, _GRAMS_AT_ONCE) if parts else ():
        grams = np.arange(first, first + _GRAMS_AT_ONCE, dtype=np.uint32) << np.uint32(16)
        some = []
        for at, (numbers, counts) in enumerate(parts):
            wide = grams.repeat(counts[first : first + _GRAMS_AT_ONCE])
            some.append(wide | numbers[done[at] : done[at] + len(wide)])
            done[at] += len(wide)
        held = np.concatenate(some)
        held.sort()
        yield from _lists(held)


def _held(texts: Sequence[str], first: int) -> NDArray[np.uint32]:
    """Gram << 16 | number, ascending, for every text and each of its grams."""
    lines = [folded(text) + b"\n" for text in texts]
    data = np.frombuffer(b"".join(lines), np.uint8)
    numbers = np.arange(first, first + len(lines), dtype=np.uint32).repeat([len(one) for one in lines])
    wide = data.astype(np.uint32)
    grams = (wide[:-2] << 16 | wide[1:-1] << 8 | wide[2:]) * np.uint32(MULTIPLIER) & np.uint32(0xFFFF0000)
    ends = data == _LINE_END
    held: NDArray[np.uint32] = (grams | numbers[:-2])[~(ends[:-2] | ends[1:-1] | ends[2:])]
    held.sort()
    return held[_firsts(held)]


def _firsts(values: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which of ascending values are not equal to the one before."""
    differs = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=differs[1:])
    return differs


def _lists(held: NDArray[np.uint32]) -> Iterator[tuple[int, int, bytes]]:
    if not len(held):
        return
    grams = held >> np.uint32(16)
    starts = np.flatnonzero(_firsts(grams))
    ends = np.append(starts[1:], len(held))
    numbers = held.astype("<u2")  # the lower half
    lasts, counts = numbers[ends - 1].astype(np.int64), ends - starts
    as_gaps, as_bits = counts + lasts // LONGEST_GAP, lasts // 8 + 1  # bytes, gaps at most
    is_plain = 2 * counts <= np.minimum(as_gaps, as_bits)
    columns = (grams[starts], starts, ends, is_plain, as_bits <= as_gaps)
    data = numbers.tobytes()
    for gram, start, end, plain, dense in zip(*[column.tolist() for column in columns], strict=True):
        # Most lists are short.
        written = NUMBERS + data[2 * start : 2 * end] if plain else _written(numbers[start:end], as_bits=dense)
        yield gram, end - start, written


def _written(numbers: NDArray[np.uint16], *, as_bits: bool) -> bytes:
    """A list as bits, or as gaps."""
    if as_bits:
        bits = np.zeros(int(numbers[-1]) + 1, np.uint8)
        bits[numbers] = 1
        return BITS + np.packbits(bits, bitorder="little").tobytes()
    gaps = numbers.astype(np.int32)
    gaps[1:] -= numbers[:-1]
    longer = gaps // LONGEST_GAP
    written = np.full(len(gaps) + int(longer.sum()), LONGEST_GAP, np.uint8)
    written[np.cumsum(longer + 1) - 1] = gaps - longer * LONGEST_GAP
    return GAPS + written.tobytes()
