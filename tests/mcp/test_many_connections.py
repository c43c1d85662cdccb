"""A server that may open few files, and idle connections of which there are more."""

import asyncio
import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from fastmcp import Client
from tests import forking
from tests.mcp.calls import ERAS
from tests.mcp.test_load import until

from cocosearch_py.app import App

resource = pytest.importorskip("resource")

FILES = 256
IDLE = 400
LOG_BYTES = 20_000
TIMEOUT_S = 120  # far above what a busy machine needs
# Runs the command with a limit of open files that it cannot raise.
LIMITED = f"""
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))
sys.argv = ["cocosearch-py", "mcp", *sys.argv[1:]]
runpy.run_module("cocosearch_py", run_name="__main__", alter_sys=True)
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


@pytest.fixture
def url(app: App, sample_repo: Path, log: Path, process_environment: dict[str, str]) -> Iterator[str]:
    """Of a server that may open FILES files; the sample is indexed as `shop`."""
    app.index(sample_repo, name="shop")
    with log.open("wb") as errors:
        process = forking.Popen(
            [sys.executable, "-c", LIMITED, str(sample_repo), "-t", "http", "-p", "0"],
            cwd=sample_repo,
            env=process_environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
    try:
        until(lambda: b"/mcp" in log.read_bytes() or process.poll() is not None)
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", log.read_text())
        assert found is not None, log.read_text()
        yield found[0]
    finally:
        process.kill()
        process.wait()


async def found(client: Client) -> str:
    """The first definition that a search finds."""
    answer = await client.call_tool("search_code", {"query": "RetryWithBackoff", "index_name": "shop"})
    name: str = json.loads(answer.content[0].text)[0]["symbol_name"]
    return name


def test_idle_connections_beyond_the_limit_of_open_files_keep_nobody_waiting(url: str, log: Path) -> None:
    port = int(url.rpartition(":")[2].partition("/")[0])

    async def go(opened: ExitStack) -> list[str]:
        async with Client(url, mode="legacy") as before:  # its streams are open when the idle connections come
            for number in range(IDLE):
                idle = opened.enter_context(socket.create_connection(("127.0.0.1", port), TIMEOUT_S))
                if number % 2:
                    idle.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
            names = [await found(before)]
            for era in ERAS:
                async with Client(url, mode=era) as after:
                    names.append(await found(after))
            return names

    with ExitStack() as opened:
        names = asyncio.run(asyncio.wait_for(go(opened), TIMEOUT_S))
        assert names == ["RetryWithBackoff"] * 3
    assert log.stat().st_size < LOG_BYTES, log.read_text()[:2_000]
