"""Retrieval quality on a labelled benchmark: NDCG@10 of the product's own search, default settings.

    python benchmarks/relevance.py BENCH_FOLDER REPOSITORIES_FOLDER [--json OUT] [--repo NAME ...] [--per-query]

BENCH_FOLDER holds `repos.json` (name, language, benchmark_root), `annotations/NAME.json` (queries with the files or
line spans that answer them) and `ndcg.py` (the scorer); REPOSITORIES_FOLDER holds each repository under its name.
Labelled data and repositories stay outside this project; docs/retrieval.md says where they come from.
"""

import argparse
import importlib.util
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import SearchRequest

RESULTS_PER_QUERY = 10
BOOTSTRAP_SAMPLES = 2_000


def load_scorer(bench: Path) -> ModuleType:
    """The benchmark's own definition of NDCG."""
    spec = importlib.util.spec_from_file_location("ndcg", bench / "ndcg.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(app: App, name: str, queries: list[str]) -> dict[str, list[dict[str, Any]]]:
    """Ranked results of each query."""
    answers = {}
    for query in queries:
        request = SearchRequest(query, limit=RESULTS_PER_QUERY, smart_context=False)
        _, report = app.search(request, index_name=name)
        answers[query] = [
            {"path": hit.file_path, "start_line": hit.start_line, "end_line": hit.end_line, "why": hit.why}
            for hit in report.hits
        ]
    return answers


def interval(by_repository: dict[str, list[float]]) -> tuple[float, float]:
    """95 % interval of the mean over queries, bootstrapped over repositories."""
    rng = random.Random(0)
    names = sorted(by_repository)
    means = []
    for _ in range(BOOTSTRAP_SAMPLES):
        sample = [score for name in rng.choices(names, k=len(names)) for score in by_repository[name]]
        means.append(statistics.fmean(sample))
    means.sort()
    return means[int(0.025 * len(means))], means[int(0.975 * len(means))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--answers", type=Path, help="write every ranked answer here")
    parser.add_argument("--repo", action="append", help="only these repositories")
    parser.add_argument("--data", type=Path, help="keep the indexes in this folder")
    options = parser.parse_args()
    scorer = load_scorer(options.bench)
    tasks = scorer.load_tasks(str(options.bench / "annotations"), str(options.bench / "repos.json"))
    repositories = json.loads((options.bench / "repos.json").read_text(encoding="utf-8"))
    if options.repo:
        repositories = [repo for repo in repositories if repo["name"] in options.repo]
    answers = {}
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch)) as app:
        for repo in repositories:
            name = repo["name"]
            folder = options.repositories / name / (repo.get("benchmark_root") or "")
            started = time.perf_counter()
            run = app.index(folder, name=name)
            indexed = time.perf_counter()
            answers[name] = answer(app, name, [task["query"] for task in tasks if task["repo"] == name])
            searched = time.perf_counter() - indexed
            print(f"{name}: {run.chunks} chunks, {indexed - started:.2f} s, {searched:.2f} s", file=sys.stderr)
        if not options.data:
            app.stop_server()
    figures = scorer.score(answers, tasks)
    by_repository: dict[str, list[float]] = {}
    for row in figures["per_query"]:
        by_repository.setdefault(row["repo"], []).append(row["ndcg"])
    figures["interval_95"] = interval(by_repository)
    if options.answers:
        options.answers.write_text(json.dumps(answers, indent=1), encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    figures.pop("per_query")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
