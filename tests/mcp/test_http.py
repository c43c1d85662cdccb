"""Both HTTP transports of one application, and its guards."""

import asyncio
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from tests.mcp.calls import ERAS, Answer, call, tools_of
from tests.mcp.test_load import until
from tests.mcp.test_process import INITIALIZE

from cocosearch_py.app import App
from cocosearch_py.indexing.scratch import sweep
from cocosearch_py.server.guards import MAX_BODY_BYTES

TOKEN = "correct-horse-battery"
LISTING = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
MANY_SESSIONS = 40
PROBES = ("/health", "/ready", "/metrics")


@pytest.fixture
def address(start: Callable[..., "subprocess.Popen[bytes]"], app: App, sample_repo: Path) -> Iterator[str]:
    """host:port of a server process that asks for a token; the sample is indexed as `shop`."""
    app.index(sample_repo, name="shop")
    process = start(str(sample_repo), "-t", "http", "-p", "0", cwd=sample_repo.parent, COCOSEARCH_AUTH_TOKEN=TOKEN)
    assert process.stderr is not None
    found = re.search(rb"http://(127\.0\.0\.1:\d+)/mcp", process.stderr.readline())
    assert found is not None
    yield found[1].decode()


def status(address: str, path: str, method: str = "POST", body: Any = LISTING, **headers: str) -> int:
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request(method, path, body if method == "POST" else None, {**JSON, **headers})
        return connection.getresponse().status
    finally:
        connection.close()


def test_both_transports_and_eras_answer_alike(address: str) -> None:
    answers = [
        call(f"http://{address}{path}", "search_code", {"query": "RetryWithBackoff"}, mode=era, auth=TOKEN)
        for path in ("/mcp", "/sse")
        for era in ERAS
    ]
    assert all(answer.hits[0]["symbol_name"] == "RetryWithBackoff" for answer in answers)
    assert len({answer.text for answer in answers}) == 1


