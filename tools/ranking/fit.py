"""Fit the ranking's weights, and tell what each feature is worth.

    python tools/ranking/fit.py dev BENCH_FOLDER REPOSITORIES_FOLDER --data FOLDER --out dev.pickle
    python tools/ranking/fit.py mine REPOSITORIES_FOLDER --data FOLDER --out mined.pickle
    python tools/ranking/fit.py weights dev.pickle mined.pickle
    python tools/ranking/fit.py embedders dev.pickle other.pickle

`dev` asks the labelled questions of benchmarks/relevance.py; `mine` asks what `cocosearch-py eval` would ask of plain
git clones outside the benchmark. Both keep what the product's own search found before it ranked. `weights` fits by
listwise softmax with an L2 penalty, cross-validates over repositories, drops each feature in turn, and prints the mean
of the two sets' weights, which is what search/ranking.py ships, but for features that neither set asks about: settings,
versions, vendored and generated files (benchmarks/goldens asks about them). `embedders` compares models on
the same questions, with the shipped weights and with weights of their own; collect `other` with --embedding-model.
Needs numpy only.
"""

import argparse
import json
import math
import pickle
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cocosearch_py.app import App
from cocosearch_py.config.settings import EmbeddingSettings, Settings
from cocosearch_py.features.evaluate import cases as mining
from cocosearch_py.features.evaluate.history import read_history
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.search.pipeline import Findings, find_candidates, rank_findings
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS
from cocosearch_py.storage.queries.facts import read_definitions, read_languages

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.relevance import load_scorer

L2 = 0.001  # of the squared weights against the mean loss of a query; .0003 to .003 differ by noise
FOLDS = 5
SEEDS = (3, 4, 5)  # of the cuts into folds; the figures are their mean
CUT = 10
BOOTSTRAP_SAMPLES = 3_000
MINED_PER_SOURCE = {"commit": 60, "test": 30, "symbol": 25}  # of one repository
NEWTON_STEPS = 30
VECTOR_FACTORS = (0.0, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)  # of the shipped vector weight, to choose from
NAMES = tuple(DEFAULT_WEIGHTS)

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Collected:
    """One question with what was found; a target is (path, first line or None, last line or None)."""

    repository: str
    category: str
    findings: Findings
    targets: tuple[tuple[str, int | None, int | None], ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A question as numbers: features by file, and which target each file meets."""

    repository: str
    category: str
    features: Array  # files x NAMES
    meets: NDArray[np.bool_]  # targets x files

    @property
    def relevant(self) -> NDArray[np.bool_]:
        return np.asarray(self.meets.any(axis=0))


def collect_dev(app: App, bench: Path, repositories: Path, only: Sequence[str] = ()) -> Iterable[Collected]:
    scorer = load_scorer(bench)
    tasks = scorer.load_tasks(str(bench / "annotations"), str(bench / "repos.json"))
    for repo in json.loads((bench / "repos.json").read_text(encoding="utf-8")):
        name = repo["name"]
        if only and name not in only:
            continue
        app.index(repositories / name / (repo.get("benchmark_root") or ""), name=name)
        for task in tasks:
            if task["repo"] == name:
                targets = tuple((path, start, end) for path, start, end in task["targets"])
                yield Collected(name, task["category"], findings_of(app, name, task["query"]), targets)


def collect_mined(app: App, repositories: Path) -> Iterable[Collected]:
    for folder in sorted(path for path in repositories.iterdir() if path.is_dir()):
        app.index(folder, name=folder.name)
        record = app.catalog.find(folder.name)
        with app.database.reading() as conn:
            languages = read_languages(conn, record.index_id)
            definitions = read_definitions(conn, record.index_id)
        found = [
            *mining.commit_cases(read_history(folder), languages),
            *mining.tested_cases(definitions, languages),
            *mining.symbol_cases(definitions, languages),
        ]
        for source, most in MINED_PER_SOURCE.items():
            for case in mining.sample([case for case in found if case.source == source], most):
                targets = tuple((path, None, None) for path in sorted(case.paths))
                yield Collected(folder.name, source, findings_of(app, folder.name, case.query), targets)


def findings_of(app: App, name: str, query: str) -> Findings:
    record = app.catalog.find(name)
    with app.database.reading() as conn:
        return find_candidates(SearchRequest(query), record, conn, app.embedder)


def load(file: Path) -> list[Query]:
    """Numbers of collected questions; features are those of the present code."""
    queries = []
    with file.open("rb") as stream:
        collected: list[Collected] = pickle.load(stream)
    for one in collected:
        ranked = rank_findings(one.findings, DEFAULT_WEIGHTS)
        features = np.array([[item.features.get(name, 0.0) for name in NAMES] for item in ranked])
        meets = np.array([[same_file(item.path, path) for item in ranked] for path, _, _ in one.targets], dtype=bool)
        queries.append(
            Query(
                one.repository,
                one.category,
                features.reshape(len(ranked), len(NAMES)),
                meets.reshape(len(one.targets), len(ranked)),
            )
        )
    return queries


def same_file(path: str, target: str) -> bool:
    """Whether one path is the other, or its end: labels count from the repository's root, indexes from a folder."""
    return path == target or target.endswith("/" + path) or path.endswith("/" + target)


def ndcg(query: Query, weights: Array) -> float:
    """NDCG@10 of files; each target counts at the first file that meets it."""
    if not len(query.features):
        return 0.0
    order = np.argsort(-(query.features @ weights), kind="stable")[:CUT]
    meets = query.meets[:, order]
    ranks = {int(row.argmax()) for row in meets if row.any()}
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(CUT, len(query.meets))))
    return sum(1 / math.log2(rank + 2) for rank in ranks) / ideal


