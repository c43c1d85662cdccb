"""The tool `estimate_tokens`: what is told is what reading costs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.navigation import texts
from cocosearch_py.tools.tokens import count_tokens

Make = Callable[..., FastMCP]


@pytest.fixture
def ask(make: Make, shop: Path) -> Callable[..., Any]:
    server = make()
    return lambda tool="estimate_tokens", **asked: call(server, tool, asked).payload


def test_a_file_and_its_summary(make: Make, shop: Path) -> None:
    server = make()
    text = (shop / "shop/cart.py").read_text()
    told = call(server, "estimate_tokens", {"path": "shop/cart.py"}).payload
    assert (told["file"], told["declaration_count"]) == (str(shop / "shop/cart.py"), 4)
    assert (told["full_file_tokens"], told["full_file_lines"]) == (count_tokens(text), text.count("\n"))
    assert told["summary_tokens"] == count_tokens(call(server, "summarize", {"path": "shop/cart.py"}).text)
    assert "whole file" in told["recommendation"]


def test_a_definition(ask: Callable[..., Any]) -> None:
    told = ask(path="cart.py", symbol="add_item")
    source = ask("read_code", path="shop/cart.py#Cart.add_item")["source"]
    assert (told["symbol"], told["symbol_lines"]) == ("Cart.add_item", source.count("\n") + 1)
    assert told["symbol_tokens"] == count_tokens(source)
    saved = told["full_file_tokens"] - told["symbol_tokens"]
    assert told["savings"] == f"read_code saves ~{saved} tokens ({100 * saved // told['full_file_tokens']}% reduction)"
    assert ask("get_token_estimate", path="cart.py", symbol="add_item") == told


def test_many_files(ask: Callable[..., Any], shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {path.relative_to(shop).as_posix(): count_tokens(path.read_text()) for path in (shop / "shop").iterdir()}
    told = ask(directory="shop")
    assert {one["file"]: one["tokens"] for one in told["files"]} == counts
    assert [one["tokens"] for one in told["files"]] == sorted(counts.values(), reverse=True)
    assert (told["total_tokens"], told["file_count"], told["is_estimate"]) == (sum(counts.values()), 3, False)
    assert ask(glob="shop/*.py")["files"] == told["files"]
    assert ask(directory=".")["file_count"] == ask("list_files")["total"]
    monkeypatch.setattr(texts, "MOST_FILES", 2)
    some = ask(directory="shop")
    assert (len(some["files"]), some["file_count"], some["is_estimate"], some["truncated"]) == (2, 3, True, True)
    assert 0.5 < some["total_tokens"] / told["total_tokens"] < 2


def test_what_cannot_be_asked(ask: Callable[..., Any]) -> None:
    for asked, told in (
        ({}, "exactly one"),
        ({"path": "shop/cart.py", "glob": "*"}, "exactly one"),
        ({"glob": "*", "symbol": "x"}, "symbol needs path"),
        ({"path": "no/such.py"}, "is not a file"),
        ({"path": "shop/cart.py", "symbol": "ad_item"}, "is not defined in shop/cart.py"),
        ({"path": "../x.py"}, "outside"),
        ({"directory": "/etc"}, "outside"),
        ({"directory": "nothing"}, "contains no file of this index"),
        ({"glob": "*.nothing"}, "matches no file"),
        ({"path": "a\0b"}, "null character"),
    ):
        assert told in ask(**asked)["message"], asked
