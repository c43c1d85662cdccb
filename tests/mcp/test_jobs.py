"""Index jobs: progress, waiting, polling, cancelling."""

import asyncio
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from tests.mcp.calls import Answer, call

from cocosearch_py.app import App
from cocosearch_py.catalog.stats import StatsRequest
from cocosearch_py.discovery.git import run_git
from cocosearch_py.errors import BusyError, CocosearchError, NotFoundError
from cocosearch_py.jobs import run_store
from cocosearch_py.jobs.registry import MAX_WAITING, Control, JobRegistry, JobStatus
from cocosearch_py.model.process import process_mark
from cocosearch_py.storage.queries import runs
from cocosearch_py.storage.server.database import DatabaseOptions
from cocosearch_py.tools.requests import request_of

Make = Callable[..., FastMCP]
DEADLINE_S = 60.0
FILES = 400  # several batches


def fill(folder: Path) -> None:
    """Write files that take seconds to index."""
    for number in range(FILES):
        lines = "\n".join(f"def work_{number}_{line}(value):\n    return value + {line}\n" for line in range(60))
        (folder / f"part_{number}.py").write_text(lines)


@pytest.fixture
def large(sample_repo: Path) -> Path:
    """A project that takes seconds to index."""
    folder = sample_repo / "generated"
    folder.mkdir()
    fill(folder)
    return sample_repo


def poll(server: Any, job_id: str) -> Any:
    """The status of a job once it has ended."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        status = call(server, "index_status", {"job_id": job_id, "wait_s": 5}).payload
        if status["state"] not in ("queued", "running"):
            return status
    raise AssertionError("the job did not end")


def test_a_call_that_does_not_wait_gets_a_job_to_poll(make: Make, large: Path) -> None:
    server = make()
    started = call(server, "index_codebase", {"path": ".", "index_name": "shop", "wait_s": -5}).payload
    assert started["success"] is True
    assert started["warnings"] == ["wait_s is out of range: 0.0 was used (0.0 to 20.0 are allowed)"]
    assert started["state"] in ("queued", "running")
    status = poll(server, started["job_id"])
    assert (status["state"], status["progress"], status["index_name"]) == ("completed", 100, "shop")
    assert status["stats"]["files_added"] == FILES + 6
    told = call(server, "index_status", {"index_name": "shop", "wait_s": 100}).payload
    assert told["job_id"] == started["job_id"]
    assert told["warnings"] == ["wait_s is out of range: 30.0 was used (0.0 to 30.0 are allowed)"]
    of_all = call(server, "index_status").payload
    assert of_all["jobs"][0]["job_id"] == started["job_id"]
    assert "warnings" not in of_all
    again = call(server, "index_codebase", {"path": ".", "index_name": "shop", "wait_s": 60}).payload
    assert again["warnings"] == ["wait_s is out of range: 20.0 was used (0.0 to 20.0 are allowed)"]


def test_a_call_that_does_not_wait_never_tells_the_end(
    make: Make, shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = make(roots=(tmp_path,))
    start = JobRegistry.start

    def start_slowly(registry: JobRegistry, *job: Any) -> JobStatus:
        started = start(registry, *job)
        registry.wait(started.job_id, 30)
        return started

    monkeypatch.setattr(JobRegistry, "start", start_slowly)
    (tmp_path / "web").mkdir()
    started = call(server, "index_codebase", {"path": "../web", "index_name": "shop", "wait_s": 0}).payload
    assert started["state"] == "queued"
    assert poll(server, started["job_id"])["state"] == "failed", "the name is another folder's"


def test_status_of_an_index_of_another_time(make: Make, shop: Path) -> None:
    status = call(make(), "index_status", {"index_name": "shop"}).payload
    assert (status["state"], status["files"]) == ("completed", 6)


def test_progress_is_reported_while_a_call_waits(make: Make, large: Path) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async def go() -> Answer:
        async with Client(make(), mode="legacy", progress_handler=heard) as client:
            return Answer(await client.call_tool("index_codebase", {"path": "."}))

    assert asyncio.run(go()).payload["state"] == "completed"
    assert told
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)


def test_a_cancelled_job_keeps_what_it_did(make: Make, large: Path) -> None:
    server = make()
    started = call(server, "index_codebase", {"path": ".", "index_name": "shop", "wait_s": 0}).payload
    while not call(server, "index_status", {"job_id": started["job_id"]}).payload["files_done"]:
        time.sleep(0.01)
    cancelled = call(server, "cancel_indexing", {"job_id": started["job_id"]}).payload
    status = poll(server, started["job_id"])
    assert cancelled["ok"] is True
    assert status["state"] in ("cancelled", "completed")  # the last batch may have been under way
    assert status["state"] == "completed" or status["progress"] < 100
    kept = call(server, "list_indexes").payload[0]["files"]
    assert kept == status["stats"]["files_added"] > 0
    again = call(server, "index_codebase", {"path": ".", "index_name": "shop"}).payload
    assert again["stats"]["files_added"] == FILES + 6 - kept


def test_a_cancelled_call_stops_its_job(make: Make, large: Path) -> None:
    async def go() -> dict[str, Any]:
        async with Client(make(), mode="legacy") as client:
            waiting = asyncio.create_task(client.call_tool("index_codebase", {"path": "."}))
            job: dict[str, Any] = {}
            while job.get("state") != "running":
                await asyncio.sleep(0.01)
                jobs = Answer(await client.call_tool("index_status")).payload["jobs"]
                job = jobs[0] if jobs else {}
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            ended = await client.call_tool("index_status", {"job_id": job["job_id"], "wait_s": 30})
            return Answer(ended).payload

    assert asyncio.run(go())["state"] == "cancelled"


def test_a_cancelled_call_stops_all_its_jobs(make: Make, sample_repo: Path) -> None:
    async def until(client: Client[Any], enough: Callable[[list[str]], bool]) -> list[str]:
        """Wait until the states of the jobs are as wanted, and return their ids."""
        while True:
            jobs = Answer(await client.call_tool("index_status")).payload["jobs"]
            if enough([job["state"] for job in jobs]):
                return [job["job_id"] for job in jobs]
            await asyncio.sleep(0.01)

    async def go() -> list[str]:
        async with Client(make(), mode="legacy") as client:
            given = {"path": ".", "paths": ["shop", "docs", "web"]}
            waiting = asyncio.create_task(client.call_tool("index_codebase", given))
            ids = await until(client, lambda states: len(states) == 3)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            asked = [{"job_id": job_id, "wait_s": 30} for job_id in ids]
            return [Answer(await client.call_tool("index_status", one)).payload["state"] for one in asked]

    for name in ("shop", "docs", "web"):  # any of them may be first, and a short run ends before it hears of the stop
        fill(sample_repo / name)
    assert asyncio.run(asyncio.wait_for(go(), DEADLINE_S)) == ["cancelled"] * 3


def test_whoever_waits_lets_a_run_begin_again_whose_process_is_gone(
    make: Make, app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else may look: a client that has the id of a job asks for nothing but that."""
    monkeypatch.setattr(run_store, "start_worker", lambda _: None)
    gone = process_mark().rpartition("/")[0] + "/1"  # another process had our number
    server = make()
    for ask, ended in (("index_status", "queued"), ("cancel_indexing", "cancelled")):
        job = app.runs.enqueue(request_of(app, sample_repo, "shop", app.indexing_options()))
        with app.database.writing() as conn:
            runs.begin(conn, job.job_id, gone)
        assert app.runs.get(job.job_id).state == "running"
        assert call(server, ask, {"job_id": job.job_id}).payload["state"] == ended
    waiting = call(server, "index_status", {"job_id": job.job_id, "wait_s": 1}).payload
    assert waiting["state"] == "cancelled"


