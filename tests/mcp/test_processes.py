"""Searches in processes of their own: the same answers, and nothing hangs or stays when one goes away."""

import asyncio
import multiprocessing
import os
import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path

import psutil
import psycopg
import pytest
from fastmcp import Client
from tests.mcp.calls import Answer, call
from tests.mcp.test_load import stuck, until, waiting_searches

from cocosearch_py.app import App
from cocosearch_py.errors import (
    ConfigurationError,
    IndexNotFoundError,
    OperationCancelled,
    ServiceError,
)
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.server import processes
from cocosearch_py.server.calls import ServerCall
from cocosearch_py.server.context import ServerContext
from cocosearch_py.server.options import Flags, ServerOptions, server_options
from cocosearch_py.server.processes import Question, SearchProcesses
from cocosearch_py.storage.server.stopping import stoppable
from cocosearch_py.tools.call import Selection

Start = Callable[..., "subprocess.Popen[bytes]"]
CLIENTS = 20
PROCESSES = 2
QUERIES = [f"{verb} the {noun}" for verb in ("retry", "apply", "add") for noun in ("cart", "discount", "price")]


@pytest.fixture
def pool(process_environment: dict[str, str]) -> Iterator[SearchProcesses]:
    made = SearchProcesses(process_environment, PROCESSES)
    yield made
    made.close()


@pytest.fixture
def running(start: Start, app: App, sample_repo: Path) -> Iterator[tuple[str, psutil.Process]]:
    """Address and process of an HTTP server; the sample is indexed as `shop`."""
    app.index(sample_repo, name="shop")
    process = start(str(sample_repo), "-t", "http", "-p", "0", "--processes", str(PROCESSES), cwd=sample_repo)
    assert process.stderr is not None
    found = re.search(rb"http://127\.0\.0\.1:\d+", process.stderr.readline())
    assert found is not None
    yield found[0].decode(), psutil.Process(process.pid)


def question(app: App, query: str = "RetryWithBackoff", index_name: str = "shop") -> Question:
    return Question(app.settings, SearchRequest(query), index_name, use_cache=True)


def starting() -> bool:
    """Whether a process is being started here."""
    return any(thread.name == "search process" for thread in threading.enumerate())


def in_crowd(address: str) -> list[str]:
    """Answers of clients that ask at once, in the order of QUERIES repeated."""

    async def one(number: int) -> str:
        async with Client(f"{address}/mcp", mode="legacy") as client:
            asked = {"query": QUERIES[number % len(QUERIES)], "index_name": "shop"}
            return Answer(await client.call_tool("search_code", asked, raise_on_error=False)).text

    async def go() -> list[str]:
        return await asyncio.gather(*(one(number) for number in range(CLIENTS)))

    return asyncio.run(go())


def figure(address: str, name: str) -> float:
    """A figure of /metrics."""
    with urllib.request.urlopen(f"{address}/metrics") as response:
        found = re.search(rf"^cocosearch_{name} (\S+)$", response.read().decode(), re.MULTILINE)
    assert found is not None
    return float(found[1])


def searchers(server: psutil.Process) -> list[psutil.Process]:
    found = []
    for child in server.children():
        with suppress(psutil.NoSuchProcess):  # it has ended: one such must not hide the others
            if "--multiprocessing-fork" in child.cmdline():
                found.append(child)
    return found


def test_a_crowd_gets_what_one_client_gets(running: tuple[str, psutil.Process]) -> None:
    address, server = running
    alone = [call(f"{address}/mcp", "search_code", {"query": query, "index_name": "shop"}).text for query in QUERIES]
    assert figure(address, "search_processes") == 0, "one client needs no second process"

    def crowd_is_served() -> bool:
        assert in_crowd(address) == [alone[number % len(alone)] for number in range(CLIENTS)]
        return figure(address, "search_processes") == PROCESSES

    until(crowd_is_served)
    children = server.children()
    assert len(searchers(server)) == PROCESSES
    server.terminate()
    _, alive = psutil.wait_procs([server, *children], timeout=60)
    assert alive == []


def test_killed_processes_are_replaced(running: tuple[str, psutil.Process]) -> None:
    address, server = running
    until(lambda: in_crowd(address) and figure(address, "search_processes") == PROCESSES)
    for child in searchers(server):
        child.kill()
    until(lambda: all('"file_path"' in text for text in in_crowd(address)) and searchers(server))


def test_a_killed_server_leaves_no_process(running: tuple[str, psutil.Process]) -> None:
    address, server = running
    until(lambda: in_crowd(address) and searchers(server))
    children = server.children()
    server.kill()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []


def test_the_answer_is_that_of_the_engine(app: App, shop: Path, pool: SearchProcesses) -> None:
    assert pool.search(question(app)) is None, "nothing waits for the first process to start"
    until(lambda: pool.running)
    record, report = pool.search(question(app)) or pytest.fail("there is a process")
    here, own = app.search(SearchRequest("RetryWithBackoff"), index_name="shop")
    assert record == here
    assert report.hits == own.hits
    with pytest.raises(IndexNotFoundError, match="'shopp'") as caught:
        pool.search(question(app, index_name="shopp"))
    assert "shop" in caught.value.hint


