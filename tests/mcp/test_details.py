"""What a result says of itself when that is asked for, and what legs can be left out."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, lay_out

from cocosearch_py.app import App

Make = Callable[..., FastMCP]
DETAILS = {"adjusted_score", "scores", "byte_span", "file_size", "citation"}
LONG = "".join(f"def größe_{number}(wert):\n    return wert + {number}  # ß\n\n\n" for number in range(200))


def test_a_span_is_the_bytes_of_the_text_and_the_hash_is_theirs(make: Make, app: App, tmp_path: Path) -> None:
    folder = lay_out(
        tmp_path / "shop", {"größe.py": LONG, "use.py": "from größe import größe_7\n\nprint(größe_7(1))\n"}
    )
    app.index(folder, name="shop")
    asked = {"query": "größe wert", "index_name": "shop", "details": True, "limit": 20, "full": True}
    hits = call(make(), "search_code", {**asked, "features": {"graph": True}}).hits
    assert len({tuple(hit["byte_span"]) for hit in hits}) > 2
    for hit in hits:
        data = Path(hit["file_path"]).read_bytes()
        start, end = hit["byte_span"]
        assert data[start:end].decode() == hit["content"]
        assert data[:start].count(b"\n") + 1 == hit["start_line"]
        assert hit["file_size"] == len(data)
        assert hit["citation"]["span"] == [start, end]
        assert hit["citation"]["content_sha"] == hashlib.sha256(data[start:end]).hexdigest()[:16]
        assert folder / hit["citation"]["path"] == Path(hit["file_path"])
        assert hit["citation"]["repo_root"] == str(folder)


def test_a_joined_result_has_the_same(make: Make, shop: Path) -> None:
    asked = {"query": "Cart", "index_name": "shop", "limit": 1, "features": {"graph": True}, "details": True}
    *_, joined = call(make(), "search_code", asked).hits
    assert joined["match_type"] == "graph"
    start, end = joined["byte_span"]
    assert Path(joined["file_path"]).read_bytes()[start:end].decode() == joined["content"]
    assert joined["scores"] == {"vector": None, "keyword": None, "symbol": 0.0, "graph": joined["score"]}


def test_without_being_asked_for_they_are_not_there(make: Make, shop: Path) -> None:
    asked = {"query": "Cart", "index_name": "shop", "full": True}
    plain = call(make(), "search_code", asked).hits
    detailed = call(make(), "search_code", {**asked, "details": True}).hits
    assert not any(DETAILS & set(hit) for hit in plain)
    assert [{name: hit[name] for name in hit if name not in DETAILS} for hit in detailed] == plain


def test_as_columns_they_are_texts_and_numbers(make: Make, shop: Path) -> None:
    asked = {"query": "Cart", "index_name": "shop", "details": True, "compact": True}
    table = call(make(), "search_code", asked).payload
    assert set(table["columns"]) >= DETAILS
    assert all(isinstance(value, str | float | int | None) for row in table["rows"] for value in row)


@pytest.mark.parametrize(("off", "left"), [("vector", {"keyword", "symbol"}), ("symbol", {"semantic"})])
def test_a_leg_that_is_off_finds_nothing(make: Make, shop: Path, off: str, left: set[str]) -> None:
    asked = {"query": "total_price of a cart", "index_name": "shop", "details": True, "features": {off: False}}
    hits = call(make(), "search_code", asked).hits
    assert hits
    assert {hit["match_type"] for hit in hits} <= left
    if off == "vector":
        assert all(hit["scores"]["vector"] is None for hit in hits)


def test_not_both_legs_can_be_off(make: Make, shop: Path) -> None:
    for more in ({"features": {"vector": False, "symbol": False}}, {"features": {"vector": False}}):
        asked = {"query": "Cart", "index_name": "shop", "use_hybrid_search": False, **more}
        assert call(make(), "search_code", asked).payload["error_type"] == "validation_error"
