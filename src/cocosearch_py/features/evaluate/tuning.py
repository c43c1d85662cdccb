"""Search the ranking's weights for one index. Pure: what was found for each question comes in, weights come out.

One half of the questions chooses the weights, coordinate by coordinate, the other half judges them: weights that do
not help questions they were not chosen on are not worth keeping.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cocosearch_py.features.evaluate.measures import measure
from cocosearch_py.features.evaluate.run import Outcome

FACTORS = (0.0, 0.5, 0.75, 1.33, 2.0)  # of the present weight, tried in this order
PASSES = 2  # a third changes nothing measurable
LEAST_GAIN = 0.005  # NDCG@10; less is within the noise of a hundred questions
FEWEST_CASES = 40  # of both halves together; fewer say nothing

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Tuning:
    """The outcome; NDCG@10 of the validation half, before and after. `weights` None: nothing was gained."""

    weights: dict[str, float] | None
    before: float
    after: float
    cases: int

    @property
    def gain(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class _Question:
    paths: tuple[str, ...]
    exact: tuple[float, ...]  # what defines the very name that is asked for goes first, whatever the weights
    features: Array  # candidates x weights
    wanted: frozenset[str]


def tune(found: Sequence[Outcome], present: Mapping[str, float], seed: int = 0) -> Tuning:
    """Weights that beat the present ones by LEAST_GAIN on the half that did not choose them."""
    names = sorted(present)
    questions = [_question(one, names) for one in found if one.counts]
    random.Random(seed).shuffle(questions)
    half = len(questions) // 2
    training, validation = questions[:half], questions[half:]
    start = np.array([present[name] for name in names])
    before = _quality(validation, start)
    if len(questions) < FEWEST_CASES:
        return Tuning(None, before, before, len(questions))
    chosen = _climb(training, start)
    after = _quality(validation, chosen)
    if after - before < LEAST_GAIN:
        return Tuning(None, before, after, len(questions))
    weights = {name: round(float(value), 4) for name, value in zip(names, chosen, strict=True)}
    return Tuning(weights, before, after, len(questions))


def _question(one: Outcome, names: Sequence[str]) -> _Question:
    features = [[values.get(name, 0.0) for name in names] for _, values in one.candidates]
    paths = tuple(path for path, _ in one.candidates)
    exact = tuple(values.get("exact_name", 0.0) for _, values in one.candidates)
    return _Question(paths, exact, np.array(features, dtype=float).reshape(len(paths), len(names)), one.case.paths)


def _climb(questions: Sequence[_Question], start: Array) -> Array:
    """Move one weight at a time to the best of its factors, as long as that helps."""
    best = start.copy()
    quality = _quality(questions, best)
    for _ in range(PASSES):
        for place in range(len(best)):
            for factor in FACTORS:
                tried = best.copy()
                tried[place] = start[place] * factor
                if (reached := _quality(questions, tried)) > quality:
                    best, quality = tried, reached
    return best


def _quality(questions: Sequence[_Question], weights: Array) -> float:
    """Mean NDCG@10; candidates of equal score rank by path, as in a search."""
    if not questions:
        return 0.0
    total = 0.0
    for question in questions:
        scores = question.features @ weights
        order = sorted(
            range(len(question.paths)), key=lambda at: (-question.exact[at], -scores[at], question.paths[at])
        )
        total += measure([question.paths[place] for place in order], question.wanted).ndcg
    return total / len(questions)