def test_what_a_process_logs_is_logged_by_the_server(
    app: App, pool: SearchProcesses, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    pool.search(question(app))
    until(lambda: pool.running)
    until(lambda: ("ready to search", "INFO") in [(record.message, record.levelname) for record in caplog.records])
    (told,) = (record for record in caplog.records if record.message == "ready to search")
    assert told.process != os.getpid()


def test_idle_processes_end(app: App, shop: Path, pool: SearchProcesses, monkeypatch: pytest.MonkeyPatch) -> None:
    pool.search(question(app))
    until(lambda: pool.running)
    pool.end_idle()
    assert pool.running, "it was used a moment ago"
    monkeypatch.setattr(processes, "_KEPT_S", 0.0)
    pool.end_idle()
    assert not pool.running
    assert pool.search(question(app)) is None


def test_a_stopped_search_ends_at_once(app: App, shop: Path, pool: SearchProcesses, database_url: str) -> None:
    pool.search(question(app))
    until(lambda: pool.running)
    with stuck(database_url) as conn, stoppable() as work:
        asked = threading.Thread(target=copy_context().run, args=(search_until_stopped, pool, question(app)))
        asked.start()
        until(lambda: waiting_searches(conn))
        work.stop()
        until(lambda: not waiting_searches(conn))
        asked.join(60)
        assert not asked.is_alive()
        with pytest.raises(OperationCancelled):  # the second index of the same call
            pool.search(question(app))
    assert pool.search(question(app)), "the process serves the next one"


def search_until_stopped(pool: SearchProcesses, asked: Question) -> None:
    with pytest.raises(Exception, match="user request"):
        pool.search(asked)


def test_a_process_that_dies_in_a_search_is_told_of(
    app: App, shop: Path, pool: SearchProcesses, database_url: str
) -> None:
    pool.search(question(app))
    until(lambda: pool.running)
    with stuck(database_url) as conn:
        killer = threading.Thread(target=kill_when_waiting, args=(conn,))
        killer.start()
        with pytest.raises(ServiceError, match="ended unexpectedly"):
            pool.search(question(app))
        killer.join()
    assert not pool.running
    assert pool.search(question(app)) is None


def test_a_process_that_hangs_is_ended(
    app: App, shop: Path, pool: SearchProcesses, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = searchers(psutil.Process())  # of a test before, on their way out
    pool.search(question(app))
    until(lambda: pool.running)
    monkeypatch.setattr(processes, "_ANSWER_S", 0.5)
    settings = replace(app.settings, database=replace(app.settings.database, statement_timeout_ms=500))
    (child,) = (one for one in searchers(psutil.Process()) if one not in others)
    child.suspend()
    with pytest.raises(ServiceError, match="does not respond"):
        pool.search(replace(question(app), settings=settings))
    assert not pool.running
    assert not child.is_running()


def test_searches_with_another_model_stay_here(app: App, shop: Path, pool: SearchProcesses) -> None:
    context = ServerContext(lambda _: app, ServerOptions(working_folder=shop), processes=pool)
    context.open_calls = CLIENTS
    made = ServerCall(context, Selection(("shop",)), {})
    record = app.catalog.find("shop")
    other = app.under(app.settings)
    other.settings = replace(app.settings, embedding=replace(app.settings.embedding, model="somebody/another"))
    assert made.search(other, SearchRequest("cart"), record)[1].hits
    assert not starting()
    assert made.search(app, SearchRequest("cart"), record)[1].hits
    assert starting() or pool.running


@pytest.mark.parametrize(("transport", "asked", "most"), [("http", 0, 0), ("sse", 16, 16), ("stdio", 5, 0)])
def test_how_many_there_may_be(transport: str, asked: int, most: int, tmp_path: Path) -> None:
    assert server_options(Flags(transport=transport, processes=asked), {}, tmp_path).processes == most


@pytest.mark.parametrize("asked", [-1, 17])
def test_no_more_than_the_database_has_connections_for(asked: int, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="out of range"):
        server_options(Flags(transport="http", processes=asked), {}, tmp_path)


def kill_when_waiting(conn: psycopg.Connection) -> None:
    until(lambda: waiting_searches(conn))
    for child in searchers(psutil.Process()):
        child.kill()


def test_where_no_process_can_start_the_search_goes_on_here(
    app: App, shop: Path, pool: SearchProcesses, caplog: pytest.LogCaptureFixture
) -> None:
    spawn = multiprocessing.get_context("spawn")
    spawn.set_executable("/bin/false")
    try:
        assert pool.search(question(app)) is None
        until(lambda: "no additional search process" in caplog.text)
        assert pool.search(question(app)) is None
    finally:
        spawn.set_executable(sys.executable)
    assert pool.search(question(app)) is None
