"""Every failed call answers in one form, whatever failed."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from fastmcp import Client, FastMCP
from tests.mcp.calls import ERAS, ERROR_TYPES, Answer, call, check_error

from cocosearch_py import errors
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.errors import CocosearchError
from cocosearch_py.mcp.server import all_tools, create_server
from cocosearch_py.server.explainer import Explainer
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.tools.jsontext import to_json

Make = Callable[..., FastMCP]
NEEDED: dict[str, dict[str, Any]] = {
    "search_code": {"query": "retry"},
    "search_text": {"query": "x"},
    "read_code": {"path": "shop/cart.py"},
    "estimate_tokens": {"path": "shop/cart.py"},
    "find_symbol": {"name": "Cart"},
    "find_references": {"symbol": "a"},
    "find_tests": {"symbol": "a"},
    "get_call_graph": {"symbol": "a"},
    "trace_type": {"type_name": "a"},
    "explain_symbol": {"name": "Cart"},
    "outline_file": {"path": "shop/cart.py"},
    "get_dependencies": {"file": "shop/cart.py"},
    "get_impact": {"file": "shop/cart.py"},
    "get_diff_summary": {"since_ref": "HEAD"},
    "analyze_query": {"query": "retry"},
    "build_context": {"task": "retry"},
    "run_pipeline": {"pipeline": "search retry"},
    "ask_codebase": {"question": "who calls retry?"},
    "index_codebase": {"path": "."},
    "clear_index": {"index_name": "shop"},
    "cancel_indexing": {"job_id": "x"},
    "index_status": {"index_name": "shop"},
    "patch_file": {"path": "shop/cart.py", "range_start": 1, "content": "x", "if_hash": "0" * 32},
    "create_file": {"path": "shop/new.py"},
    "wiki_read": {"page": "x"},
    "wiki_search": {"query": "x"},
    "wiki_contribute": {"page": "x", "content": "x", "title": "x"},
    "wiki_compound": {"synthesis": "x"},
    "wiki_record_failure": {"symptom": "x", "attempted_fix": "x", "diagnosis": "x"},
}
EVERY = ("all", "edit")  # toolsets
COCOSEARCH = {"search_code", "analyze_query", "list_indexes", "index_stats", "clear_index", "index_codebase"}


def kinds(kind: type[CocosearchError] = CocosearchError) -> Iterator[type[CocosearchError]]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


def test_two_things_to_compare_with_are_one_too_many(make: Make, shop: Path) -> None:
    told = call(make(), "get_diff_summary", {"since_ref": "main", "pr": 1}).payload
    assert told["error_type"] == "validation_error" and "neither" not in told["message"]
    assert told["actionable_guidance"] == ["provide either pr=12 or since_ref=main, not both"]


def test_every_error_of_ours_has_the_form_with_and_without_a_hint() -> None:
    ours = [kind for kind in kinds() if kind.__module__ == errors.__name__]
    assert {kind.error_type for kind in ours} == ERROR_TYPES
    for kind in ours:
        for hint in ("do this", ""):
            for prefix in ("", "Failed to index codebase: "):
                payload = {"success": False, **Explainer(None).described(kind("it broke", hint=hint), {}, prefix)}
                check_error(payload)
                assert payload["message"] == "it broke"
                assert payload["error"] == prefix + "it broke"


def test_text_that_no_transport_carries_becomes_question_marks() -> None:
    assert to_json({"a": ["é\n", 1.5, None, Path("/b")]}) == '{"a":["é\\n",1.5,null,"/b"]}'
    assert to_json({"a\ud800": ["é\udfff\n", 1.5, None, Path("/b")]}) == '{"a?":["é?\\n",1.5,null,"/b"]}'


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", [spec.name for spec in all_tools()])
def test_wrong_arguments_of_every_tool(make: Make, tool: str, era: str) -> None:
    server = make(toolsets=EVERY)
    for arguments in ({"no_such_parameter": 1}, {key: [{}] for key in NEEDED.get(tool, {"x": 1})}):
        answer = call(server, tool, arguments, mode=era)
        assert (answer.is_error, answer.payload["error_type"]) == (True, "validation_error")
        assert isinstance(answer.payload["error"], str if tool in COCOSEARCH else bool)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tool", [spec.name for spec in all_tools() if spec.name != "cancel_indexing"])
def test_a_database_that_is_away(sample_repo: Path, data_folder: Path, tool: str, era: str) -> None:
    """Each tool that needs it says so; the password stays."""
    url = "postgresql://me:hush-hush@127.0.0.1:1/none"
    with App(Settings(database=DatabaseSettings(url=url)), data_folder) as app:
        options = ServerOptions(project=sample_repo, working_folder=sample_repo, toolsets=EVERY)
        server, site = create_server(lambda _: app, options)
        answer = call(server, tool, NEEDED.get(tool), mode=era)
        assert site.jobs.close(30)
    assert (answer.is_error, answer.payload["error_type"]) == (True, "service_connection_error")
    assert "hush" not in answer.text


def test_a_statement_that_takes_too_long(shop: Path, database_url: str, data_folder: Path) -> None:
    settings = Settings(database=DatabaseSettings(url=database_url, statement_timeout_ms=300))
    with App(settings, data_folder) as app, psycopg.connect(database_url) as conn:
        server, _ = create_server(lambda _: app, ServerOptions(project=shop, working_folder=shop))
        call(server, "search_code", NEEDED["search_code"])
        conn.execute("LOCK TABLE cocosearch_py.indexes")
        answer = call(server, "search_code", NEEDED["search_code"])
    assert (answer.is_error, answer.payload["error_type"]) == (True, "timeout")


def test_a_job_that_is_cancelled_before_it_begins(
    make: Make, sample_repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second of two jobs waits; cancelled, its call ends as an error, and the first goes on."""
    folders = [sample_repo, sample_repo / "web"]
    go_on = threading.Event()
    index = App.index

    def waiting(app: App, *arguments: Any, **options: Any) -> Any:
        assert go_on.wait(60)
        return index(app, *arguments, **options)

    monkeypatch.setattr(App, "index", waiting)

    async def go() -> tuple[Answer, Answer]:
        async with Client(make(), mode="legacy") as client:
            first, second = (
                asyncio.create_task(client.call_tool("index_codebase", {"path": str(path)}, raise_on_error=False))
                for path in folders
            )
            while True:
                jobs = Answer(await client.call_tool("index_status")).payload["jobs"]
                if {job["state"] for job in jobs} == {"running", "queued"}:
                    break
                await asyncio.sleep(0.01)
            queued = next(job for job in jobs if job["state"] == "queued")
            await client.call_tool("cancel_indexing", {"job_id": queued["job_id"]})
            go_on.set()
            return Answer(await first), Answer(await second)

    answers = asyncio.run(go())
    assert sorted(answer.is_error for answer in answers) == [False, True]
    failed = next(answer for answer in answers if answer.is_error)
    assert failed.payload["error_type"] == "cancelled"


def test_a_failed_job_is_described_alike(make: Make, shop: Path) -> None:
    server = make()
    call(server, "index_codebase", {"path": "web", "index_name": "shop", "wait_s": 0})
    status = call(server, "index_status", {"index_name": "shop", "wait_s": 30}).payload
    assert (status["state"], status["error_type"]) == ("failed", "index_collision")
    assert status["error"] == status["message"]
    assert status["actionable_guidance"]
    assert status["details"] == {}
