"""Relevance on a labelled benchmark: NDCG@10 of the default search, and what its confidence is worth.

The benchmark's folder holds `repos.json` (name, language, benchmark_root) and `annotations/NAME.json` (questions with
the files or line spans that answer them); its `ndcg.py`, if there is one, scores instead of the one here. Labels and
repositories stay outside this project; docs/retrieval.md names their source.
"""

import importlib.util
import json
import random
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

from benchmarks.frame import benchmark, note
from benchmarks.product import Product, Server
from benchmarks.rows import Figures
from benchmarks.timing import ratio

BOOTSTRAP_SAMPLES = 2_000
SEVERAL = 5  # repositories; fewer show too little of how repositories differ to be drawn again
LEVELS = ("high", "medium", "low")
EVIDENCE = 12  # pieces of an answer
DEPTH = 5  # answers whose confidence is judged
SEED = 7

Bench = Annotated[Path, "folder of the labelled benchmark"]
Repositories = Annotated[Path, "folder of its repositories, by name; missing ones are left out"]
Only = Annotated[tuple[str, ...], "only these repositories"]
Scores = Mapping[str, Sequence[float]]  # repository -> NDCG of each question


@dataclass(frozen=True, slots=True)
class Labelled:
    """Questions with their scorer, and the folders of the repositories that are there."""

    scorer: ModuleType
    folders: Mapping[str, Path]
    tasks: Sequence[Mapping[str, Any]]  # repo, language, query, category, targets

    def right(self, hit: Mapping[str, Any], task: Mapping[str, Any]) -> bool:
        """Whether a result meets a label of a question."""
        return any(self.scorer.hit(hit, target) for target in task["targets"])

    def indexed(self, product: Product) -> Iterator[tuple[str, Server, list[Mapping[str, Any]]]]:
        """Each repository with a server that has its index, and its questions."""
        for name, folder in self.folders.items():
            product.index(folder, name)
            with product.server(folder) as server:
                yield name, server, [task for task in self.tasks if task["repo"] == name]
            note(name)


