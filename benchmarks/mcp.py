"""The MCP server, measured: latency of one client, twenty clients at once, memory, and how soon it answers.

    python benchmarks/mcp.py FOLDER [--index NAME] [--seconds S] [--searches N] [--json OUT]

FOLDER is indexed first unless it is. Every search has words of its own, so that no answer comes from the cache. The
client speaks HTTP and JSON itself: a client library would cost more than the server. Machines are shared: `cpu_ms`
(per search, without the database) tells more than wall time there, and `load` says how busy it was. Memory is that of
the server and its processes for searches; PostgreSQL has its own.
"""

import argparse
import http.client
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil

SINGLE_SEARCHES = 300
WARM_SEARCHES = 50  # model, pool and caches of the database are there after a few
CLIENTS = 20
PACES_S = (0.25, 0.5, 2.0)  # from one search of a client to its next; agents search far less often
PACED_MAX_S = 30.0
STARTS = 7
SAMPLES = 10  # of memory, on the way
TIMEOUT_S = 60
MIB = 1024 * 1024
WORDS = (
    "request response route session cookie cache queue job event listener mail user token password hash encrypt "
    "database query builder model relation migration schema column index transaction connection pool retry timeout "
    "validate rule message translate view template compile render collection map filter sort paginate file disk "
    "upload stream log channel exception handler report console command schedule container bind resolve provider "
    "broadcast notification redis lock rate limit middleware auth guard gate policy factory seed test fake"
).split()
FORMS = (
    "how is the {} {} for a {}",
    "{} {} {}",
    "where does the {} {} its {}",
    "{}{} of {}",
    "create {} with {} and {}",
)
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


def queries(seed: int) -> Iterator[str]:
    """Queries that differ from each other, and from those of other seeds; the same ones in every run."""
    chosen = random.Random(seed)  # repeatable, not secret
    for number in itertools.count():
        words = [*chosen.sample(WORDS, 3)]
        yield chosen.choice(FORMS).format(*words) + f" {seed}x{number}"


