"""NDCG@10 as semble's benchmark defines it. Pure, but for `load_tasks`.

A query has targets: files, or spans of lines in files, all worth the same. A target counts at the first result that
meets it, so a second chunk of a file wastes a place, and two targets that one result meets count once. The gains are
divided by those of the best possible list.
"""

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

CUT = 10  # results of a query that count

Target = tuple[str, int | None, int | None]  # path, first and last line; no lines: the whole file


def load_tasks(annotations: str, repos_json: str) -> list[dict[str, Any]]:
    """Labelled queries of the listed repositories: repo, language, query, category, targets."""
    languages = {repo["name"]: repo["language"] for repo in json.loads(Path(repos_json).read_text(encoding="utf-8"))}
    tasks = []
    for file in sorted(Path(annotations).glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            name = row.get("repo", file.stem)
            if name in languages:
                labels = [*row.get("relevant", []), *row.get("secondary", [])]
                tasks.append(
                    {
                        "repo": name,
                        "language": languages[name],
                        "query": row["query"],
                        "category": row.get("category") or category(row["query"]),
                        "targets": [target(label) for label in labels],
                    }
                )
    return tasks


def category(query: str) -> str:
    """Category of an unlabelled query, by its form."""
    if len(query.split()) < 2:
        return "symbol"
    return "architecture" if query.lower().startswith("how ") else "semantic"


def target(label: str | Mapping[str, Any]) -> Target:
    if isinstance(label, str):
        return label, None, None
    return label["path"], label.get("start_line"), label.get("end_line")


def hit(result: Mapping[str, Any], wanted: Target) -> bool:
    """Whether a result meets a target: paths may count from different folders, lines must overlap."""
    path, first, last = wanted
    shown = "/" + result["path"].replace("\\", "/")
    path = "/" + path.replace("\\", "/")
    if not (shown.endswith(path) or path.endswith(shown)):
        return False
    return first is None or last is None or (result["start_line"] <= last and result["end_line"] >= first)


def ndcg(results: Sequence[Mapping[str, Any]], targets: Sequence[Target]) -> float:
    if not targets:
        return 0.0
    firsts = [
        next((rank for rank, result in enumerate(results[:CUT]) if hit(result, wanted)), None) for wanted in targets
    ]
    gained = sum(1 / math.log2(rank + 2) for rank in set(firsts) if rank is not None)
    return gained / sum(1 / math.log2(rank + 2) for rank in range(min(CUT, len(targets))))


def score(answers: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]], tasks: Sequence[Any]) -> dict[str, Any]:
    """Figures of the answered repositories: means over queries and over repositories, and each query."""
    rows = [
        {key: task[key] for key in ("repo", "query", "category")}
        | {"ndcg": ndcg(answers[task["repo"]].get(task["query"], []), task["targets"])}
        for task in tasks
        if task["repo"] in answers
    ]
    by_repository: dict[str, list[float]] = {}
    for row in rows:
        by_repository.setdefault(row["repo"], []).append(row["ndcg"])
    return {
        "k": CUT,
        "n_queries": len(rows),
        "n_repos": len(by_repository),
        "by_query": statistics.fmean(row["ndcg"] for row in rows),
        "by_repo_mean": statistics.fmean(map(statistics.fmean, by_repository.values())),
        "per_query": rows,
    }
