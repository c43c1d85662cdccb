"""Who calls whom, over several steps, and the paths of calls between two functions."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.model.calls import CallReport, CallRequest
from cocosearch_py.navigation.names import read_name

FILES = {
    "shop/a.py": (
        "from shop.b import middle, other\n\n\n"
        "def top():\n    middle()\n    return middle()\n\n\n"
        "def side():\n    return other()\n"
    ),
    "shop/b.py": (
        "from shop.c import bottom\nimport library\n\n\n"
        "def middle():\n    library.load()\n    return bottom()\n\n\n"
        "def other():\n    return bottom()\n"
    ),
    "shop/c.py": "def bottom():\n    return again(3)\n\n\ndef again(n):\n    return again(n - 1) if n else bottom()\n",
    "shop/d.py": (
        "def guess(thing):\n    return thing.only_one()\n\n\nclass D:\n    def only_one(self):\n        return 1\n"
    ),
}
Find = Callable[..., CallReport]


@pytest.fixture
def find(app: App, tmp_path: Path) -> Find:
    root = tmp_path / "root"
    (root / "shop").mkdir(parents=True)
    for path, text in FILES.items():
        (root / path).write_text(text)
    app.index(root, name="root")

    def ask(name: str, to: str | None = None, **more: object) -> CallReport:
        request = CallRequest(symbol=read_name(name), to=read_name(to) if to else None, **more)  # type: ignore[arg-type]
        return app.graphs.find_calls(request, app.catalog.find("root"))

    return ask


def names(report: CallReport) -> list[tuple[str, int]]:
    return [(node.place.qualified_name, node.distance) for node in report.nodes]


def edges(report: CallReport) -> set[str]:
    name = [node.place.qualified_name for node in report.nodes]
    return {f"{name[one.source]}>{name[one.target]} {one.line} {one.calls} {one.confidence}" for one in report.edges}


def test_both_ways_step_by_step(find: Find) -> None:
    report = find("middle", depth=1)
    assert names(report) == [("middle", 0), ("top", 1), ("bottom", 1)]
    assert edges(report) == {"top>middle 5 2 resolved", "middle>bottom 7 1 resolved"}
    assert report.unknown == 1  # of the library
    assert names(find("bottom", direction="callers")) == [
        ("bottom", 0),
        ("middle", 1),
        ("other", 1),
        ("again", 1),
        ("top", 2),
        ("side", 2),
    ]
    down = find("top", direction="callees", depth=6)
    assert names(down) == [("top", 0), ("middle", 1), ("bottom", 2), ("again", 3)]
    assert {"bottom>again 2 1 scoped", "again>again 6 1 scoped", "again>bottom 6 1 scoped"} <= edges(down)


def test_a_call_that_only_its_name_tells_is_shown_and_not_followed(find: Find) -> None:
    report = find("guess", direction="callees", depth=3)
    assert edges(report) == {"guess>D.only_one 2 1 name_only"}
    assert report.completeness.level == "partial"


def test_paths_between_two_functions_in_either_direction(find: Find) -> None:
    for first, second in (("top", "again"), ("again", "top")):
        report = find(first, second, depth=6)
        assert [[report.nodes[at].place.qualified_name for at in path] for path in report.paths] == [
            ["top", "middle", "bottom", "again"]
        ]
        assert {name for name, _ in names(report)} == {"top", "middle", "bottom", "again"}
    assert find("top", "again", depth=2).paths == ()
    assert find("top", "guess", depth=6).paths == ()
    assert find("top", "again", depth=6, direction="callers").paths == ()


def test_the_nearest_are_kept(find: Find) -> None:
    report = find("top", direction="callees", depth=6, most=2)
    assert (names(report), report.dropped) == ([("top", 0), ("middle", 1)], 2)
    assert edges(report) == {"top>middle 5 2 resolved"}


def test_what_nothing_defines_is_told(find: Find) -> None:
    assert find("no_such_name").missing == ("no_such_name",)
    assert find("top", "no_such_name").missing == ("no_such_name",)
