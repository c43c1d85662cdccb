"""The tool `summarize`: what files and folders hold, as Python and the disk tell it."""

import ast
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.app import App
from cocosearch_py.navigation import overview
from cocosearch_py.tools.tokens import count_tokens

Make = Callable[..., FastMCP]
Ask = Callable[..., Any]


@pytest.fixture
def ask(make: Make, shop: Path) -> Ask:
    (shop / "tests").mkdir()
    (shop / "tests" / "test_cart.py").write_text("from shop.cart import Cart\n\n\ndef test_add():\n    Cart()\n")
    (shop / "tests" / "test_money.py").write_text("from shop.prices import Money\n\n\ndef test_add():\n    Money(1)\n")
    (shop / "overview.py").write_text(Path(overview.__file__).read_text())
    (shop / "shop2").mkdir()
    (shop / "shop2" / "till.py").write_text("class Till:\n    pass\n")
    (shop / ".gitignore").write_text("*.log\n")
    (shop / "run.log").write_text("ran\n")
    server = make()
    call(server, "index_codebase", {"path": "."})
    return lambda tool="summarize", **asked: call(server, tool, asked).payload


def test_a_file_is_told_as_python_sees_it(ask: Ask, shop: Path) -> None:
    text = (shop / "overview.py").read_text()
    tree = ast.parse(text)
    file = ask(path="overview.py", max_tokens=20_000)
    assert (file["type"], file["path"]) == ("file", str(shop / "overview.py"))
    assert (file["line_count"], file["byte_size"]) == (text.count("\n"), len(text.encode()))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    told = [one for one in file["declarations"] if one["kind"] == "function"]
    assert [(one["name"], one["start_line"], one["end_line"]) for one in told] == [
        (node.name, node.lineno, node.end_lineno) for node in functions
    ]
    assert {one["name"] for one in told if one["visibility"] == "public"} == {
        node.name for node in functions if not node.name.startswith("_")
    }
    modules: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            modules |= {node.module or "": None}
        elif isinstance(node, ast.Import):
            modules |= {name.name: None for name in node.names}
    assert set(file["imports"]) == set(modules)
    assert file["kinds"]["function"] == len(functions)
    cart = ask(path="shop/cart.py")
    (declared,) = [one for one in cart["declarations"] if one["kind"] == "class"]
    assert declared["members"] == ["__init__", "add_item", "total_price"]
    assert "columns" in ask(path="shop/cart.py", compact=True)


def test_importers_and_tests_are_found(ask: Ask) -> None:
    prices = ask(path="shop/prices.py", include=["context"])
    assert prices["importers"] == ["shop/cart.py", "shop/discounts.py", "tests/test_money.py"]
    assert prices["imported_by"] == 3 and prices["has_tests"]
    assert prices["tests"] == ["tests/test_money.py", "tests/test_cart.py"], "by what they import, the nearest first"
    assert prices["siblings"] == ["shop/cart.py", "shop/discounts.py"]
    cart = ask(path="shop/cart.py", include=["context"])
    assert cart["tests"] == ["tests/test_cart.py"], "by its name"
    assert not ask(path="shop/discounts.py")["has_tests"]
    assert ask(path="tests/test_cart.py")["has_tests"], "it is one"


def test_a_file_has_tests_where_find_tests_finds_some(ask: Ask) -> None:
    for file in ask(path="**/*.py")["files"]:
        found = ask("find_tests", path=file["path"])
        assert file["has_tests"] == bool(found["total"]), file["path"]


def test_a_repository_and_a_file_say_what_they_are(ask: Ask, shop: Path) -> None:
    (shop / "README.md").write_text("# Shop\n\n![badge](a.svg)\n\n**Shop** is a [small](b) shop. It sells nothing.\n")
    (shop / "shop/main.py").write_text('# Copyright 2026\n\n"""Start the shop.\n\nMore of it.\n"""\n')
    (shop / "pytest.ini").write_text("[pytest]\n")
    ask("index_codebase", path=".")
    whole = ask()
    assert whole["about"] == "Shop is a small shop."
    assert whole["entry_points"] == ["shop/main.py"]
    assert whole["test_commands"] == ["pytest"]
    (shop / "pyproject.toml").write_text(
        '[project]\ndescription = "A shop for tests."\n[project.scripts]\nshop = "shop.main:run"\n'
    )
    ask("index_codebase", path=".")
    assert ask()["about"] == "A shop for tests."
    assert ask()["entry_points"] == ["shop = shop.main:run", "shop/main.py"]
    assert ask(path="shop/main.py")["about"] == "Start the shop."
    assert "about" not in ask(path="tests/test_cart.py")


