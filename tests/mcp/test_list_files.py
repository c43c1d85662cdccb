"""The tool `list_files`: every file that the walk saw, once, in each of its views."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.model.listing import Folder
from cocosearch_py.navigation.listing import likeness, tree
from cocosearch_py.tools.tokens import count_tokens

Make = Callable[..., FastMCP]


@pytest.fixture
def ask(make: Make, shop: Path) -> Callable[..., Any]:
    (shop / ".gitignore").write_text("build/\n*.log\n")
    (shop / "build" / "deep").mkdir(parents=True)
    (shop / "build" / "deep" / "made.py").write_text("made = 1\n")
    (shop / "build" / "also.py").write_text("made = 1\n")
    (shop / "run.log").write_text("ran\n")
    (shop / "empty.py").write_text("")
    server = make()
    call(server, "index_codebase", {"path": "."})
    return lambda tool="list_files", **asked: call(server, tool, asked).payload


def on_disk(shop: Path) -> set[str]:
    return {path.relative_to(shop).as_posix() for path in shop.rglob("*") if path.is_file()}


def test_every_file_on_disk_is_listed_once(ask: Callable[..., Any], shop: Path) -> None:
    every = ask(status="all", limit=200)
    listed = [file["path"] for file in every["files"]]
    below = {path for path in on_disk(shop) if path.startswith("build/")}
    assert sorted(listed) == sorted((on_disk(shop) - below) | {"build/"})
    assert next(file for file in every["files"] if file["path"] == "build/")["file_count"] == len(below)
    by_status = {status: ask(status=status)["total"] for status in ("indexed", "skipped", "failed")}
    assert sum(by_status.values()) == every["total"] == every["count"]
    left_out = {file["path"]: (file["skip_reason"], file["rule"]) for file in ask(status="skipped")["files"]}
    assert left_out["build/"] == ("ignored", ".gitignore:1: build/")
    assert left_out["run.log"] == ("ignored", ".gitignore:2: *.log")
    assert left_out["empty.py"][0] == "empty"


def test_figures_are_those_of_the_file(ask: Callable[..., Any], shop: Path) -> None:
    (cart,) = ask(path="shop/cart.py")["files"]
    text = (shop / "shop/cart.py").read_text()
    assert (cart["line_count"], cart["byte_size"]) == (text.count("\n"), len(text.encode()))
    assert cart["symbol_count"] == 4 and cart["language"] == "python"
    (shop / "shop/cart.py").write_text(text + "# more\n")
    (shop / "shop/prices.py").unlink()
    now = {file["path"]: file for file in ask(path="shop")["files"]}
    assert set(now) == {"shop/cart.py", "shop/discounts.py"}


@pytest.mark.parametrize("sort", ["path", "modified", "lines", "size", "symbols"])
def test_pages_are_the_whole(ask: Callable[..., Any], sort: str) -> None:
    whole = ask(sort=sort, limit=200)["files"]
    keys = {"modified": "modified", "lines": "line_count", "size": "byte_size", "symbols": "symbol_count"}
    if sort == "path":
        assert whole == sorted(whole, key=lambda file: file["path"].encode())
    else:
        values = [file[keys[sort]] for file in whole]
        assert values == sorted(values, reverse=True)
    found: list[Any] = []
    cursor = None
    for _ in range(len(whole)):
        page = ask(sort=sort, limit=2, cursor=cursor)
        assert page["total"] == len(whole) and page["truncated"] == ("next_cursor" in page)
        found += page["files"]
        if (cursor := page.get("next_cursor")) is None:
            break
    assert found == whole


def test_filters(ask: Callable[..., Any]) -> None:
    assert ask(view="paths", path_glob="**/*.{go,js}")["paths"] == ["server/retry.go", "web/session.js"]
    assert ask(view="paths", language="python", path="./shop/")["paths"] == [
        *("shop/cart.py", "shop/discounts.py", "shop/prices.py")
    ]
    lines = {file["path"]: file["line_count"] for file in ask(min_lines=15, max_lines=19)["files"]}
    assert lines and all(15 <= count <= 19 for count in lines.values())
    nothing = ask(path="no/such")
    assert nothing["total"] == 0
    assert nothing["warnings"] == ["no/such is not in the index: list_files without a path shows the top level"]
    assert "outside" in ask(path="../..")["message"]
    assert "outside" in ask(path="/etc")["message"]
    assert "cursor" in ask(cursor="x")["message"]
    assert "cursor" in ask(view="children", cursor="-1")["message"]


def test_children_and_tree_count_what_is_below(ask: Callable[..., Any], shop: Path) -> None:
    entries = {one["name"]: one for one in ask(view="children", status="all")["entries"]}
    assert set(entries) == {path.name + "/" * path.is_dir() for path in shop.iterdir()}
    assert entries["build/"]["files"] == 2 and entries["shop/"]["files"] == 3
    assert [one["name"] for one in ask(view="children", path="shop")["entries"]] == [
        *("cart.py", "discounts.py", "prices.py")
    ]
    whole = ask(view="tree", depth=10)["tree"].splitlines()
    assert "shop/" in whole and "  cart.py" in whole
    folded = ask(view="tree", depth=1)["tree"].splitlines()
    assert "shop/ (3 files)" in folded
    assert "build/ (2 files)" in ask(view="tree", depth=5, status="skipped")["tree"].splitlines()
    small = ask(view="tree", limit=3)
    assert len(small["tree"].splitlines()) == 3 and small["truncated"] and "more names" in small["warnings"][-1]


def test_a_tree_opens_what_has_room() -> None:
    folders = [Folder(("a", f"{number}.py"), False, 1, 1, 1) for number in range(50)]
    folders += [
        Folder(("b", "c", "d.py"), False, 1, 1, 1),
        Folder(("b", "e"), True, 7, 1, 1),
        Folder(("f.py",), False, 1, 1, 1),
    ]
    assert tree(folders, 10) == (["a/ (50 files)", "b/", "  c/", "    d.py", "  e/ (7 files)", "f.py"], 0)
    assert tree(folders, 2) == (["a/ (50 files)", "b/ (8 files)"], 1)
    assert len(tree(folders, 100)[0]) == 56


def test_paths_are_found_by_a_few_letters(ask: Callable[..., Any]) -> None:
    for query, path in (
        ("cart.py", "shop/cart.py"),
        ("srvr-rtry", "server/retry.go"),
        ("session web", "web/session.js"),
        ("DISCOUNTS", "shop/discounts.py"),
        ("prcies.py", "shop/prices.py"),
    ):
        found = ask(query=query)
        assert found["results"][0]["path"] == path, query
        assert found["query"] == query
    assert ask(query="zzzzqq")["results"] == []
    one = ask(query="py", limit=1)
    assert one["count"] == 1 < one["total"] and one["truncated"] and "a higher limit" in one["warnings"][-1]
    best = ["src/cart.py", "src/cart_items.py", "src/shopping_cart.py", "src/descartes.py", "cart/x.py", "scart/x.py"]
    scores = [likeness(["cart"], path) for path in best]
    assert scores == sorted(scores, reverse=True) and len(set(scores)) == len(scores)


def test_other_names(ask: Callable[..., Any], shop: Path) -> None:
    assert set(ask("files", path="shop", max_results=2)) >= {
        "count",
        "total",
        "limit",
        "truncated",
        "filters",
        "files",
    } - {"filters"}
    assert ask("files", path_glob="*.go", max=5)["filters"]["path_glob"] == "*.go"
    listed = ask("list", path="shop")
    assert (listed["path"], listed["count"], len(listed["entries"])) == ("shop", 3, 3)
    globbed = ask("glob", pattern="**/*.py")
    assert (globbed["pattern"], globbed["count"]) == ("**/*.py", 3) and len(globbed["paths"]) == 3
    searched = ask("path_search", query="crt", max_results=5)
    assert (searched["query"], searched["limit"]) == ("crt", 5) and searched["results"][0]["path"] == "shop/cart.py"
    assert len(ask("recent", limit=2)["files"]) == 2
    assert "shop/" in ask("get_tree")["tree"]


def test_an_answer_has_room_for_as_much_as_fits(make: Make, shop: Path) -> None:
    folder = shop / ("long_name_" * 20)
    folder.mkdir()
    for number in range(150):
        (folder / f"{'name_' * 40}{number:03}.py").write_text(f"value = {number}\n")
    server = make()
    call(server, "index_codebase", {"path": "."})
    paths: list[str] = []
    cursor = None
    pages = 0
    while pages == 0 or cursor is not None:
        answer = call(server, "list_files", {"limit": 200, "view": "paths", "cursor": cursor})
        assert count_tokens(answer.text) <= 20_000
        paths += answer.payload["paths"]
        cursor = answer.payload.get("next_cursor")
        pages += 1
    assert pages > 1 and len(paths) == len(set(paths)) == call(server, "list_files").payload["total"]
    for view in ("files", "children", "tree"):
        answer = call(server, "list_files", {"limit": 200, "view": view, "depth": 10})
        assert count_tokens(answer.text) <= 20_000
        assert answer.payload["truncated"] == (view == "files"), view
