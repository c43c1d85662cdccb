"""What agents are told of files that have changed since they were indexed."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastmcp import FastMCP
from tests.mcp.calls import call

from cocosearch_py.app import App
from cocosearch_py.indexing.repairs import MOST_BYTES
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.options import ServerOptions

Make = Callable[..., FastMCP]
ASKED = {"query": "apply_discount to a price", "index_name": "shop"}
FILE = "shop/discounts.py"


@pytest.fixture(autouse=True)
def _patient(app: App) -> None:
    """A busy machine decides nothing here."""
    app.repair_wait_s = 60.0


@pytest.fixture
def edited(shop: Path) -> Path:
    """The sample, indexed, one of whose files has a further line at its beginning by now."""
    (shop / FILE).write_text("# one\n" + (shop / FILE).read_text())
    return shop


def test_a_server_for_the_project_repairs(make: Make, edited: Path, app: App) -> None:
    answer = call(make(), "search_code", ASKED)
    hit = next(hit for hit in answer.hits if hit["file_path"] == str(edited / FILE))
    assert (edited / FILE).read_text().splitlines()[hit["start_line"] - 1] == hit["content"].splitlines()[0]
    assert "stale" not in hit
    assert not answer.notes("stale_results")
    assert app.catalog.find("shop").generation == 2
    analysis = call(make(), "analyze_query", ASKED).payload
    assert analysis["timings"]["freshness_ms"] >= 0
    assert analysis["warnings"] == []


def test_a_server_that_may_not_index_marks(make: Make, edited: Path, app: App, tmp_path: Path) -> None:
    for options in ({"read_only": True}, {"project": None, "working_folder": Path("/"), "transport": "http"}):
        answer = call(make(**options), "search_code", ASKED)
        hit = next(hit for hit in answer.hits if hit["file_path"] == str(edited / FILE))
        assert hit["stale"] == "moved"
        (note,) = answer.notes("stale_results")
        assert note["index_name"] == "shop"
        assert note["files"] == [{"file_path": str(edited / FILE), "reason": "moved"}]
        assert "does not allow indexing" in note["message"]
        assert str(edited) in note["remedy"]
        warnings = call(make(**options), "analyze_query", ASKED).payload["warnings"]
        assert warnings == [note["message"]]
    assert app.catalog.find("shop").generation == 1


def test_a_table_has_the_mark_as_a_column(make: Make, edited: Path) -> None:
    table = call(make(read_only=True), "search_code", {**ASKED, "compact": True}).payload
    column = table["columns"].index("stale")
    assert sorted(row[column] or "" for row in table["rows"])[-1] == "moved"
    assert "" in {row[column] or "" for row in table["rows"]}


def test_deleted_files_are_named(make: Make, shop: Path) -> None:
    (shop / FILE).unlink()
    answer = call(make(), "search_code", ASKED)
    assert str(shop / FILE) not in {hit["file_path"] for hit in answer.hits}
    (note,) = answer.notes("stale_results")
    assert note["files"] == [{"file_path": str(shop / FILE), "reason": "gone"}]
    assert "could not" not in note["message"]


def is_followed(server: FastMCP, folder: Path) -> bool:
    """Whether a new file gets into answers to a question that has others without it."""
    deadline = time.monotonic() + 60
    (folder / "late.py").write_text("def apply_discount(walrus): ...\n")
    while time.monotonic() < deadline:
        hits = call(server, "search_code", ASKED).hits
        if str(folder / "late.py") in {hit["file_path"] for hit in hits}:
            return True
        time.sleep(0.1)
    return False


def test_what_nothing_has_is_sought_in_new_files(make: Make, shop: Path) -> None:
    server = make()
    (shop / "late.py").write_text("def find_walrus(pond):\n    return pond.walrus\n")
    hits = call(server, "search_code", {"query": "find_walrus", "index_name": "shop"}).hits
    assert hits[0]["file_path"] == str(shop / "late.py")


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("search_code", {"query": "where is find_walrus called"}),
        ("search_text", {"query": "return pond.walrus"}),
        ("find_symbol", {"name": "find_walrus"}),
        ("find_references", {"symbol": "find_walrus"}),
        ("explain_symbol", {"name": "find_walrus"}),
        ("outline_file", {"path": "late.py"}),
        ("read_code", {"path": "late.py"}),
    ],
)
def test_each_tool_seeks_what_it_lacks_in_new_files(make: Make, shop: Path, tool: str, asked: dict[str, Any]) -> None:
    server = make()
    (shop / "late.py").write_text("def find_walrus(pond):\n    return pond.walrus\n")
    answer = call(server, tool, asked)
    assert not answer.is_error
    assert "late.py" in str(answer.payload)


def test_a_new_file_is_listed_by_its_path(make: Make, shop: Path) -> None:
    server = make()
    (shop / "shop/late.py").write_text("def find_walrus(pond): ...\n")
    answer = call(server, "list_files", {"path": "shop/late.py"}).payload
    assert [file["path"] for file in answer["files"]] == ["shop/late.py"]
    assert "warnings" not in answer


@pytest.fixture
def crowded(shop: Path) -> Path:
    """The sample with a new file, and more and newer ones than an answer takes in."""
    (shop / "late.py").write_text("def find_walrus(pond):\n    return pond.walrus\n")
    os.utime(shop / "late.py", (1, 1))
    for number in range(120):
        (shop / f"newer_{number}.py").touch()
    return shop


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("search_code", {"query": "find_walrus path:late.py"}),
        ("search_text", {"query": "pond.walrus", "path_glob": "late.py"}),
        ("outline_file", {"path": "late.py"}),
        ("summarize", {"paths": ["late.py"]}),
        ("read_code", {"targets": ["late.py:1-2", "shop/cart.py"]}),
        ("get_dependencies", {"files": ["late.py", "shop/cart.py"]}),
        ("get_repo_map", {"focus": ["late.py"]}),
    ],
)
def test_a_file_that_is_asked_for_comes_before_newer_ones(
    make: Make, crowded: Path, tool: str, asked: dict[str, Any]
) -> None:
    answer = call(make(), tool, asked)
    assert not answer.is_error
    assert "find_walrus" in str(answer.payload) or tool == "get_dependencies"
    assert "not_found" not in answer.payload or answer.payload["not_found"] == []


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("search_code", {"query": "find_walrus"}),
        ("search_text", {"query": "return pond.walrus"}),
        ("find_symbol", {"name": "find_walrus"}),
        ("find_references", {"symbol": "find_walrus"}),
        ("explain_symbol", {"name": "find_walrus"}),
        ("get_call_graph", {"symbol": "find_walrus"}),
        ("get_impact", {"symbol": "find_walrus"}),
        ("find_tests", {"symbol": "find_walrus"}),
        ("trace_type", {"type_name": "Walrus"}),
        ("summarize", {"path": "find_walrus"}),
        ("summarize", {"path": "shop/late.py"}),
        ("summarize", {"paths": ["shop/late.py", FILE]}),
        ("outline_file", {"path": "late.py"}),
        ("get_file_dependencies", {"file": "late.py"}),
        ("get_dependency_graph", {"path": "late.py"}),
        ("read_code", {"path": "late.py"}),
        ("read_code", {"targets": ["late.py", FILE]}),
    ],
)
def test_each_tool_tells_of_new_files_that_may_hold_what_it_lacks(
    make: Make, shop: Path, tool: str, asked: dict[str, Any]
) -> None:
    server = make()
    (shop / "late.py").write_text("# much\n" * (MOST_BYTES // 7 + 1))
    told = str(call(server, tool, asked).payload)
    assert "1 new or changed file may contain it" in told
    assert "too much has changed to read it for this answer" in told
    assert f"index_codebase with path {shop}" in told


def test_a_folder_is_looked_at_once_a_call(make: Make, shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    found = App.pending
    monkeypatch.setattr(
        App, "pending", lambda app, record, asked: looked.append(record.name) or found(app, record, asked)
    )
    server = make()
    for count in (1, 2):
        call(server, "explain_symbol", {"name": "find_walrus"})
        assert len(looked) == count
    call(server, "search_code", ASKED)
    assert len(looked) == 2


def test_three_folders_are_looked_at_in_a_call(make: Make, shop: Path, app: App) -> None:
    names = ["shop", "first", "second", "third"]
    for name in names[1:]:
        (shop.parent / name).mkdir()
        (shop.parent / name / "pond.py").write_text("def empty_pond(): ...\n")
        app.index(shop.parent / name, name=name)
        (shop.parent / name / "late.py").write_text("def find_walrus(): ...\n")
    server = make(roots=(shop.parent,))
    hits = call(server, "search_code", {"query": "find_walrus", "index_names": names}).hits
    assert {Path(hit["file_path"]).parent.name for hit in hits if "late.py" in hit["file_path"]} == {"first", "second"}


def test_clients_that_may_not_index_hear_of_no_new_files(make: Make, shop: Path, app: App) -> None:
    (shop / "late.py").write_text("def find_walrus(pond): ...\n")
    answer = call(make(read_only=True), "search_code", {"query": "find_walrus", "index_name": "shop"})
    assert "late.py" not in str(answer.payload)
    assert app.catalog.find("shop").generation == 1


def test_a_server_follows_files_when_told(make: Make, shop: Path) -> None:
    assert is_followed(make(watch=True), shop)


def test_a_server_follows_files_when_the_settings_say_so(make: Make, shop: Path, app: App) -> None:
    app.settings = replace(app.settings, indexing=replace(app.settings.indexing, watch=True))
    assert is_followed(make(), shop)


def test_a_server_follows_what_the_settings_leave_in_by_now(make: Make, shop: Path, app: App) -> None:
    settings = app.settings
    app.settings = replace(settings, indexing=replace(settings.indexing, exclude_patterns=("late.py",)))
    server = make(watch=True)
    assert call(server, "search_code", ASKED).hits
    app.settings = settings
    assert is_followed(server, shop)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("search_text", {"query": "cart"}), ("find_symbol", {"name": "Cart"}), ("read_code", {"path": FILE})],
)
def test_any_question_makes_a_server_follow(app: App, shop: Path, name: str, arguments: dict[str, Any]) -> None:
    options = ServerOptions(project=shop, working_folder=shop, watch=True)
    server, context = create_server(lambda _: app, options)
    assert not call(server, name, arguments).is_error
    assert "shop" in context.watches
    context.watches.close()


def test_a_server_that_may_not_index_follows_nothing(app: App, shop: Path) -> None:
    options = ServerOptions(project=shop, working_folder=shop, watch=True, read_only=True)
    server, context = create_server(lambda _: app, options)
    assert call(server, "search_code", ASKED).hits
    assert "shop" not in context.watches