class HttpClient:
    """One session over one kept connection."""

    def __init__(self, address: str, index: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=TIMEOUT_S)
        self._headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        self._index = index
        self._number = 0
        self.ask("initialize", INITIALIZE)
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a request; raises RuntimeError for an error."""
        self._number += 1
        body = self._post({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        for line in body.splitlines():
            if line.startswith(b"data:") and (message := json.loads(line[5:])).get("id") == self._number:
                return message["result"]
        raise RuntimeError(f"no result for {method}: {body[:200]!r}")

    def search(self, query: str) -> float:
        """Seconds of one search; raises RuntimeError when it finds nothing or fails."""
        began = time.perf_counter()
        result = self.ask("tools/call", search_call(query, self._index))
        seconds = time.perf_counter() - began
        if result.get("isError") or '"file_path"' not in result["content"][0]["text"]:
            raise RuntimeError(result["content"][0]["text"][:200])
        return seconds

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


def search_call(query: str, index: str) -> dict[str, Any]:
    """Parameters of tools/call."""
    return {"name": "search_code", "arguments": {"query": query, "index_name": index}}


def milliseconds(seconds: list[float]) -> dict[str, float]:
    """Count, median, 95th and 99th percentile."""
    ordered = sorted(seconds)
    parts = {
        f"p{share}": round(1000 * ordered[min(len(ordered) - 1, len(ordered) * share // 100)], 2)
        for share in (50, 95, 99)
    }
    return {"searches": len(ordered), **parts}


def server_processes(pid: int) -> list[psutil.Process]:
    """The server and its processes for searches, not the database that it may have started."""
    server = psutil.Process(pid)
    return [server, *(child for child in server.children() if child.name() != "postgres")]


def memory(pid: int) -> dict[str, float]:
    """MiB of all server processes: resident, and proportional where the system tells it."""
    used = [process.memory_full_info() for process in server_processes(pid)]
    return {
        "processes": len(used),
        "rss_mb": round(sum(one.rss for one in used) / MIB, 1),
        "pss_mb": round(sum(getattr(one, "pss", one.rss) for one in used) / MIB, 1),
    }


def cpu_s(pid: int) -> float:
    """CPU seconds of all server processes so far."""
    return float(sum(used.user + used.system for used in (one.cpu_times() for one in server_processes(pid))))


@contextmanager
def server(folder: Path) -> Iterator[tuple[str, int]]:
    """The server over HTTP on a free port: its address and process."""
    command = [sys.executable, "-m", "cocosearch_py", "mcp", str(folder), "-t", "http", "-p", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    guard = threading.Timer(TIMEOUT_S, process.kill)
    guard.start()
    try:
        line = process.stderr.readline()
        guard.cancel()
        address = line[line.index("http://") :].split("/mcp")[0]
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield address, process.pid
    finally:
        guard.cancel()
        process.terminate()
        process.wait(TIMEOUT_S)


def single(client: HttpClient, pid: int) -> dict[str, Any]:
    """One client, one search after the other: new queries, and one query again and again."""
    asked = queries(1)
    for _ in range(WARM_SEARCHES):
        client.search(next(asked))
    before = cpu_s(pid)
    times = [client.search(next(asked)) for _ in range(SINGLE_SEARCHES)]
    cpu_ms = 1000 * (cpu_s(pid) - before) / SINGLE_SEARCHES
    again = next(asked)
    repeated = [client.search(again) for _ in range(SINGLE_SEARCHES)]
    return {"ms": milliseconds(times), "server_cpu_ms": round(cpu_ms, 2), "repeated_ms": milliseconds(repeated)}


def crowd(address: str, pid: int, index: str, seconds: float, every_s: float = 0) -> dict[str, Any]:
    """CLIENTS sessions that search without a pause, or each once in `every_s`.

    Without a pause the machine is full, and latency is CLIENTS times the CPU time of a search over the cores.
    """
    before = cpu_s(pid)
    times: list[float] = []
    errors: list[str] = []
    stop = time.monotonic() + seconds

    def work(number: int) -> None:
        try:
            time.sleep(every_s * number / CLIENTS)  # as people ask, not in step
            client = HttpClient(address, index)
            for query in queries(100 + number):
                if time.monotonic() > stop:
                    break
                began = time.monotonic()
                times.append(client.search(query))
                time.sleep(max(0.0, began + every_s - time.monotonic()))
            client.close()
        except (RuntimeError, OSError, http.client.HTTPException) as error:
            errors.append(repr(error)[:200])

    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(seconds + TIMEOUT_S)
    return {
        "clients": CLIENTS,
        "every_s": every_s,
        "ms": milliseconds(times),
        "per_s": round(len(times) / seconds, 1),
        "server_cpu_ms": round(1000 * (cpu_s(pid) - before) / len(times), 2),
        "errors": errors,
    }


def grown(client: HttpClient, pid: int, searches: int) -> dict[str, Any]:
    """Memory before and after many searches."""
    asked = queries(2)
    start = memory(pid)
    on_the_way = []
    for number in range(searches):
        client.search(next(asked))
        if number % max(1, searches // SAMPLES) == 0:
            on_the_way.append(memory(pid)["pss_mb"])
    end = memory(pid)
    growth = {name: round(100 * (end[name] / start[name] - 1), 1) for name in start}
    return {
        "searches": searches,
        "before": start,
        "after": end,
        "pss_mb_on_the_way": on_the_way,
        "growth_percent": growth,
    }


def stdio(folder: Path, index: str) -> tuple[float, float]:
    """Seconds from the start of a process to `initialize`, and to the first search, answered."""
    command = [sys.executable, "-m", "cocosearch_py", "mcp", str(folder)]
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    guard = threading.Timer(TIMEOUT_S, process.kill)
    guard.start()
    try:
        _ask(process, 1, "initialize", INITIALIZE)
        initialized = time.perf_counter() - began
        _ask(process, 2, "tools/call", search_call("where are users authenticated", index))
        return initialized, time.perf_counter() - began
    finally:
        guard.cancel()
        process.communicate(timeout=TIMEOUT_S)  # the end of its input ends it


def _ask(process: "subprocess.Popen[bytes]", number: int, method: str, params: dict[str, Any]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    while line := process.stdout.readline():
        if json.loads(line).get("id") == number:
            return
    raise RuntimeError(f"the server ended before it answered {method}")


def main() -> int:
    """Measure and print one JSON object; exits with 1 when a search failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--index", default="benchmark")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--searches", type=int, default=10_000)
    parser.add_argument("--json", type=Path, metavar="OUT")
    given = parser.parse_args()
    index = [sys.executable, "-m", "cocosearch_py", "index", str(given.folder), "--name", given.index, "--json"]
    made = json.loads(subprocess.run(index, capture_output=True, text=True, check=True, timeout=3600).stdout)
    result: dict[str, Any] = {"cpus": os.cpu_count(), "load_at_start": os.getloadavg(), "index": made["stats"]}
    starts = [stdio(given.folder, given.index) for _ in range(STARTS)]
    result["stdio_start_s"] = {
        "initialize_median": round(statistics.median(first for first, _ in starts), 2),
        "first_search_median": round(statistics.median(second for _, second in starts), 2),
        "all": [[round(part, 2) for part in pair] for pair in starts],
    }
    with server(given.folder) as (address, pid):
        client = HttpClient(address, given.index)
        result["memory_after_initialize"] = memory(pid)
        result["single"] = single(client, pid)
        client.close()
        result["memory_idle"] = memory(pid)
        result["crowd"] = crowd(address, pid, given.index, given.seconds)
        result["memory_after_crowd"] = memory(pid)
        seconds = min(PACED_MAX_S, given.seconds)
        result["crowd_paced"] = [crowd(address, pid, given.index, seconds, pace) for pace in PACES_S]
    with server(given.folder) as (address, pid):
        client = HttpClient(address, given.index)
        single(client, pid)
        result["memory"] = grown(client, pid, given.searches)
        client.close()
    for measured in (result["crowd"], *result["crowd_paced"]):
        measured["p95_ratio"] = round(measured["ms"]["p95"] / result["single"]["ms"]["p95"], 2)
    result["load_at_end"] = os.getloadavg()
    text = json.dumps(result, indent=1)
    print(text)
    if given.json:
        given.json.write_text(text + "\n")
    return 1 if result["crowd"]["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
