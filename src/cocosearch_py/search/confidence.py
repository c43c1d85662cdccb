"""How sure an answer is: a probability that its first file answers, as a level with its reason. Pure.

The probability is a logistic regression on what the ranking knows of the first file, fitted on the labelled questions
about 40 repositories, each asked of its own and of another one; docs/retrieval.md has its figures. It does not depend
on the embedding model.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from cocosearch_py.analysis.bm25f import K1
from cocosearch_py.model.answers import Level
from cocosearch_py.model.search import NOTHING_FOUND, Confidence, FileLocation, QueryAnalysis
from cocosearch_py.search.candidates import Evidence, FileCandidate
from cocosearch_py.search.matches import words_by_line

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
_ABOUT_AS_WELL = 0.8  # share of the best BM25 score of a passage, from which a file holds the words about as well
_MANY = 5  # files
_WHOLE_CONCEPT = 0.75  # `concept` of a definition whose name is nearly all words of the query
_WHOLE_MESSAGE = 0.5  # `verbatim` of a message that stands in a string of the code
_MOST_WORDS = 3  # that a reason names
_OTHER_SCRIPT = re.compile(r"(?![\u0000-\u036f\u1e00-\u1eff])[^\W\d_]")  # a letter, and none of a Latin alphabet
_ASK_OTHERWISE = "the index has nothing in the query's script: ask in English, or use names from the code"


class _Words(NamedTuple):
    """Words of the query by where they are."""

    total: int
    unknown: tuple[str, ...]  # not in the index
    lacking: tuple[str, ...]  # in the index, but not in the passage of the first hit


def judge(
    ranked: Sequence[FileCandidate],
    analysis: QueryAnalysis,
    evidence: Evidence,
    *,
    shown: str,
    missing: str | None,
    is_quoted: bool,
) -> Confidence:
    """The level of an answer; at most medium for a bug report, which is often about another file than it names.

    So is that of a file that leads by a few neighbouring words of a pasted message.

    Args:
        shown: path and text of the first hit.
        missing: what the query names or quotes and the index does not have; makes it low.
        is_quoted: every hit holds what the query quotes.
    """
    most: Level = "medium" if analysis.distilled and not analysis.distilled.is_trace else "high"
    if is_in_other_script(analysis.text) and (missing is not None or not ranked):
        return Confidence("low", _ASK_OTHERWISE)
    if missing is not None:
        return Confidence("low", missing)
    unknown = tuple(_unknown_words(evidence.idf_by_word, evidence.largest_idf))
    if not ranked:
        return NOTHING_FOUND._replace(reason=_not_indexed(unknown) or NOTHING_FOUND.reason, unknown=unknown)
    first = ranked[0]
    is_partial = first.verbatim is not None and (first.file_id, first.verbatim) in evidence.partial
    if first.located and any(_is_of(location, first.path) for location in analysis.locations):
        return Confidence(most, "the query names this file")
    if is_quoted:
        return Confidence(most, "the results contain the quoted text")
    if reason := _evident(first, analysis, unknown, is_partial=is_partial):
        return Confidence(most, reason)
    lacking = _lacking(evidence.idf_by_word.keys() - set(unknown), shown)
    words = _Words(len(evidence.idf_by_word), unknown, lacking)
    return _grade(ranked, words, _probability(ranked, evidence), "medium" if is_partial else most)


def _grade(ranked: Sequence[FileCandidate], words: _Words, probability: float, most: Level) -> Confidence:
    first = ranked[0]
    if probability >= HIGH and most == "high":
        return Confidence(most, _strength(ranked, words), probability)
    if not words.unknown and first.features.get("concept", 0.0) >= _WHOLE_CONCEPT and words.total > 1:
        return Confidence("medium", "the first result defines a name made of these words", probability)
    if probability >= LOW:
        return Confidence("medium", _doubt(ranked, words), probability, words.unknown)
    if first.exact:  # the regression does not know that a single word may be a name
        return Confidence("medium", "the first result defines this name; other files use the same word", probability)
    return Confidence("low", _weakness(ranked, words), probability, words.unknown)


def _lacking(words: Collection[str], shown: str) -> tuple[str, ...]:
    lowered = shown.lower()
    absent = [word for word in words if word not in lowered]
    held = set[str]().union(*words_by_line(absent, shown).values()) if absent else set()
    return tuple(sorted(word for word in absent if word not in held))


def _count_holding(ranked: Sequence[FileCandidate]) -> int:
    """Files that hold the words about as well as the best of them."""
    scores = [file.keyword[0].score for file in ranked if file.keyword]
    least = _ABOUT_AS_WELL * max(scores, default=0.0)
    return sum([score >= least for score in scores])


def _rivals(ranked: Sequence[FileCandidate]) -> str:
    """Say whether other files are near the first; empty if it leads them clearly."""
    near = [file for file in ranked[1:3] if ranked[0].score - file.score < _CLEAR_LEAD]
    return ("", "another file fits almost as well", "several files fit almost as well")[len(near)]


def _evident(first: FileCandidate, analysis: QueryAnalysis, unknown: Sequence[str], *, is_partial: bool) -> str | None:
    """Why the first file answers, whatever the others hold; None if that is a matter of probability."""
    if first.exact and (analysis.kind == "symbol" or unknown):  # no word of the code: a name, spelled in another way
        return "the first result defines this name"
    if first.features.get("verbatim", 0.0) >= _WHOLE_MESSAGE and not is_partial:
        return "the first result contains the query's words in this order"
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


def _strength(ranked: Sequence[FileCandidate], words: _Words) -> str:
    """Why an answer is probable."""
    if ranked[0].answer and ranked[0].answer.share:
        return "a line of these settings answers the question"
    if lacking := words.unknown + words.lacking:
        return f"the first result fits best, but lacks {_listed(lacking)}"
    return "the first result contains all words of the query" + ("" if _rivals(ranked) else ", and leads the others")


def _doubt(ranked: Sequence[FileCandidate], words: _Words) -> str:
    """Why an answer is not sure."""
    if reason := _not_indexed(words.unknown) or _rivals(ranked):
        return reason
    if words.lacking:
        return f"the first result leads the others, but lacks {_listed(words.lacking)}"
    return "the first result contains all words of the query; add words, or a name, to be surer"


def _weakness(ranked: Sequence[FileCandidate], words: _Words) -> str:
    """Why an answer is improbable."""
    if reason := _not_indexed(words.unknown):
        return reason
    if words.total == 1 and _count_holding(ranked) > 1:
        return "one word does not distinguish these files; add words, or a name"
    if words.lacking:
        return f"the first result lacks {_listed(words.lacking)}"
    if _rivals(ranked) and _count_holding(ranked) >= _MANY:
        return "many files contain these words, and none stands out"
    return _doubt(ranked, words)


def _not_indexed(unknown: Sequence[str]) -> str:
    """Say which words the index does not have; empty if it has all of them."""
    if not unknown:
        return ""
    if all(map(is_in_other_script, unknown)):
        return _ASK_OTHERWISE
    return f"{_listed(unknown)} {'is' if len(unknown) == 1 else 'are'} not in this index"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"'{word}'" for word in words[:_MOST_WORDS])


def _unknown_words(idf_by_word: Mapping[str, float], largest: float) -> list[str]:
    return [word for word, idf in idf_by_word.items() if idf >= largest]