def test_a_folder_adds_up(ask: Ask, shop: Path) -> None:
    whole = ask()
    files = [path for path in shop.rglob("*") if path.is_file() and path.name != "run.log"]
    assert (whole["type"], whole["path"], whole["files"], whole["left_out"]) == ("directory", str(shop), len(files), 1)
    assert whole["line_count"] == sum(path.read_text().count("\n") for path in files)
    assert whole["languages"]["python"] == sum(path.suffix == ".py" for path in files)
    assert sum(whole["languages"].values()) == sum(whole["content"].values()) == len(files)
    assert {one["name"] for one in whole["entries"]} == {
        path.name + "/" * path.is_dir() for path in shop.iterdir() if path.name != "run.log"
    }
    assert whole["most_imported"]["shop/prices.py"] == 3
    kinds: Counter[str] = Counter()
    for file in ask(path="**")["files"]:
        kinds.update(file["kinds"])
    assert whole["kinds"] == kinds and whole["symbol_count"] == kinds.total()
    part = ask(path=str(shop / "shop"))
    assert (part["files"], part["most_imported"]["shop/cart.py"]) == (3, 1)


def test_what_is_meant_is_seen(ask: Ask, shop: Path) -> None:
    globbed = ask(path="shop/*.py")
    assert globbed["type"] == "files" and globbed["total_matched"] == globbed["count"] == 3
    assert globbed["files"][0]["path"] == "shop/cart.py" and globbed["files"][0]["defines"][0].startswith("class Cart:")
    assert ask(path="overview.py")["type"] == "file"
    assert ask(path="cart.py")["path"] == str(shop / "shop/cart.py"), "the end of a path is enough"
    symbol = ask(path="Money")
    assert symbol["type"] == "symbol" and symbol["symbols"][0]["qualified_name"] == "Money"
    assert ask(path="shop/prices.py#Money")["type"] == "symbol"
    assert ask(path="Mony")["error_type"] == "not_found"
    assert ask(path="a" * 1_900)["error_type"] == ask(path="a/" + "b" * 300)["error_type"] == "not_found"
    assert "outside" in ask(path="../x.py")["message"]
    assert "ignored" in ask(path="run.log")["message"]
    assert "matches no file" in ask(path="*.nothing")["message"]
    several = ask(paths=["shop/cart.py", "no/such.py", "shop"])
    assert [file["path"] for file in several["files"]] == ["shop/cart.py", "shop/discounts.py", "shop/prices.py"]
    assert several["not_found"][0]["path"] == "no/such.py"


def test_only_what_others_may_use(ask: Ask) -> None:
    public = ask(path="overview.py", scope="public", max_tokens=20_000)
    assert {one["visibility"] for one in public["declarations"]} == {"public"}
    assert not {"_files", "_folder"} & {one["name"] for one in public["declarations"]}
    folder = ask(path="shop", scope="public")
    assert folder["type"] == "files" and any("def apply_discount(" in one for one in folder["files"][1]["defines"])


def test_other_names(ask: Ask) -> None:
    assert ask("get_file_summary", path="shop/cart.py") == ask(path="shop/cart.py")
    assert ask("batch_file_summaries", glob="shop/*.py") == ask(path="shop/*.py")
    assert ask("batch_file_summaries", paths=["shop/cart.py"])["count"] == 1
    assert "importers" in ask("get_file_context", path="shop/prices.py")
    assert ask("get_public_api", path="shop") == ask(path="shop", scope="public")
    assert ask("get_public_api")["type"] == "files"


def test_an_edit_shows_at_once(ask: Ask, shop: Path, app: App) -> None:

    app.repair_wait_s = 60.0
    (shop / "shop" / "prices.py").write_text("def only():\n    return 1\n")
    assert [one["name"] for one in ask(path="shop/prices.py")["declarations"]] == ["only"]
    (shop / "shop" / "prices.py").unlink()
    assert ask(path="shop/prices.py")["error_type"] == "not_found"


def test_an_answer_has_room_for_as_much_as_fits(make: Make, shop: Path) -> None:
    for number in range(40):
        (shop / f"many_{number:02}.py").write_text(
            "".join(f"def function_{n}(one, two):\n    pass\n\n\n" for n in range(150))
        )
    server = make()
    call(server, "index_codebase", {"path": "."})
    for asked in (
        {"path": "many_00.py"},
        {"path": "many_*.py"},
        {},
        {"path": "function_3"},
        {"path": "", "scope": "public"},
    ):
        for most in (200, 777, 4_000):
            assert count_tokens(call(server, "summarize", {**asked, "max_tokens": most}).text) <= most, (asked, most)
    many = call(server, "summarize", {"path": "many_*.py", "max_tokens": 20_000}).payload
    assert many["total_matched"] == 40 and many["count"] <= 30 and many["truncated"]
    one = call(server, "summarize", {"path": "many_00.py"}).payload
    assert one["truncated"] and "more definitions" in one["warnings"][0]
