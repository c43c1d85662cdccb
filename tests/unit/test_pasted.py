"""benchmarks/pasted.py: what it draws from a repository of two files, and how it judges answers."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.app import App

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
pasted = importlib.import_module("pasted")
pastes = importlib.import_module("pastes")

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
def repository(app: App, tmp_path: Path) -> Iterator[Any]:
    for name, text in {"shop/core/orders.py": ORDERS, "server/retry.go": RETRY}.items():
        (tmp_path / "shop" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "shop" / name).write_text(text)
    app.index(tmp_path / "shop", name="shop")
    return pasted.read_repository(app, tmp_path / "shop")


def cases_by_class(repository: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {kind: [] for kind in pasted.CLASSES}
    for case in pasted.draw(repository, 9):
        found[case.kind].append(case)
    return found


def test_draws_literals_that_one_file_holds(repository: Any) -> None:
    cases = cases_by_class(repository)
    assert {case.query: case.lines for case in cases["literal_bare"]} == {
        text: (place,) for text, place in LITERALS.items()
    }
    assert {case.query for case in cases["literal_quoted"]} == {f'"{text}"' for text in LITERALS}
    filled = {case.lines[0]: case.query for case in cases["filled"]}
    assert set(filled) == set(LITERALS.values())
    assert not any("%" in query for query in filled.values())
    assert filled["server/retry.go", 8].count('"') == 2  # as %q prints it


def test_draws_paths_frames_names_and_phrases(repository: Any) -> None:
    cases = cases_by_class(repository)
    assert {case.query for case in cases["path"]} == {"shop/core/orders.py", "server/retry.go"}
    assert [case.query for case in cases["tail"]] == ["core/orders.py"]
    assert "/home/u/src/shop/server/retry.go" in {case.query for case in cases["elsewhere"]}
    for case in cases["line"]:
        ((path, line),) = case.lines
        assert case.query == f"{path}:{line}"
    traces = {next(iter(case.wanted)): case for case in cases["frame"]}
    assert f'orders.py", line {traces["shop/core/orders.py"].lines[0][1]}, in add_order' in (
        traces["shop/core/orders.py"].query
    )
    assert "/usr/local/go/src/runtime" in traces["server/retry.go"].query
    assert {case.query: case.lines for case in cases["name1"]}["OrderBook"] == (("shop/core/orders.py", 6),)
    assert {case.query: case.wanted for case in cases["name25"]} == {
        "shared": {"shop/core/orders.py", "server/retry.go"}
    }
    assert "OrderBook.add_order" in {case.query for case in cases["name1_qualified"]}
    assert any(case.lines == (("shop/core/orders.py", 7),) for case in cases["phrase"])


def test_draws_the_same_again_whatever_else_is_drawn(repository: Any) -> None:
    few = pasted.draw(repository, 1, ["path", "name1"])
    assert {case.kind for case in few} == {"path", "name1"}
    assert set(few) <= set(pasted.draw(repository, 9))


def test_judges_answers(app: App, repository: Any) -> None:
    case = next(case for case in pasted.draw(repository, 9) if case.query == "OrderBook")
    right = pasted.ask(app, "shop", case)
    assert (right.place, right.covered, right.is_right) == (1, True, True)
    elsewhere = pastes.Case("name1", case.query, frozenset({"none.py"}), (("none.py", 1),))
    wrong = pasted.ask(app, "shop", elsewhere)
    refused = pasted.ask(app, "shop", pastes.Case("frame", " ", frozenset({"none.py"})))
    assert (wrong.place, wrong.covered, refused.answers) == (None, False, ("the query is empty",))
    rows = pasted.figures([right, wrong, refused])
    assert (rows["name1"]["first"], rows["name1"]["covered"], rows["frame"]["covered"]) == (0.5, 0.5, None)
    assert "name1" in pasted.table(rows)
    listed = pasted.failures([right, wrong, refused])
    assert listed.count("wanted") == 2
    assert "the query is empty; right file at no place" in listed
