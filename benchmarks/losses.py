"""Why a query lost places: what beat its right answer, and by which features. Pure.

The score of a file is a weighted sum, so the difference between two files is a sum of differences, one per feature.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ndcg import CUT

SEEN = 0.0005  # smaller differences print as zero

Features = Mapping[str, float]

SHARED = "two labels, one answer"  # one chunk answers both, and counts once
PASSAGE = "right file, other passage"
BEHIND = "behind, within the ten"
BELOW = "below the ten"
UNFOUND = "found by neither leg"
UNINDEXED = "not indexed"
KIND_BY_VERDICT = {"shown": PASSAGE, "below_cut": BELOW, "no_match": UNFOUND}

SAME_FILE = "another passage of the right file"
SAME_NAME = "a file of the same name elsewhere"
SAME_FOLDER = "a file in the same folder"
ELSEWHERE = "another file"


@dataclass(frozen=True, slots=True)
class Label:
    """A right answer and what became of it."""

    path: str  # as the index has it
    lines: tuple[int, int] | None
    rank: int | None  # of the first result that meets it, from 1
    verdict: str = "shown"  # of `explain_path`, where no result meets it
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A query that lost places, with everything that its diagnosis needs."""

    repository: str
    category: str
    text: str
    ndcg: float
    results: Sequence[str]  # paths, best first
    labels: Sequence[Label]
    features: Mapping[str, Features]  # of every ranked file that could be seen
    ranking: Sequence[str]  # all ranked files, best first


@dataclass(frozen=True, slots=True)
class Loss:
    """A diagnosed query. `differences` are weight x (winner - right answer), largest first."""

    question: Question
    kind: str
    winner: str | None = None
    right: Label | None = None
    differences: Sequence[tuple[str, float]] = field(default_factory=tuple)

    @property
    def relation(self) -> str:
        """How the winner's path relates to the right one's."""
        assert self.winner and self.right
        winner, right = PurePosixPath(self.winner), PurePosixPath(self.right.path)
        if winner == right:
            return SAME_FILE
        if winner.stem == right.stem:
            return SAME_NAME
        return SAME_FOLDER if winner.parent == right.parent else ELSEWHERE

    @property
    def alone(self) -> list[str]:
        """Features without whose difference the right answer would have won."""
        margin = sum(value for _, value in self.differences)
        return [name for name, value in self.differences if value > margin]


def diagnose(question: Question, weights: Features) -> Loss:
    """Compare the first result that earned nothing where it could have with the next right answer behind it."""
    met = {label.rank for label in question.labels}
    ideal = min(len(question.labels), CUT)
    place = next(place for place in range(1, ideal + 1) if place not in met)
    behind = [label for label in question.labels if label.rank is None or label.rank > place]
    winner = question.results[place - 1] if place <= len(question.results) else None
    if not behind:
        return Loss(question, SHARED)
    right = min(behind, key=lambda label: _rank(label, question))
    kind = BEHIND if right.rank is not None else KIND_BY_VERDICT.get(right.verdict, UNINDEXED)
    if winner == right.path:
        kind = PASSAGE
    won, lost = question.features.get(winner or ""), question.features.get(right.path)
    if kind not in (BEHIND, BELOW) or won is None or lost is None:
        return Loss(question, kind, winner, right)
    differences = [(name, weight * (won.get(name, 0.0) - lost.get(name, 0.0))) for name, weight in weights.items()]
    ordered = sorted((pair for pair in differences if abs(pair[1]) >= SEEN), key=lambda pair: -pair[1])
    return Loss(question, kind, winner, right, tuple(ordered))


def _rank(label: Label, question: Question) -> int:
    if label.rank is not None:
        return label.rank
    return question.ranking.index(label.path) + 1 if label.path in question.ranking else len(question.ranking) + 1


