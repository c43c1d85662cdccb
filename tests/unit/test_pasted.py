"""Cases that benchmarks/pastes.py draws from a repository of two files, and the judgement of answers."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from benchmarks import pasted, pastes

from cocosearch_py.app import App

ORDERS = '''"""Orders."""

shared = "both files say this"


class OrderBook:
    # Keeps every order until midnight.
    def add_order(self, order, count):
        if count < 1:
            raise ValueError("cannot add %d articles to basket" % count)
        return "no, \\"quoted\\" text is not drawn", "%s: %s %s %s", "too short"
'''
RETRY = """package server

const shared = "both files say this"

// RetryOrder asks again, it's not "a literal of three".
func RetryOrder(id string) error {
\tmarks := []rune{'"'}
\treturn fmt.Errorf("gave up on order %q after retries", id)
}
"""
LITERALS = {
    "cannot add %d articles to basket": ("shop/core/orders.py", 10),
    "gave up on order %q after retries": ("server/retry.go", 8),
}


@pytest.fixture
def repository(app: App, database_url: str, tmp_path: Path) -> Iterator[pastes.Repository]:
    for name, text in {"shop/core/orders.py": ORDERS, "server/retry.go": RETRY}.items():
        (tmp_path / "shop" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shop" / name).write_text(text)
    app.index(tmp_path / "shop", name="shop")
    with psycopg.connect(database_url) as connection:
        yield pasted.read_repository(connection, tmp_path / "shop", "shop")


def cases_by_class(repository: pastes.Repository) -> dict[str, list[pastes.Case]]:
    cases: dict[str, list[pastes.Case]] = {kind: [] for kind in pastes.CLASSES}
    for case in pastes.draw(repository, 9):
        cases[case.kind].append(case)
    return cases


def test_draws_literals_that_one_file_holds(repository: pastes.Repository) -> None:
    cases = cases_by_class(repository)
    assert {case.query: case.lines for case in cases["literal_bare"]} == {
        text: (place,) for text, place in LITERALS.items()
    }
    assert {case.query for case in cases["literal_quoted"]} == {f'"{text}"' for text in LITERALS}


def test_draws_paths_frames_names_and_phrases(repository: pastes.Repository) -> None:
    cases = cases_by_class(repository)
    assert {case.query for case in cases["path"]} == {"shop/core/orders.py", "server/retry.go"}
    assert [case.query for case in cases["tail"]] == ["core/orders.py"]
    assert "/home/u/src/shop/server/retry.go" in {case.query for case in cases["elsewhere"]}
    for case in cases["line"]:
        ((path, line),) = case.lines
        assert case.query == f"{path}:{line}"
    traces = {next(iter(case.wanted)): case for case in cases["frame"]}
    line = traces["shop/core/orders.py"].lines[0][1]
    assert f'orders.py", line {line}, in add_order' in traces["shop/core/orders.py"].query
    assert "/usr/local/go/src/runtime" in traces["server/retry.go"].query
    names = {case.query: case for case in cases["name"]}
    assert names["OrderBook"].lines == (("shop/core/orders.py", 6),)
    assert names["shared"].wanted == {"shop/core/orders.py", "server/retry.go"}
    assert "OrderBook.add_order" in {case.query for case in cases["qualified"]}
    assert any(case.lines == (("shop/core/orders.py", 7),) for case in cases["phrase"])


def test_draws_the_same_cases_again(repository: pastes.Repository) -> None:
    few = pastes.draw(repository, 1)
    assert few
    assert {case for case in few if case.kind != "phrase"} <= set(pastes.draw(repository, 9))


def test_judges_answers() -> None:
    case = pastes.Case("name", "OrderBook", frozenset({"orders.py"}), (("orders.py", 6),))
    hit = {"path": "orders.py", "start_line": 6, "end_line": 12}
    right = pasted.judge(case, [hit], 1.0)
    other_lines = pasted.judge(case, [{**hit, "start_line": 20, "end_line": 30}], 1.0)
    second = pasted.judge(case, [{**hit, "path": "none.py"}, hit], 1.0)
    missing = pasted.judge(case, [], 1.0)
    assert [outcome.is_right for outcome in (right, other_lines, second, missing)] == [True, False, False, False]
    assert [outcome.place for outcome in (right, other_lines, second, missing)] == [1, 1, 2, None]
    assert pasted.figures([right, other_lines, second, missing]) == {
        "name cases": 4,
        "name first": 0.5,
        "name in five": 0.75,
        "name line shown": 0.25,
    }