def fit(queries: Sequence[Query], start: Array | None = None, keep: Array | None = None) -> Array:
    """Weights of least listwise loss, by Newton's method; `keep` is 0 for features that stay out."""
    used = [query for query in queries if query.relevant.any()]
    mask = np.ones(len(NAMES)) if keep is None else keep
    features = np.concatenate([query.features for query in used]) * mask
    wanted = np.concatenate([query.relevant / query.relevant.sum() for query in used])
    lengths = np.array([len(query.features) for query in used])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    owner = np.repeat(np.arange(len(used)), lengths)

    def log_shares(weights: Array) -> Array:
        scores = features @ weights
        scores -= np.maximum.reduceat(scores, starts)[owner]
        return np.asarray(scores - np.log(np.add.reduceat(np.exp(scores), starts))[owner])

    def loss(weights: Array, logs: Array) -> float:
        return float(-(wanted * logs).sum() / len(used) + L2 * (weights * weights).sum() / 2)

    weights = np.zeros(len(NAMES)) if start is None else start * mask
    logs = log_shares(weights)
    for _ in range(NEWTON_STEPS):
        shares = np.exp(logs)
        gradient = features.T @ (shares - wanted) / len(used) + L2 * weights
        weighted = features * shares[:, None]
        means = np.add.reduceat(weighted, starts, axis=0)
        curvature = (features.T @ weighted - means.T @ means) / len(used) + L2 * np.eye(len(NAMES))
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while loss(weights - size * step, log_shares(weights - size * step)) > loss(weights, logs) and size > 1e-3:
            size /= 2
        weights = weights - size * step
        logs = log_shares(weights)
        if np.abs(size * step).max() < 1e-4:
            break
    return np.asarray(weights)


def cross_validated(queries: Sequence[Query], other: Array | None = None, keep: Array | None = None) -> Array:
    """NDCG of each query by weights fitted without its repository, averaged with `other` weights when given."""
    names = sorted({query.repository for query in queries})
    total = np.zeros(len(queries))
    full = fit(queries, keep=keep)
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(names)
        for fold in range(FOLDS):
            left_out = set(order[fold::FOLDS])
            weights = fit([query for query in queries if query.repository not in left_out], full, keep)
            if other is not None:
                weights = (weights + other) / 2
            for place, query in enumerate(queries):
                if query.repository in left_out:
                    total[place] += ndcg(query, weights)
    return total / len(SEEDS)


def interval(queries: Sequence[Query], differences: Array) -> tuple[float, float]:
    """95 % interval of the mean difference, bootstrapped over repositories."""
    by_repository: defaultdict[str, list[float]] = defaultdict(list)
    for query, difference in zip(queries, differences, strict=True):
        by_repository[query.repository].append(float(difference))
    groups = list(by_repository.values())
    chosen = np.random.default_rng(0).integers(0, len(groups), (BOOTSTRAP_SAMPLES, len(groups)))
    sums = np.array([sum(group) for group in groups])[chosen].sum(axis=1)
    low, high = np.percentile(sums / np.array([len(group) for group in groups])[chosen].sum(axis=1), [2.5, 97.5])
    return float(low), float(high)


def tell(title: str, queries: Sequence[Query], scores: Array, base: Array | None = None) -> None:
    by_category: defaultdict[str, list[float]] = defaultdict(list)
    for query, score in zip(queries, scores, strict=True):
        by_category[query.category].append(float(score))
    text = f"{title:34} {scores.mean():.4f}  " + " ".join(
        f"{name} {np.mean(values):.3f}" for name, values in sorted(by_category.items())
    )
    if base is not None:
        low, high = interval(queries, scores - base)
        text += f"  {(scores - base).mean():+.4f} [{low:+.4f}, {high:+.4f}]"
    print(text, flush=True)


