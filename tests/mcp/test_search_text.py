"""The tool `search_text`: pages, several indexes, bounds, and what is wrong with a pattern."""

import json
from collections.abc import Callable
from pathlib import Path

from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.app import App
from cocosearch_py.tools.tokens import count_tokens

Make = Callable[..., FastMCP]
MAX_CHARS = 4 * 20_000 + 1_000  # of an answer, with what is not a match


def test_every_use_is_found_with_its_function(make: Make, shop: Path) -> None:
    answer = call(make(), "search_text", {"query": "self.lines"}).payload
    assert answer["total"] == len(answer["matches"]) > 0
    first = answer["matches"][0]
    assert first["file_path"] == str(shop / "shop/cart.py")
    assert first["scope"]["name"].startswith("Cart.")
    assert "self.lines" in first["text"][first["column"] - 1 :]


def test_pages_are_as_long_as_there_is_room_for(make: Make, shop: Path) -> None:
    server = make()
    asked = {"query": "e", "index_name": "shop", "limit": 200, "context": 1}
    whole = call(server, "search_text", asked).payload["matches"]
    found, cursor, pages = [], None, 0
    for _ in range(len(whole)):
        page = call(server, "search_text", {**asked, "max_tokens": 500, "cursor": cursor})
        assert count_tokens(page.text) <= 500
        found += page.payload["matches"]
        pages += 1
        if (cursor := page.payload.get("next_cursor")) is None:
            break
    assert found == whole
    assert 3 < pages < len(whole)


def test_a_table_says_the_same(make: Make, shop: Path) -> None:
    server = make()
    asked = {"query": "self.lines", "index_name": "shop", "context": 1}
    plain, compact = (call(server, "search_text", {**asked, "compact": compact}) for compact in (False, True))
    assert len(compact.text) < len(plain.text)
    rows = [dict(zip(compact.payload["columns"], row, strict=True)) for row in compact.payload["rows"]]
    for match, row in zip(plain.payload["matches"], rows, strict=True):
        scope = match["scope"]
        assert row["scope"] == f"{scope['kind']} {scope['name']} {scope['start_line']}-{scope['end_line']}"
        assert (row["before"], row["after"]) == ("\n".join(match["before"]), "\n".join(match["after"]))
        assert {name: row[name] for name in ("file_path", "line", "column", "text")}.items() <= match.items()


def test_pages_go_through_several_indexes(
    make: Make, shop: Path, tmp_path: Path, write_sample: Callable[[Path], Path]
) -> None:
    server = make(roots=(tmp_path,))
    call(server, "index_codebase", {"path": str(write_sample(tmp_path / "other"))})
    asked = {"query": "return", "index_names": ["shop", "other"], "scope": False}
    whole = call(server, "search_text", {**asked, "limit": 200}).payload
    found, cursor = [], None
    for _ in range(200):
        page = call(server, "search_text", {**asked, "limit": 3, "cursor": cursor}).payload
        found += page["matches"]
        if (cursor := page.get("next_cursor")) is None:
            break
    assert found == whole["matches"]
    assert {match["index_name"] for match in found} == {"shop", "other"}
    assert whole["total"] == len(found)


def test_an_answer_stays_within_what_clients_take(make: Make, shop: Path) -> None:
    (shop / "wide.py").write_text("".join(f"value_{number} = '{'wide ' * 40}'\n" for number in range(400)))
    server = make()
    call(server, "index_codebase", {"path": "."})
    asked = {"query": "wide", "context": 10, "limit": 200}
    first = call(server, "search_text", asked).payload
    assert len(json.dumps(first, ensure_ascii=False, separators=(",", ":"))) < MAX_CHARS
    assert 0 < len(first["matches"]) < 200 and "total" not in first
    second = call(server, "search_text", {**asked, "cursor": first["next_cursor"]}).payload
    assert second["matches"][0]["line"] == first["matches"][-1]["line"] + 1


def test_what_is_wrong_is_said(make: Make, shop: Path) -> None:
    server = make()
    for arguments, told in (
        ({"query": "a(b", "regex": True}, "a group is not closed (character 2)"),
        ({"query": "a", "cursor": "x"}, "invalid cursor"),
        ({"query": "a", "cursor": "7:1:x"}, "invalid cursor"),
        ({"query": "a\nb"}, "more than one line"),
    ):
        answer = call(server, "search_text", arguments)
        assert answer.is_error and told in answer.payload["message"], arguments
    bounded = call(server, "search_text", {"query": "return", "limit": 1000, "context": -1}).payload
    assert [text.partition(" ")[0] for text in bounded["warnings"]] == ["limit", "context"]
    assert call(server, "text_search", {"query": "return", "max_results": 1}).payload["matches"]


def test_matches_may_span_lines(make: Make, shop: Path) -> None:
    server = make()
    asked = {"query": r"def \w+\(self.*\n\s+\"\"\"", "regex": True, "multiline": True, "index_name": "shop"}
    answer = call(server, "search_text", asked).payload
    assert answer["total"] == len(answer["matches"]) > 0
    for match in answer["matches"]:
        assert match["end_line"] == match["line"] + 1
        text = Path(match["file_path"]).read_text().split("\n")
        assert match["text"] == "\n".join(text[match["line"] - 1 : match["end_line"]])
    columns = call(server, "search_text", {**asked, "compact": True}).payload["columns"]
    assert "end_line" in columns
    assert call(server, "search_text", {**asked, "count_only": True}).payload["total"] == answer["total"]


def test_lines_are_those_of_the_disk(make: Make, shop: Path, app: App) -> None:
    app.repair_wait_s = 60.0
    server = make()
    asked = {"query": "def total_price", "index_name": "shop"}
    (before,) = call(server, "search_text", asked).payload["matches"]
    cart = shop / "shop" / "cart.py"
    cart.write_text("# one\n# two\n" + cart.read_text().replace("return total", "return total  # in cents"))
    (moved,) = call(server, "search_text", asked).payload["matches"]
    assert moved["line"] == before["line"] + 2
    assert call(server, "search_text", {**asked, "paths_only": True}).payload["paths"] == [str(cart)]
    cart.unlink()
    gone = call(server, "search_text", asked).payload
    assert (gone["matches"], gone["files_matched"]) == ([], 0)


def test_what_may_not_be_repaired_is_told(make: Make, shop: Path) -> None:
    server = make(read_only=True)
    (shop / "shop" / "cart.py").write_text("def total_price(): ...\n")
    answer = call(server, "search_text", {"query": "def total_price", "index_name": "shop"}).payload
    assert any(text.startswith("changed since the last index run: shop/cart.py") for text in answer["warnings"])
