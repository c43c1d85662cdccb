"""Figures of a relevance run: means with intervals, tables, one line of history. Only `product_commit` asks git."""

import random
import statistics
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BOOTSTRAP_SAMPLES = 2_000
SEVERAL = 5  # fewer repositories than this say too little of how repositories differ to be resampled
PRODUCT = ("src", "migrations")  # folders whose last commit a figure belongs to
GROUPINGS = ("all", "category", "language", "repo")

Scores = Mapping[str, Sequence[float]]  # repository -> NDCG of each query


@dataclass(frozen=True, slots=True)
class Figure:
    """Mean NDCG@10 over the queries of a group, with its 95 % interval."""

    group: str
    queries: int
    repositories: int
    ndcg: float
    low: float
    high: float
    over: str  # what was resampled: "repositories" or "queries"


def interval(scores: Scores) -> tuple[float, float, str]:
    """95 % interval of the mean over queries and what it was bootstrapped over.

    Whole repositories are drawn where there are several; among fewer only the queries vary, and the interval then says
    nothing of other repositories.
    """
    rng = random.Random(0)
    names = sorted(scores)
    pooled = [score for name in names for score in scores[name]]
    by_repository = len(names) >= SEVERAL
    means = []
    for _ in range(BOOTSTRAP_SAMPLES):
        if by_repository:
            sample = [score for name in rng.choices(names, k=len(names)) for score in scores[name]]
        else:
            sample = rng.choices(pooled, k=len(pooled))
        means.append(statistics.fmean(sample))
    means.sort()
    over = "repositories" if by_repository else "queries"
    return means[int(0.025 * len(means))], means[int(0.975 * len(means))], over


def figure(group: str, scores: Scores) -> Figure:
    pooled = [score for each in scores.values() for score in each]
    return Figure(group, len(pooled), len(scores), statistics.fmean(pooled), *interval(scores))


def breakdown(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Figure]]:
    """Figures of all queries, and by category, language and repository.

    Args:
        rows: one per query, with `repo`, `language`, `category` and `ndcg`.
    """
    groups: dict[str, dict[str, dict[str, list[float]]]] = {grouping: {} for grouping in GROUPINGS}
    for row in rows:
        for grouping, found in groups.items():
            group = found.setdefault(row.get(grouping, grouping), {})
            group.setdefault(row["repo"], []).append(row["ndcg"])
    return {grouping: [figure(group, found[group]) for group in sorted(found)] for grouping, found in groups.items()}


def table(grouping: str, figures: Sequence[Figure]) -> str:
    """Figures as an aligned table, for people."""
    width = max(len(grouping), *(len(one.group) for one in figures))
    lines = [f"{grouping:{width}}  queries  repos   NDCG@10  95 % interval   resampled"]
    lines += [
        f"{one.group:{width}}  {one.queries:7}  {one.repositories:5}     {one.ndcg:.3f}  "
        f"[{one.low:.3f}, {one.high:.3f}]  {one.over}"
        for one in figures
    ]
    return "\n".join(lines)


def product_commit(root: Path) -> tuple[str, str]:
    """The last commit that changed the product, with a + where it has changes since, and that commit's day."""

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(root), *arguments, "--", *PRODUCT], check=True, capture_output=True)
        return done.stdout.decode().strip()

    commit, day = git("log", "-1", "--format=%h %cs").split()
    return commit + ("+" if git("status", "--porcelain") else ""), day


def history_row(figures: Mapping[str, Sequence[Figure]], commit: tuple[str, str], model: str) -> dict[str, Any]:
    """One line of the history: what is worth comparing between commits."""
    (overall,) = figures["all"]
    worst = min(figures["language"], key=lambda one: one.ndcg)
    return {
        "commit": commit[0],
        "date": commit[1],
        "model": model,
        "queries": overall.queries,
        "repositories": overall.repositories,
        "ndcg": round(overall.ndcg, 4),
        "interval_95": [round(overall.low, 4), round(overall.high, 4)],
        "categories": {one.group: round(one.ndcg, 4) for one in figures["category"]},
        "worst_language": [worst.group, round(worst.ndcg, 4)],
    }


def with_row(history: Sequence[Mapping[str, Any]], row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The history with a row at its end, which replaces one of the same commit, model and questions."""

    def key(one: Mapping[str, Any]) -> tuple[Any, ...]:
        return one["commit"], one["model"], one["queries"]

    return [*(one for one in history if key(one) != key(row)), row]
