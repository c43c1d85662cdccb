"""How sure an answer is, from 0 to 1 and as a level. Pure.

The figures are shares of right answers, where as many questions are about another repository as about this one;
docs/retrieval.md tells how they were measured.
"""

from collections.abc import Sequence
from itertools import pairwise

from cocosearch_py.features.ask.linking import Linked
from cocosearch_py.features.ask.tools import Level, Sureness
from cocosearch_py.model.search import SearchReport
from cocosearch_py.model.usages import UsageReport

HIGH, LOW = 0.9, 0.4
_PADDING = 0.05  # below, passages for a question of mostly unknown words would only fill the answer
_SURE = 0.97  # of answers that a search calls sure, and of what imports and scopes lead to
_MOST_UNSURE = 0.89
_GENERAL = frozenset(  # words that say nothing about what a question is about
    "system systems work works code codebase project repository feature logic implementation implemented handled "
    "handle function functions method methods class classes file files module modules part explain".split()
)
# Probability that the first file of a search answers -> that one of twelve does, as many questions being about
# something else; where all words of the question stand in the index, and where one stands nowhere.
_KNOWN = ((0.0, 0.1), (0.05, 0.17), (0.15, 0.41), (0.25, 0.63), (0.35, 0.8), (0.5, 0.82), (0.65, 0.89), (1.0, 0.89))
_UNKNOWN = ((0.0, 0.01), (0.15, 0.07), (0.25, 0.15), (0.35, 0.5), (0.55, 0.55), (0.65, 0.72), (0.85, 0.89), (1.0, 0.89))


def level_of(value: float) -> Level:
    return "high" if value >= HIGH else "medium" if value >= LOW else "low"


def made(value: float, reason: str) -> Sureness:
    return Sureness(value, level_of(value), reason)


def absent(name: str) -> Sureness:
    """Of a question about a name that nothing in the index has."""
    return made(0.05, f"nothing in this index is called '{name}'")


def of_search(report: SearchReport) -> Sureness:
    """Of passages that a search found."""
    said = report.confidence
    if not report.hits:
        return made(0.02, said.reason)
    if said.level == "high":
        return made(_SURE, said.reason)
    if said.probability is None:
        return made(0.1 if said.level == "low" else 0.6, said.reason)
    table = _UNKNOWN if said.unknown else _KNOWN
    return made(round(min(_MOST_UNSURE, _between(table, said.probability)), 2), said.reason)


def is_about_something_else(report: SearchReport) -> bool:
    """Whether the words that say what the question is about stand nowhere in the index, or most, and little answers."""
    said = report.confidence
    telling = {word for word in report.analysis.words if word.lower() not in _GENERAL}
    unknown = telling.intersection(said.unknown) if said.level == "low" else set()
    if len(unknown) * 2 <= len(telling):
        return False
    return unknown == telling or of_search(report).value < _PADDING


def _between(table: Sequence[tuple[float, float]], at: float) -> float:
    """The value of a table at a place between two of its rows."""
    for (left, low), (right, high) in pairwise(table):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return table[-1][1]


def of_uses(linked: Linked, report: UsageReport, shown: int) -> Sureness:
    """Of uses of a definition."""
    spots = "; ".join(report.completeness.blind_spots[:2])
    if not shown:
        if report.total:
            uses = "1 use matches" if report.total == 1 else f"{report.total:,} uses match"
            return made(0.4, f"{uses} by name only: the code does not show which definition is meant")
        if report.completeness.level == "complete":
            return made(0.85, "no use was found in this index, and no gaps are known")
        return made(0.5, "no use was found" + (f"; not seen: {spots}" if spots else ""))
    bound = sum(count for name, count in report.confidences.items() if name != "name_only")
    if not linked.definitions:
        return made(0.6, f"'{linked.name}' is used here, and defined elsewhere")
    unsure = report.confidences.get("name_only", 0)
    if 0 < bound < unsure:
        return made(0.7, f"{bound:,} {'use is' if bound == 1 else 'uses are'} certain, {unsure:,} match by name only")
    if bound:
        return made(
            0.95 if report.completeness.level != "partial" else 0.9, "imports and scopes identify the definition"
        )
    return made(0.7, "matched by name only")


def of_links(count: int, what: str) -> Sureness:
    """Of what imports or tests tell."""
    return made(0.95, f"{count:,} {what}") if count else made(0.6, f"no {what.removesuffix(' of it')} found")
