"""Both protocol eras on one stdio connection, in every order that a client may ask in."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError
from tests.mcp.test_load import SEARCH, STATELESS, stuck, until, waiting_searches
from tests.mcp.test_process import INITIALIZE, answer_to, send

from cocosearch_py.app import App
from cocosearch_py.mcp.envelopes import read_message

Process = subprocess.Popen[bytes]
Start = Callable[..., Process]
VERSION = "io.modelcontextprotocol/protocolVersion"
UNSUPPORTED = -32022


@pytest.fixture
def process(start: Start, shop: Path) -> Process:
    """A stdio server; the sample is indexed as `shop`."""
    return start(cwd=shop)


def ask(process: Process, number: int, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    send(process, {"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params else {})})
    return answer_to(process, number)


def discover(process: Process, number: int, **more: Any) -> dict[str, Any]:
    return ask(process, number, "server/discover", {"_meta": {**STATELESS, **more}})


def initialize(process: Process, number: int, **capabilities: Any) -> None:
    params = {**INITIALIZE["params"], "capabilities": capabilities}
    assert ask(process, number, "initialize", params)["result"]["protocolVersion"] == "2025-11-25"
    send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})


def check_usable(process: Process, number: int, *, stateless: bool) -> None:
    """The tools are listed and one answers, in one era."""
    more = {"_meta": STATELESS} if stateless else {}
    listed = ask(process, number, "tools/list", more)["result"]
    assert "search_code" in [tool["name"] for tool in listed["tools"]]
    assert listed.get("resultType") == ("complete" if stateless else None), "of the era that was asked in"
    found = ask(process, number + 1, "tools/call", {"name": "search_code", "arguments": SEARCH, **more})["result"]
    assert "RetryWithBackoff" in found["content"][0]["text"]


def test_discover_then_initialize(process: Process) -> None:
    assert discover(process, 1)["result"]["supportedVersions"] == ["2026-07-28"]
    initialize(process, 2)
    check_usable(process, 3, stateless=False)
    check_usable(process, 5, stateless=True)


def test_initialize_then_discover(process: Process) -> None:
    initialize(process, 1)
    assert discover(process, 2)["result"]["supportedVersions"]
    check_usable(process, 3, stateless=True)
    check_usable(process, 5, stateless=False)


@pytest.mark.parametrize("stateless", [False, True])
def test_a_request_with_half_a_surrogate_pair_is_refused(process: Process, stateless: bool) -> None:
    initialize(process, 1)
    arguments = {"name": "search_code", "arguments": {"query": "price \ud800"}}
    answer = ask(process, 2, "tools/call", {**arguments, **({"_meta": STATELESS} if stateless else {})})
    assert answer["error"]["code"] == -32700
    assert "surrogate" in answer["error"]["message"] or "Unicode" in answer["error"]["message"]
    check_usable(process, 3, stateless=stateless)


def listing(number: str, more: str = "") -> str:
    return f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/list"{more}}}'


WRONG_MESSAGES = [  # with the code and the id of the answer
    (listing("1.5"), -32600, None),
    (listing("{}"), -32600, None),
    (listing("null"), -32600, None),
    (listing("true"), -32600, None),
    (listing("NaN"), -32700, None),
    (listing("7", ', "params": {"x": NaN}'), -32700, 7),
    (listing("7", ', "params": {"x": -Infinity}'), -32700, 7),
    ('{"id": 7, "jsonrpc": "2.0", "method": 5}', -32600, 7),
    (listing("7", ', "params": [1]'), -32600, 7),
    ("[]", -32600, None),
    ("not json", -32700, None),
    ("[" * 100_000, -32700, None),
    (listing("9" * 10_000), -32700, None),
]


@pytest.mark.parametrize(("message", "code", "number"), WRONG_MESSAGES)
def test_a_message_that_cannot_be_accepted_is_answered_with_an_error(
    message: str, code: int, number: int | None
) -> None:
    refused = read_message(message)
    assert isinstance(refused, JSONRPCError)
    assert (refused.error.code, refused.id) == (code, number)


@pytest.mark.parametrize("line", ["", "\n", '{"jsonrpc": "2.0", "id": 1.5, "result": {}}'])
def test_blank_lines_and_responses_get_no_answer(line: str) -> None:
    assert read_message(line) is None


def test_a_text_that_names_no_number_is_no_constant() -> None:
    read = read_message('{"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"query": "NaN and Infinity"}}')
    assert isinstance(read, SessionMessage)
    assert isinstance(read_message('{"jsonrpc": "2.0", "method": "notifications/initialized"}'), SessionMessage)


def test_wrong_messages_leave_the_connection_usable(process: Process) -> None:
    assert process.stdin is not None and process.stdout is not None
    initialize(process, 1)
    for message, code, number in WRONG_MESSAGES:
        process.stdin.write(message.encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert (answer["error"]["code"], answer["id"]) == (code, number), message[:100]
    check_usable(process, 3, stateless=False)
    check_usable(process, 5, stateless=True)


def test_discover_twice(process: Process) -> None:
    first, second = discover(process, 1), discover(process, 2)
    assert first["result"] == second["result"]
    check_usable(process, 3, stateless=True)


def test_the_stateless_era_needs_no_handshake(process: Process) -> None:
    check_usable(process, 1, stateless=True)


@pytest.mark.parametrize("version", ["2031-01-01", "2025-11-25"])
def test_a_version_that_is_not_served_is_refused_and_initialize_still_works(process: Process, version: str) -> None:
    refused = discover(process, 1, **{VERSION: version})["error"]
    assert (refused["code"], refused["data"]["supported"]) == (UNSUPPORTED, ["2026-07-28"])
    initialize(process, 2)
    check_usable(process, 3, stateless=False)


def test_discover_without_its_envelope_is_unknown_and_initialize_still_works(process: Process) -> None:
    assert ask(process, 1, "server/discover")["error"]["code"] == -32601
    initialize(process, 2)
    check_usable(process, 3, stateless=False)


def test_the_handshake_is_needed_where_the_era_has_one(process: Process) -> None:
    discover(process, 1)
    assert "error" in ask(process, 2, "tools/list")
    initialize(process, 3)
    check_usable(process, 4, stateless=False)


def test_answers_of_the_client_arrive_after_discover(process: Process, shop: Path) -> None:
    discover(process, 1)
    initialize(process, 2, roots={})
    call = {"name": "search_code", "arguments": {"query": "RetryWithBackoff"}}
    send(process, {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": call})
    assert process.stdout is not None
    asked = json.loads(process.stdout.readline())
    assert asked["method"] == "roots/list"
    send(process, {"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": shop.as_uri()}]}})
    assert '"detected_by":"roots"' in answer_to(process, 3)["result"]["content"][0]["text"]


@pytest.mark.parametrize("stateless", [True, False])
def test_a_call_of_either_era_can_be_cancelled(process: Process, app: App, database_url: str, stateless: bool) -> None:
    initialize(process, 1)
    discover(process, 2)
    check_usable(process, 3, stateless=stateless)
    more = {"_meta": STATELESS} if stateless else {}
    with stuck(database_url) as conn:
        call = {"name": "search_code", "arguments": {**SEARCH, "query": "cart"}, **more}
        send(process, {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": call})
        until(lambda: waiting_searches(conn))
        ask(process, 6, "tools/list", {} if stateless else {"_meta": STATELESS})
        send(process, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}})
        until(lambda: not waiting_searches(conn))
    check_usable(process, 7, stateless=not stateless)


def test_the_end_of_input_ends_a_server_of_both_eras(process: Process) -> None:
    discover(process, 1)
    initialize(process, 2)
    out, told = process.communicate(timeout=60)
    assert (process.returncode, out, told) == (0, b"", b"")
