"""Frame of the benchmarks: NDCG, intervals, rows and their table, commits."""

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import pytest
from benchmarks import __main__ as program
from benchmarks import frame, ndcg, relevance, rows
from benchmarks.goldens import Answered, shares


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


def test_whole_repositories_are_drawn_where_there_are_several() -> None:
    low, high = relevance.interval({str(number): [float(number % 2)] * 50 for number in range(6)})
    assert (low, high) == (pytest.approx(0.17, abs=0.05), pytest.approx(0.83, abs=0.05))


def test_queries_are_drawn_where_repositories_are_few() -> None:
    low, high = relevance.interval({"r": [0.0, 1.0] * 50})
    assert 0.38 < low < 0.43
    assert 0.57 < high < 0.62


def test_goldens_count_right_files_and_shown_lines() -> None:
    def answered(files: tuple[str, ...], first_line: int) -> Answered:
        shown = dict.fromkeys(files, (first_line, first_line + 9))
        return Answered("r", "held out", "how", "q", frozenset({"a.py"}), files, {"a.py": [(5, 6)]}, shown)

    figures = shares("all", [answered(("a.py", "b.py"), 1), answered(("b.py", "a.py"), 20), answered(("b.py",), 1)])
    assert figures == {"all, questions": 3, "all, first": 0.3333, "all, in five": 0.6667, "all, lines shown": 0.5}


def test_every_benchmark_is_listed_with_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(frame.BENCHMARKS)
    assert all(len(line.split()) > 3 and len(line) <= 140 for line in lines)


def test_options_are_declared_by_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        program.main(["run", "search", "--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("--annotations", "--in-place", "--peer", "--rounds", "folder of source files"))


# Rows


def row(**changes: Any) -> dict[str, Any]:
    known = {
        "benchmark": "b",
        "subject": "s",
        "commit": "c1",
        "machine": "m",
        "date": "2026-01-02",
        "figures": {"p50": 1},
    }
    return known | changes


def test_a_row_replaces_that_of_the_same_commit_machine_benchmark_and_subject() -> None:
    known = [row(), row(commit="c0"), row(machine="n"), row(subject="t")]
    new = row(figures={"p50": 2})
    assert rows.with_row(known, new) == [*known[1:], new]


def test_the_table_shows_the_latest_row_of_each_benchmark_and_subject() -> None:
    page = rows.table([row(), row(commit="c2", figures={"p50": 3, "faults": 0}), row(benchmark="a")])
    lines = [line for line in page.splitlines() if line.startswith("| ")][1:]
    assert lines == [
        "| a | s | p50 **1** | `c1` | 2026-01-02 | m |",
        "| b | s | p50 **3**<br>faults **0** | `c2` | 2026-01-02 | m |",
    ]


def test_the_generated_page_is_up_to_date() -> None:
    assert rows.write_table(check=True) == 0


def test_the_medians_of_rounds_count() -> None:
    assert frame.medians([{"ms": 1.0, "model": "x"}, {"ms": 5.0, "model": "x"}, {"ms": 2.0, "model": "x"}]) == {
        "ms": 2.0,
        "model": "x",
    }


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
    assert rows.product_commit(tmp_path) == product
    (tmp_path / "docs" / "b.md").write_text("y")
    assert rows.product_commit(tmp_path) == product
    (tmp_path / "src" / "a.py").write_text("y")
    assert rows.product_commit(tmp_path) == f"{product}+"