def test_what_an_index_holds_and_how_its_folder_moved_on(make: Make, app: App, sample_repo: Path) -> None:
    run_git(sample_repo, ["init", "-q"])
    run_git(sample_repo, ["add", "-A"])
    run_git(sample_repo, ["-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", "x"])
    server = make()
    assert call(server, "index_codebase", {"path": ".", "index_name": "shop"}).payload["success"]
    told = call(server, "index_status", {"index_name": "shop"}).payload
    stats = app.catalog.stats(app.catalog.find("shop"), StatsRequest(words=True))
    assert (told["symbols"], told["words"]) == (sum(stats.symbols.values()), stats.words)
    assert (told["dirty"], told["pending_changes"]) == (False, 0)
    (sample_repo / "shop" / "new.py").write_text("new = 1\n")
    (sample_repo / "web" / "session.js").unlink()
    told = call(server, "index_status", {"index_name": "shop"}).payload
    assert (told["dirty"], told["pending_changes"]) == (True, 2)
    shutil.rmtree(sample_repo)
    told = call(server, "index_status", {"index_name": "shop"}).payload
    assert (told["dirty"], told["pending_changes"], told["files"]) == (None, None, stats.record.file_count)


def test_why_files_are_absent(make: Make, app: App, sample_repo: Path) -> None:
    (sample_repo / "secret.pem").write_text("-----BEGIN PRIVATE KEY-----\n")
    app.index(sample_repo, name="shop")
    (sample_repo / "shop" / "new.py").write_text("new = 1\n")
    asked = ["shop/cart.py", "shop/new.py", "secret.pem", "gone.py", "../outside.py"]
    given = {"index_name": "shop", "check_files": [*asked, str(sample_repo / "shop/cart.py")], "files": True}
    told = call(make(), "index_status", given).payload
    assert [one["path"] for one in told["checked_files"]] == given["check_files"]
    verdicts = [one["verdict"] for one in told["checked_files"]]
    assert verdicts == ["indexed", "new", "skipped", "missing", "outside", "indexed"]
    assert told["checked_files"][2]["rule"]
    with app.database.writing() as conn:
        conn.execute("UPDATE cocosearch_py.files SET status = 'failed', error = 'no' WHERE path = 'web/session.js'")
    told = call(make(), "index_status", {"index_name": "shop", "files": True}).payload
    assert told["failed_files"] == [{"path": "web/session.js", "status": "failed", "error": "no"}]
    for wrong in ({"check_files": ["a"] * 51, "index_name": "shop"}, {"check_files": ["a"]}, {"files": True}):
        assert call(make(), "index_status", wrong).payload["error_type"] == "validation_error"


