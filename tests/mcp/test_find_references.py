"""The tool `find_references`: answers, pages, names of other programs, what is wrong."""

from collections.abc import Callable
from pathlib import Path

from fastmcp import FastMCP
from tests.mcp.calls import call, tools_of

Make = Callable[..., FastMCP]


def test_uses_with_their_places_and_a_verdict(make: Make, shop: Path) -> None:
    answer = call(make(), "find_references", {"symbol": "apply_discount", "kinds": ["all"]}).payload
    first = answer["references"][0]
    assert {"file_path", "line", "column", "kind", "confidence", "text"} <= set(first)
    assert answer["counts"]["definition"] == 1
    assert answer["definitions"][0].startswith(str(shop / "shop/discounts.py"))
    assert answer["completeness"]["level"] in {"complete", "likely", "partial"}
    assert sum(answer["confidence"].values()) == answer["total"] == sum(answer["counts"].values())


def test_pages_and_columns_hold_the_same(make: Make, shop: Path) -> None:
    server = make()
    whole = call(server, "find_references", {"symbol": "Money", "kinds": "all"}).payload
    assert whole["total"] > 1
    found, cursor = [], None
    while True:
        page = call(
            server, "find_references", {"symbol": "Money", "kinds": "all", "limit": 1, "cursor": cursor}
        ).payload
        found += page["references"]
        if (cursor := page.get("next_cursor")) is None:
            break
    assert found == whole["references"]
    compact = call(server, "find_references", {"symbol": "Money", "kinds": "all", "compact": True}).payload
    rows = [dict(zip(compact["columns"], row, strict=True)) for row in compact["rows"]]
    assert [{name: value for name, value in row.items() if value is not None} for row in rows] == whole["references"]


def test_nothing_found_says_why_that_may_be_wrong(make: Make, shop: Path) -> None:
    answer = call(make(), "find_references", {"symbol": "no_such_name"}).payload
    assert (answer["references"], answer["total"]) == ([], 0)
    assert "find_symbol" in answer["hints"][0]
    assert answer["completeness"]["level"] == "partial"


def test_names_of_other_programs(make: Make, shop: Path) -> None:
    server = make()
    whole = call(server, "find_references", {"symbol": "Money"}).payload
    assert "get_callers" not in {one.name for one in tools_of(server)}
    everywhere = call(server, "find_references", {"symbol": "Money", "kinds": "all"}).payload
    assert call(server, "word_refs", {"word": "Money"}).payload == everywhere
    assert call(server, "find_references", {"query": "Money"}).payload == whole
    assert call(server, "get_callers", {"symbol": "Money", "limit": 30}).payload == whole
    calls = call(server, "callers", {"name": "Money", "max_results": 50}).payload
    assert set(calls["counts"]) <= {"call"}


def test_what_is_wrong_is_said(make: Make, shop: Path) -> None:
    server = make()
    for arguments, told in (
        ({"symbol": " "}, "the symbol is empty"),
        ({"symbol": "a", "cursor": "x"}, "invalid cursor"),
        ({"symbol": "a", "kinds": ["calls"]}, "unknown kind 'calls'"),
        ({"symbol": "a", "direction": "up"}, "direction"),
        ({"symbol": "a", "language": "klingon"}, "klingon"),
    ):
        answer = call(server, "find_references", arguments)
        assert answer.is_error and told in answer.payload["message"], arguments
    bounded = call(server, "find_references", {"symbol": "Money", "limit": 1000, "depth": 9}).payload
    assert [one.split()[0] for one in bounded["warnings"]] == ["depth", "limit"]
