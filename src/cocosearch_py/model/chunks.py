"""Chunks: the passages that are scored and shown."""

from typing import NamedTuple


class ChunkSpan(NamedTuple):
    """A passage of a file, before its text is cut. Lines 1-based inclusive, bytes end exclusive.

    The spans of one file are in order, do not overlap and together hold every byte of it.
    """

    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
