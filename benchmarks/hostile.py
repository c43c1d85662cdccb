"""Hostile calls of all tools: the slowest ones, and what a plain search takes beside them.

    python benchmarks/hostile.py FOLDER [--calls N] [--seed N] [--beside N] [--rounds N] [--json OUT]

FOLDER should be small. A copy of it is indexed into a new database and served over stdio. An MCP client makes the calls
one after another. Then a server on a port is attacked: another process repeats the slowest calls without a pause, as
many at once as --beside says, while a client makes plain searches, each of other words. The same beside plain searches
shows what the load alone costs. Times are wall times; `cpu_s` counts the server and its database. Ends with 1 if a call
is answered with an internal error or in words of PostgreSQL, takes longer than a minute, or writes anything.
"""

import argparse
import asyncio
import hashlib
import itertools
import json
import logging
import multiprocessing
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(sys.path.pop(0))  # behind all else: mcp.py beside this file is not the package

import psutil
import psycopg
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from hostilecalls import hostile_calls

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.storage.server.administration import stop_server

logging.getLogger("client").setLevel(logging.ERROR)  # the SDK remarks on each tool that lists leave out
TIMEOUT_S = 60.0
TOO_SLOW_S = 2.0
SHOWN = 15
SHOWN_CHARS = 200
SEARCH = ("search_code", {"query": "retry with exponential backoff"})
MAX_REQUEST_CHARS = 900_000
WARM_SEARCHES = 5
_numbers = itertools.count()
FAULTS = ("internal error", "PostgreSQL", "Traceback")


@dataclass(slots=True)
class Site:
    """A copy of a folder, indexed, with a server process for each client."""

    scratch: Path
    folder: Path
    dsn: str

    def client(self) -> "Client[Any]":
        command = ["-m", "cocosearch_py", "mcp", "--toolsets", "all,edit"]
        log = self.scratch / "server.log"
        transport = StdioTransport(
            sys.executable, command, self.environment, str(self.folder), keep_alive=False, log_file=log
        )
        return Client(transport, mode="legacy")

    @contextmanager
    def on_a_port(self) -> Iterator[str]:
        """A server over HTTP, with its address."""
        command = [sys.executable, "-m", "cocosearch_py", "mcp", str(self.folder), "-t", "http", "-p", "0"]
        process = subprocess.Popen(command, env=self.environment, cwd=self.folder, stderr=subprocess.PIPE)
        assert process.stderr is not None
        try:
            found = re.search(rb"http://127\.0\.0\.1:\d+/mcp", process.stderr.readline())
            assert found is not None
            threading.Thread(target=process.stderr.read, daemon=True).start()  # a full pipe would stop the server
            yield found[0].decode()
        finally:
            process.terminate()
            process.wait()

    @property
    def environment(self) -> dict[str, str]:
        own = {"COCOSEARCH_DATA_DIR": str(self.scratch / "data"), "XDG_CONFIG_HOME": str(self.scratch / "config")}
        return {**os.environ, **own}

    def state(self) -> tuple[dict[str, str], dict[str, int]]:
        """Hashes of the files, and the number of rows of each table."""
        hashes = {
            str(file.relative_to(self.folder)): hashlib.sha256(file.read_bytes()).hexdigest()
            for file in self.folder.rglob("*")
            if file.is_file()
        }
        with psycopg.connect(self.dsn) as conn:
            tables = conn.execute(
                "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = 'cocosearch_py'"
            ).fetchall()
            counts = {}
            for (table,) in tables:
                counted = conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
                counts[table] = counted[0] if counted else 0
        return hashes, counts

    def cpu_s(self) -> float:
        """Seconds of the server's processes and of its database so far."""
        children = psutil.Process().children(recursive=True)
        with psycopg.connect(self.dsn) as conn:
            backends = [pid for (pid,) in conn.execute("SELECT pid FROM pg_stat_activity")]
        seconds = 0.0
        for pid in {*(child.pid for child in children), *backends}:
            with suppress(psutil.Error):
                times = psutil.Process(pid).cpu_times()
                seconds += times.user + times.system
        return seconds


@dataclass(slots=True)
class Called:
    """A call, and what became of it."""

    name: str
    arguments: dict[str, Any]
    seconds: float = 0.0
    kind: str = ""
    fault: str = ""

    def __str__(self) -> str:
        values = ", ".join(f"{name}={_short(value)}" for name, value in self.arguments.items())
        return f"{self.seconds:6.2f} s  {self.kind:20} {self.name}({values})"


@dataclass(slots=True)
class Report:
    """All calls, and the searches alone and beside them."""

    calls: list[Called] = field(default_factory=list)
    cpu_s: float = 0.0
    alone: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    beside_plain: list[float] = field(default_factory=list)

    @property
    def slowest(self) -> list[Called]:
        return sorted(self.calls, key=lambda one: -one.seconds)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN_CHARS // 3 else f"{text[: SHOWN_CHARS // 3]}... ({len(text):,} characters)"


