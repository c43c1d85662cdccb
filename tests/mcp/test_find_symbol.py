"""The tool `find_symbol`: pages, several indexes, suggestions, names of other programs, files as on disk."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, tools_of

from cocosearch_py.app import App
from cocosearch_py.tools.answers import QUOTED

Make = Callable[..., FastMCP]


def test_a_definition_with_its_place(make: Make, shop: Path) -> None:
    answer = call(make(), "find_symbol", {"name": "Cart.addItem"}).payload
    assert answer == {
        "definitions": [
            {
                "file_path": str(shop / "shop/cart.py"),
                "start_line": 12,
                "end_line": 14,
                "kind": "method",
                "name": "add_item",
                "qualified_name": "Cart.add_item",
                "signature": "def add_item(self, sku: str, count: int, price: Money) -> None:",
                "visibility": "public",
                "score": 0.9,
                "parent": "Cart",
            }
        ],
        "match": "exact",
        "total": 1,
        "note": QUOTED,
    }


def test_without_an_exact_name_those_that_hold_it_then_what_is_like_it(make: Make, shop: Path) -> None:
    server = make()
    held = call(server, "find_symbol", {"name": "discount"}).payload
    assert (held["match"], held["total"]) == ("substring", 1)
    assert held["definitions"][0]["name"] == "apply_discount"
    wild = call(server, "find_symbol", {"name": "apply*"}).payload
    assert (wild["match"], wild["total"]) == ("glob", 1)
    slip = call(server, "find_symbol", {"name": "aply_discuont"}).payload
    assert slip["definitions"] == []
    assert slip["did_you_mean"] == ["apply_discount"]
    assert call(server, "find_symbol", {"name": "aply_discuont", "match": "fuzzy"}).payload["total"] == 1
    owner = call(server, "find_symbol", {"name": "Crat.add_item"}).payload
    assert owner["did_you_mean"] == ["Cart.add_item"]


def test_filters_that_leave_nothing_are_told(make: Make, shop: Path) -> None:
    answer = call(make(), "find_symbol", {"name": "Cart", "kind": "function"}).payload
    assert answer["definitions"] == []
    assert answer["warnings"] == ["1 definition has this name, but the filters exclude it"]


def test_pages_go_through_several_indexes(
    make: Make, shop: Path, tmp_path: Path, write_sample: Callable[[Path], Path]
) -> None:
    server = make(roots=(tmp_path,))
    call(server, "index_codebase", {"path": str(write_sample(tmp_path / "other"))})
    asked = {"name": "*", "match": "glob", "index_names": ["shop", "other", "gone"]}
    whole = call(server, "find_symbol", {**asked, "limit": 200}).payload
    assert "next_cursor" not in whole
    assert whole["warnings"] == ["Index 'gone' not found"]
    found, cursor = [], None
    for _ in range(100):
        page = call(server, "find_symbol", {**asked, "limit": 3, "cursor": cursor}).payload
        assert page["total"] == whole["total"] == len(whole["definitions"])
        found += page["definitions"]
        if (cursor := page.get("next_cursor")) is None:
            break
    assert found == whole["definitions"]
    assert {one["index_name"] for one in found} == {"shop", "other"}


def test_columns_hold_the_same(make: Make, shop: Path) -> None:
    server = make()
    plain = call(server, "find_symbol", {"name": "a*"}).payload
    compact = call(server, "find_symbol", {"name": "a*", "compact": True}).payload
    rows = [dict(zip(compact["columns"], row, strict=True)) for row in compact["rows"]]
    assert [{name: value for name, value in row.items() if value is not None} for row in rows] == plain["definitions"]


def test_what_is_wrong_is_said(make: Make, shop: Path) -> None:
    server = make()
    for arguments, told in (
        ({"name": " "}, "the name is empty"),
        ({"name": "a", "cursor": "x"}, "invalid cursor"),
        ({"name": "a", "cursor": "exact:7:0"}, "invalid cursor"),
        ({"name": "a", "match": "fuzzy", "field": "doc"}, "only for names"),
        ({"name": "a", "match": "near"}, "match"),
        ({"name": "a", "language": "klingon"}, "klingon"),
    ):
        answer = call(server, "find_symbol", arguments)
        assert answer.is_error and told in answer.payload["message"], arguments
    bounded = call(server, "find_symbol", {"name": "Cart", "limit": 1000}).payload
    assert bounded["warnings"][0].startswith("limit ")


@pytest.mark.parametrize(
    ("tool", "arguments", "match"),
    [
        ("lookup_symbol", {"name": "discount", "limit": 5, "compact": False}, "substring"),
        ("symbol_defs", {"name": "apply_discount"}, "exact"),
        ("symbol_search", {"query": "applyDiscuont", "max_results": 5}, "fuzzy"),
        ("search_signatures", {"query": "percent: int"}, "substring"),
        ("find", {"query": "discount", "mode": "symbol"}, "substring"),
        ("search_signatures", {"query": "(Money, int) -> Money"}, "glob"),
        ("find", {"query": "percent: int", "mode": "signature"}, "substring"),
    ],
)
def test_names_of_other_programs(make: Make, shop: Path, tool: str, arguments: dict[str, object], match: str) -> None:
    server = make()
    assert tool not in {one.name for one in tools_of(server)}
    answer = call(server, tool, arguments).payload
    assert [one["name"] for one in answer["definitions"]] == ["apply_discount"]
    assert answer["match"] == match


def test_find_without_a_mode_is_a_search(make: Make, shop: Path) -> None:
    server = make()
    assert call(server, "find", {"query": "reduce a price"}).hits
    assert call(server, "find", {"query": "reduce a price", "mode": "relevant"}).hits
    uses = call(server, "find", {"query": "Money", "mode": "callers"}).payload
    assert {use["kind"] for use in uses["references"]} == {"call", "import", "type"}
    assert "no mode 'best'" in call(server, "find", {"query": "a", "mode": "best"}).payload["message"]


def test_definitions_are_those_of_the_disk(make: Make, shop: Path, app: App) -> None:
    app.repair_wait_s = 60.0
    server = make()
    (before,) = call(server, "find_symbol", {"name": "total_price"}).payload["definitions"]
    cart = shop / "shop" / "cart.py"
    cart.write_text("# one\n# two\n" + cart.read_text())
    (moved,) = call(server, "find_symbol", {"name": "total_price"}).payload["definitions"]
    assert moved["start_line"] == before["start_line"] + 2
    cart.unlink()
    assert call(server, "find_symbol", {"name": "total_price"}).payload["definitions"] == []


def test_a_server_that_may_not_write_says_what_changed(make: Make, shop: Path) -> None:
    cart = shop / "shop" / "cart.py"
    cart.write_text("# one\n" + cart.read_text())
    answer = call(make(read_only=True), "find_symbol", {"name": "total_price"}).payload
    assert "shop/cart.py" in answer["warnings"][0]
