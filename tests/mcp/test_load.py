"""Many clients, large input, clients that go away: the server goes on answering. And what listing its tools costs."""

import asyncio
import gc
import http.client
import json
import re
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import anyio
import psutil
import psycopg
import pytest
from fastmcp import Client, FastMCP
from fastmcp.server.middleware import Middleware
from fastmcp.tools import FunctionTool
from psycopg import sql
from pydantic import Field
from tests.mcp.calls import Answer, call, tools_of
from tests.mcp.test_process import INITIALIZE, open_session, tool_call

from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, Settings
from cocosearch_py.errors import OperationCancelled
from cocosearch_py.mcp import http as served
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.engines import ProjectEngines
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.storage.server.stopping import stoppable

Start = Callable[..., "subprocess.Popen[bytes]"]
SEARCH = {"query": "RetryWithBackoff", "index_name": "shop"}
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
CLIENTS = 200
MEGABYTE = 1_000_000
DEADLINE_S = 300.0  # a busy machine is no failure
FAR_OFF_MS = 600_000
# gpt-tokenizer counts one token for 4.09 characters of this list (tools/mcp/tokens.py): 3,245 tokens of the 3,500
# that the default tools may cost.
MAX_LIST_CHARACTERS = 14_000


@pytest.fixture
def running(start: Start, app: App, sample_repo: Path) -> Iterator[tuple[str, psutil.Process]]:
    """host:port and the process of an HTTP server; the sample is indexed as `shop`."""
    app.index(sample_repo, name="shop")
    process = start(str(sample_repo), "-t", "http", "-p", "0", cwd=sample_repo)
    assert process.stderr is not None
    found = re.search(rb"http://(127\.0\.0\.1:\d+)/mcp", process.stderr.readline())
    assert found is not None
    yield found[1].decode(), psutil.Process(process.pid)


@contextmanager
def stuck(database_url: str) -> Iterator[psycopg.Connection]:
    """Searches wait inside: the words of the index are locked."""
    with psycopg.connect(database_url) as conn:
        rows = conn.execute(
            "SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE n.nspname = 'cocosearch_py' AND c.relkind IN ('r', 'p') AND c.relname LIKE '%keyword%'"
        ).fetchall()
        assert rows
        for schema, table in rows:
            conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(sql.Identifier(schema, table)))
        yield conn


def waiting_searches(conn: psycopg.Connection) -> int:
    """Statements of others that wait for a lock of this connection."""
    row = conn.execute(
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database "
        "WHERE datname = current_database())"
    ).fetchone()
    assert row is not None
    return int(row[0])


def until(holds: Callable[[], Any]) -> None:
    """Wait until something holds; fails after the deadline."""
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def post(connection: http.client.HTTPConnection, message: dict[str, Any], **headers: str) -> http.client.HTTPResponse:
    """One request of one message, its answer read to the end."""
    connection.request("POST", "/mcp", json.dumps(message), {**JSON, **headers})
    response = connection.getresponse()
    response.read()
    return response


def hits(address: str) -> list[dict[str, Any]]:
    """What a new client finds."""
    answer = call(f"http://{address}/mcp", "search_code", SEARCH)
    assert answer.hits, answer.payload
    return answer.hits


def test_a_client_that_dies_in_a_call_leaves_the_server_answering(
    running: tuple[str, psutil.Process], database_url: str
) -> None:
    address, process = running
    host, port = address.split(":")
    assert hits(address)
    with stuck(database_url) as conn:
        for number in range(10):  # more than calls run at once
            opened = http.client.HTTPConnection(address, timeout=DEADLINE_S)
            session = post(opened, INITIALIZE).getheader("mcp-session-id") or ""
            body = json.dumps(
                {
                    "jsonrpc": "2.0",
                    "id": 2,
                    "method": "tools/call",
                    "params": {"name": "search_code", "arguments": {**SEARCH, "query": f"cart {number}"}},
                }
            )
            lines = [
                f"POST /mcp HTTP/1.1\r\nhost: {address}\r\nmcp-session-id: {session}",
                f"content-length: {len(body)}",
            ]
            lines += [f"{name}: {value}" for name, value in JSON.items()]
            raw = socket.create_connection((host, int(port)), DEADLINE_S)
            raw.sendall("\r\n".join([*lines, "", body]).encode())
            if number == 0:
                until(lambda: waiting_searches(conn))
            # Reset instead of a farewell: what the network sees of a killed process.
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            raw.close()
            opened.close()
        assert tools_of(f"http://{address}/mcp"), "while the calls of the dead still wait"
    assert hits(address)
    assert process.is_running()