@contextmanager
def site_of(folder: Path) -> Iterator[Site]:
    scratch = Path(tempfile.mkdtemp(prefix="cs-hostile-"))
    scratch.chmod(0o755)  # as root the server runs under another account, which has to get in
    copy = scratch / "shop"
    shutil.copytree(folder, copy, symlinks=True)
    app = App(Settings(), scratch / "data")
    try:
        app.index(copy, name="shop")
        assert app.database.server is not None
        yield Site(scratch, copy, app.database.server.dsn())
    finally:
        stop_server(app.database)
        shutil.rmtree(scratch, ignore_errors=True)


async def called(client: "Client[Any]", one: Called) -> Called:
    """Make a call, with its time, the type of its error and what is wrong with its answer."""
    begun = time.monotonic()
    try:
        result = await asyncio.wait_for(client.call_tool_mcp(one.name, one.arguments), TIMEOUT_S)
        text = result.content[0].text
        is_error = bool(getattr(result, "is_error", False))
    except TimeoutError:
        text, is_error, one.fault = "", True, f"no answer in {TIMEOUT_S:g} s"
    one.seconds = time.monotonic() - begun
    one.kind = _kind(text) if is_error else "answered"
    one.fault = one.fault or next((fault for fault in FAULTS if is_error and fault in text), "")
    return one


def _kind(text: str) -> str:
    with suppress(ValueError):
        read = json.loads(text)
        if isinstance(read, dict):
            return str(read.get("error_type", "error"))
    return "error of a dialect" if text else "none"


async def measured(site: Site, calls: int, seed: int) -> Report:
    report = Report()
    async with site.client() as client:
        await called(client, Called(*SEARCH))
        begun_s = site.cpu_s()
        for name, arguments in itertools.islice(hostile_calls(seed), calls):
            report.calls.append(await called(client, Called(name, arguments)))
        report.cpu_s = site.cpu_s() - begun_s
    return report


async def searched(address: str, rounds: int) -> list[float]:
    """Seconds of plain searches, none of which the server has answered before."""
    async with Client(address, mode="legacy") as client:
        words = (f"{next(_numbers)} retry the price of a session" for _ in range(rounds))
        return [(await called(client, Called("search_code", {"query": query}))).seconds for query in words]


async def attack(address: str, calls: Sequence[Called], beside: int) -> None:
    """Repeat calls until this process is ended, so many at once."""
    left = itertools.cycle(calls)

    async def go() -> None:
        async with Client(address, mode="legacy") as client:
            while True:
                again = next(left)
                await called(client, Called(again.name, again.arguments))

    await asyncio.gather(*(go() for _ in range(beside)))


def _attack(address: str, calls: Sequence[Called], beside: int) -> None:
    asyncio.run(attack(address, calls, beside))


def compare_searches(site: Site, report: Report, beside: int, rounds: int) -> None:
    """Time plain searches alone, and beside the slowest calls that fit into a request."""
    small = [one for one in report.slowest if len(json.dumps(one.arguments)) < MAX_REQUEST_CHARS]
    with site.on_a_port() as address:
        asyncio.run(searched(address, WARM_SEARCHES))
        report.alone = asyncio.run(searched(address, rounds))
        report.beside = _beside(address, small[:40], beside, rounds)
        plain = [Called("search_code", {"query": f"{number} price of carts"}) for number in range(5_000)]
        report.beside_plain = _beside(address, plain, beside, rounds)


def _beside(address: str, calls: Sequence[Called], beside: int, rounds: int) -> list[float]:
    """Seconds of plain searches while another process repeats calls."""
    attacker = multiprocessing.get_context("spawn").Process(target=_attack, args=(address, calls, beside))
    attacker.start()
    try:
        asyncio.run(searched(address, WARM_SEARCHES))  # until the attack has begun
        return asyncio.run(searched(address, rounds))
    finally:
        attacker.kill()
        attacker.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--calls", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=35)
    parser.add_argument("--beside", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with site_of(given.folder) as site:
        before = site.state()
        report = asyncio.run(measured(site, given.calls, given.seed))
        after = site.state()
        compare_searches(site, report, given.beside, given.rounds)
    alone, beside = statistics.median(report.alone), statistics.median(report.beside)
    faults = [one for one in report.calls if one.fault]
    figures = {
        "calls": len(report.calls),
        "slowest_s": round(report.slowest[0].seconds, 3),
        "slower_than_2_s": sum(one.seconds > TOO_SLOW_S for one in report.calls),
        "cpu_s_per_call": round(report.cpu_s / len(report.calls), 4),
        "kinds": dict(Counter(one.kind for one in report.calls).most_common()),
        "faults": len(faults),
        "written": before != after,
        "search_alone_ms": round(alone * 1000, 1),
        "search_beside_ms": round(beside * 1000, 1),
        "search_beside_most_ms": round(max(report.beside) * 1000, 1),
        "search_beside_plain_ms": round(statistics.median(report.beside_plain) * 1000, 1),
        "times": round(beside / alone, 2),
    }
    for one in report.slowest[:SHOWN]:
        print(str(one)[: 2 * SHOWN_CHARS])
    for one in faults[:SHOWN]:
        print(f"FAULT {one.fault}: {one}"[: 3 * SHOWN_CHARS])
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 1 if faults or figures["written"] else 0


if __name__ == "__main__":
    sys.exit(main())
