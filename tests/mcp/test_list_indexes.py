"""`list_indexes` with its unlisted parameters, and the figures that `index_stats` adds."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, tools_of

from cocosearch_py.app import App

Make = Callable[..., FastMCP]
PLAIN = ["name", "index_id", "table_name", "root_path", "files", "chunks", "status", "updated_at"]


@pytest.fixture
def three(app: App, sample_repo: Path) -> None:
    for name in ("shop-b", "shop-a", "other"):
        app.index(sample_repo, name=name)


def test_without_parameters_it_is_what_it_was(make: Make, three: None) -> None:
    server = make()
    (listed,) = (tool for tool in tools_of(server) if tool.name == "list_indexes")
    assert listed.input_schema["properties"] == {}
    items = call(server, "list_indexes").payload
    assert [item["name"] for item in items] == ["other", "shop-a", "shop-b"]
    assert all(list(item) == PLAIN for item in items)


def test_a_pattern_chooses_and_pages_follow_each_other(make: Make, three: None) -> None:
    server = make()

    def asked(**arguments: Any) -> list[dict[str, Any]]:
        return list(call(server, "list_indexes", arguments).payload)

    assert [item["name"] for item in asked(pattern="shop-*")] == ["shop-a", "shop-b"]
    assert asked(pattern="SHOP-*") == [{"type": "warning", "message": "no index matches 'SHOP-*'"}]
    first, more = asked(limit=1, pattern="shop-*")
    assert (first["name"], more["type"], more["returned"], more["available"]) == ("shop-a", "truncated", 1, 2)
    (second,) = asked(limit=1, pattern="shop-*", cursor=more["next_cursor"])
    assert second["name"] == "shop-b"
    *items, warning, rest = asked(limit=0)
    assert [item["name"] for item in items] == ["other"]
    assert (warning["type"], rest["next_cursor"]) == ("warning", "other")


def test_details_name_the_other_worktrees(app: App, make: Make, sample_repo: Path, tmp_path: Path) -> None:
    def git(*words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        return subprocess.run(
            ["git", *who, *words], cwd=sample_repo, check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "one")
    git("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone/code.py").write_text("def work(): ...\n")
    folders = {
        "main": sample_repo,
        "part": sample_repo / "shop",
        "tree": tmp_path / "tree",
        "alone": tmp_path / "alone",
    }
    for name, folder in folders.items():
        app.index(folder, name=name)
    items = {item["name"]: item for item in call(make(), "list_indexes", {"detailed": True}).payload}
    assert {name: (item["repo"], item["worktrees"]) for name, item in items.items()} == {
        "main": ("shop", ["tree"]),
        "part": ("shop", ["tree"]),  # a folder of the same worktree as main
        "tree": ("shop", ["main", "part"]),
        "alone": (None, []),
    }
    assert (items["tree"]["git_branch"], items["tree"]["git_commit"]) == ("side", git("rev-parse", "HEAD"))
    assert items["main"]["workspace_id"] == app.catalog.find("main").workspace_id
    assert (items["main"]["is_stale"], items["main"]["chunking_strategy"]) == (False, "treesitter")


def test_stats_count_what_the_tables_hold(app: App, make: Make, sample_repo: Path, database_url: str) -> None:
    (sample_repo / "shop/uses.py").write_text("from shop import cart\n\n\ndef use():\n    return cart\n")
    app.index(sample_repo, name="shop")
    stats = call(make(), "index_stats", {"index_name": "shop"}).payload
    counts = {"symbol_count": "symbols", "edge_count": "dependencies", "vector_count": "vectors"}
    with psycopg.connect(database_url) as conn:
        for key, table in counts.items():
            row = conn.execute(f"SELECT count(*) FROM cocosearch_py.{table}").fetchone()
            assert row == (stats[key],), key
        lines = conn.execute("SELECT sum(line_count) FROM cocosearch_py.files WHERE status = 'indexed'").fetchone()
    assert lines == (stats["line_count"],)
    assert stats["edge_count"] >= 1
    assert stats["indexing_seconds"] > 0
    assert stats["config"]["embedding_dimension"] > 0
    assert stats["config"]["embedding_model"] == stats["embedding_model"]
    assert (stats["config"]["chunking_strategy"], stats["config"]["chunk_size"]) == ("treesitter", 1000)
