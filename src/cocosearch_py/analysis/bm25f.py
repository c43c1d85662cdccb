"""BM25F document weights of a chunk, so that a dot product with the query's IDFs is the score.

Robertson, Zaragoza & Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004. A chunk's weights depend
on the chunk alone: lengths are normalised by reference lengths, constants, instead of the index's averages. Chunks are
cut to one size, so the averages hardly differ between repositories, and an incremental run gives exactly the index
that a rebuild gives (docs/adr/0004). Document frequencies, the other half of the formula, are the index's own.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

K1 = 1.2  # saturation of repeated terms; the usual value, measured insensitive
B = 0.75  # length normalisation of the text fields; the usual value, measured insensitive


@dataclass(frozen=True, slots=True)
class Field:
    """How much a field counts, and the tokens in an average chunk's field."""

    weight: float
    reference_tokens: float | None  # None: no length normalisation


# Weights: docs/retrieval.md; lengths: means over 13 repositories in 12 languages outside the benchmark.
BODY = Field(1.0, 76.0)
DOC = Field(1.0, 18.0)
SYMBOLS = Field(3.0, 2.3)
SIGNATURE = Field(1.0, 9.0)
STEM = Field(5.0, None)
DIRECTORY = Field(2.0, None)
FIELDS = (BODY, DOC, SYMBOLS, SIGNATURE, STEM, DIRECTORY)
Value = TypeVar("Value", float, "NDArray[Any]")


def scale(field: Field, tokens: Value) -> Value | float:
    """Return the weight of one occurrence of a term in a field of this many tokens, for a number or an array."""
    if field.reference_tokens is None:
        return field.weight
    return field.weight / (1 - B + B * tokens / field.reference_tokens)


def saturated(frequency: Value) -> Value:
    """A term's weight in (0, K1 + 1), from what all its occurrences in a chunk count together."""
    return frequency * (K1 + 1) / (frequency + K1)
