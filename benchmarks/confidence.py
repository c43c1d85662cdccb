"""How often an answer says that it is sure, of the right repository and of a wrong one.

    python benchmarks/confidence.py BENCH_FOLDER REPOSITORIES_FOLDER [--data FOLDER] [--json OUT]

The folders are those of relevance.py. Every labelled question is asked of its own repository, where the first answer is
right if a label names its file, and of another one, drawn by a fixed seed, where no answer is right. The figures of a
level: how many answers have it, in how many of these the first one is right, and one of the first five.
"""

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from figures import product_commit
from ndcg import hit, load_tasks

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.server.administration import stop_server

LEVELS = ("high", "medium", "low")
DEPTH = 5
SEED = 7


def ask(app: App, name: str, task: dict[str, Any]) -> tuple[str, list[bool]]:
    """Level of an answer, and which of its hits are right."""
    _, report = app.search(SearchRequest(task["query"], limit=DEPTH), index_name=name)
    places = [{"path": one.file_path, "start_line": one.start_line, "end_line": one.end_line} for one in report.hits]
    return report.confidence.level, [any(hit(place, target) for target in task["targets"]) for place in places]


def figures(own: Sequence[tuple[str, list[bool]]], other: Sequence[tuple[str, list[bool]]]) -> dict[str, Any]:
    """Shares by level."""
    wrong = Counter(level for level, _ in other)
    found = {}
    for level in LEVELS:
        right = [hits for said, hits in own if said == level]
        found[level] = {
            "own": round(len(right) / len(own), 3),
            "right_first": round(sum(hits[:1] == [True] for hits in right) / max(1, len(right)), 3),
            "right_in_five": round(sum(any(hits) for hits in right) / max(1, len(right)), 3),
            "wrong_repository": round(wrong[level] / len(other), 3),
        }
    return {"questions": len(own), "levels": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--data", type=Path, help="keep the indexes in this folder")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    repos = json.loads((options.bench / "repos.json").read_text(encoding="utf-8"))
    folders = {repo["name"]: options.repositories / repo["name"] / (repo.get("benchmark_root") or "") for repo in repos}
    names = sorted(name for name, folder in folders.items() if folder.is_dir())
    tasks = load_tasks(str(options.bench / "annotations"), str(options.bench / "repos.json"))
    tasks = [task for task in tasks if task["repo"] in names]
    draw = random.Random(SEED)
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch)) as app:
        for name in names:
            app.index(folders[name], name=name)
        own = [ask(app, task["repo"], task) for task in tasks]
        other = [ask(app, draw.choice([name for name in names if name != task["repo"]]), task) for task in tasks]
        if not options.data:
            stop_server(app.database)
    found = {"commit": product_commit(Path(__file__).parent.parent), **figures(own, other)}
    text = json.dumps(found, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
