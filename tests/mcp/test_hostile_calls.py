"""Long, odd and wrong values for every parameter get our errors, write nothing. HOSTILE_CALLS=5000 is the long run."""

import asyncio
import hashlib
import itertools
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from benchmarks.hostile_calls import hostile_calls
from fastmcp import Client, FastMCP
from tests.mcp.calls import Answer, call
from tests.mcp.test_contract import git
from tests.mcp.test_process import answer_to, open_session, send

from cocosearch_py.app import App

CALLS = int(os.environ.get("HOSTILE_CALLS", "150"))
SEED = int(os.environ.get("HOSTILE_SEED", "35"))
CALL_TIMEOUT_S = 60  # a call that takes longer hangs
Make = Callable[..., FastMCP]


def rows(database_url: str) -> dict[str, int]:
    """Number of rows of each table."""
    with psycopg.connect(database_url) as conn:
        tables = conn.execute(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'cocosearch_py' ORDER BY 1"
        ).fetchall()
        counts = {}
        for (table,) in tables:
            counted = conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
            counts[table] = counted[0] if counted else 0
        return counts


def digests(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file() and ".git" not in file.relative_to(folder).parts
    }


def test_hostile_calls_get_our_errors_and_write_nothing(
    make: Make, shop: Path, database_url: str, data_folder: Path
) -> None:
    git(shop, "init", "-q")
    git(shop, "commit", "-qm", "one", "--allow-empty")
    server = make(toolsets=("all", "edit"))
    before = digests(shop), rows(database_url)
    slowest: dict[str, float] = {}

    async def go() -> None:
        async with Client(server, mode="legacy") as client:
            for name, arguments in itertools.islice(hostile_calls(SEED, surrogates=True), CALLS):
                shown = f"{name} {arguments!r}"[:2_000]
                begun = anyio.current_time()
                with anyio.fail_after(CALL_TIMEOUT_S):
                    answer = Answer(await client.call_tool(name, arguments, raise_on_error=False))
                slowest[shown[:200]] = anyio.current_time() - begun
                assert "internal error" not in answer.text, shown
                assert "PostgreSQL" not in answer.text, shown
                assert str(data_folder) not in answer.text, shown

    asyncio.run(go())
    assert (digests(shop), rows(database_url)) == before
    assert call(server, "search_code", {"query": "cart"}).hits
    for shown, seconds in sorted(slowest.items(), key=lambda item: -item[1])[:5]:
        print(f"{seconds:.2f} s {shown}")


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("search_code", {"query": "cart", "path_glob": "a*" * 50_000}, "path_glob has 100,000 characters, at most 500"),
        ("search_code", {"query": "cart", "path_glob": ["a*"] * 101}, "path_glob has 101 items"),
        ("search_code", {"query": "cart", "symbol_name": "a\0b"}, "symbol_name contains a null character"),
        ("search_code", {"query": "cart \ud800"}, "query contains a null character or half of a surrogate pair"),
        ("search_code", {"query": 'path:"' + "a*" * 300 + '" cart'}, "the path filter has 600 characters in a glob"),
        ("search", {"query": "cart", "search_exclude_patterns": ["x" * 501]}, "search_exclude_patterns has a text"),
        ("search", {"query": "x" * 20_001}, "query has 20,001 characters, at most 20,000"),
        ("run_pipeline", {"pipeline": "find " + "**/a" * 200}, "the path filter has 800 characters in a glob"),
        ("run_pipeline", {"pipeline": "symbols cart | filter --path-glob " + "{a,b}" * 11}, "11 braces in a glob"),
        ("search_text", {"query": "(a{200}){200}", "regex": True}, "pattern"),
        ("search_text", {"query": "(a?){255}" * 19, "regex": True}, "pattern"),
        ("summarize", {"path": "**/" * 200}, "the path filter has 600 characters in a glob"),
    ],
)
def test_values_beyond_their_bounds_are_refused_in_our_words(
    make: Make, shop: Path, tool: str, arguments: dict[str, Any], told: str
) -> None:
    answer = call(make(), tool, arguments)
    assert answer.is_error
    assert answer.payload["error_type"] == "validation_error"
    assert told in answer.payload["message"]


def test_a_pathological_glob_of_a_pipeline_is_compared_in_linear_time(
    start: Callable[..., "subprocess.Popen[bytes]"], app: App, shop: Path
) -> None:
    """Python's re would need hours for this pattern and hold up all other calls meanwhile."""
    deep = shop / "/".join("a" * 20) / ("a" * 100 + ".py")
    deep.parent.mkdir(parents=True)
    deep.write_text("from shop.prices import Money\n")
    app.index(shop, name="shop")
    process = start(cwd=shop)
    watchdog = threading.Timer(CALL_TIMEOUT_S, process.kill)
    watchdog.start()
    open_session(process)
    glob = "**/*a" * 20 + "**/b"
    for number, (tool, arguments) in enumerate(
        (
            ("run_pipeline", {"pipeline": f"find **/*.py | filter --path-glob {glob} | count"}),
            ("ask_codebase", {"question": "what imports shop.prices?", "path_glob": glob}),
        ),
        start=2,
    ):
        asked = {"name": tool, "arguments": arguments}
        send(process, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": asked})
        assert not answer_to(process, number)["result"].get("isError")
    watchdog.cancel()


def test_a_map_is_made_however_little_room_its_warnings_leave(make: Make, shop: Path) -> None:
    focus = [f"getUserById{number} " * 60 + "x" for number in range(20)]
    for arguments in ({"focus": focus}, {"focus": [text.replace(" ", "") for text in focus], "max_tokens": 256}):
        answer = call(make(), "get_repo_map", arguments)
        assert not answer.is_error, answer.text


def test_a_name_that_is_too_long_for_the_disk_is_our_error(make: Make, shop: Path) -> None:
    for arguments in ({"path": "x" * 300}, {"config": "x" * 300}):
        answer = call(make(), "audit_code", arguments)
        assert answer.payload["error_type"] in ("validation_error", "not_found"), answer.text
