"""Chunks of so many tokens: whole lines packed up to a number of them, whatever the syntax."""

from bisect import bisect_left
from collections.abc import Sequence

from cocosearch_py.chunking.lines import spans_from_ends
from cocosearch_py.model.chunks import ChunkSpan


def split_tokens(source: bytes, starts: Sequence[int], *, size: int, overlap: int = 0) -> list[ChunkSpan]:
    """Cut a file into passages that have at most `size` tokens together with the `overlap` ones before them.

    Args:
        source: the file.
        starts: first byte of each token, none below the one before it; see `embedding.tokens`.
        size: at least 1.
        overlap: tokens of the passage before that a passage is also found by, below `size`.
    Returns:
        Spans in order that hold every byte once; [] for an empty source. They end at lines; a line that has more tokens
        is cut between two of them.
    """
    ends = []
    position, first = 0, 0  # of the passage: its first byte, its first token
    while position < len(source):
        end = first + (size - overlap if position else size)
        while end < len(starts) and starts[end] <= position:  # several tokens of one character
            end += 1
        if end >= len(starts):
            ends.append(len(source))
            break
        limit = starts[end]
        position = source.rfind(b"\n", position, limit) + 1 or limit
        first = bisect_left(starts, position)
        ends.append(position)
    return spans_from_ends(source, ends)


def token_leads(spans: Sequence[ChunkSpan], starts: Sequence[int], overlap: int) -> list[int]:
    """For each span of a file the first byte of the `overlap` tokens before it; its own first byte without any."""
    if not overlap:
        return [span.start_byte for span in spans]
    leads = []
    for span in spans:
        first = bisect_left(starts, span.start_byte)
        leads.append(min(starts[max(first - overlap, 0)], span.start_byte) if first and starts else span.start_byte)
    return leads


def byte_leads(source: bytes, spans: Sequence[ChunkSpan], overlap: int) -> list[int]:
    """For each span of a file the first byte of the whole lines before it that have `overlap` bytes at most."""
    leads = []
    for span in spans:
        earliest = span.start_byte - overlap
        start = 0 if earliest <= 0 else source.find(b"\n", earliest - 1, span.start_byte) + 1
        leads.append(start if overlap and (start or earliest <= 0) else span.start_byte)
    return leads