def report(losses: Sequence[Loss], asked: int) -> str:
    """The whole report as Markdown: summary first, then the queries, worst first."""
    worst = sorted(losses, key=lambda loss: (loss.question.ndcg, loss.question.repository, loss.question.text))
    lines = [
        "# What beat the right answer",
        "",
        f"{len(losses)} of {asked} queries are not answered perfectly; together they lose "
        f"{sum(map(_lost, losses)) / asked:.4f} of the mean NDCG@10. Each query is judged by the first result that "
        "earned nothing where it could have, against the next right answer behind it.",
        "",
        *_summary(losses),
        "## Queries, worst first",
        "",
    ]
    for loss in worst:
        lines += [*_describe(loss), ""]
    return "\n".join(lines).rstrip() + "\n"


def _lost(loss: Loss) -> float:
    return 1.0 - loss.question.ndcg


def _counted(title: str, pairs: Iterable[tuple[str, float]]) -> list[str]:
    """A table of groups with their number of queries and the NDCG lost in them, largest loss first."""
    number: Counter[str] = Counter()
    lost: defaultdict[str, float] = defaultdict(float)
    for group, value in pairs:
        number[group] += 1
        lost[group] += value
    rows = [f"| {group} | {number[group]} | {lost[group]:.2f} |" for group in sorted(lost, key=lambda one: -lost[one])]
    return [f"| {title} | queries | NDCG lost |", "|---|---|---|", *rows, ""]


def _summary(losses: Sequence[Loss]) -> Iterator[str]:
    compared = [loss for loss in losses if loss.differences]
    yield from ["## Where the right answer was", ""]
    yield from _counted("right answer", ((loss.kind, _lost(loss)) for loss in losses))
    yield from ["## What stood in its place", ""]
    yield from _counted("winner", ((loss.relation, _lost(loss)) for loss in losses if loss.winner and loss.right))
    yield from [
        "## By which feature",
        "",
        "Only queries whose right answer was ranked. `largest`: the winner leads most by it. `alone`: without this "
        "difference the right answer would have won. `difference`: mean over these queries of weight x (winner - right "
        "answer); below zero the feature spoke for the right answer.",
        "",
        "| feature | largest | NDCG lost there | alone | difference |",
        "|---|---|---|---|---|",
    ]
    names = {name for loss in compared for name, _ in loss.differences}
    largest = Counter(loss.differences[0][0] for loss in compared)
    alone = Counter(name for loss in compared for name in loss.alone)
    lost = {name: sum(_lost(loss) for loss in compared if loss.differences[0][0] == name) for name in names}
    for name in sorted(names, key=lambda one: (-lost[one], -alone[one], one)):
        mean = sum(dict(loss.differences).get(name, 0.0) for loss in compared) / len(compared)
        yield f"| `{name}` | {largest[name]} | {lost[name]:.2f} | {alone[name]} | {mean:+.3f} |"
    yield ""


def _describe(loss: Loss) -> Iterator[str]:
    question = loss.question
    yield f"### {question.ndcg:.3f} {question.repository}, {question.category}: {question.text}"
    yield ""
    yield f"{loss.kind[0].upper()}{loss.kind[1:]}."
    if loss.winner and loss.right:
        yield f"`{loss.winner}` beat `{loss.right.path}`: {loss.relation}."
    yield ""
    for label in question.labels:
        span = f" {label.lines[0]}-{label.lines[1]}" if label.lines else ""
        fate = f"rank {label.rank}" if label.rank else f"{label.verdict}, {label.reason}"
        yield f"- right: `{label.path}`{span}: {fate}"
    if not loss.differences:
        return
    assert loss.winner and loss.right
    won, lost = question.features[loss.winner], question.features[loss.right.path]
    yield from ["", "| feature | winner | right answer | weight x difference |", "|---|---|---|---|"]
    for name, value in loss.differences:
        yield f"| `{name}` | {won.get(name, 0.0):.3f} | {lost.get(name, 0.0):.3f} | {value:+.3f} |"
    yield f"| all | | | {sum(value for _, value in loss.differences):+.3f} |"