def load_scorer(bench: Path) -> ModuleType:
    """Module that defines NDCG: the benchmark's own, or ours."""
    own = bench / "ndcg.py"
    spec = importlib.util.spec_from_file_location("ndcg", own if own.is_file() else Path(__file__).parent / "ndcg.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load(bench: Path, repositories: Path, only: Sequence[str] = ()) -> Labelled:
    scorer = load_scorer(bench)
    listed = json.loads((bench / "repos.json").read_text(encoding="utf-8"))
    folders = {row["name"]: repositories / row["name"] / (row.get("benchmark_root") or "") for row in listed}
    present = {name: folder for name, folder in folders.items() if folder.is_dir() and (not only or name in only)}
    tasks = scorer.load_tasks(str(bench / "annotations"), str(bench / "repos.json"))
    return Labelled(scorer, present, [task for task in tasks if task["repo"] in present])


def hits(server: Server, query: str, **arguments: Any) -> list[dict[str, Any]]:
    """Results of a search without their contents; `path` is that of the file."""
    options = {"include_content": False, "smart_context": False, **arguments}
    items = server.call("search_code", query=query, **options)
    return [{**item, "path": item["file_path"]} for item in items if "file_path" in item]


@benchmark
def relevance(product: Product, bench: Bench, repositories: Repositories, *, only: Only = ()) -> Figures:
    """NDCG@10 of the labelled questions, with its 95 % interval, by kind of question and language."""
    labelled = load(bench, repositories, only)
    answers = {
        name: {task["query"]: hits(server, task["query"], index_name=name, limit=10) for task in tasks}
        for name, server, tasks in labelled.indexed(product)
    }
    scored = labelled.scorer.score(answers, labelled.tasks)
    rows = [{**task, "ndcg": row["ndcg"]} for task, row in zip(labelled.tasks, scored["per_query"], strict=True)]
    low, high = interval(by_group(rows, "repo"))
    figures: Figures = {
        "questions": len(rows),
        "repositories": len(labelled.folders),
        "NDCG@10": round(scored["by_query"], 4),
        "NDCG@10 low": round(low, 4),
        "NDCG@10 high": round(high, 4),
        "NDCG@10 by repository": round(scored["by_repo_mean"], 4),
    }
    for grouping in ("category", "language"):
        means = {group: statistics.fmean(scores) for group, scores in by_group(rows, grouping).items()}
        figures |= {f"NDCG@10 {group}": round(means[group], 4) for group in sorted(means)}
    return figures


def by_group(rows: Sequence[Mapping[str, Any]], grouping: str) -> dict[str, list[float]]:
    """Scores by category, language or repository."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(row[grouping], []).append(row["ndcg"])
    return groups


def interval(scores: Scores) -> tuple[float, float]:
    """95 % interval of the mean, by bootstrap.

    Whole repositories are drawn where there are several. Among fewer only the questions vary, and the interval then
    does not cover other repositories.
    """
    chance = random.Random(0)
    names = sorted(scores)
    pooled = [score for name in names for score in scores[name]]
    means = []
    for _ in range(BOOTSTRAP_SAMPLES):
        if len(names) >= SEVERAL:
            sample = [score for name in chance.choices(names, k=len(names)) for score in scores[name]]
        else:
            sample = chance.choices(pooled, k=len(pooled))
        means.append(statistics.fmean(sample))
    means.sort()
    return means[int(0.025 * len(means))], means[int(0.975 * len(means))]


@benchmark
def confidence(product: Product, bench: Bench, repositories: Repositories, *, only: Only = ()) -> Figures:
    """How often an answer says that it is sure, for the right repository and for another one drawn at random."""
    labelled = load(bench, repositories, only)
    for name, folder in labelled.folders.items():
        product.index(folder, name)
    chance = random.Random(SEED)
    own: list[tuple[str, list[bool]]] = []
    other: list[str] = []
    with product.server(product.scratch) as server:
        for task in labelled.tasks:
            level, results = _confident(server, task["query"], task["repo"])
            own.append((level, [labelled.right(hit, task) for hit in results]))
            others = [name for name in labelled.folders if name != task["repo"]]
            if others:
                other.append(_confident(server, task["query"], chance.choice(others))[0])
    figures: Figures = {"repositories": len(labelled.folders), "questions": len(own)}
    for level in LEVELS:
        right = [results for said, results in own if said == level]
        figures |= {
            f"{level}, right repository": ratio(len(right), len(own)),
            f"{level}, first result right": ratio(sum(results[:1] == [True] for results in right), len(right)),
            f"{level}, wrong repository": ratio(other.count(level), len(other)),
        }
    return figures


def _confident(server: Server, query: str, name: str) -> tuple[str, list[dict[str, Any]]]:
    """Level of confidence of an answer, and its results."""
    items = server.call("search_code", query=query, index_name=name, limit=DEPTH, include_content=False)
    level = next((item["level"] for item in items if item.get("type") == "confidence"), "high")
    return level, [{**item, "path": item["file_path"]} for item in items if "file_path" in item]


@benchmark
def ask(product: Product, bench: Bench, repositories: Repositories, *, only: Only = ()) -> Figures:
    """Whether the evidence of ask_codebase has a right place, beside search_code with as many results."""
    labelled = load(bench, repositories, only)
    counts: Counter[str] = Counter()
    levels: dict[str, list[bool]] = {level: [] for level in LEVELS}
    for name, server, tasks in labelled.indexed(product):
        for task in tasks:
            answer = server.call("ask_codebase", question=task["query"], index_name=name)
            places = [
                {"path": piece["path"], "start_line": piece["lines"][0], "end_line": piece["lines"][1]}
                for piece in answer["evidence"]
            ]
            is_right = any(labelled.right(place, task) for place in places)
            results = hits(server, task["query"], index_name=name, limit=EVIDENCE)
            counts.update({"ask": is_right, "search": any(labelled.right(hit, task) for hit in results)})
            levels[answer["confidence"]["level"]].append(is_right)
    questions = len(labelled.tasks)
    figures: Figures = {
        "repositories": len(labelled.folders),
        "questions": questions,
        "right place in the evidence": ratio(counts["ask"], questions),
        "right place in search_code": ratio(counts["search"], questions),
    }
    for level, right in levels.items():
        figures |= {f"{level}, answers": len(right), f"{level}, right": ratio(sum(right), len(right))}
    return figures
