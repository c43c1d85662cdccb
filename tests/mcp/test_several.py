"""Several folders by one call of index_codebase, and members of a workspace."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call, lay_out

from cocosearch_py.app import App

Make = Callable[..., FastMCP]
WORKSPACE = {
    "package.json": '{"workspaces": ["packages/*"]}',
    "packages/a/package.json": '{"name": "@x/a"}',
    "packages/a/index.js": "export const a = 1\n",
    "packages/a/gen/made.js": "export const made = 1\n",
    "packages/a/cocosearch.yaml": "indexing:\n  excludePatterns: [gen/]\n",
    "packages/[b]/package.json": '{"name": "@x/b"}',
    "packages/[b]/index.js": "export const b = 1\n",
    "packages/b/package.json": '{"name": "@x/plain"}',
    "packages/b/index.js": "export const plain = 1\n",
    "tool.py": "tool = 1\n",
}


def test_a_bad_path_fails_alone(make: Make, app: App, sample_repo: Path, tmp_path: Path) -> None:
    lay_out(tmp_path / "outside", {"a.py": "a = 1\n"})
    asked = {"path": ".", "paths": ["shop", "web", "none", str(tmp_path / "outside"), "../outside"]}
    answer = call(make(), "index_codebase", asked).payload
    assert answer["success"] is False
    results = answer["results"]
    assert [one["success"] for one in results] == [True, True, False, False, False]
    assert [one["stats"]["files_added"] for one in results[:2]] == [3, 1]
    assert [one["error_type"] for one in results[2:]] == ["workspace_error", "safety_error", "safety_error"]
    assert {record.root_path for record in app.catalog.list_all()} == {
        str(sample_repo / "shop"),
        str(sample_repo / "web"),
    }


def test_several_need_no_path_besides(make: Make) -> None:
    server = make()
    answer = call(server, "index_codebase", {"paths": ["shop", "web"]}).payload
    assert [one["stats"]["files_added"] for one in answer["results"]] == [3, 1]
    missing = call(server, "index_codebase", {}).payload
    assert missing["message"] == "wrong arguments for index_codebase: path is missing"


def test_all_are_waited_for_whichever_ends_last(make: Make, app: App, sample_repo: Path) -> None:
    server, asked = make(), {"path": ".", "paths": ["shop", "web"]}
    assert call(server, "index_codebase", asked).payload["success"]
    for number in range(300):  # updates of several indexes go on at the same time: the last of these ends first
        (sample_repo / "shop" / f"more_{number}.py").write_text(f"def more_{number}():\n    return {number}\n")
    results = call(server, "index_codebase", asked).payload["results"]
    assert [(one["state"], one["stats"]["files_added"]) for one in results] == [("completed", 300), ("completed", 0)]


def test_what_paths_cannot_be(make: Make, app: App) -> None:
    server = make()
    for asked, told in (
        ({"paths": [f"f{number}" for number in range(51)]}, "51 paths are too many"),
        ({"paths": []}, "no folder given"),
        ({"paths": ["shop"], "index_name": "one"}, "several folders cannot have one index_name"),
    ):
        wrong = call(server, "index_codebase", {"path": ".", **asked}).payload
        assert (wrong["error_type"], told in wrong["message"]) == ("validation_error", True), wrong
    assert app.catalog.list_all() == []


def test_an_estimate_of_several_folders(make: Make, app: App) -> None:
    told = call(make(), "index_codebase", {"path": ".", "paths": ["shop", "web", "none"], "mode": "estimate"}).payload
    assert told["workspaces_analyzed"] == 2
    assert told["total_estimated_time_seconds"] == pytest.approx(
        sum(one["estimated_time_seconds"] for one in told["workspace_estimations"]), abs=0.11
    )
    assert [one["success"] for one in told["results"]] == [True, True, False]
    assert app.catalog.list_all() == []


def paths_of(app: App, name: str) -> set[str]:
    with app.database.reading() as conn:
        query = "SELECT path FROM cocosearch_py.files WHERE index_id = %s AND status = 'indexed'"
        return {row[0] for row in conn.execute(query, [app.catalog.find(name).index_id])}


@pytest.mark.parametrize("member", ["@x/a", "packages/a", "./packages/a/"])
def test_only_a_member(make: Make, app: App, tmp_path: Path, member: str) -> None:
    root = lay_out(tmp_path / "space", WORKSPACE)
    server = make(project=root, working_folder=root)
    asked: dict[str, Any] = {"path": ".", "index_name": "space"}
    assert call(server, "index_codebase", {**asked, "members": [member]}).payload["success"]
    a = {f"packages/a/{name}" for name in ("package.json", "index.js", "cocosearch.yaml", "gen/made.js")}
    assert paths_of(app, "space") == a
    assert call(server, "index_codebase", {**asked, "members": [member], "include": ["*.js"]}).payload["success"]
    assert paths_of(app, "space") == {"packages/a/index.js", "packages/a/gen/made.js"}


def test_members_with_odd_names_and_members_that_are_not_there(make: Make, app: App, tmp_path: Path) -> None:
    root = lay_out(tmp_path / "space", WORKSPACE)
    server = make(project=root, working_folder=root)
    asked: dict[str, Any] = {"path": ".", "index_name": "space"}
    assert call(server, "index_codebase", {**asked, "members": ["@x/b,@x/a"]}).payload["success"]
    assert {path.split("/")[1] for path in paths_of(app, "space")} == {"[b]", "a"}
    wrong = call(server, "index_codebase", {**asked, "members": ["@x/c"]}).payload
    assert (wrong["error_type"], "@x/" in wrong["actionable_guidance"][0]) == ("not_found", True)
    wrong = call(server, "index_codebase", {**asked, "members": ["@x/a"], "workspace": False}).payload
    assert wrong["error_type"] == "validation_error"
