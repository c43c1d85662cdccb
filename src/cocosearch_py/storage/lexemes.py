"""Where a term stands in the sparse vectors of the keyword leg."""

from zlib import crc32

LEXEME_SPACE = 2**29  # dimensions; two terms of a million share one, which changes no ranking


def position(term: str) -> int:
    """Position of a term, from 0; a hash, the same in every index and process."""
    return crc32(term.encode("utf-8")) % LEXEME_SPACE