def test_jobs_run_one_after_the_other_in_order() -> None:
    jobs, ran = JobRegistry(), []
    gate = threading.Event()
    first = jobs.start("a", "a", lambda _: gate.wait(DEADLINE_S))
    second = jobs.start("b", "b", lambda _: ran.append("b"))
    assert jobs.start("b", "b", lambda _: ran.append("again")).job_id == second.job_id
    assert jobs.get(second.job_id).state == "queued"
    assert jobs.busy
    gate.set()
    assert jobs.wait(first.job_id, DEADLINE_S).state == "completed"
    assert jobs.wait(second.job_id, DEADLINE_S).state == "completed"
    assert ran == ["b"]
    assert jobs.close(DEADLINE_S)


def test_a_failed_job_does_not_stop_the_next() -> None:
    jobs = JobRegistry()

    def fail(_: Control) -> None:
        raise RuntimeError("secret detail")

    def refuse(_: Control) -> None:
        raise CocosearchError("no", hint="do")

    states = [jobs.wait(jobs.start(name, name, work).job_id, DEADLINE_S) for name, work in (("a", fail), ("b", refuse))]
    assert [state.state for state in states] == ["failed", "failed"]
    assert "secret" not in str(states[0].error)
    assert states[1].error is not None
    assert states[1].error.hint == "do"
    assert jobs.wait(jobs.start("c", "c", lambda _: 3).job_id, DEADLINE_S).result == 3
    jobs.close(DEADLINE_S)


def test_closing_stops_the_running_job_and_drops_the_others() -> None:
    jobs = JobRegistry()

    def work(control: Control) -> str:
        while not control.cancelled():
            time.sleep(0.001)
        return "kept"

    running = jobs.start("a", "a", work)
    while jobs.get(running.job_id).state == "queued":
        time.sleep(0.001)
    waiting = jobs.start("b", "b", work)
    assert jobs.close(DEADLINE_S)
    assert (jobs.get(running.job_id).state, jobs.get(running.job_id).result) == ("cancelled", "kept")
    assert jobs.get(waiting.job_id).result is None
    with pytest.raises(BusyError):
        jobs.start("c", "c", work)


def test_the_number_of_waiting_jobs_is_bounded() -> None:
    jobs, gate = JobRegistry(), threading.Event()
    running = jobs.start("first", "first", lambda _: gate.wait(DEADLINE_S))
    while jobs.get(running.job_id).state == "queued":
        time.sleep(0.001)
    for number in range(MAX_WAITING):
        jobs.start(str(number), "x", lambda _: None)
    with pytest.raises(BusyError):
        jobs.start("one more", "x", lambda _: None)
    gate.set()
    assert jobs.close(DEADLINE_S)
    with pytest.raises(NotFoundError):
        jobs.get("unknown")


def test_a_call_may_say_whether_it_waits(make: Make, sample_repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server, start_worker = make(), run_store.start_worker
    asked: list[DatabaseOptions] = []

    def start_at_the_second_call(database: DatabaseOptions) -> None:
        asked.append(database)
        if len(asked) > 1:
            start_worker(database)

    monkeypatch.setattr(run_store, "start_worker", start_at_the_second_call)
    left = call(server, "index_codebase", {"path": ".", "wait": False}).payload
    assert (left["state"], left["index_name"], left["path"]) == ("queued", "shop", str(sample_repo))
    done = call(server, "index_codebase", {"path": ".", "index_name": "shop", "wait": True, "wait_s": 0}).payload
    assert (done["state"], done["job_id"]) == ("completed", left["job_id"])
    assert call(server, "index_codebase", {"path": ".", "index_name": "shop", "wait": "auto"}).payload["success"]