def report(dev: Sequence[Query], mined: Sequence[Query]) -> None:
    shipped = np.array([DEFAULT_WEIGHTS[name] for name in NAMES])
    of_dev, of_mined = fit(dev), fit(mined)
    mean = (of_dev + of_mined) / 2
    for title, weights in (("dev", of_dev), ("mined", of_mined), ("mean", mean)):
        shown = ", ".join(f'"{name}": {value:.2f}' for name, value in zip(NAMES, weights, strict=True))
        print(f"weights of {title}: {shown}")
    for title, queries, own, foreign in (("dev", dev, of_dev, of_mined), ("mined", mined, of_mined, of_dev)):
        present = scores_of(queries, shipped)
        tell(f"{title}, shipped weights", queries, present)
        tell(f"{title}, mean of both", queries, scores_of(queries, mean), present)
        tell(f"{title}, fitted on itself", queries, scores_of(queries, own), present)
        tell(f"{title}, fitted on the other", queries, scores_of(queries, foreign), present)
        tell(f"{title}, cross-validated", queries, cross_validated(queries), present)
        mixed = cross_validated(queries, foreign)
        tell(f"{title}, cross-validated mean", queries, mixed, present)
        for place, name in enumerate(NAMES):
            keep = np.ones(len(NAMES))
            keep[place] = 0.0
            without = fit(mined if queries is dev else dev, keep=keep)
            tell(f"{title}, without {name}", queries, cross_validated(queries, without, keep), mixed)


def compare(files: Sequence[Path]) -> None:
    """Print each model's figures; differences are to the first one's shipped weights."""
    base = None
    for file in files:
        queries, name = load(file), file.stem
        table = np.array([scores_of(queries, with_vectors(factor)) for factor in VECTOR_FACTORS])
        shipped = table[VECTOR_FACTORS.index(1.0)]
        base = shipped if base is None else base
        print(f"{name}: {len(queries)} questions, {len({query.repository for query in queries})} repositories")
        means = zip(VECTOR_FACTORS, table.mean(axis=1), strict=True)
        print("  vector weight times " + ", ".join(f"{factor}: {mean:.4f}" for factor, mean in means))
        tell(f"{name}, shipped weights", queries, shipped, base)
        tuned, chosen = chosen_elsewhere(queries, table)
        tell(f"{name}, vector weight by folds", queries, tuned, base)
        print(f"  factors chosen: {sorted(chosen)}")
        tell(f"{name}, all weights by folds", queries, cross_validated(queries), base)


def with_vectors(factor: float) -> Array:
    weights = {**DEFAULT_WEIGHTS, "vectors": DEFAULT_WEIGHTS["vectors"] * factor}
    return np.array([weights[name] for name in NAMES])


def chosen_elsewhere(queries: Sequence[Query], table: Array) -> tuple[Array, list[float]]:
    """NDCG of each query by the vector factor that is best on the other folds, and the factors chosen."""
    repositories = np.array([query.repository for query in queries])
    names = sorted(set(repositories))
    total, chosen = np.zeros(len(queries)), []
    for seed in SEEDS:
        order = np.random.default_rng(seed).permutation(names)
        for fold in range(FOLDS):
            left_out = np.isin(repositories, order[fold::FOLDS])
            best = int(table[:, ~left_out].mean(axis=1).argmax())
            chosen.append(VECTOR_FACTORS[best])
            total[left_out] += table[best, left_out]
    return total / len(SEEDS), chosen


def scores_of(queries: Sequence[Query], weights: Array) -> Array:
    return np.array([ndcg(query, weights) for query in queries])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["dev", "mine", "weights", "embedders"])
    parser.add_argument("inputs", nargs="+", type=Path)
    parser.add_argument("--data", type=Path, help="folder of the indexes")
    parser.add_argument("--out", type=Path, help="where the collected questions are written")
    parser.add_argument("--repo", action="append", default=[], help="of `dev`: only these repositories")
    parser.add_argument("--embedding-model", help="a folder or name, instead of the bundled table")
    options = parser.parse_args()
    if options.what == "weights":
        report(load(options.inputs[0]), load(options.inputs[1]))
        return
    if options.what == "embedders":
        compare(options.inputs)
        return
    if not options.data or not options.out:
        parser.error("--data and --out are needed")
    with App(Settings(embedding=EmbeddingSettings(model=options.embedding_model)), options.data) as app:
        collected = list(
            collect_dev(app, *options.inputs, options.repo)
            if options.what == "dev"
            else collect_mined(app, *options.inputs)
        )
    with options.out.open("wb") as stream:
        pickle.dump(collected, stream)
    print(f"{len(collected)} questions", file=sys.stderr)


if __name__ == "__main__":
    main()
