"""Trigrams of text, by which passages are found that may hold a text; and lists of passages as bytes.

A gram is three bytes of a line's UTF-8 text with A-Z as a-z, hashed to 16 bits: what holds a text holds its grams,
whether case counts or not. Passages are numbered; a segment is 65,536 of them, so that a number in it has 16 bits, too.
"""

from array import array
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate, compress
from operator import and_

GRAM_BYTES = 3
SEGMENT_CHUNKS = 1 << 16
MULTIPLIER = 2_654_435_761  # Knuth's, of 32 bits; the upper half of the product is the gram
NUMBERS, GAPS, BITS = b"\0", b"\1", b"\2"  # first byte of a list: how it is written
LONGEST_GAP = 255  # that is one byte; a longer one has as many of these before its rest
_ENDS_A_GAP = bytes(gap != LONGEST_GAP for gap in range(256))
_IS_ONE = bytes(digit == ord("1") for digit in range(256))
# Letters beyond ASCII that are lower or equal to one of ASCII where case does not count.
_ALIKE = {0x130: "i", 0x17F: "s", 0x212A: "k"}


def folded(text: str) -> bytes:
    """The text whose grams count, without any case in ASCII."""
    if not text.isascii():
        text = text.translate(_ALIKE)
    return text.encode("utf-8", "replace").lower()  # of bytes this is about ASCII alone


def grams_of(text: str, *, ignore_case: bool) -> set[int]:
    """Grams of every passage that holds the text; few or none of a short one.

    With `ignore_case` letters beyond ASCII count for nothing: theirs differ by case.
    """
    data = folded(text)
    found = set()
    for start in range(len(data) - GRAM_BYTES + 1):
        gram = data[start : start + GRAM_BYTES]
        if b"\n" not in gram and not (ignore_case and max(gram) > 127):
            found.add((int.from_bytes(gram, "big") * MULTIPLIER >> 16) & 0xFFFF)
    return found


def listed(data: bytes) -> list[int]:
    """Numbers of a list, ascending."""
    kind, rest = data[:1], data[1:]
    if kind == NUMBERS:
        return list(_numbers(rest))
    if kind == GAPS:
        return list(compress(accumulate(rest), rest.translate(_ENDS_A_GAP)))
    digits = format(int.from_bytes(rest, "little"), "b")[::-1].encode()
    return list(compress(range(len(digits)), digits.translate(_IS_ONE)))


def common(lists: Sequence[bytes], few: int) -> list[int]:
    """Numbers that are in all of the lists; once there are no more than `few`, the rest of the lists is not read."""
    bits = [one for one in lists if one[:1] == BITS]
    others = [one for one in lists if one[:1] != BITS]
    if not others:
        both = reduce(and_, (int.from_bytes(one[1:], "little") for one in bits))
        return listed(BITS + both.to_bytes(len(bits[0]), "little"))
    numbers = listed(others[0])
    for one in (*others[1:], *bits):
        if len(numbers) <= few:
            break
        numbers = among(numbers, one)
    return numbers


def among(numbers: list[int], data: bytes) -> list[int]:
    """Those of the numbers that are in a list, too."""
    if data[:1] == BITS:
        last = 8 * (len(data) - 1)
        return [one for one in numbers if one < last and data[(one >> 3) + 1] >> (one & 7) & 1]
    others = set(listed(data))
    return [one for one in numbers if one in others]


def _numbers(data: bytes) -> "array[int]":
    numbers = array("H", data)
    if _IS_BIG_ENDIAN:
        numbers.byteswap()
    return numbers


_IS_BIG_ENDIAN = array("H", b"\1\0")[0] != 1
