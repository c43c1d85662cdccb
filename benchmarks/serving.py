"""MCP server over HTTP: many clients, memory, both protocol eras."""

import asyncio
import http.client
import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import psutil
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from benchmarks.frame import Folder, benchmark, report_faults
from benchmarks.product import CLIENT, LEGACY, Product
from benchmarks.queries import made
from benchmarks.rows import Figures
from benchmarks.timing import memory_of, middle, percentile, timed, tree_cpu

INDEX = "folder"
CLIENTS = 20
SEARCHES = 200  # of one client
WARM_UP = 50  # searches until model, pool and caches of the database are there
PACE_S = 0.5  # from one search of a paced client to its next; agents search far less often
TIMEOUT_S = 60


class HttpClient:
    """A session over a connection that stays open.

    It speaks HTTP and JSON itself, because a client library would cost more than the server.
    """

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT_S)
        self._headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        self._number = 0
        self.ask("initialize", {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT})
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Result of a request; raise RuntimeError if there is none."""
        self._number += 1
        body = self._post({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        for line in body.splitlines():
            if line.startswith(b"data:") and (message := json.loads(line[5:])).get("id") == self._number:
                return message["result"]
        raise RuntimeError(f"no result for {method}: {body[:200]!r}")

    def search(self, query: str) -> float:
        """Milliseconds of a search; raise RuntimeError if it fails."""
        call = {"name": "search_code", "arguments": {"query": query, "index_name": INDEX}}
        milliseconds, result = timed(lambda: self.ask("tools/call", call))
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"][:200])
        return milliseconds

    def close(self) -> None:
        """End the session and the connection."""
        self._connection.request("DELETE", "/mcp", headers=self._headers)
        self._connection.getresponse().read()
        self._connection.close()

    def _post(self, message: dict[str, Any]) -> bytes:
        self._connection.request("POST", "/mcp", json.dumps(message), self._headers)
        response = self._connection.getresponse()
        body = response.read()
        if response.status >= http.client.BAD_REQUEST:
            raise RuntimeError(f"{response.status}: {body[:200]!r}")
        if session := response.getheader("mcp-session-id"):
            self._headers["mcp-session-id"] = session
        return body


@contextmanager
def http_server(product: Product, folder: Path) -> Iterator[tuple[str, int]]:
    """Server over HTTP on a free port: its address and process."""
    command = [*product.program, "mcp", str(folder), "-t", "http", "-p", "0"]
    process = subprocess.Popen(command, env=product.environment, cwd=folder, stderr=subprocess.PIPE)
    assert process.stderr is not None
    try:
        address = re.search(rb"http://[\w.:]+", process.stderr.readline())
        assert address is not None
        threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop the server
        yield address[0].decode(), process.pid
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)


def memory_mb(pid: int) -> int:
    """Megabytes of the server and its processes, without the database."""
    server = psutil.Process(pid)
    return round(memory_of([server, *(child for child in server.children() if child.name() != "postgres")]) / 2**20)


@benchmark
def serving(
    product: Product, folder: Folder, *,
    seconds: Annotated[float, "time of each crowd"] = 30.0,
    searches: Annotated[int, "searches between two looks at memory"] = 2_000,
) -> Figures:  # fmt: skip
    """Searches over HTTP by one client and by twenty; memory after many searches."""
    product.index(folder, INDEX)
    figures: Figures = {}
    with http_server(product, folder) as (address, pid):
        client, questions = HttpClient(address), made(1)
        for question in islice(questions, WARM_UP):
            client.search(question)
        figures |= middle("one client", [client.search(question) for question in islice(questions, SEARCHES)])
        client.close()  # the server ends idle connections
        before = memory_mb(pid)
        for name, pace in (("crowd", 0.0), ("paced crowd", PACE_S)):
            cpu = tree_cpu(pid)
            times, errors = crowd(address, seconds, pace)
            figures |= middle(name, times)
            figures[f"{name} searches per s"] = round(len(times) / seconds, 1)
            figures[f"{name} CPU ms"] = round(1000 * (tree_cpu(pid) - cpu) / len(times), 2)
            figures[f"{name} errors"] = len(errors)
        client = HttpClient(address)
        for question in islice(questions, searches):
            client.search(question)
        figures |= {"memory MB": before, "memory after the crowds MB": memory_mb(pid)}
        client.close()
    return figures | {"faults": sum(int(str(value)) for name, value in figures.items() if name.endswith("errors"))}


def crowd(address: str, seconds: float, every_s: float) -> tuple[list[float], list[str]]:
    """Milliseconds and errors of clients that search without a pause, or each once in `every_s`."""
    times: list[float] = []
    errors: list[str] = []
    stop = time.monotonic() + seconds

    def work(number: int) -> None:
        try:
            time.sleep(every_s * number / CLIENTS)  # as people ask, not in step
            client = HttpClient(address)
            for question in made(100 + number):
                if time.monotonic() > stop:
                    break
                began = time.monotonic()
                times.append(client.search(question))
                time.sleep(max(0.0, began + every_s - time.monotonic()))
            client.close()
        except (RuntimeError, OSError, http.client.HTTPException) as error:
            errors.append(repr(error)[:200])

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + TIMEOUT_S)
    report_faults(errors)
    return times, errors


@benchmark
def eras(product: Product, folder: Folder, *, calls: int = 50) -> Figures:
    """Time of connecting and of a search in both protocol eras, over stdio and HTTP."""
    product.index(folder, INDEX)
    figures: Figures = {}
    with http_server(product, folder) as (address, _):
        for era in ("legacy", "auto"):
            command = [*product.program[1:], "mcp"]
            stdio = StdioTransport(product.program[0], command, product.environment, str(folder), keep_alive=False)
            for way, transport in (("stdio", stdio), ("http", f"{address}/mcp")):
                figures |= asyncio.run(_in_era(transport, era, f"{way}, {era}", calls))
    return figures


async def _in_era(transport: Any, era: Any, name: str, calls: int) -> Figures:
    began, times = time.perf_counter(), []
    async with Client(transport, mode=era) as client:
        connected = time.perf_counter() - began
        for question in islice(made(5), calls):
            began = time.perf_counter()
            await client.call_tool("search_code", {"query": question, "index_name": INDEX})
            times.append(1000 * (time.perf_counter() - began))
    return {f"{name}: connect ms": round(1000 * connected), f"{name}: search p50 ms": percentile(times, 0.5)}
