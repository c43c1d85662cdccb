"""What a call of index_codebase sets for its run: mode, strategy, languages, features, profile, overrides."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import Answer, call, lay_out

from cocosearch_py.app import App

Make = Callable[..., FastMCP]


@pytest.fixture
def run(make: Make, sample_repo: Path) -> Callable[..., Answer]:
    server = make()

    def index(**asked: Any) -> Answer:
        return call(server, "index_codebase", {"path": ".", "index_name": "shop", **asked})

    return index


def rows(app: App, table: str, column: str = "index_id") -> list[Any]:
    """What a column of a table has for the index."""
    with app.database.reading() as conn:
        query = f"SELECT {column} FROM cocosearch_py.{table} WHERE index_id = %s"
        return [row[0] for row in conn.execute(query, [app.catalog.find("shop").index_id])]


def options(app: App) -> dict[str, Any]:
    return app.catalog.find("shop").options


def test_a_strategy_under_both_names(run: Callable[..., Answer], app: App) -> None:
    for given, stored in (("lines", "lines"), ("tokens", "tokens"), ("TreeSitter", "treesitter")):
        assert run(chunking_strategy=given).payload["success"]
        assert options(app)["strategy"] == stored
        assert run(strategy=given).payload["stats"]["files_unchanged"] == 6
    wrong = run(strategy="words").payload
    assert wrong["error_type"] == "configuration_error"
    assert "indexing.strategy" in wrong["message"]


def test_only_some_languages(run: Callable[..., Answer]) -> None:
    assert run(languages=["python"]).payload["stats"]["files_added"] == 3
    assert run(languages=["klingon"]).payload["error_type"] == "configuration_error"


def test_the_fast_profile_and_what_is_named_beside_it(run: Callable[..., Answer], app: App) -> None:
    assert run(profile="fast").payload["success"]
    assert options(app)["strategy"] == "lines"
    assert run(profile="fast", overrides={"chunking_strategy": "tokens", "token_chunk_size": 200}).payload["success"]
    assert (options(app)["strategy"], options(app)["token_size"]) == ("tokens", 200)
    run(profile="fast", overrides={"chunking_strategy": "tokens"}, strategy="treesitter")
    assert options(app)["strategy"] == "treesitter"
    assert "fast" in run(profile="slow").payload["actionable_guidance"][0]


def test_modes(run: Callable[..., Answer], app: App) -> None:
    told = run(mode="estimate").payload
    assert (told["dry_run"], told["stats"]["files_added"]) == (True, 6)
    (one,) = told["workspace_estimations"]
    assert told["total_estimated_time_seconds"] == one["estimated_time_seconds"] == told["estimate"]["seconds"]
    assert (told["workspaces_analyzed"], told["warning_level"], told["cli_alternative"]) == (1, "none", None)
    assert (one["files"], one["index_name"]) == (6, "shop")
    assert "workspace_estimations" not in run(dry_run=True).payload
    assert app.catalog.list_all() == []
    assert run(mode="incremental").payload["stats"]["files_added"] == 6
    assert run(mode="incremental").payload["stats"]["files_unchanged"] == 6
    assert run(mode="full").payload["stats"]["files_added"] == 6
    assert run(mode="half").payload["error_type"] == "validation_error"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("max_file_size_bytes", 1023, "at least 1024, at most 104857600"),
        ("max_file_size_bytes", 104857601, "at least 1024"),
        ("batch_segment_threshold", 0, "at least 1, at most 1000"),
        ("batch_segment_threshold", 1001, "at most 1000"),
        ("embed_timeout_seconds", 3601, "at least 1, at most 3600"),
        ("token_chunk_size", 99, "at least 100, at most 10000"),
        ("token_chunk_overlap", 5001, "at most 5000"),
        ("token_chunk_overlap", 300, "at most half of indexing.tokenChunkSize, which is 500"),
        ("tree_sitter_max_file_size_bytes", "big", "an integer"),
        ("use_tree_sitter", 1, "true or false"),
        ("chunking_strategy", "words", "one of treesitter, lines, tokens"),
        ("embedding_length", 7, "have 256 values"),
        ("search_min_score", 2, "at most 1"),
        ("exclude_files_path", "../outside.txt", "not a readable file in the folder"),
        ("chunk_stratgy", "lines", "unknown override 'chunk_stratgy'"),
    ],
)
def test_overrides_that_cannot_be(run: Callable[..., Answer], app: App, name: str, value: Any, told: str) -> None:
    wrong = run(overrides={name: value}).payload
    assert wrong["error_type"] == "configuration_error"
    assert told in wrong["message"]
    assert (f"overrides.{name}" if "unknown" not in told and "half" not in told else "hunk") in wrong["message"]
    assert app.catalog.list_all() == []


def test_an_unknown_override_is_told_with_the_nearest(run: Callable[..., Answer]) -> None:
    assert "chunking_strategy" in run(overrides={"chunk_strategy": "lines"}).payload["actionable_guidance"][0]


def test_overrides_do_what_they_say(run: Callable[..., Answer], app: App, sample_repo: Path) -> None:
    lines = "".join(f"def work_{number}():\n    return {number}\n\n\n" for number in range(400))
    lay_out(sample_repo, {"big.py": lines, "skip.txt": "# what is left out\nweb/\n"})
    assert run(overrides={"max_file_size_bytes": 5000}).payload["stats"]["files_skipped"] == 1
    answer = run(overrides={"extensions": [".py"], "exclude_files_path": "skip.txt"}).payload
    assert answer["stats"]["files_removed"] == 4
    starts = {True: set[str](), False: set[str]()}
    for by_lines, overrides in (
        (False, {"use_tree_sitter": True, "chunking_strategy": "lines"}),
        (True, {"tree_sitter_max_file_size_bytes": 2000}),
        (True, {"tree_sitter_max_blocks_per_file": 3}),
    ):
        assert run(overrides=overrides).payload["success"]
        starts[by_lines] |= {text[:4] for text in rows(app, "chunks", "content") if "work_" in text}
    assert starts[False] == {"def "}
    assert starts[True] != {"def "}
    ignored = run(overrides={"tree_sitter_skip_test_files": True, "search_max_results": 9, "timeout_log_path": "x"})
    assert len(ignored.payload["warnings"]) == 3
    assert not (sample_repo / "x").exists()
    assert run(overrides={"embedding_length": 256}).payload["success"]


def test_an_index_without_vectors_answers_by_words_and_says_so(
    run: Callable[..., Answer], make: Make, app: App
) -> None:
    assert run(features={"vector": False}).payload["success"]
    assert rows(app, "vectors") == []
    for more in ({}, {"use_hybrid_search": False}, {"min_score": 0.9}):
        found = call(make(), "search_code", {"query": "apply discount", "index_name": "shop", **more})
        assert found.hits[0]["file_path"].endswith("discounts.py"), more
        assert any("no vectors" in note["message"] for note in found.notes("warning"))
    assert run().payload["stats"]["files_added"] == 6  # built anew, with vectors
    assert not call(make(), "search_code", {"query": "apply discount", "index_name": "shop"}).notes("warning")


def test_tools_say_that_an_index_lacks_what_they_need(run: Callable[..., Answer], make: Make, app: App) -> None:
    server = make()
    assert run(features={"graph": False}).payload["success"]
    assert (rows(app, "refs"), rows(app, "imports")) == ([], [])
    assert not call(server, "find_symbol", {"name": "Money", "index_name": "shop"}).is_error
    asked = {
        "find_references": {"symbol": "Money"},
        "get_call_graph": {"symbol": "Money"},
        "get_dependencies": {"file": "shop/cart.py"},
        "get_repo_map": {},
    }
    for tool, arguments in asked.items():
        wrong = call(server, tool, {"index_name": "shop", **arguments}).payload
        assert (wrong["error_type"], "graph" in wrong["message"]) == ("not_found", True), tool
    assert run(features={"symbol": False}).payload["success"]
    assert rows(app, "symbols") == []
    for tool, arguments in {"find_symbol": {"name": "Money"}, "find_references": {"symbol": "Money"}}.items():
        wrong = call(make(), tool, {"index_name": "shop", **arguments}).payload
        assert "indexing." in wrong["actionable_guidance"][0]
    assert call(make(), "search_code", {"query": "Money", "index_name": "shop"}).hits
    assert run(features={"symbol": False, "graph": True}).payload["error_type"] == "configuration_error"
    assert run(features={"vectors": False}).payload["error_type"] == "configuration_error"
