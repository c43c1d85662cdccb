"""The server as a process: stdio, life cycle, what stands on standard output, what is imported when."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import psutil
import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from tests.mcp.calls import ERAS, Answer
from tests.mcp.conftest import SOURCE

from cocosearch_py.errors import ConfigurationError

Start = Callable[..., "subprocess.Popen[bytes]"]
DEADLINE_S = 60.0
PIPE_FILLED = 16 * 1024  # the smallest pipe of today's systems
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


def send(process: "subprocess.Popen[bytes]", message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def answer_to(process: "subprocess.Popen[bytes]", number: int) -> dict[str, Any]:
    """The reply with this id; every line before it must be a message too."""
    assert process.stdout is not None
    while line := process.stdout.readline():
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        if message.get("id") == number and "method" not in message:
            return dict(message)
    raise AssertionError(process.stderr.read().decode() if process.stderr else "")


def open_session(process: "subprocess.Popen[bytes]") -> None:
    send(process, INITIALIZE)
    assert answer_to(process, 1)["result"]["serverInfo"]["name"] == "cocosearch-py"
    send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})


def tool_call(process: "subprocess.Popen[bytes]", number: int, name: str, arguments: dict[str, Any]) -> Any:
    params = {"name": name, "arguments": arguments}
    send(process, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    return json.loads(answer_to(process, number)["result"]["content"][0]["text"])


def wait_until_filled(output: IO[bytes]) -> None:
    import fcntl
    import termios

    unread = array("i", [0])
    while unread[0] < PIPE_FILLED:
        fcntl.ioctl(output, termios.FIONREAD, unread)
        time.sleep(0.01)


@pytest.mark.parametrize("era", ERAS)
def test_a_real_client_indexes_and_searches(process_environment: dict[str, str], sample_repo: Path, era: str) -> None:
    arguments = ["-m", "cocosearch_py", "mcp", "--project-from-cwd"]

    async def go() -> tuple[Answer, Answer]:
        transport = StdioTransport(sys.executable, arguments, env=process_environment, cwd=str(sample_repo))
        async with Client(transport, mode=era) as client:
            made = Answer(await client.call_tool("index_codebase", {"path": "."}))
            return made, Answer(await client.call_tool("search_code", {"query": "RetryWithBackoff"}))

    made, found = asyncio.run(go())
    assert made.payload["index_name"] == "shop"
    assert found.hits[0]["symbol_name"] == "RetryWithBackoff"


def test_standard_output_carries_messages_only(start: Start, sample_repo: Path) -> None:
    process = start("--log-level", "debug", cwd=sample_repo)
    open_session(process)
    assert tool_call(process, 2, "index_codebase", {"path": "."})["success"] is True
    assert tool_call(process, 3, "search_code", {"query": "cart"})
    out, _ = process.communicate(timeout=DEADLINE_S)
    for line in out.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"


def test_the_end_of_input_ends_the_process_and_its_children(start: Start, sample_repo: Path) -> None:
    for number in range(300):
        (sample_repo / f"part_{number}.py").write_text("def work(value):\n    return value\n\n" * 100)
    process = start(cwd=sample_repo)
    open_session(process)
    started = tool_call(process, 2, "index_codebase", {"path": ".", "wait_s": 0})
    while not tool_call(process, 3, "index_status", {"job_id": started["job_id"]})["files_done"]:
        time.sleep(0.02)
    children = psutil.Process(process.pid).children(recursive=True)
    process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0
    _, alive = psutil.wait_procs(children, timeout=DEADLINE_S)
    assert alive == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_client_that_dies_during_calls_ends_the_process(start: Start, sample_repo: Path) -> None:
    process = start(cwd=sample_repo)
    open_session(process)
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    for number in range(2, 102):  # far more than a pipe holds, so that answers wait to be written
        send(process, {"jsonrpc": "2.0", "id": number, "method": "tools/list"})
    wait_until_filled(process.stdout)
    process.stdout.close()
    process.stdin.close()
    assert process.wait(DEADLINE_S) == 0
    assert b"Traceback" not in process.stderr.read()


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and sockets")
@pytest.mark.parametrize("kind", ["pipe", "socket"])  # Node.js gives the programs that it starts sockets
def test_a_client_that_reads_late_gets_whole_messages(start: Start, sample_repo: Path, kind: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = start(cwd=sample_repo, stdout=theirs if kind == "socket" else subprocess.PIPE)
        process.stdout = process.stdout or ours.makefile("rb")
        open_session(process)
        for number in range(2, 102):
            send(process, {"jsonrpc": "2.0", "id": number, "method": "tools/list"})
        wait_until_filled(process.stdout)
        for number in range(2, 102):  # one of them in the middle of its answer
            send(process, {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        send(process, {"jsonrpc": "2.0", "id": 102, "method": "ping"})
        assert answer_to(process, 102)["result"] == {}
        assert tool_call(process, 103, "list_indexes", {}) == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_client_that_reads_after_its_last_question_gets_no_half_of_a_message(start: Start, sample_repo: Path) -> None:
    process = start(cwd=sample_repo)
    open_session(process)
    assert process.stdin is not None and process.stdout is not None
    for number in range(2, 10):
        send(process, {"jsonrpc": "2.0", "id": number, "method": "tools/list"})
    wait_until_filled(process.stdout)
    process.stdin.close()
    with pytest.raises(subprocess.TimeoutExpired):  # it waits for us
        process.wait(2)
    lines = process.stdout.readlines()
    assert process.wait(DEADLINE_S) == 0
    assert lines and all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_an_output_that_somebody_made_nonblocking_is_waited_for(start: Start, sample_repo: Path) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)  # the process shares that
    with open(reading, "rb") as answers:
        process = start(cwd=sample_repo, stdout=writing)
        os.close(writing)
        process.stdout = answers
        open_session(process)
        for number in range(2, 102):
            send(process, {"jsonrpc": "2.0", "id": number, "method": "tools/list"})
        wait_until_filled(answers)
        assert len(answer_to(process, 101)["result"]["tools"]) > 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_closed_output_ends_the_process_though_its_input_stays_open(start: Start, sample_repo: Path) -> None:
    process = start(cwd=sample_repo)
    open_session(process)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(DEADLINE_S) == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_without_input_or_output_nobody_is_served(process_environment: dict[str, str], closed: str) -> None:
    command = ["/bin/sh", "-c", f'"$0" -m cocosearch_py mcp {closed}', sys.executable]
    done = subprocess.run(command, env=process_environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == ConfigurationError.exit_code
    assert done.stderr.startswith(b"error: standard input or output is closed")


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_sigterm_ends_the_process(start: Start, sample_repo: Path, transport: str) -> None:
    process = start("-t", transport, "-p", "0", cwd=sample_repo)
    if transport == "stdio":
        open_session(process)
    else:
        assert process.stderr is not None
        assert b"serving MCP" in process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert process.wait(DEADLINE_S) == 0


@pytest.mark.skipif(os.name == "nt", reason="POSIX processes")
def test_the_death_of_the_parent_ends_the_process(process_environment: dict[str, str], sample_repo: Path) -> None:
    # A parent that dies while another program still holds the pipe open: the input never ends.
    script = (
        "import subprocess, sys, os\n"
        "child = subprocess.Popen([sys.executable, '-m', 'cocosearch_py', 'mcp'], stdin=0, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "sys.stdin = None\n"
        "import time; time.sleep(float(sys.argv[1])); os._exit(0)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script, "5"],
        env=process_environment,
        cwd=sample_repo,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        assert parent.wait(DEADLINE_S) == 0
        gone, alive = psutil.wait_procs([child], timeout=DEADLINE_S)
        for process in alive:
            process.kill()
        assert gone


def test_an_idle_server_ends(start: Start, sample_repo: Path) -> None:
    process = start("--idle-timeout", "1", cwd=sample_repo)
    open_session(process)
    assert process.wait(DEADLINE_S) == 0


def test_a_wrong_flag_is_told_on_standard_error(start: Start, sample_repo: Path) -> None:
    process = start("-t", "http", "--host", "0.0.0.0", cwd=sample_repo)
    out, error = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 2
    assert out == b""
    assert b"--auth-token-file" in error
    assert b"Traceback" not in error


def test_starting_and_listing_import_no_engine(sample_repo: Path) -> None:
    script = (
        "import asyncio, sys\n"
        "from fastmcp import Client\n"
        "from cocosearch_py.mcp.server import create_server\n"
        "from cocosearch_py.server.options import ServerOptions\n"
        "server, _ = create_server(None, ServerOptions())\n"
        "async def go():\n"
        "    async with Client(server) as client:\n"
        "        assert await client.list_tools()\n"
        "asyncio.run(go())\n"
        "heavy = {'psycopg', 'numpy', 'tokenizers', 'tree_sitter', 'sqlalchemy', 'alembic', 'fastembed'}\n"
        "heavy |= {'cocosearch_py.config.settings', 'cocosearch_py.model.search', 'cocosearch_py.discovery.git'}\n"
        "heavy |= {'cocosearch_py.languages', 'cocosearch_py.resources.reading'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