# On a busy machine the client library leaves some of its own sockets to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_two_hundred_sessions_at_once(running: tuple[str, psutil.Process]) -> None:
    address, process = running

    async def one(number: int) -> str:
        async with Client(f"http://{address}/mcp", mode="legacy", timeout=DEADLINE_S) as client:
            found = Answer(await client.call_tool("search_code", {**SEARCH, "limit": 1 + number % 5}))
            return str(found.hits[0]["symbol_name"])

    async def go() -> list[str]:
        return await asyncio.gather(*(one(number) for number in range(CLIENTS)))

    assert asyncio.run(go()) == ["RetryWithBackoff"] * CLIENTS
    assert process.num_threads() < 60, "calls share a bounded number of threads"
    gc.collect()  # while these warnings are ignored; else they would fail whichever test runs next


def test_sessions_are_bounded() -> None:
    made, _ = create_server(lambda _: pytest.fail("no tool is called"), ServerOptions(transport="http"))
    app = served.http_app(made, ServerOptions(transport="http", sessions=3))

    async def go() -> list[int]:
        import httpx

        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                opened = [await client.post("/mcp", json=INITIALIZE, headers=JSON) for _ in range(4)]
                one = {**JSON, "mcp-session-id": opened[0].headers["mcp-session-id"]}
                ended = await client.delete("/mcp", headers=one)
                again = await client.post("/mcp", json=INITIALIZE, headers=JSON)
                return [*(answer.status_code for answer in opened), ended.status_code, again.status_code]

    assert asyncio.run(go()) == [200, 200, 200, 503, 200, 200]