def test_the_project_parameter_chooses_the_index(address: str, app: App, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("def only_here():\n    return 1\n")
    app.index(other)
    for path in ("/mcp", "/sse"):
        url = f"http://{address}{path}?project={other}"
        answer = call(url, "search_code", {"query": "only_here"}, auth=TOKEN)
        assert answer.payload[0]["index_name"] == "other"
        assert answer.payload[0]["detected_by"] == "project parameter"


@pytest.mark.parametrize("named", ["%00", "/tmp%00x", "relative", "%2F..%2F..", "~nobody%20of%20that%20name"])
def test_a_project_parameter_that_names_no_folder_is_no_fault(address: str, named: str) -> None:
    answer = call(f"http://{address}/mcp?project={named}", "search_code", {"query": "RetryWithBackoff"}, auth=TOKEN)
    assert "internal error" not in answer.text
    assert answer.is_error or answer.hits


def test_headers_narrow_the_tools(address: str) -> None:
    from fastmcp.client.transports import StreamableHttpTransport

    def listed(**headers: str) -> set[str]:
        transport = StreamableHttpTransport(f"http://{address}/mcp", headers=headers, auth=TOKEN)
        return {tool.name for tool in tools_of(transport)}

    assert "clear_index" in listed()
    search = {"search_code", "search_text", "ask_codebase", "build_context", "analyze_query", "run_pipeline"}
    assert listed(**{"X-MCP-Toolsets": "search"}) == search
    assert "clear_index" not in listed(**{"X-MCP-Readonly": "true"})
    assert "outline_file" not in listed(), "it is listed where its toolset or it is named"
    assert {"outline_file", "find_symbol"} <= listed(**{"X-MCP-Toolsets": "navigate"})
    assert listed(**{"X-MCP-Tools": "outline_file"}) == {"outline_file"}


@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/?session_id=1", *PROBES])
def test_guards_stand_before_every_path(address: str, path: str) -> None:
    method = "GET" if path in ("/sse", *PROBES) else "POST"
    right = {"authorization": f"Bearer {TOKEN}"}
    assert status(address, path, method, host="evil.example.org", **right) == 421
    assert status(address, path, method, origin="http://evil.example.org", **right) == 403
    if path not in ("/health", "/ready"):
        for wrong in ("", "Bearer", "Bearer wrong-token-wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", TOKEN):
            assert status(address, path, method, authorization=wrong) == 401
        assert status(address, path, method) == 401


def get(address: str, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(address, timeout=30)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_health_and_ready_tell_nothing_else(address: str) -> None:
    assert get(address, "/health") == (200, '{"status":"ok"}')
    assert get(address, "/ready") == (200, '{"status":"ready"}')


def listening(process: "subprocess.Popen[bytes]") -> str:
    assert process.stderr is not None
    found = re.search(rb"http://(127\.0\.0\.1:\d+)/mcp", process.stderr.readline())
    assert found is not None
    return found[1].decode()


def test_ready_says_why_not_and_no_more(start: Callable[..., "subprocess.Popen[bytes]"], tmp_path: Path) -> None:
    url = "postgresql://somebody:hush-hush@127.0.0.1:1/hidden"  # nothing listens on port 1
    address = listening(start("-t", "http", "-p", "0", cwd=tmp_path, COCOSEARCH_DATABASE_URL=url))
    assert get(address, "/ready") == (503, '{"status":"unready","reason":"the database does not respond"}')
    assert get(address, "/health")[0] == 200, "a restart would not help"
    (tmp_path / "cocosearch.yaml").write_text("nonsense: [")
    address = listening(start("-t", "http", "-p", "0", cwd=tmp_path))
    assert get(address, "/ready") == (503, '{"status":"unready","reason":"the configuration is wrong"}')


def test_ready_starts_no_embedded_server(start: Callable[..., "subprocess.Popen[bytes]"], tmp_path: Path) -> None:
    data = tmp_path / "data"
    process = start("-t", "http", "-p", "0", cwd=tmp_path, COCOSEARCH_DATABASE_URL="", COCOSEARCH_DATA_DIR=str(data))
    assert get(listening(process), "/ready")[0] == 200, "the first call starts it"
    assert not data.exists()


def test_metrics_count_calls_without_what_clients_wrote(address: str) -> None:
    right = {"authorization": f"Bearer {TOKEN}"}
    server = f"http://{address}/mcp"
    for name, arguments in (
        ("search_code", {"query": "RetryWithBackoff"}),
        ("search", {"query": "RetryWithBackoff"}),
        ("search_code", {"query": "RetryWithBackoff", "index_name": "private-name"}),
        ("invented{tool}", {}),
    ):
        call(server, name, arguments, auth=TOKEN)
    status, text = get(address, "/metrics", **right)
    assert status == 200
    assert "private-name" not in text
    assert "invented" not in text
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert values['cocosearch_tool_calls_total{tool="search_code",outcome="ok"}'] == "2"
    assert values['cocosearch_tool_calls_total{tool="search_code",outcome="error"}'] == "1"
    assert values['cocosearch_tool_calls_total{tool="unknown",outcome="error"}'] == "1"
    duration = "cocosearch_tool_call_duration_seconds"
    assert (
        values[f'{duration}_count{{tool="search_code"}}']
        == values[f'{duration}_bucket{{tool="search_code",le="+Inf"}}']
    )
    bounds = [int(value) for name, value in values.items() if name.startswith(f'{duration}_bucket{{tool="search_code"')]
    assert bounds == sorted(bounds)
    assert bounds[-1] == 3
    assert float(values[f'{duration}_sum{{tool="search_code"}}']) > 0
    assert values["cocosearch_open_calls"] == values["cocosearch_unfinished_jobs"] == "0"
    assert float(values["process_resident_memory_bytes"]) > 10_000_000
    for line in text.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [0-9.e+-]+', line), line


def test_metrics_count_open_sessions(address: str) -> None:
    async def go() -> str:
        async with (
            Client(f"http://{address}/mcp", auth=TOKEN, mode="legacy"),
            Client(f"http://{address}/mcp", auth=TOKEN, mode="legacy"),
            Client(f"http://{address}/sse", auth=TOKEN, mode="legacy"),
        ):
            return await asyncio.to_thread(lambda: get(address, "/metrics", authorization=f"Bearer {TOKEN}")[1])

    text = asyncio.run(go())
    assert 'cocosearch_sessions{transport="http"} 2' in text
    assert 'cocosearch_sessions{transport="sse"} 1' in text


def test_large_bodies_are_refused(address: str) -> None:
    right = {"authorization": f"Bearer {TOKEN}"}
    assert status(address, "/mcp", body=b"x" * (MAX_BODY_BYTES + 1), **right) == 413
    pieces = (b"x" * 65536 for _ in range(MAX_BODY_BYTES // 65536 + 2))
    with suppress(BrokenPipeError, ConnectionResetError):  # cut off while it is sent
        assert status(address, "/mcp", body=pieces, **right) >= 400
    assert status(address, "/health", "GET") == 200


@pytest.mark.parametrize("depth", [150, 600, 100_000])
def test_deeply_nested_json_is_the_callers_error(address: str, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "search_code", "arguments": {"query": "NESTED"}, "_meta": meta}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    stateless = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "search_code"}
    token = {"authorization": f"Bearer {TOKEN}"}
    for headers, body in (
        ({}, json.dumps({**INITIALIZE, "params": "NESTED"})),
        ({}, json.dumps("NESTED")),
        (stateless, asked),
    ):
        with closing(http.client.HTTPConnection(address, timeout=30)) as connection:
            connection.request("POST", "/mcp", body.replace('"NESTED"', nested), {**JSON, **token, **headers})
            response = connection.getresponse()
            text = response.read().decode()
        assert response.status in (200, 400), text
        assert "error" in text
        assert "internal error" not in text


@pytest.mark.parametrize("stateless", [False, True])
def test_a_request_without_a_proper_id_is_answered_with_an_error(address: str, stateless: bool) -> None:
    era = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"} if stateless else {}
    listing = '"jsonrpc": "2.0", "method": "tools/list"'
    connection = http.client.HTTPConnection(address, timeout=30)
    with closing(connection):
        for written, code, number in (
            ("1.5", -32600, None),
            ("{}", -32600, None),
            ("NaN", -32700, None),
            ('7, "params": {"x": Infinity}', -32700, 7),
        ):
            body = f'{{"id": {written}, {listing}}}'
            connection.request("POST", "/mcp", body, {**JSON, **era, "authorization": f"Bearer {TOKEN}"})
            answer = connection.getresponse()
            assert answer.status == 400
            read = json.loads(answer.read())
            assert (read["error"]["code"], read["id"]) == (code, number)


def test_many_sessions_share_one_server(address: str) -> None:
    async def one(number: int) -> list[dict[str, Any]]:
        async with Client(f"http://{address}/mcp", auth=TOKEN, mode=ERAS[number % 2]) as client:
            found = await client.call_tool("search_code", {"query": "RetryWithBackoff", "limit": 1})
            return Answer(found).hits

    async def go() -> list[list[dict[str, Any]]]:
        return await asyncio.gather(*(one(number) for number in range(MANY_SESSIONS)))

    results = asyncio.run(go())
    assert all(hits[0]["symbol_name"] == "RetryWithBackoff" for hits in results)


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_the_end_of_a_server_with_open_streams_is_no_error(
    start: Callable[..., "subprocess.Popen[bytes]"], sample_repo: Path
) -> None:
    process = start("-t", "http", "-p", "0", cwd=sample_repo)
    address = listening(process)
    with ExitStack() as opened:

        def asked(method: str, path: str, body: str | None = None, **headers: str) -> http.client.HTTPResponse:
            connection = opened.enter_context(closing(http.client.HTTPConnection(address, timeout=30)))
            connection.request(method, path, body, {**JSON, **headers})
            return opened.enter_context(closing(connection.getresponse()))

        session = asked("POST", "/mcp", json.dumps(INITIALIZE)).getheader("mcp-session-id") or ""
        streams = [asked("GET", "/mcp", **{"mcp-session-id": session}), *(asked("GET", "/sse") for _ in range(3))]
        assert [stream.status for stream in streams] == [200] * 4
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (0, b"")


def test_a_job_of_one_transport_is_seen_by_the_other(address: str) -> None:
    asked = {"path": ".", "index_name": "shop", "wait_s": 0}
    started = call(f"http://{address}/mcp", "index_codebase", asked, auth=TOKEN).payload
    seen = call(f"http://{address}/sse", "index_status", {"job_id": started["job_id"], "wait_s": 30}, auth=TOKEN)
    assert seen.payload["state"] == "completed"


def bundle(address: str, path: str = "/indexes/shop/bundle.tar.zst", **headers: str) -> tuple[int, bytes]:
    """What a GET of a bundle answers, with the token unless told otherwise."""
    with closing(http.client.HTTPConnection(address, timeout=60)) as connection:
        connection.request("GET", path, headers={"authorization": f"Bearer {TOKEN}", **headers})
        response = connection.getresponse()
        return response.status, response.read()


def test_a_bundle_of_any_size_can_be_had_from_the_port(address: str, app: App, tmp_path: Path) -> None:
    code, data = bundle(address)
    assert code == 200
    (tmp_path / "bundle").write_bytes(data)
    assert app.transfers.load(tmp_path / "bundle", "again", None).file_count == 6
    ulid = app.catalog.find("shop").ulid
    assert bundle(address, f"/indexes/{ulid}/bundle.tar.zst") == (200, data)
    assert bundle(address, range="bytes=0-3") == (206, data[:4])


def test_bundles_stand_behind_the_guards_of_the_port(address: str) -> None:
    assert bundle(address, authorization="Bearer wrong")[0] == 401
    assert bundle(address, host="evil.example")[0] == 421
    assert bundle(address, origin="https://evil.example")[0] == 403
    assert status(address, "/indexes/shop/bundle.tar.zst", authorization=f"Bearer {TOKEN}") == 405


@pytest.mark.parametrize("name", ["nope", "..%2F..%2Fetc", "%00", "shop%2F..", "x" * 5_000])
def test_a_bundle_of_no_index_is_not_found(address: str, name: str) -> None:
    code, body = bundle(address, f"/indexes/{name}/bundle.tar.zst")
    assert code == 404
    assert b"/tmp" not in body


@pytest.mark.parametrize("narrowing", [{"x-mcp-readonly": "1"}, {"x-mcp-tools": "search_code"}])
def test_bundles_are_for_whoever_may_export(address: str, narrowing: dict[str, str]) -> None:
    assert bundle(address, **narrowing)[0] == 404


def test_nothing_of_a_bundle_stays_behind(
    start: Callable[..., "subprocess.Popen[bytes]"], app: App, sample_repo: Path, tmp_path: Path
) -> None:
    app.index(sample_repo, name="shop")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    more = {"COCOSEARCH_AUTH_TOKEN": TOKEN, "TMPDIR": str(scratch)}
    process = start(str(sample_repo), "-t", "http", "-p", "0", cwd=sample_repo.parent, **more)
    assert process.stderr is not None
    found = re.search(rb"http://(127\.0\.0\.1:\d+)/mcp", process.stderr.readline())
    assert found is not None
    for path in ("shop", "nope", "shop", "shop"):
        bundle(found[1].decode(), f"/indexes/{path}/bundle.tar.zst")
    until(lambda: not list(scratch.rglob("cocosearch-bundle-*")))
    (held,) = scratch.iterdir()  # where they were, and what a server that is killed amid one leaves
    os.utime(held, (1, 1))
    sweep(scratch)
    assert held.exists()
    shutil.rmtree(held)  # as those do that clean temporary folders
    assert bundle(found[1].decode())[0] == 200
    (held,) = scratch.iterdir()
    os.utime(held, (1, 1))
    sweep(scratch)
    assert held.exists()
    process.kill()
    process.wait()

    def is_swept() -> bool:
        sweep(scratch)
        return not held.exists()

    until(is_swept)  # once the processes that the server had started have ended as well


def test_a_client_that_takes_json_alone_gets_the_one_answer(address: str) -> None:
    def post(body: dict[str, Any], **more: str) -> tuple[int, Any, str]:
        connection = http.client.HTTPConnection(address, timeout=30)
        headers = {"content-type": "application/json", "accept": "application/json", **more}
        try:
            connection.request("POST", "/mcp", json.dumps(body), {**headers, "authorization": f"Bearer {TOKEN}"})
            answer = connection.getresponse()
            assert answer.headers["content-type"] == "application/json"
            return answer.status, json.loads(answer.read()), answer.headers.get("mcp-session-id", "")
        finally:
            connection.close()

    code, begun, session = post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
    assert (code, begun["id"]) == (200, 1)
    assert begun["result"]["serverInfo"]["name"] == "cocosearch-py"
    asked = {"name": "search_code", "arguments": {"query": "RetryWithBackoff"}}
    wanted = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked}
    code, answered, _ = post(wanted, **{"mcp-session-id": session})
    assert (code, answered["id"]) == (200, 2)
    assert "RetryWithBackoff" in answered["result"]["content"][0]["text"]
    code, refused, _ = post(wanted, **{"mcp-session-id": "made-up"})
    assert code == 404
    assert "error" in refused
    assert post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": []})[0] in (200, 400)
