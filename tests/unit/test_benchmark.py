"""The figures of benchmarks/relevance.py: intervals, tables, history, NDCG, and the diagnosis of lost queries."""

import importlib
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


sys.path.append(str(BENCHMARKS))  # behind all else: one of its files is called as a package is
figures = importlib.import_module("figures")
losses = importlib.import_module("losses")
ndcg = importlib.import_module("ndcg")

WEIGHTS = {"keywords": 2.0, "name": 1.0, "depth": -1.0}


def rows(*repositories: tuple[str, str, list[float]]) -> list[dict[str, Any]]:
    return [
        {"repo": name, "language": language, "category": "symbol" if place else "semantic", "ndcg": score}
        for name, language, scores in repositories
        for place, score in enumerate(scores)
    ]


def question(labels: list[Any], **other: Any) -> Any:
    known: dict[str, Any] = {
        "results": ["a/hub.py", "b/other.py", "a/right.py"],
        "features": {"a/hub.py": {"keywords": 1.0}, "a/right.py": {"keywords": 0.5, "name": 0.8, "depth": 0.2}},
        "ranking": ["a/hub.py", "b/other.py", "a/right.py", "z.py"],
    }
    return losses.Question(repository="r", category="semantic", text="q", ndcg=0.5, labels=labels, **known | other)


def result(path: str, first: int = 1, last: int = 9) -> dict[str, Any]:
    return {"path": path, "start_line": first, "end_line": last}


# NDCG: the cases of the benchmark's definition


@pytest.mark.parametrize(
    ("results", "targets", "expected"),
    [
        ([result("a.py")], [("src/a.py", None, None)], 1.0),  # paths may count from different folders
        ([result("x/src/a.py")], [("a.py", None, None)], 1.0),
        ([result("xa.py")], [("a.py", None, None)], 0.0),
        ([result("z.py"), result("a.py")], [("a.py", None, None)], 1 / math.log2(3)),
        ([result("a.py", 1, 9)], [("a.py", 9, 20)], 1.0),  # lines touch
        ([result("a.py", 1, 8)], [("a.py", 9, 20)], 0.0),
        ([result("a.py", 1, 9)], [("a.py", 1, 5), ("a.py", 6, 9)], 1 / (1 + 1 / math.log2(3))),  # one for two
        (
            [result("a.py"), result("a.py", 10, 20), result("b.py")],  # the second chunk wastes a place
            [("a.py", None, None), ("b.py", None, None)],
            (1 + 1 / 2) / (1 + 1 / math.log2(3)),
        ),
        ([result(f"z{rank}.py") for rank in range(10)] + [result("a.py")], [("a.py", None, None)], 0.0),
        ([], [("a.py", None, None)], 0.0),
        ([result("a.py")], [], 0.0),
    ],
)
def test_ndcg(results: list[Any], targets: list[Any], expected: float) -> None:
    assert ndcg.ndcg(results, targets) == pytest.approx(expected)


def test_scores_are_means_over_queries_and_over_repositories(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "repos.json").write_text(json.dumps([{"name": "r", "language": "go"}, {"name": "s", "language": "c"}]))
    asked = [{"query": query, "relevant": ["a.py"]} for query in ("Symbol", "how it works")]
    (tmp_path / "notes" / "r.json").write_text(json.dumps(asked))
    spans = [{"path": "b.py", "start_line": 3, "end_line": 4}]
    other = {"query": "what it is", "relevant": [], "secondary": spans, "category": "kept"}
    (tmp_path / "notes" / "s.json").write_text(json.dumps([other]))
    (tmp_path / "notes" / "unlisted.json").write_text(json.dumps(asked))
    tasks = ndcg.load_tasks(str(tmp_path / "notes"), str(tmp_path / "repos.json"))
    assert [(task["repo"], task["language"], task["category"]) for task in tasks] == [
        ("r", "go", "symbol"),
        ("r", "go", "architecture"),
        ("s", "c", "kept"),
    ]
    assert tasks[2]["targets"] == [("b.py", 3, 4)]
    answers = {"r": {"Symbol": [result("a.py")]}, "s": {"what it is": [result("b.py")]}}
    scored = ndcg.score(answers, tasks)
    assert [row["ndcg"] for row in scored["per_query"]] == [1.0, 0.0, 1.0]
    assert (scored["by_query"], scored["by_repo_mean"]) == (pytest.approx(2 / 3), 0.75)


# Figures


def test_whole_repositories_are_drawn_where_there_are_several() -> None:
    alike_within = {str(number): [float(number % 2)] * 50 for number in range(6)}
    low, high, over = figures.interval(alike_within)
    assert over == "repositories"
    assert (low, high) == (pytest.approx(0.17, abs=0.05), pytest.approx(0.83, abs=0.05))


def test_queries_are_drawn_where_repositories_are_few() -> None:
    low, high, over = figures.interval({"one": [0.0, 1.0] * 50})
    assert over == "queries"
    assert 0.38 < low < 0.43
    assert 0.57 < high < 0.62


def test_breakdown_pools_queries_of_each_group() -> None:
    found = figures.breakdown(rows(("flask", "python", [1.0, 0.0]), ("click", "python", [1.0]), ("gin", "go", [0.5])))
    (overall,) = found["all"]
    assert (overall.queries, overall.repositories, overall.ndcg) == (4, 3, 0.625)
    assert {one.group: (one.queries, one.repositories) for one in found["language"]} == {
        "go": (1, 1),
        "python": (3, 2),
    }
    assert {one.group: one.ndcg for one in found["category"]} == {"semantic": pytest.approx(2.5 / 3), "symbol": 0.0}
    assert [one.group for one in found["repo"]] == ["click", "flask", "gin"]