def test_a_stateless_call_lists_no_tools_and_its_headers_are_checked() -> None:
    def open_branch(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
        return region

    class Watch(Middleware):
        async def on_list_tools(self, context: Any, call_next: Any) -> Any:
            listings.append(context.method)
            return await call_next(context)

    listings: list[str] = []
    options = ServerOptions(transport="http")
    made, _ = create_server(
        lambda _: pytest.fail("no engine"), options, extra=[FunctionTool.from_function(open_branch)]
    )
    made.add_middleware(Watch())
    app = served.http_app(made, options)

    async def go() -> list[int]:
        import httpx

        async with app.router.lifespan_context(app):
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:

                async def status(method: str, params: dict[str, Any], **named: str) -> int:
                    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": STATELESS}}
                    headers = {**JSON, "mcp-protocol-version": "2026-07-28", "mcp-method": method, **named}
                    return (await client.post("/mcp", json=body, headers=headers)).status_code

                call = {"name": "open_branch", "arguments": {"region": "north"}}
                right, wrong = [
                    await status("tools/call", call, **{"mcp-name": "open_branch", "mcp-param-region": region})
                    for region in ("north", "south")
                ]
                return [right, wrong, len(listings), await status("tools/list", {}), len(listings)]

    assert asyncio.run(go()) == [200, 400, 0, 200, 1]


def test_a_query_of_a_megabyte_is_refused_over_stdio(start: Start, app: App, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    process = start(cwd=sample_repo)
    open_session(process)
    refused = tool_call(process, 2, "search_code", {**SEARCH, "query": "x" * MEGABYTE})
    assert refused["error_type"] == "validation_error"
    assert len(json.dumps(refused)) < 5_000, "the query is not repeated"
    assert tool_call(process, 3, "search_code", SEARCH)[0]["symbol_name"] == "RetryWithBackoff"


def test_a_query_of_a_megabyte_is_refused_over_http(running: tuple[str, psutil.Process]) -> None:
    address, _ = running
    small = call(f"http://{address}/mcp", "search_code", {**SEARCH, "query": "x" * MEGABYTE})
    assert small.payload["error_type"] == "validation_error"
    assert len(small.text) < 5_000
    connection = http.client.HTTPConnection(address, timeout=DEADLINE_S)
    params = {"name": "search_code", "arguments": {"query": "é" * MEGABYTE}}
    message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
    assert post(connection, message).status == 413
    connection.close()
    assert hits(address)


def test_the_database_stops_working_for_cancelled_searches(shop: Path, database_url: str, data_folder: Path) -> None:
    async def go(made: FastMCP) -> Answer:
        async with Client(made, mode="legacy") as client:
            await client.call_tool("search_code", SEARCH)
            with stuck(database_url) as conn:
                for number in range(10):  # more than run at once
                    with anyio.move_on_after(0.1):
                        await client.call_tool("search_code", {**SEARCH, "query": f"cart {number}"})
                await anyio.to_thread.run_sync(until, lambda: waiting_searches(conn) == 0)
                with anyio.fail_after(DEADLINE_S):
                    listed = Answer(await client.call_tool("list_indexes", {}))
                assert listed.payload[0]["name"] == "shop"
            with anyio.fail_after(DEADLINE_S):
                return Answer(await client.call_tool("search_code", {**SEARCH, "query": "apply_discount"}))

    database = DatabaseSettings(url=database_url, statement_timeout_ms=FAR_OFF_MS)
    with App(Settings(database=database), data_folder) as app:
        made, _ = create_server(lambda _: app, ServerOptions(working_folder=shop))
        assert asyncio.run(go(made)).hits


def test_listing_the_default_tools_stays_cheap() -> None:
    made, _ = create_server(lambda _: pytest.fail("listing opens no engine"), ServerOptions())

    async def go() -> Any:
        async with Client(made, mode="legacy") as client:
            return (await client.list_tools_mcp()).model_dump(mode="json", by_alias=True, exclude_none=True)

    listed = asyncio.run(go())
    assert len(json.dumps({"tools": listed["tools"]}, separators=(",", ":"), ensure_ascii=False)) <= MAX_LIST_CHARACTERS


def test_an_engine_that_did_not_open_leaves_no_pool(database_url: str, data_folder: Path, tmp_path: Path) -> None:
    apps = ProjectEngines(
        lambda _: Settings(database=DatabaseSettings(url=database_url)), {"COCOSEARCH_DATA_DIR": str(data_folder)}
    )
    before = set(threading.enumerate())
    with stoppable() as work:
        work.stop()
        with pytest.raises(OperationCancelled):
            apps.at(tmp_path)
    until(lambda: set(threading.enumerate()) <= before)
    assert apps.at(tmp_path).catalog.list_all() == []
    apps.close()


def test_a_burst_of_calls_reads_the_settings_once(database_url: str, data_folder: Path, tmp_path: Path) -> None:
    read: list[Path] = []

    def load(folder: Path) -> Settings:
        read.append(folder)
        return Settings(database=DatabaseSettings(url=database_url))

    apps = ProjectEngines(load, {"COCOSEARCH_DATA_DIR": str(data_folder)})
    first, second, other = apps.at(tmp_path), apps.at(tmp_path), apps.at(tmp_path.parent)
    apps.close()
    assert first is second
    assert other is not first
    assert read == [tmp_path, tmp_path.parent]


def test_tools_of_the_embedding_program_stand_beside_ours() -> None:
    def greet(name: str) -> str:
        """Greet."""
        return f"hello {name}"

    made, _ = create_server(
        lambda _: pytest.fail("no engine"), ServerOptions(), extra=[FunctionTool.from_function(greet)]
    )

    async def go() -> tuple[list[str], Any]:
        async with Client(made, mode="legacy") as client:
            names = [tool.name for tool in await client.list_tools()]
            return names, await client.call_tool("greet", {"name": "you"})

    names, answer = asyncio.run(go())
    assert {"search_code", "greet"} <= set(names)
    assert answer.data == "hello you"
