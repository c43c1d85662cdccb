"""`clear_index` and `restore_index` over MCP: answers, confirmation by a person in both eras, visibility."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastmcp import Client, FastMCP
from fastmcp.client.elicitation import ElicitResult
from tests.mcp.calls import ERAS, Answer, call

from cocosearch_py.app import App

Make = Callable[..., FastMCP]


@pytest.fixture
def two(app: App, sample_repo: Path, tmp_path: Path) -> Path:
    """`shop`, and `lib`, which is configured to be searched with it."""
    app.index(sample_repo, name="shop")
    lib = tmp_path / "lib"
    lib.mkdir()
    (lib / "lib.py").write_text("def lib(): ...\n")
    (lib / "cocosearch.yaml").write_text("linkedIndexes: [shop]\n")
    app.index(lib, name="lib")
    return sample_repo


def asking(server: FastMCP, arguments: dict[str, Any], era: str, *, yes: bool | None) -> tuple[Answer, list[str]]:
    """The answer to clear_index, and what the person was asked. `yes` None: the person closes the question."""
    asked: list[str] = []

    async def say(message: str, response_type: Any, params: Any, context: Any) -> Any:
        asked.append(message)
        return ElicitResult(action="cancel" if yes is None else "accept", content={"confirm": bool(yes)})

    async def go() -> Answer:
        async with Client(server, mode=era, elicitation_handler=say) as client:
            return Answer(await client.call_tool("clear_index", arguments, raise_on_error=False))

    return asyncio.run(go()), asked


def names(app: App) -> list[str]:
    return [record.name for record in app.catalog.list_all()]


def test_one_index_goes_at_once_and_comes_back(app: App, make: Make, two: Path) -> None:
    server, ulid = make(), app.catalog.find("shop").ulid
    chunks = app.catalog.find("shop").chunk_count
    before = datetime.now(UTC)
    answer = call(server, "clear_index", {"index_name": "shop"}).payload
    until = datetime.fromisoformat(answer.pop("restorable_until"))
    assert before + timedelta(hours=23, minutes=59) < until < datetime.now(UTC) + timedelta(hours=24, seconds=1)
    (warning,) = answer.pop("linked_index_warnings")
    assert "'lib'" in warning
    assert "'shop'" in warning
    assert answer == {
        "success": True,
        "message": "Index 'shop' cleared successfully",
        "deleted": ["shop"],
        "total_deleted": 1,
        "chunks_removed": chunks,
        "cache_cleared": True,
    }
    assert call(server, "search_code", {"query": "x", "index_name": "shop"}).payload["error_type"] == "not_indexed"
    (item,) = call(server, "restore_index", {}).payload["restorable"]
    assert (item["name"], item["index_id"], item["chunks"]) == ("shop", ulid, chunks)
    restored = call(server, "restore_index", {"index_name": ulid}).payload
    assert (restored["index_name"], restored["index_id"]) == ("shop", ulid)
    assert call(server, "search_code", {"query": "apply_discount", "index_name": "shop"}).hits
    assert call(server, "restore_index", {"index_name": "shop"}).payload["error_type"] == "not_indexed"


def test_restoring_over_an_index_of_the_same_name_is_a_conflict(app: App, make: Make, two: Path) -> None:
    server = make()
    call(server, "clear_index", {"index_name": "shop"})
    call(server, "index_codebase", {"path": str(two), "index_name": "shop"})
    refused = call(server, "restore_index", {"index_name": "shop"})
    assert refused.payload["error_type"] == "index_collision"
    assert "clear that one first" in refused.payload["actionable_guidance"][0]


def test_purged_is_gone(app: App, make: Make, two: Path) -> None:
    server = make()
    answer = call(server, "clear_index", {"index_name": "shop", "purge": True}).payload
    assert (answer["success"], answer["restorable_until"]) == (True, None)
    assert call(server, "restore_index", {}).payload["restorable"] == []
    call(server, "clear_index", {"index_name": "lib"})
    assert call(server, "clear_index", {"index_name": "lib"}).payload["error_type"] == "not_indexed"
    assert call(server, "clear_index", {"index_name": "lib", "purge": True}).payload["deleted"] == ["lib"]
    assert call(server, "restore_index", {}).payload["restorable"] == []


def test_without_a_person_what_would_go_is_listed(app: App, make: Make, two: Path) -> None:
    answer = call(make(), "clear_index", {"all": True}).payload
    assert answer["error_type"] == "safety_error"
    assert answer["details"]["would_delete"] == ["lib", "shop"]
    assert answer["details"]["total"] == 2
    assert answer["details"]["chunks"] == sum(record.chunk_count for record in app.catalog.list_all())
    assert "confirm=true" in answer["actionable_guidance"][0]
    by_another_name = call(make(), "collections", {"subcommand": "clear-all"}).payload
    assert by_another_name["details"] == answer["details"]
    assert "yes=true" in by_another_name["actionable_guidance"][0]
    assert names(app) == ["lib", "shop"]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("how", [{"all": True}, {"index_names": ["shop", "lib"]}, {"older_than_days": 0}])
def test_a_person_confirms(app: App, make: Make, two: Path, era: str, how: dict[str, Any]) -> None:
    answer, asked = asking(make(), how, era, yes=True)
    assert not answer.is_error, answer.text
    assert sorted(answer.payload["deleted"]) == ["lib", "shop"]
    assert len(asked) == 1
    assert asked[0].startswith("Delete 2 indexes: ")
    assert names(app) == []


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("yes", [False, None])
def test_a_person_says_no(app: App, make: Make, two: Path, era: str, yes: bool | None) -> None:
    answer, asked = asking(make(), {"all": True}, era, yes=yes)
    assert (answer.payload["error_type"], len(asked)) == ("safety_error", 1)
    assert "declined" in answer.payload["message"]
    assert names(app) == ["lib", "shop"]


@pytest.mark.parametrize("era", ERAS)
def test_nobody_is_asked_about_one_or_what_is_confirmed(app: App, make: Make, two: Path, era: str) -> None:
    server = make()
    assert asking(server, {"index_name": "lib"}, era, yes=False)[1] == []
    assert asking(server, {"all": True, "yes": True}, era, yes=False)[1] == []
    assert names(app) == []


@pytest.mark.parametrize("era", ERAS)
def test_a_yes_is_about_what_was_shown(app: App, make: Make, two: Path, tmp_path: Path, era: str) -> None:
    """What comes between the question and the yes is not deleted unasked."""
    server, asked = make(), list[str]()

    async def say(message: str, response_type: Any, params: Any, context: Any) -> Any:
        if not asked:
            await asyncio.to_thread(app.index, tmp_path / "lib", name="new")
        asked.append(message)
        return ElicitResult(action="accept", content={"confirm": len(asked) == 1})

    async def go() -> Answer:
        async with Client(server, mode=era, elicitation_handler=say) as client:
            return Answer(await client.call_tool("clear_index", {"all": True}, raise_on_error=False))

    answer = asyncio.run(go())
    assert answer.payload["error_type"] == "safety_error"
    assert ["new" in message for message in asked] == [False, True]
    assert names(app) == ["lib", "new", "shop"]


def test_what_was_cleared_outside_the_roots_is_not_there(app: App, make: Make, two: Path, tmp_path: Path) -> None:
    app.catalog.put_away("shop")
    server = make(roots=(tmp_path / "lib",))
    assert call(server, "restore_index", {}).payload["restorable"] == []
    assert call(server, "restore_index", {"index_name": "shop"}).payload["error_type"] == "not_indexed"
    assert call(server, "clear_index", {"index_name": "shop", "purge": True}).payload["error_type"] == "not_indexed"
    assert call(server, "clear_index", {"all": True, "purge": True, "confirm": True}).payload["deleted"] == ["lib"]
    assert [one.name for one in app.catalog.restorable()] == ["shop"]


def test_an_index_that_cannot_be_read_is_cleared_only_inside_the_roots(
    app: App, make: Make, two: Path, tmp_path: Path, database_url: str
) -> None:
    with psycopg.connect(database_url) as conn:
        conn.execute("UPDATE cocosearch_py.indexes SET updated_at = 'infinity'")
    server = make(roots=(tmp_path / "lib",))
    assert call(server, "clear_index", {"index_name": "shop"}).payload["error_type"] == "not_indexed"
    assert call(server, "clear_index", {"index_name": "lib"}).payload["restorable_until"] is None
    assert [one.name for one in app.catalog.list_unreadable()] == ["shop"]
