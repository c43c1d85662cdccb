"""Recognises nonsense queries: no word of them is in the index, and no passage is near in meaning."""

from cocosearch_py.embedding.models import BUNDLED_FAMILY
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.search import QueryAnalysis
from cocosearch_py.search.candidates import Evidence
from cocosearch_py.search.verbatim import WORD

# Least similarity by meaning of a passage that answers a query without a word in the index. The best passage is below
# it for 98 % of 4,068 nonsense queries to 45 repositories (random words, letters, identifiers), and for 97 % of 3,539
# real words that the repository lacks. Above it the passage mostly is an answer in other words: httpx's decoders for
# `gunzip` (0.54). Measured with the bundled table; similarities of other models have other scales.
NEAR_MEANING = 0.35
LEAST_PART = 3  # letters of a part of an identifier that says something; random ones have parts such as `x` and `f4`


def is_unrelated(analysis: QueryAnalysis, evidence: Evidence, model: Embedder) -> bool:
    """Report whether the index has no word of the query, nothing that it names, and nothing near in meaning.

    Only the bundled model is trusted to say that nothing is near.
    """
    if evidence.definitions or evidence.located or evidence.answers or evidence.verbatim:
        return False
    whole = {word.lower() for word in WORD.findall(analysis.text)}
    for word, idf in evidence.idf_by_word.items():
        says_something = word in whole or not word.isascii() or (len(word) >= LEAST_PART and word.isalpha())
        if idf < evidence.largest_idf and says_something:
            return False
    if any("1" in chunk.holds for chunk in evidence.keyword):  # an identifier as it is
        return False
    nearest = evidence.vector[0].score if evidence.vector else 0.0
    return nearest < NEAR_MEANING and (not evidence.vector or model.name.startswith(BUNDLED_FAMILY))
