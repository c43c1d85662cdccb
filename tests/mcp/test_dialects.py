"""Code Index and Mimir: parameters, ranges, defaults, answers and errors as their documents have them."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import lay_out
from tests.mcp.dialects import ask

from cocosearch_py.app import App

Make = Callable[..., FastMCP]
PROJECT = "the sample's folder"
ERROR = {"error", "error_type", "message", "details", "actionable_guidance", "success"}


@pytest.fixture
def paths(app: App, tmp_path: Path) -> Path:
    """A project whose files differ in nothing but their places."""
    text = "def load_widget(name):\n    return open(name)\n"
    names = ("lib/a.py", "src/b.py", "test/c.py", ".github/d.py", "lib/mock_f.py", "lib/g.js")
    folder = lay_out(tmp_path / "widgets", {name: f"# {name}\n{text}" for name in names})
    app.index(folder, name="widgets")
    return folder


def found(server: FastMCP, query: str, **more: Any) -> list[dict[str, Any]]:
    reply = ask(server, "search", query=query, **more)
    assert not reply.is_error, reply.text
    results: list[dict[str, Any]] = reply.payload
    scores = [one["adjustedScore"] for one in results]
    assert scores == sorted(scores, reverse=True)
    return results


def test_search_is_an_array_of_short_snippets_below_the_workspace(make: Make, shop: Path) -> None:
    results = found(make(), "retry with backoff")
    best = results[0]
    assert (best["filePath"], best["language"]) == ("server/retry.go", "go")
    assert best["fileSize"] == (shop / "server/retry.go").stat().st_size
    lines = (shop / best["filePath"]).read_text().splitlines()
    assert best["snippet"].startswith(lines[best["startLine"] - 1])
    assert all(len(one["snippet"]) <= 160 for one in results)
    assert all(len(one["snippet"]) <= 12 for one in found(make(), "retry", search_snippet_preview_chars=12))


def test_a_workspace_is_a_folder_that_is_indexed(make: Make, shop: Path, paths: Path) -> None:
    assert found(make(), "load widget", workspace=str(paths))[0]["filePath"] in ("lib/a.py", "src/b.py")
    assert found(make(), "load widget", workspace="../widgets") == found(make(), "load widget", workspace=str(paths))
    assert "shop/cart.py" in {one["filePath"] for one in found(make(), "cart", workspace=".")}


def test_paths_are_boosted_and_left_out_as_its_defaults_say(make: Make, paths: Path) -> None:
    server = make(project=paths)
    order = [one["filePath"] for one in found(server, "load widget")]
    assert order[0] == "src/b.py"
    assert order[-1] == "test/c.py"
    assert ".github/d.py" in order
    last = found(server, "load widget", search_path_boosts=[{"pattern": "src/", "boost": 0.001}])
    assert last[-1]["filePath"] == "src/b.py"
    assert found(server, "load widget", search_path_boosts=[{"pattern": "src/", "weight": 0.001}]) == last


def test_patterns_are_parts_of_paths(make: Make, paths: Path) -> None:
    kept = {one["filePath"] for one in found(make(project=paths), "load", search_exclude_patterns=["test", "mock"])}
    assert {"lib/a.py", ".github/d.py"} <= kept
    assert not kept & {"test/c.py", "lib/mock_f.py"}


def test_weights_of_extensions_and_languages(make: Make, paths: Path) -> None:
    server = make(project=paths)
    assert found(server, "load widget", search_file_type_weights={".js": 9.0})[0]["filePath"] == "lib/g.js"
    assert found(server, "load widget", search_language_boosts={"javascript": 9.0})[0]["filePath"] == "lib/g.js"


def test_both_spellings_of_limits_count_and_the_short_one_wins(make: Make, shop: Path) -> None:
    server = make()
    assert len(found(server, "price", search_max_results=2)) == 2
    assert len(found(server, "price", max_results=1, search_max_results=2)) == 1
    assert found(server, "price", search_min_score=1.0) == []
    assert found(server, "price", min_score=0.0, search_min_score=1.0)


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({}, "validation_error"),
        ({"query": "a", "min_score": 1.5}, "validation_error"),
        ({"query": "a", "max_results": 0}, "validation_error"),
        ({"query": "a", "search_path_boosts": [{"pattern": "src/"}]}, "validation_error"),
        ({"query": "a", "search_language_boosts": {"no such": 2}}, "validation_error"),
        ({"query": "a", "limit": 3}, "validation_error"),
        ({"query": "a", "workspace": "no/such/folder"}, "workspace_error"),
    ],
)
def test_failures_of_code_index_have_its_form(make: Make, shop: Path, arguments: dict[str, Any], kind: str) -> None:
    reply = ask(make(), "search", **arguments)
    assert reply.is_error
    assert set(reply.payload) == ERROR
    assert (reply.payload["error"], reply.payload["error_type"]) == (True, kind)
    assert isinstance(reply.payload["details"], dict)
    assert all(isinstance(one, str) for one in reply.payload["actionable_guidance"])


def test_search_repo_quotes_the_bytes_of_files(make: Make, shop: Path) -> None:
    reply = ask(make(), "search_repo", index_id="shop", query="total price of the cart", context_lines=2)
    assert not reply.is_error, reply.text
    assert reply.payload["total"] >= len(reply.payload["results"]) > 1
    assert isinstance(reply.payload["query_time_ms"], float)
    for one in reply.payload["results"]:
        data = (shop / one["path"]).read_bytes()
        start, end = one["span"]
        content = one["content"]
        assert data[start:end].decode() == content["text"]
        assert content["pre"] + content["text"] + content["post"] in data.decode()
        assert one["citation"]["content_sha"] == hashlib.sha256(data[start:end]).hexdigest()[:16]
        assert one["citation"]["span"] == one["span"]
        assert data[:start].count(b"\n") + 1 == one["lines"][0]
        assert set(one["scores"]) >= {"vector", "symbol", "graph"}


def test_k_counts_all_results_and_some_are_there_for_their_imports(make: Make, shop: Path) -> None:
    server = make()
    results = ask(server, "search_repo", index_id="shop", query="Cart", k=4).payload["results"]
    assert len(results) <= 4
    only = ask(server, "search_repo", index_id="shop", query="Cart", k=1).payload["results"]
    assert [one["path"] for one in only] == ["shop/cart.py"]
    features = {"vector": False, "symbol": True, "graph": True}
    joined = ask(server, "search_repo", index_id="shop", query="Cart", features=features).payload["results"]
    assert [one["path"] for one in joined if one["scores"]["graph"]] == ["shop/prices.py"]
    assert all(one["scores"]["vector"] == 0.0 for one in joined)


@pytest.mark.parametrize(
    "arguments",
    [
        {"index_id": "shop"},
        {"index_id": "shop", "query": "a", "k": 101},
        {"index_id": "shop", "query": "a", "context_lines": 21},
        {"index_id": "shop", "query": "a", "features": {"vectors": True}},
        {"index_id": "shop", "query": "a", "features": {"vector": False, "symbol": False}},
        {"index_id": "nothing", "query": "a"},
        {"index_id": "shop", "query": ""},
        {"index_id": "shop", "query": "a", "limit": 3},
    ],
)
def test_failures_of_mimir_are_one_text(make: Make, shop: Path, arguments: dict[str, Any]) -> None:
    reply = ask(make(), "search_repo", **arguments)
    assert reply.is_error
    assert reply.text.startswith("Error: ")
    assert isinstance(reply.payload, str)


def test_keys_of_lexa_and_indxr_that_ours_do_not_have(make: Make, shop: Path, app: App) -> None:
    server = make()
    status = ask(server, "status").payload
    assert status["files_indexed"] == status["word_indexed_files"] == 6
    assert status["symbols_indexed"] > 5
    assert status["unique_words_indexed"] > 50
    (shop / "new.py").write_text("def quite_new() -> None:\n    pass\n")
    done = ask(server, "regenerate_index").payload
    lines = sum(path.read_text().count("\n") for path in shop.rglob("*") if path.is_file())
    assert done == {
        "status": "ok",
        "message": done["message"],
        "path": str(shop),
        "files_indexed": 7,
        "total_lines": lines,
    }
    assert not (shop / "INDEX.md").exists()
    assert ask(server, "status").payload["seq"] > status["seq"]


@pytest.mark.parametrize(
    ("tool", "arguments", "detail", "guidance"),
    [
        ("search", {"query": ""}, {"parameters": ["query"]}, "for example"),
        ("search", {"query": "x", "max_results": 0}, {"parameters": ["max_results"]}, "search knows query, workspace"),
        ("index", {"workspace": "/nowhere"}, {"allowed": [PROJECT]}, "--root FOLDER"),
        ("index", {"workspace": ".", "embedding_length": 3}, {"suggested_values": [256]}, "embedding.outputDimension"),
        ("index", {"workspace": ".", "chunking_strategy": "zz"}, {"field": "chunking_strategy"}, "correct"),
        ("collections", {"subcommand": "info"}, {"parameters": ["collection_name"]}, "call collections with"),
        (
            "collections",
            {"subcommand": "info", "collection_name": "sho"},
            {"known_indexes": ["shop"]},
            "did you mean shop? list_indexes shows all",
        ),
        ("read", {"path": "nope.py"}, {"target": "nope.py"}, "list_files"),
        ("outline", {"path": "nope.py"}, {"path": "nope.py"}, "list_files"),
        ("trace_deps", {"path": "nope.py"}, {"path": "nope.py"}, "list_files"),
        ("symbol_defs", {}, {"parameters": ["name"]}, "symbol_defs knows name"),
    ],
)
def test_an_error_has_details_for_programs_and_says_what_to_call(
    make: Make, shop: Path, tool: str, arguments: dict[str, Any], detail: dict[str, Any], guidance: str
) -> None:
    reply = ask(make(), tool, **arguments)
    assert reply.is_error
    expected = {name: [str(shop)] if value == [PROJECT] else value for name, value in detail.items()}
    assert expected.items() <= reply.payload["details"].items()
    assert guidance in reply.payload["actionable_guidance"][0]
