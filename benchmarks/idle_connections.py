"""Requests to an HTTP server that holds thousands of idle connections, and the size of its log.

    python benchmarks/idle_connections.py [--connections N] [--seconds S] [--json OUT]

A server of its own, on a loopback address, has a small index. This process holds N connections that send nothing, or
the head of a request alone, and opens closed ones again. Meanwhile it searches over MCP, each time with a new session,
and asks /health. Every server may open a different number of files.
"""

import argparse
import asyncio
import http.client
import json
import os
import re
import resource
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

sys.path.append(sys.path.pop(0))  # behind all else: mcp.py beside this file is not the package

import httpx
from fastmcp import Client

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.storage.server import embedded
from mcp import MCPError

FILES = (None, 1_024, 256)  # Limits of open files of the servers; None: the system's.
TIMEOUT_S = 30.0
HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n"
LIMITED = """
import resource, runpy, sys
files = int(sys.argv.pop(1))
if files:
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
sys.argv[0] = "cocosearch-py"
runpy.run_module("cocosearch_py", run_name="__main__", alter_sys=True)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--connections", type=int, default=3_000)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory(prefix="cs-idle-") as place:
        data, folder = Path(place, "data"), Path(place, "folder")
        folder.mkdir()
        (folder / "a.py").write_text("def first(x):\n    return x\n")
        try:
            with App(Settings(), data) as app:
                app.index(folder, name="folder")
            figures = [measure(Path(place), files, given.connections, given.seconds) for files in FILES]
        finally:
            embedded.stop(embedded.locate(data))
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure(place: Path, files: int | None, connections: int, seconds: float) -> dict[str, Any]:
    with serving(place, files) as (address, log), holding(address, connections) as held:
        searches, probes = asyncio.run(ask(address, seconds))
        return {
            "open_files": files or "system",
            "idle_connections": held[0],
            "searches": summary(searches),
            "health": summary(probes),
            "log_bytes": log.stat().st_size,
        }


@contextmanager
def serving(place: Path, files: int | None) -> Iterator[tuple[str, Path]]:
    """host:port of a server, and its log."""
    log = place / f"log-{files}"
    command = [sys.executable, "-c", LIMITED, str(files or 0), "mcp", "folder", "-t", "http", "-p", "0"]
    environment = {**os.environ, "COCOSEARCH_DATA_DIR": str(place / "data")}
    with log.open("wb") as errors:
        process = subprocess.Popen(command, cwd=place, env=environment, stdin=subprocess.DEVNULL, stderr=errors)
    try:
        deadline = time.monotonic() + TIMEOUT_S
        while not (found := re.search(r"http://(127\.0\.0\.1:\d+)/mcp", log.read_text())):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the server does not start: {log.read_text()}")
            time.sleep(0.05)
        yield found[1], log
    finally:
        process.terminate()
        process.wait()


@contextmanager
def holding(address: str, wanted: int) -> Iterator[list[int]]:
    """Hold so many idle connections; yields the number of them that are open."""
    host, _, port = address.partition(":")
    ended, full, count = threading.Event(), threading.Event(), [0]

    def hold() -> None:
        with selectors.DefaultSelector() as selector:
            while not ended.is_set():
                for _ in range(min(200, wanted - len(selector.get_map()))):
                    idle = socket.create_connection((host, int(port)), TIMEOUT_S)
                    selector.register(idle, selectors.EVENT_READ)
                    if len(selector.get_map()) % 2:
                        idle.sendall(HEAD)
                for key, _ in selector.select(0.05):  # closed by the server, as nothing is ever answered
                    selector.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]
                count[0] = len(selector.get_map())
                if count[0] >= min(wanted, 100):
                    full.set()
            for key in list(selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]

    thread = threading.Thread(target=hold)
    thread.start()
    try:
        full.wait(TIMEOUT_S)
        yield count
    finally:
        ended.set()
        thread.join()


async def ask(address: str, seconds: float) -> tuple[list[float | None], list[float | None]]:
    """Seconds until each search and each probe was answered; None for those that were not."""
    searches: list[float | None] = []
    probes: list[float | None] = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        began = time.monotonic()
        try:
            answered = await asyncio.wait_for(search(address), TIMEOUT_S)
        except (OSError, RuntimeError, MCPError, httpx.HTTPError) as error:  # a TimeoutError is an OSError
            print(f"search: {error!r}", file=sys.stderr)
            answered = False
        searches.append(time.monotonic() - began if answered else None)
        began = time.monotonic()
        probes.append(time.monotonic() - began if await asyncio.to_thread(probe, address) else None)
    return searches, probes


async def search(address: str) -> bool:
    async with Client(f"http://{address}/mcp", mode="legacy") as client:
        found = await client.call_tool("search_code", {"query": "first", "index_name": "folder"})
        return "first" in str(found.content)


def probe(address: str) -> bool:
    with closing(http.client.HTTPConnection(address, timeout=TIMEOUT_S)) as client:
        try:
            client.request("GET", "/health")
            return client.getresponse().status == 200
        except OSError as error:
            print(f"health: {error!r}", file=sys.stderr)
            return False


def summary(took: list[float | None]) -> dict[str, Any]:
    times = sorted(seconds for seconds in took if seconds is not None)
    if not times:
        return {"asked": len(took), "answered": 0}
    middle = times[len(times) // 2]
    return {
        "asked": len(took),
        "answered": len(times),
        "median_ms": round(1000 * middle),
        "slowest_ms": round(1000 * times[-1]),
    }


if __name__ == "__main__":
    main()
