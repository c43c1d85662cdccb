"""How sure an answer is: a probability that its first file answers, as a level with its reason. Pure.

The probability is a logistic regression on what the ranking knows of the first file, fitted on the labelled questions
about 40 repositories, each asked of its own and of another one; docs/retrieval.md has its figures. It does not depend
on the embedding model.
"""

import math
import re
from collections.abc import Mapping, Sequence

from cocosearch_py.analysis.bm25f import K1
from cocosearch_py.model.search import NOTHING_FOUND, Confidence, FileLocation, QueryAnalysis
from cocosearch_py.search.candidates import Evidence, FileCandidate

HIGH = 0.9  # of questions about the repository, 19 of 20 answers as sure as this are right at once
LOW = 0.2
_BIAS = -8.627
_WORDS = 1.792  # of the logarithm of the number of content words
_COVERED = 3.539  # of the share of the best BM25 score that a passage could have
_LEAD = 0.478  # of the distance to the second file's score
_SCORE = 0.3235
_NAME = 1.271  # of features of the ranking
_CONCEPT = 0.846
_MOST_LEAD = 3.0
_CLEAR_LEAD = 1.0
_MOSTLY_COVERED = 0.4  # share of the best BM25 score; a passage with all words, once each, has about half
_WHOLE_MESSAGE = 0.5  # `verbatim` of a message that stands in a string of the code
_MOST_WORDS = 3  # that a reason names
_OTHER_SCRIPT = re.compile(r"(?![\u0000-\u036f\u1e00-\u1eff])[^\W\d_]")  # a letter, and none of a Latin alphabet
_ASK_OTHERWISE = "nothing here uses the script that the query is written in: ask in English, or with names of the code"


def judge(
    ranked: Sequence[FileCandidate],
    analysis: QueryAnalysis,
    evidence: Evidence,
    *,
    missing: str | None,
    is_quoted: bool,
) -> Confidence:
    """The level of an answer; at most medium for a bug report, which is often about another file than it names.

    So is that of a file that leads by a few neighbouring words of a pasted message.

    Args:
        missing: what the query names or quotes and the index does not have; makes it low.
        is_quoted: every hit holds what the query quotes.
    """
    most = "medium" if analysis.distilled and not analysis.distilled.is_trace else "high"
    if is_in_other_script(analysis.text) and (missing is not None or not ranked):
        return Confidence("low", _ASK_OTHERWISE)
    if missing is not None:
        return Confidence("low", missing)
    if not ranked:
        return NOTHING_FOUND
    first = ranked[0]
    unknown = tuple(_unknown_words(evidence.idf_by_word, evidence.largest_idf))
    is_partial = first.verbatim is not None and (first.file_id, first.verbatim) in evidence.partial
    if first.located and any(_is_of(location, first.path) for location in analysis.locations):
        return Confidence(most, "the query names this file")
    if is_quoted:
        return Confidence(most, "it holds what the query quotes")
    if reason := _evident(first, analysis, unknown, is_partial=is_partial):
        return Confidence(most, reason)
    probability = _probability(ranked, evidence)
    if probability >= HIGH and not is_partial:
        return Confidence(most, "it holds the query's rare words together and leads the other files", probability)
    if probability >= LOW:
        return Confidence("medium", _doubt(ranked, unknown), probability, unknown)
    if first.exact:  # the regression does not know that a single word may be a name
        return Confidence("medium", "it defines this name; other files use the same word", probability)
    return Confidence("low", _weakness(first, evidence, unknown), probability, unknown)


def _evident(first: FileCandidate, analysis: QueryAnalysis, unknown: Sequence[str], *, is_partial: bool) -> str | None:
    """Why the first file answers, whatever the others hold; None if that is a matter of probability."""
    if first.exact and (analysis.kind == "symbol" or unknown):  # no word of the code: a name, spelled in another way
        return "it defines the name that the query is"
    if first.features.get("verbatim", 0.0) >= _WHOLE_MESSAGE and not is_partial:
        return "the words of the query stand in it in this order"
    return None


def is_in_other_script(text: str) -> bool:
    """Whether it has letters of no Latin alphabet, which the bundled model cannot read and code seldom holds."""
    return _OTHER_SCRIPT.search(text) is not None


def _is_of(location: FileLocation, path: str) -> bool:
    """Whether one of the two is the end of the other: folders that differ may mean another file of that name."""
    named = "/" + "/".join(location.parts).lower()
    return named.endswith("/" + path.lower()) or ("/" + path.lower()).endswith(named)


def _probability(ranked: Sequence[FileCandidate], evidence: Evidence) -> float:
    first = ranked[0]
    score = first.score - first.lift
    second = ranked[1].score - ranked[1].lift if len(ranked) > 1 else score - _MOST_LEAD
    covered = _covered(first, evidence)
    total = (
        _BIAS
        + _WORDS * math.log(len(evidence.idf_by_word) + 1)
        + _COVERED * covered
        + _LEAD * min(_MOST_LEAD, score - second)
        + _SCORE * score
        + _NAME * first.features.get("name", 0.0)
        + _CONCEPT * first.features.get("concept", 0.0)
    )
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, total))))


def _covered(first: FileCandidate, evidence: Evidence) -> float:
    """Share of the best BM25 score that a passage could have, 0..1."""
    most = (K1 + 1) * sum(evidence.idf_by_word.values())
    return first.keyword[0].score / most if first.keyword and most else 0.0


def _weakness(first: FileCandidate, evidence: Evidence, unknown: Sequence[str]) -> str:
    """Why an answer is improbable."""
    if said := _standing_nowhere(unknown):
        return said
    if len(evidence.idf_by_word) == 1:
        return "a single word does not tell files apart; add words, or a name"
    if _covered(first, evidence) >= _MOSTLY_COVERED:
        return "many files hold these words, and none stands out"
    return "no file holds more than a small part of the query"


def _doubt(ranked: Sequence[FileCandidate], unknown: Sequence[str]) -> str:
    if said := _standing_nowhere(unknown):
        return said
    if len(ranked) > 1 and ranked[0].score - ranked[1].score < _CLEAR_LEAD:
        return "several files fit almost as well"
    return "it holds a part of the query's words"


def _standing_nowhere(unknown: Sequence[str]) -> str:
    if not unknown:
        return ""
    if all(map(is_in_other_script, unknown)):
        return _ASK_OTHERWISE
    words = ", ".join(f"'{word}'" for word in unknown[:_MOST_WORDS])
    return f"{words} {'stands' if len(unknown) == 1 else 'stand'} nowhere in this index"


def _unknown_words(idf_by_word: Mapping[str, float], largest: float) -> list[str]:
    return [word for word, idf in idf_by_word.items() if idf >= largest]
