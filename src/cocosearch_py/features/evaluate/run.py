"""Ask the mined questions and measure the answers. What searches comes in as functions; the app joins them."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from cocosearch_py.features.evaluate.cases import (
    CLASSES,
    COUNTED,
    SOURCES,
    Case,
    Commit,
    answerable,
    commit_cases,
    doc_cases,
    issue_cases,
    sample,
    symbol_cases,
    tested_cases,
)
from cocosearch_py.features.evaluate.measures import CUT, Measures, mean, measure
from cocosearch_py.features.evaluate.pasted import pasted_cases
from cocosearch_py.features.evaluate.texts import MOST_BYTES
from cocosearch_py.storage.queries.facts import DefinitionFacts

CASES_PER_SOURCE = 100  # the interval of a mean over a hundred questions is about 0.06 wide
WORST_SHOWN = 10  # of each class
MOST_SECONDS = 600.0  # for asking; a thousand questions take some ten seconds on most indexes

FEW_CASES = 20  # one question then moves the mean by 0.05 and more
LOW_NDCG = 0.5  # below it most right files are not among the first three
_LOW_MEANS = {
    "commit": "commit subjects may describe a purpose instead of the code: read some of the worst questions",
    "test": "test names may describe the case and not what is tested: read some of the worst questions",
    "symbol": "names that only one file defines should be found: check what ranks first instead",
    "doc": "comments may not name the code: this figure does not count",
    "issue": "messages of fixes may describe the fault in words that are not in the code",
    **dict.fromkeys(SOURCES[SOURCES.index("name") :], "the right file contains the query: check what ranks first"),
}
_OR_TOO_MUCH = f"or the files are gone or exceed {MOST_BYTES // 1_000_000} MB in total"
_FEW_MEANS = {
    "commit": "the history has few commits, is shallow, or its subjects share no word with the changed files",
    "test": "few test files are named after the file that they test",
    "symbol": "few names are defined in only one file",
    "doc": "few definitions have a comment that begins with a sentence",
    "issue": "few commits name an issue that they fix and changed one to five source files, all of which still exist",
    "name": f"few names are defined in only one file, {_OR_TOO_MUCH}",
    **dict.fromkeys(CLASSES["literals"], f"few source files have a message that no other file has, {_OR_TOO_MUCH}"),
    "path": "the index has few files",
    "tail": "few files have two folders above them, or the last two parts of many paths are the same",
    "line": f"the index has few files, {_OR_TOO_MUCH}",
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
        return self.case.source in COUNTED


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Quality by source and overall: the mean over the COUNTED sources, None when there is no question of them.

    `unasked`: questions for which no time was left. `most`: questions of each source that there could be.
    """

    overall: Measures | None
    by_source: dict[str, Measures]
    counts: dict[str, int]
    outcomes: tuple[Outcome, ...]
    unasked: int = 0
    most: int = CASES_PER_SOURCE

    @property
    def notes(self) -> dict[str, str]:
        """Source -> why its figure says little, for those with few questions or a low figure; the reason in words."""
        notes = {}
        for source, count in self.counts.items():
            quality = self.by_source[source].ndcg if count else 0.0
            if self.most <= count < FEW_CASES:
                notes[source] = f"only {count} questions were asked, as requested: ask more for a reliable figure"
            elif count < FEW_CASES:
                asked = f"only {count}" if count else "none"
                notes[source] = f"{asked} of its questions could be asked: {_FEW_MEANS[source]}"
            elif quality < LOW_NDCG:
                notes[source] = f"NDCG@10 is only {quality:.3f}: {_LOW_MEANS[source]}"
        return notes

    @property
    def worst(self) -> list[Outcome]:
        """The worst questions of each class, at most WORST_SHOWN."""
        return [outcome for sources in CLASSES.values() for outcome in self._worst(sources)]

    def _worst(self, sources: Collection[str]) -> list[Outcome]:
        missed = [one for one in self.outcomes if one.case.source in sources and one.measures.ndcg < 1]
        return sorted(missed, key=lambda one: (one.measures.ndcg, one.case.source, one.case.query))[:WORST_SHOWN]


def mine(
    commits: Sequence[Commit],
    definitions: Sequence[DefinitionFacts],
    languages: Mapping[str, str],
    texts: Mapping[str, str],
    most: int = CASES_PER_SOURCE,
) -> list[Case]:
    """At most so many questions of each source; the same for the same repository and index.

    Args:
        languages: path -> language id of the indexed files.
        texts: path -> content of them.
    """
    found = [
        *answerable([*commit_cases(commits, languages), *tested_cases(definitions, languages)], definitions),
        *symbol_cases(definitions, languages),
        *doc_cases(definitions, languages),
        *answerable(issue_cases(commits, languages), definitions),
    ]
    return [*sample(found, most), *pasted_cases(texts, languages, most)]


def evaluate(
    cases: Sequence[Case],
    find: Find,
    classes: Collection[str] = tuple(CLASSES),
    seconds: float = MOST_SECONDS,
    most: int = CASES_PER_SOURCE,
) -> Evaluation:
    """Ask the questions of these classes; when the time is up, of each source as many as of the others.

    Args:
        most: how many of each source were mined at most.
    """
    sources = [source for name, own in CLASSES.items() if name in classes for source in own]
    chosen = [[case for case in cases if case.source == source] for source in sources]
    asked: dict[Case, Outcome] = {}
    end = time.monotonic() + seconds
    for round_of in zip_longest(*chosen):
        if time.monotonic() > end:
            break
        for case in filter(None, round_of):
            candidates = find(case.query)
            asked[case] = Outcome(case, measure([path for path, _ in candidates[:CUT]], case.paths), candidates)
    outcomes = [asked[case] for own in chosen for case in own if case in asked]
    by_source = {source: [one.measures for one in outcomes if one.case.source == source] for source in sources}
    counted = [one.measures for one in outcomes if one.counts]
    return Evaluation(
        overall=mean(counted) if counted else None,
        by_source={source: mean(values) for source, values in by_source.items() if values},
        counts={source: len(values) for source, values in by_source.items()},
        outcomes=tuple(outcomes),
        unasked=sum(map(len, chosen)) - len(outcomes),
        most=most,
    )
