"""Ask the mined questions and measure the answers. What searches comes in as functions; the app joins them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cocosearch_py.evaluation.cases import (
    SOURCES,
    Case,
    Commit,
    answerable,
    commit_cases,
    doc_cases,
    sample,
    symbol_cases,
    tested_cases,
)
from cocosearch_py.evaluation.measures import CUT, Measures, mean, measure
from cocosearch_py.storage.queries.facts import DefinitionFacts

CASES_PER_SOURCE = 100  # the interval of a mean over a hundred questions is about .06 wide
WORST_SHOWN = 10
NOT_COUNTED = "doc"  # the sentence stands in the index itself: it rewards quoting

FEW_CASES = 20  # one question then moves the mean by .05 and more
LOW_NDCG = 0.5  # below it most right files are not among the first three
_LOW_MEANS = {
    "commit": "commit subjects may describe a purpose instead of the code: read some of the worst questions",
    "test": "test names may describe the case and not what is tested: read some of the worst questions",
    "symbol": "names that only one file defines should be found: look at what ranks first instead",
    "doc": "comments may not say what the code is called: the figure does not count",
}
_FEW_MEANS = {
    "commit": "the history has few commits, is shallow, or its subjects share no word with the files that they changed",
    "test": "few test files are named after the file that they test",
    "symbol": "few names are defined in only one file",
    "doc": "few definitions have a comment that begins with a sentence",
}

# Candidates of a question, best first: path and features of each.
Find = Callable[[str], Sequence[tuple[str, Mapping[str, float]]]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question with its answer's quality and what ranked first instead of the right file."""

    case: Case
    measures: Measures
    candidates: Sequence[tuple[str, Mapping[str, float]]]  # path and features, best first

    @property
    def first(self) -> str | None:
        return self.candidates[0][0] if self.candidates else None

    @property
    def counts(self) -> bool:
        """Whether it counts in the overall figures, and may tune weights."""
        return self.case.source != NOT_COUNTED


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Quality by source and overall: the mean over all questions but those of comments, see `cases`."""

    overall: Measures
    by_source: dict[str, Measures]
    counts: dict[str, int]
    outcomes: tuple[Outcome, ...]

    @property
    def notes(self) -> dict[str, str]:
        """Source -> why its figure says little, for those with few questions or a low figure; the reason in words."""
        notes = {}
        for source, count in self.counts.items():
            quality = self.by_source[source].ndcg if count else 0.0
            if count < FEW_CASES:
                notes[source] = f"only {count} of its questions could be asked: {_FEW_MEANS[source]}"
            elif quality < LOW_NDCG:
                notes[source] = f"NDCG@10 is only {quality:.3f}: {_LOW_MEANS[source]}"
        return notes

    def as_dict(self) -> dict[str, Any]:
        """For JSON: measures, counts, notes on sources, and the questions that went worst."""
        worst = sorted(self.outcomes, key=lambda one: (one.measures.ndcg, one.case.source, one.case.query))
        return {
            "overall": asdict(self.overall),
            "by_source": {source: asdict(value) for source, value in self.by_source.items()},
            "counts": self.counts,
            "notes": self.notes,
            "worst": [
                {
                    "source": one.case.source,
                    "query": one.case.query,
                    "wanted": sorted(one.case.paths),
                    "first": one.first,
                    "ndcg": round(one.measures.ndcg, 4),
                }
                for one in worst[:WORST_SHOWN]
                if one.measures.ndcg < 1
            ],
        }


def mine(
    commits: Sequence[Commit],
    definitions: Sequence[DefinitionFacts],
    languages: Mapping[str, str],
    most: int = CASES_PER_SOURCE,
) -> list[Case]:
    """At most so many questions of each source; the same for the same repository and index."""
    found = [
        *answerable([*commit_cases(commits, languages), *tested_cases(definitions, languages)], definitions),
        *symbol_cases(definitions, languages),
        *doc_cases(definitions, languages),
    ]
    return sample(found, most)


def evaluate(cases: Sequence[Case], find: Find) -> Evaluation:
    """Ask every question."""
    outcomes = []
    for case in cases:
        candidates = find(case.query)
        paths = [path for path, _ in candidates[:CUT]]
        outcomes.append(Outcome(case, measure(paths, case.paths), candidates))
    by_source = {source: [one.measures for one in outcomes if one.case.source == source] for source in SOURCES}
    counted = [one.measures for one in outcomes if one.counts]
    return Evaluation(
        overall=mean(counted),
        by_source={source: mean(values) for source, values in by_source.items() if values},
        counts={source: len(values) for source, values in by_source.items()},
        outcomes=tuple(outcomes),
    )
