"""How sure an answer is, from 0 to 1 and as a level. Pure.

The figures are shares of right answers, where as many questions are about another repository as about this one;
docs/retrieval.md tells how they were measured.
"""

from cocosearch_py.asking.evidence import Level, Sureness
from cocosearch_py.asking.linking import Linked
from cocosearch_py.model.search import SearchReport
from cocosearch_py.model.usages import UsageReport

HIGH, LOW = 0.85, 0.4


def level_of(value: float) -> Level:
    return "high" if value >= HIGH else "medium" if value >= LOW else "low"


def made(value: float, reason: str) -> Sureness:
    return Sureness(value, level_of(value), reason)


def absent(name: str) -> Sureness:
    """Of a question about a name that nothing in the index has."""
    return made(0.05, f"nothing in this index is called '{name}'")


def of_search(report: SearchReport) -> Sureness:
    """Of passages that a search found."""
    level, reason = report.confidence.level, report.confidence.reason
    probability = report.confidence.probability
    if not report.hits:
        return made(0.02, reason)
    if level == "high":
        return made(0.95, reason)
    if level == "low":
        return made(0.1 if probability is None else round(0.05 + probability / 2, 2), reason)
    return made(0.6 if probability is None else round(0.45 + 0.38 * probability, 2), reason)


def of_uses(linked: Linked, report: UsageReport, shown: int) -> Sureness:
    """Of uses of a definition."""
    spots = "; ".join(report.completeness.blind_spots[:2])
    if not shown:
        if report.total:
            return made(0.4, f"{report.total:,} uses of the name, and none that surely means it")
        if report.completeness.level == "complete":
            return made(0.85, "nothing in this index does, as far as its code tells")
        return made(0.5, "no use was found" + (f"; not seen: {spots}" if spots else ""))
    bound = sum(count for name, count in report.confidences.items() if name != "name_only")
    if not linked.definitions:
        return made(0.6, f"'{linked.name}' is used here, and defined elsewhere")
    if bound:
        return made(
            0.95 if report.completeness.level != "partial" else 0.9, "imports and scopes lead to the definition"
        )
    return made(0.7, "only the name says so")


def of_links(count: int, what: str) -> Sureness:
    """Of what imports or tests tell."""
    return made(0.95, f"{count:,} {what}") if count else made(0.6, f"no {what.removesuffix(' of it')} found")
