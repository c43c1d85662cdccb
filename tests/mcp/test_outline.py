"""The tools `outline_file` and `explain_symbol`: trees, columns, levels, members, files as on disk."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.app import App
from cocosearch_py.tools.answers import QUOTED

Make = Callable[..., FastMCP]
DEEP = '''class Outer:
    """Outer one."""

    class Inner:
        def method(self):
            def local():
                pass

    async def wait(self): ...

    def _hidden(self): ...
'''


@pytest.fixture
def served(make: Make, shop: Path, app: App) -> FastMCP:
    app.repair_wait_s = 60.0
    (shop / "deep.py").write_text(DEEP)
    made = make()
    call(made, "index_codebase", {"path": "."})
    return made


def names(entries: list[dict[str, Any]]) -> list[Any]:
    return [(entry["name"], names(entry["children"])) if "children" in entry else entry["name"] for entry in entries]


def test_an_outline_is_a_tree_with_lines(served: FastMCP, shop: Path) -> None:
    answer = call(served, "outline_file", {"path": "shop/cart.py"}).payload
    (cart,) = answer.pop("symbols")
    assert answer.pop("imports") == [
        {"line": 3, "module": "shop.prices", "names": ["Money"], "files": ["shop/prices.py"]}
    ]
    assert answer.pop("unresolved_imports") == []
    assert answer == {
        "path": str(shop / "shop/cart.py"),
        "language": "python",
        "line_count": 21,
        "byte_size": (shop / "shop/cart.py").stat().st_size,
        "parse_status": "ok",
        "symbol_count": 4,
        "note": QUOTED,
    }
    members = cart.pop("children")
    assert cart == {
        "kind": "class",
        "name": "Cart",
        "signature": "class Cart:",
        "start_line": 6,
        "end_line": 21,
        "visibility": "public",
    }
    assert [one["name"] for one in members if one["kind"] == "method"] == ["__init__", "add_item", "total_price"]


def test_levels_kinds_locals_and_comments(served: FastMCP) -> None:
    def shown(**asked: Any) -> list[Any]:
        return names(call(served, "outline_file", {"path": "deep.py", **asked}).payload["symbols"])

    assert shown() == [("Outer", ["Inner", "wait", "_hidden"])]
    assert shown(depth=1) == shown(shallow=True) == ["Outer"]
    assert shown(depth=5) == [("Outer", [("Inner", ["method"]), "wait", "_hidden"])]
    everything = shown(depth=5, include=["locals"])
    assert everything == [("Outer", [("Inner", [("method", ["local"])]), "wait", "_hidden"])]
    assert shown(kind="class", depth=1) == [("Outer", ["Inner"])]
    assert shown(kind="enum") == []
    commented = call(served, "outline_file", {"path": "deep.py", "include": ["docs"]}).payload["symbols"]
    assert commented[0]["doc"] == "Outer one."
    flat = call(served, "outline_file", {"path": "deep.py", "compact": True}).payload
    assert [row[flat["columns"].index("name")] for row in flat["rows"]] == [
        *("Outer", "Outer.Inner", "Outer.wait", "Outer._hidden")
    ]


def test_a_large_file_is_cut_and_says_so(served: FastMCP, shop: Path) -> None:
    (shop / "wide.py").write_text("".join(f"def function_{at}(argument, another={at}): ...\n" for at in range(3_000)))
    call(served, "index_codebase", {"path": "."})
    answer = call(served, "outline_file", {"path": "wide.py"}).payload
    assert answer["truncated"] is True
    assert answer["symbol_count"] == 3_000 > len(answer["symbols"]) > 100
    assert answer["warnings"] == [
        f"shown up to line {len(answer['symbols'])}: kind, depth=1 or compact=true make room for more"
    ]


def test_what_cannot_be_outlined_says_why(served: FastMCP, shop: Path) -> None:
    (shop / ".env").write_text("SECRET=1\n")
    for path, kind, told in (
        ("cart", "not_found", "is not a file in this index"),
        ("", "validation_error", "the path is empty"),
        ("../x.py", "safety_error", "is outside"),
        ("shop", "not_found", "is a folder"),
    ):
        answer = call(served, "outline_file", {"path": path})
        assert answer.payload["error_type"] == kind and told in answer.payload["message"], path
    assert call(served, "list_declarations", {"path": "shop/prices.py", "shallow": True}).payload["symbols"]
    assert set(call(served, "get_imports", {"path": "shop/cart.py"}).payload) >= {"imports", "unresolved_imports"}
    assert call(served, "get_imports", {"path": "shop/cart.py"}).payload["symbols"] == []
    assert call(served, "outline", {"path": "shop/prices.py"}).payload["symbol_count"]


def test_an_outline_is_that_of_the_disk(served: FastMCP, shop: Path) -> None:
    (shop / "deep.py").write_text("# one\n" + DEEP + "\n\ndef more(): ...\n")
    found = call(served, "outline_file", {"path": "deep.py"}).payload["symbols"]
    assert [(one["name"], one["start_line"]) for one in found] == [("Outer", 2), ("more", 15)]
    (shop / "deep.py").unlink()
    assert call(served, "outline_file", {"path": "deep.py"}).payload["error_type"] == "not_found"


def test_an_explanation_has_all_that_one_needs_to_use_a_definition(served: FastMCP, shop: Path) -> None:
    answer = call(served, "explain_symbol", {"name": "outer"}).payload
    (outer,) = answer.pop("symbols")
    assert answer == {"total": 1, "note": QUOTED}
    members = outer.pop("children")
    assert outer == {
        "file_path": str(shop / "deep.py"),
        "start_line": 1,
        "end_line": 11,
        "body_lines": 11,
        "kind": "class",
        "name": "Outer",
        "qualified_name": "Outer",
        "language_id": "python",
        "signature": "class Outer:",
        "doc_comment": "Outer one.",
        "visibility": "public",
        "is_async": False,
        "is_test": False,
        "is_deprecated": False,
        "parent": None,
        "callers_count": 0,
        "callers_by_name_count": 0,
        "tests_count": 0,
        "relationships": {"inherits": [], "inherited_by": []},
        "children_summary": {"class": 1, "method": 2},
    }
    assert [(one["name"], one["visibility"]) for one in members] == [
        *(("Inner", "public"), ("wait", "public"), ("_hidden", "private"))
    ]
    (method,) = call(served, "explain_symbol", {"name": "Outer.wait"}).payload["symbols"]
    assert (method["is_async"], method["parent"], method["children"]) == (True, "Outer", [])


def test_an_explanation_counts_calls(served: FastMCP, shop: Path) -> None:
    (shop / "tests").mkdir()
    (shop / "tests" / "test_money.py").write_text(
        "from shop.prices import Money\n\n\ndef test_money(cart):\n    assert Money(1) == cart.total_price()\n"
    )
    call(served, "index_codebase", {"path": "."})
    called = {
        name: call(served, "explain_symbol", {"name": name}).payload["symbols"][0]
        for name in ("Money", "apply_discount", "Cart.total_price")
    }
    counts = ("callers_count", "callers_by_name_count", "tests_count")
    assert [tuple(called[name][count] for count in counts) for name in called] == [(5, 0, 1), (0, 0, 0), (0, 1, 0)]


def test_explanations_are_few_and_say_so(served: FastMCP) -> None:
    answer = call(served, "explain_symbol", {"name": "__init__", "limit": 1}).payload
    assert len(answer["symbols"]) == 1
    if answer["total"] > 1:
        assert "definitions shown" in answer["warnings"][0]
    assert call(served, "explain_symbol", {"name": "Otuer"}).payload["did_you_mean"] == ["Outer"]
    assert call(served, "explain_symbol", {"name": ""}).is_error