def test_a_table_has_a_line_for_each_group_and_says_what_was_resampled() -> None:
    found = figures.breakdown(rows(("flask", "python", [1.0, 0.0]), ("gin", "go", [0.5])))
    head, go, python = figures.table("language", found["language"]).splitlines()
    assert head.split() == ["language", "queries", "repos", "NDCG@10", "95", "%", "interval", "resampled"]
    assert go.split() == ["go", "1", "1", "0.500", "[0.500,", "0.500]", "queries"]
    assert python.split()[:4] == ["python", "2", "1", "0.500"]


def test_history_names_the_worst_language_and_replaces_the_same_commit() -> None:
    found = figures.breakdown(rows(("flask", "python", [1.0]), ("gin", "go", [0.5])))
    row = figures.history_row(found, ("abc", "2026-01-02"), "table@1")
    assert row["worst_language"] == ["go", 0.5]
    assert (row["commit"], row["date"], row["ndcg"], row["categories"]) == (
        "abc",
        "2026-01-02",
        0.75,
        {"semantic": 0.75},
    )
    older = row | {"commit": "aaa"}
    assert figures.with_row([row | {"ndcg": 0.1}, older], row) == [older, row]
    assert figures.with_row([row | {"model": "table@2"}], row) == [row | {"model": "table@2"}, row]


def test_the_commit_is_the_last_that_changed_the_product(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        done = subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)
        return done.stdout.decode().strip()

    def commit(path: str) -> str:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("x")
        git("add", ".")
        git("commit", "-m", path)
        return git("rev-parse", "--short", "HEAD")

    git("init")
    product = commit("src/a.py")
    commit("docs/b.md")
    assert figures.product_commit(tmp_path)[0] == product
    (tmp_path / "docs" / "b.md").write_text("y")
    assert figures.product_commit(tmp_path)[0] == product
    (tmp_path / "src" / "a.py").write_text("y")
    assert figures.product_commit(tmp_path)[0] == f"{product}+"


# Diagnosis


def test_the_first_wrong_result_is_compared_feature_by_feature_with_the_next_right_one() -> None:
    loss = losses.diagnose(question([losses.Label("a/right.py", None, 3)]), WEIGHTS)
    assert (loss.kind, loss.winner, loss.relation) == (losses.BEHIND, "a/hub.py", losses.SAME_FOLDER)
    assert dict(loss.differences) == {"keywords": pytest.approx(1.0), "depth": pytest.approx(0.2), "name": -0.8}
    assert [name for name, _ in loss.differences] == ["keywords", "depth", "name"]
    assert loss.alone == ["keywords"]  # the margin is .4


def test_a_met_label_leaves_the_next_place_to_judge() -> None:
    labels = [losses.Label("a/hub.py", None, 1), losses.Label("a/right.py", None, 3)]
    loss = losses.diagnose(question(labels), WEIGHTS)
    assert (loss.winner, loss.right.path, loss.differences) == ("b/other.py", "a/right.py", ())


@pytest.mark.parametrize(
    ("label", "kind"),
    [
        (losses.Label("z.py", None, None, "below_cut"), losses.BELOW),
        (losses.Label("gone.py", None, None, "no_match"), losses.UNFOUND),
        (losses.Label("big.py", None, None, "skipped"), losses.UNINDEXED),
        (losses.Label("b/other.py", (1, 2), None, "shown"), losses.PASSAGE),
        (losses.Label("a/hub.py", (1, 2), 2), losses.PASSAGE),
    ],
)
def test_where_the_right_answer_was(label: Any, kind: str) -> None:
    assert losses.diagnose(question([label]), WEIGHTS).kind == kind


def test_a_ranked_answer_stands_before_one_that_was_not_found() -> None:
    labels = [losses.Label("gone.py", None, None, "no_match"), losses.Label("z.py", None, None, "below_cut")]
    assert losses.diagnose(question(labels), WEIGHTS).right.path == "z.py"


def test_one_result_for_two_labels_beats_nobody() -> None:
    labels = [losses.Label("a/hub.py", (1, 2), 1), losses.Label("a/hub.py", (3, 4), 1)]
    loss = losses.diagnose(question(labels), WEIGHTS)
    assert (loss.kind, loss.right) == (losses.SHARED, None)


def test_the_report_counts_queries_by_feature_and_describes_each() -> None:
    behind = losses.diagnose(question([losses.Label("a/right.py", None, 3)]), WEIGHTS)
    unfound = losses.diagnose(question([losses.Label("gone.py", None, None, "no_match", "no word of it")]), WEIGHTS)
    text = losses.report([behind, unfound], asked=10)
    assert "2 of 10 queries" in text
    assert "lose 0.1000 of the mean" in text
    assert f"| {losses.UNFOUND} | 1 | 0.50 |" in text
    assert "| `keywords` | 1 | 0.50 | 1 | +1.000 |" in text
    assert "`a/hub.py` beat `a/right.py`: a file in the same folder." in text
    assert "| `name` | 0.000 | 0.800 | -0.800 |" in text
    assert "- right: `gone.py`: no_match, no word of it" in text
