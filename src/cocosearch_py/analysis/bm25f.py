"""BM25F document weights of a chunk, so that a dot product with the query's IDFs is the score.

Robertson, Zaragoza & Taylor, "Simple BM25 extension to multiple weighted fields", CIKM 2004. A chunk's weights depend
on the chunk alone: lengths are normalised by reference lengths, constants, instead of the index's averages. Chunks are
cut to one size, so the averages hardly differ between repositories, and an incremental run gives exactly the index
that a rebuild gives (docs/adr/0004). Document frequencies, the other half of the formula, are the index's own.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cocosearch_py.analysis.words import TOKEN, terms_of

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


def document_weights(fields: Iterable[tuple[Field, str]]) -> dict[str, float]:
    """Combine the texts of a chunk's fields into one saturated weight per term, in (0, K1 + 1)."""
    by_token: dict[str, float] = {}
    for field, text in fields:
        tokens = TOKEN.findall(text)
        if not tokens:
            continue
        scale = field.weight
        if field.reference_tokens is not None:
            scale /= 1 - B + B * len(tokens) / field.reference_tokens
        for token, times in Counter(tokens).items():
            by_token[token] = by_token.get(token, 0.0) + scale * times
    total: dict[str, float] = {}
    for token, frequency in by_token.items():
        for term in terms_of(token):
            total[term] = total.get(term, 0.0) + frequency
    return {term: frequency * (K1 + 1) / (frequency + K1) for term, frequency in total.items()}
