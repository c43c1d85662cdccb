"""Issue report -> files to change: where the product's own search, default settings, ranks the files of the fix.

    python benchmarks/issues.py ISSUES MIRRORS PREPARED.jsonl ... [--json OUT] [--repo OWNER/NAME ...]
        [--most-files N] [--each N] [--data FOLDER]

ISSUES holds `prepare.py`, which makes PREPARED.jsonl from a data set, and `score.py`; MIRRORS holds a git directory
OWNER+NAME/repo for each repository. All of it stays outside this project; benchmarks/results/README.md says where it
comes from. One index of each repository moves from commit to commit, oldest first, by incremental runs.

Each report is asked as its title, its first 1,000 characters, and whole. What is no code by the rule of `prepare.py`
is dropped from an answer of fifty files before it is scored.
"""

import argparse
import importlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from figures import product_commit

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import MAX_QUERY_CHARS, SearchRequest
from cocosearch_py.storage.server.administration import stop_server

HERE = Path(__file__).parent
FILES = 50  # of one answer
START_CHARS = 1_000

Instance = Mapping[str, Any]  # as prepare.py writes it


def variants(statement: str) -> dict[str, str]:
    """The texts that are asked for one report."""
    title = next((line.strip() for line in statement.splitlines() if line.strip()), "")
    return {"title": title[:START_CHARS], "start": statement[:START_CHARS], "whole": statement[:MAX_QUERY_CHARS]}


def check_out(mirror: Path, row: Instance, folder: Path) -> None:
    """Make a folder hold a commit, but for what its mirror lacks; files that stay the same are left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GIT_INDEX_FILE": str(folder.with_suffix(".index"))}

    def git(*arguments: str, given: str = "") -> None:
        command = ["git", "--git-dir", str(mirror), "--work-tree", str(folder), *arguments]
        subprocess.run(command, env=environment, cwd=folder, check=True, capture_output=True, input=given.encode())

    git("read-tree", "--reset", row["base_commit"])
    git("update-index", "--force-remove", "-z", "--stdin", given="".join(f"{path}\0" for path in row.get("absent", [])))
    git("checkout-index", "--all", "--force", "--index", "--quiet")
    git("clean", "-ffdxq")


def answer(app: App, name: str, text: str) -> tuple[list[str], float]:
    """Files, best first, and the milliseconds that finding them took."""
    started = time.perf_counter()
    _, found = app.search(SearchRequest(text, limit=FILES, smart_context=False), index_name=name)
    return list(dict.fromkeys(hit.file_path for hit in found.hits)), (time.perf_counter() - started) * 1000


def run(app: App, mirrors: Path, instances: Sequence[Instance], work: Path) -> Iterator[dict[str, Any]]:
    """Each instance with its answers, repository by repository, the oldest commit first."""
    ordered = sorted(instances, key=lambda row: (row["mirror"].lower(), row["base_date"]))
    for mirror, rows in groupby(ordered, key=lambda row: row["mirror"]):
        name = mirror.replace("+", "_")
        folder, steps = work / name, []
        for row in rows:
            check_out(mirrors / mirror / "repo", row, folder)
            started = time.perf_counter()
            chunks = app.index(folder, name=name).chunks
            steps.append(time.perf_counter() - started)
            found = {kind: answer(app, name, text) for kind, text in variants(row["statement"]).items()}
            yield {**row, "chunks": chunks, "index_s": steps[-1], "answers": found}
        print(f"{mirror}: {len(steps)} instances, {statistics.median(steps):.1f} s a step", file=sys.stderr)
        shutil.rmtree(folder)


def figures(scorer: Any, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Means of all metrics with their 95 % intervals over repositories, by the text that was asked."""
    result: dict[str, Any] = {"instances": len(rows), "repositories": len({row["repo"] for row in rows})}
    scored: dict[str, list[tuple[str, dict[str, float]]]] = {}
    for row in rows:
        for kind, (files, _) in row["answers"].items():
            code = [file for file in files if scorer.kind(file) == "code" or file in row["gold"]]
            scored.setdefault(kind, []).append((row["repo"], scorer.score(code, row["gold"])))
    for kind, scores in scored.items():
        by_repository = scorer.grouped(scores)
        result[kind] = {
            metric: {
                "mean": round(scorer.mean([one for _, one in scores], metric), 4),
                "interval_95": [round(end, 4) for end in scorer.bootstrap(by_repository, metric)],
            }
            for metric in scorer.METRICS
        }
        times = sorted(row["answers"][kind][1] for row in rows)
        result[kind]["p50_ms"], result[kind]["p95_ms"] = (
            round(times[int(len(times) * share)], 1) for share in (0.5, 0.95)
        )
    return result


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("issues", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("prepared", type=Path, nargs="+")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--answers", type=Path, help="write the files of every answer here, as score.py reads them")
    parser.add_argument("--repo", action="append", help="only these repositories")
    parser.add_argument("--most-files", type=int, default=1_000, help="leave out larger trees")
    parser.add_argument("--each", type=int, help="at most so many instances of a repository, spread over time")
    parser.add_argument("--data", type=Path, help="keep the indexes in this folder")
    return parser.parse_args()


def select(options: argparse.Namespace) -> list[Instance]:
    """The instances that are to be run; one that several sets share counts once."""
    lines = [line for file in options.prepared for line in file.read_text(encoding="utf-8").splitlines()]
    unique = {row["instance_id"]: row for row in map(json.loads, lines)}
    chosen: dict[str, list[Instance]] = {}
    for row in sorted(unique.values(), key=lambda row: row["base_date"]):
        if row["files"] <= options.most_files and (not options.repo or row["repo"] in options.repo):
            chosen.setdefault(row["repo"], []).append(row)
    if options.each:
        chosen = {repo: spread(rows, options.each) for repo, rows in chosen.items()}
    return [row for rows in chosen.values() for row in rows]


def spread(rows: Sequence[Instance], most: int) -> list[Instance]:
    """At most so many rows, at equal distances."""
    count = min(most, len(rows))
    return [rows[at * len(rows) // count] for at in range(count)]


def main() -> None:
    options = parse()
    sys.path.insert(0, str(options.issues))
    scorer = importlib.import_module("score")
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch, "data")) as app:
        rows = list(run(app, options.mirrors, select(options), Path(scratch)))
        stop_server(app.database)
    result = {"commit": product_commit(HERE.parent), **figures(scorer, rows)}
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.answers:
        kept = {
            row["instance_id"]: {
                **{key: row[key] for key in ("repo", "language", "gold", "chunks")},
                **{kind: {"files": files} for kind, (files, _) in row["answers"].items()},
            }
            for row in rows
        }
        options.answers.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
