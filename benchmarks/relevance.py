"""Retrieval quality on a labelled benchmark: NDCG@10 of the product's own search, default settings.

    python benchmarks/relevance.py BENCH_FOLDER REPOSITORIES_FOLDER [--json OUT] [--repo NAME ...]
        [--report OUT.md] [--append benchmarks/results/relevance_history.jsonl]

BENCH_FOLDER holds `repos.json` (name, language, benchmark_root) and `annotations/NAME.json` (queries with the files or
line spans that answer them); its `ndcg.py`, where it has one, scores instead of the one here. REPOSITORIES_FOLDER holds
repositories under their names; those that it lacks are left out. Labelled data and repositories stay outside this
project; docs/retrieval.md says where they come from.

Figures go to standard output as JSON, tables with 95 % intervals to standard error. `--report` tells of every query
that lost places what beat the right answer, and by which features.
"""

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import Any

from figures import Figure, breakdown, history_row, product_commit, table, with_row
from losses import Label, Question, diagnose, report
from ndcg import CUT

from cocosearch_py.app import App
from cocosearch_py.config.settings import EmbeddingSettings, Settings
from cocosearch_py.model.search import MAX_LIMIT, SearchRequest
from cocosearch_py.search.ranking import DEFAULT_WEIGHTS
from cocosearch_py.storage.server.administration import stop_server

PERFECT = 1.0 - 1e-9
HERE = Path(__file__).parent

Task = Mapping[str, Any]  # a query as the scorer loads it: repo, language, query, category, targets
Results = list[dict[str, Any]]


def load_scorer(bench: Path) -> ModuleType:
    """The benchmark's own definition of NDCG, else ours of the same."""
    given = bench / "ndcg.py"
    spec = importlib.util.spec_from_file_location("ndcg", given if given.is_file() else HERE / "ndcg.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(app: App, name: str, queries: list[str]) -> dict[str, Results]:
    """Ranked results of each query."""
    answers = {}
    for query in queries:
        request = SearchRequest(query, limit=CUT, smart_context=False)
        _, found = app.search(request, index_name=name)
        answers[query] = [
            {"path": hit.file_path, "start_line": hit.start_line, "end_line": hit.end_line, "why": hit.why}
            for hit in found.hits
        ]
    return answers


def index_and_answer(app: App, folders: Mapping[str, Path], tasks: Sequence[Task]) -> dict[str, dict[str, Results]]:
    """Index each folder under its name and ask its queries."""
    answers = {}
    for name, folder in folders.items():
        started = time.perf_counter()
        run = app.index(folder, name=name)
        indexed = time.perf_counter()
        answers[name] = answer(app, name, [task["query"] for task in tasks if task["repo"] == name])
        searched = time.perf_counter() - indexed
        print(f"{name}: {run.chunks} chunks, {indexed - started:.2f} s, {searched:.2f} s", file=sys.stderr)
    return answers


def question(app: App, task: Task, ndcg: float, scorer: ModuleType) -> Question:
    """A query that lost places, with what the product's own analysis says of its right answers."""
    record, found = app.search(SearchRequest(task["query"], limit=CUT), index_name=task["repo"])
    _, deep = app.search(SearchRequest(task["query"], limit=MAX_LIMIT), index_name=task["repo"])
    results = [{"path": hit.file_path, "start_line": hit.start_line, "end_line": hit.end_line} for hit in found.hits]

    def label(target: tuple[str, int | None, int | None]) -> Label:
        path, start, end = target
        lines = (start, end) if start and end else None
        rank = next((rank for rank, result in enumerate(results, 1) if scorer.hit(result, target)), None)
        if rank is not None:
            return Label(str(results[rank - 1]["path"]), lines, rank)
        # Labels count from the repository's root, paths from the indexed folder, which may lie below it.
        ends = Path(path).parts
        inside = next((at for at in range(len(ends)) if Path(record.root_path, *ends[at:]).is_file()), 0)
        explained = app.searches.explain_path(record, found, "/".join(ends[inside:]))
        return Label(str(explained["path"]), lines, None, str(explained["verdict"]), str(explained["reason"]))

    return Question(
        repository=task["repo"],
        category=task["category"],
        text=task["query"],
        ndcg=ndcg,
        results=[str(result["path"]) for result in results],
        labels=[label(target) for target in task["targets"]],
        features={hit.file_path: hit.why for hit in deep.hits},
        ranking=found.ranked_paths,
    )


def append(history: Path, groups: Mapping[str, list[Figure]], model: str) -> None:
    """Add these figures to the history of the product's commits."""
    lines = history.read_text(encoding="utf-8").splitlines() if history.exists() else []
    rows = with_row([json.loads(line) for line in lines], history_row(groups, product_commit(HERE.parent), model))
    history.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--answers", type=Path, help="write every ranked answer here")
    parser.add_argument("--report", type=Path, help="write here what beat the right answers")
    parser.add_argument("--append", type=Path, help="add the figures to this history of commits")
    parser.add_argument("--repo", action="append", help="only these repositories")
    parser.add_argument("--data", type=Path, help="keep the indexes in this folder")
    parser.add_argument("--embedding-model", help="a folder or name, instead of the bundled table")
    options = parser.parse_args()
    if options.append and options.repo:
        parser.error("--append wants all repositories: figures of some compare with nothing")
    return options


def main() -> None:
    options = parse()
    scorer = load_scorer(options.bench)
    tasks = scorer.load_tasks(str(options.bench / "annotations"), str(options.bench / "repos.json"))
    folders = {
        repo["name"]: options.repositories / repo["name"] / (repo.get("benchmark_root") or "")
        for repo in json.loads((options.bench / "repos.json").read_text(encoding="utf-8"))
        if not options.repo or repo["name"] in options.repo
    }
    missing = [name for name, folder in folders.items() if not folder.is_dir()]
    if missing and options.append:
        sys.exit("--append wants every repository; not there: " + ", ".join(missing))
    if missing:
        print("not there, left out: " + ", ".join(missing), file=sys.stderr)
    folders = {name: folder for name, folder in folders.items() if name not in missing}
    tasks = [task for task in tasks if task["repo"] in folders]
    settings = Settings(embedding=EmbeddingSettings(model=options.embedding_model))
    with tempfile.TemporaryDirectory() as scratch, App(settings, options.data or Path(scratch)) as app:
        answers = index_and_answer(app, folders, tasks)
        figures = scorer.score(answers, tasks)
        scored = [(task, row["ndcg"]) for task, row in zip(tasks, figures["per_query"], strict=True)]
        if options.report:
            lost = [question(app, task, ndcg, scorer) for task, ndcg in scored if ndcg < PERFECT]
            losses = [diagnose(one, DEFAULT_WEIGHTS) for one in lost]
            options.report.write_text(report(losses, len(scored)), encoding="utf-8")
        model = app.embedder.name
        if not options.data:
            stop_server(app.database)
    groups = breakdown({**task, "ndcg": ndcg} for task, ndcg in scored)
    figures["interval_95"] = groups["all"][0].low, groups["all"][0].high
    figures["intervals_95"] = {grouping: [asdict(one) for one in found] for grouping, found in groups.items()}
    figures["model"] = model
    if options.answers:
        options.answers.write_text(json.dumps(answers, indent=1), encoding="utf-8")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    if options.append:
        append(options.append, groups, model)
    for grouping, found in groups.items():
        print(f"\n{table(grouping, found)}", file=sys.stderr)
    print(json.dumps({name: value for name, value in figures.items() if name != "per_query"}, indent=1))


if __name__ == "__main__":
    main()
