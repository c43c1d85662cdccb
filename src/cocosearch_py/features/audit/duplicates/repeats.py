"""Finds all runs of a fixed number of tokens that occur more than once, in time linear in the number of tokens.

A run of tokens is hashed to a number. Numbers of all runs are compared twice, with hashes of 32 bits that have nothing
to do with each other: the first leaves few runs, the second makes chance negligible, and no array has more than four
bytes for a token.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cocosearch_py.features.audit.duplicates.stream import LITERAL, NAMED, TokenStream

_CHUNK = 1 << 16  # tokens hashed at a time: what fits into a processor's cache
_PARTS_BITS = 3  # numbers are sorted in parts, so that the sorted copy is small
_MULTIPLIERS = (np.uint32(0x9E3779B1), np.uint32(0x85EBCA77))
_ANY_LITERAL, _ANY_NAME = np.uint32(0x51ED270B), np.uint32(0x2545F491)
_BACK = np.uint32(0x27D4EB2F)


@dataclass(slots=True)
class Repeats:
    """Runs that occur again.

    Attributes:
        group_at: for each position of the stream, the group of the run that begins there; -1 if it occurs only there.
            One more, of -1, follows.
        members: positions by group, ascending in each.
        first: where each group begins in `members`.
        sizes: how many members each group has.
    """

    group_at: npt.NDArray[np.int32]
    members: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]


def find_repeats(stream: TokenStream, length: int, *, renamed: bool) -> Repeats:
    """Find the runs of `length` tokens within one file each that occur more than once.

    Args:
        renamed: runs are equal if names can be exchanged one for one, and literals as one likes, so that they are.
    """
    is_start = _starts(stream, length)
    hashes = _hash_runs(stream, length, _MULTIPLIERS[0], renamed=renamed)
    found = _doubles(hashes, is_start)
    keys = hashes[found].astype(np.uint64) << np.uint64(32)
    del hashes, is_start
    keys |= _hash_runs(stream, length, _MULTIPLIERS[1], renamed=renamed)[found]
    order = np.argsort(keys, kind="stable")
    keys, found = keys[order], found[order]
    del order
    begins = np.flatnonzero(np.concatenate([np.ones(min(len(keys), 1), bool), keys[1:] != keys[:-1]]))
    sizes = np.diff(np.append(begins, len(keys)))
    kept = sizes > 1
    members = found[np.repeat(kept, sizes)]
    sizes = sizes[kept]
    group_at = np.full(len(stream.ids) + 1, -1, np.int32)
    group_at[members] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return Repeats(group_at, members, np.cumsum(sizes) - sizes, sizes)


def _starts(stream: TokenStream, length: int) -> npt.NDArray[np.bool_]:
    """Where runs can begin that do not leave their file."""
    result = np.ones(len(stream.ids), bool)
    for end in stream.starts[1:]:
        result[max(0, end - length + 1) : end] = False
    return result


def _doubles(hashes: npt.NDArray[np.uint32], is_start: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Positions of runs whose hash another one has, ascending."""
    found = [np.empty(0, np.int64)]
    parts = np.empty(len(hashes), np.uint8)
    np.right_shift(hashes, np.uint32(32 - _PARTS_BITS), out=parts, casting="unsafe")
    for part in range(1 << _PARTS_BITS):
        where = np.flatnonzero((parts == part) & is_start)
        keys = (hashes[where].astype(np.uint64) << np.uint64(32)) | where.astype(np.uint64)
        keys.sort()
        same = (keys[1:] >> np.uint64(32)) == (keys[:-1] >> np.uint64(32))
        double = np.zeros(len(keys), bool)
        double[1:] = same
        double[:-1] |= same
        found.append((keys[double] & np.uint64(0xFFFFFFFF)).astype(np.int64))
    return np.sort(np.concatenate(found))


def _hash_runs(stream: TokenStream, length: int, multiplier: np.uint32, *, renamed: bool) -> npt.NDArray[np.uint32]:
    """A number for the run that begins at each position; senseless for those that leave their file.

    Of names only counts how far back the same one stands in the run (Baker 1995): two runs have equal numbers if and
    only if names map one to one.
    """
    count = len(stream.ids)
    result = np.zeros(count, np.uint32)
    for begin in range(0, count, _CHUNK):
        end = min(begin + _CHUNK, count)
        ids = np.concatenate([stream.ids[begin : end + length], np.zeros(length, np.uint32)])
        sums = result[begin:end]
        if renamed:
            codes = np.concatenate([stream.codes[begin : end + length], np.zeros(length, np.uint8)])
            _add_renamed(sums, ids, codes, length, multiplier)
        else:
            for offset in range(length):
                np.multiply(sums, multiplier, out=sums)
                np.add(sums, ids[offset : offset + len(sums)], out=sums)
        sums ^= sums >> np.uint32(16)
        np.multiply(sums, np.uint32(0x7FEB352D), out=sums)
        sums ^= sums >> np.uint32(15)
    return result


def _add_renamed(
    sums: npt.NDArray[np.uint32],
    ids: npt.NDArray[np.uint32],
    codes: npt.NDArray[np.uint8],
    length: int,
    multiplier: np.uint32,
) -> None:
    ids[codes == LITERAL] = _ANY_LITERAL
    ids[codes >= NAMED] = _ANY_NAME
    back = np.where(codes > NAMED, codes - np.uint8(NAMED), 0).astype(np.uint8)
    told = back.astype(np.uint32) * _BACK
    for offset in range(length):
        span = slice(offset, offset + len(sums))
        np.multiply(sums, multiplier, out=sums)
        np.add(sums, ids[span], out=sums)
        np.add(sums, told[span] * (back[span] <= offset), out=sums)
