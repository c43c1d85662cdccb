"""Over MCP: ids in answers, and ids where a name is asked for."""

from collections.abc import Callable
from pathlib import Path

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.app import App

Make = Callable[..., FastMCP]


def test_answers_have_the_id_of_their_index(app: App, make: Make, shop: Path) -> None:
    server, ulid = make(), app.catalog.find("shop").ulid
    assert [one["index_id"] for one in call(server, "list_indexes", {}).payload] == [ulid]
    assert call(server, "index_stats", {"index_name": "shop"}).payload["index_id"] == ulid
    assert call(server, "index_status", {"index_name": "shop"}).payload["index_id"] == ulid
    assert call(server, "index_codebase", {"path": str(shop), "index_name": "shop"}).payload["index_id"] == ulid


@pytest.mark.parametrize("kind", ["ulid", "workspace_id"])
def test_ids_are_taken_wherever_a_name_is(app: App, make: Make, shop: Path, kind: str) -> None:
    server, given = make(), {"index_name": getattr(app.catalog.find("shop"), kind)}
    assert call(server, "search_code", {"query": "apply_discount", **given}).hits
    assert call(server, "search_code", {"query": "apply_discount", "index_names": [given["index_name"]]}).hits
    assert call(server, "find_symbol", {"name": "apply_discount", **given}).payload["definitions"]
    assert call(server, "index_stats", given).payload["name"] == "shop"
    assert call(server, "index_status", given).payload["index_name"] == "shop"
    assert call(server, "index_codebase", {"path": str(shop), **given}).payload["index_name"] == "shop"
    assert [record.name for record in app.catalog.list_all()] == ["shop"]
    job = call(server, "index_status", given).payload
    assert (job["index_name"], job["state"]) == ("shop", "completed")
    assert "job_id" in job  # the run of before
    assert call(server, "clear_index", given).payload["success"]
    assert app.catalog.list_all() == []


def test_an_id_outside_the_roots_is_no_index(app: App, make: Make, shop: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    server = make(roots=(tmp_path / "elsewhere",))
    ulid = app.catalog.find("shop").ulid
    for tool in ("index_stats", "index_status", "clear_index"):
        assert call(server, tool, {"index_name": ulid}).payload["error_type"] == "not_indexed"
