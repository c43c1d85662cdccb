"""Runs of the queue: done by a process of its own, whatever becomes of it and of whoever asked."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from tests import forking
from tests.jobs.conftest import SOURCE
from tests.jobs.waiting import DEADLINE_S, until

from cocosearch_py.app import App
from cocosearch_py.config.settings import EmbeddingSettings, JobSettings
from cocosearch_py.errors import CocosearchError, ConfigurationError, DatabaseUnreachableError, NotFoundError
from cocosearch_py.indexing.progress import Progress
from cocosearch_py.jobs import recorder, run_store
from cocosearch_py.jobs.queue import Worker
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.model.process import process_mark, this_host
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.queries import runs
from cocosearch_py.storage.queries.runs import queue_conninfo
from cocosearch_py.tools.requests import request_of

FILES = 600


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder that takes a moment to index."""
    folder = tmp_path / "large"
    folder.mkdir()
    for number in range(FILES):
        lines = "\n".join(f"def work_{number}_{line}(value):\n    return value + {line}\n" for line in range(60))
        (folder / f"part_{number}.py").write_text(lines)
    return folder


def ask(app: App, folder: Path, name: str, **more: Any) -> JobStatus:
    return app.runs.enqueue(request_of(app, folder, name, replace(app.indexing_options(), **more)))


def end(app: App, job: JobStatus) -> JobStatus:
    return until(lambda: (found := app.runs.wait(job.job_id, 1)).ended and found)


def workers(app: App) -> list[int]:
    """Process ids of all workers."""
    with app.database.reading() as conn:
        rows = conn.execute("SELECT process FROM cocosearch_py.workers").fetchall()
    return [int(row[0].split("/")[1]) for row in rows]


def worker(app: App) -> psutil.Process:
    """The process of the only worker."""
    (found,) = until(lambda: workers(app))
    return psutil.Process(found)


def at_work(app: App, job: JobStatus) -> psutil.Process:
    """The worker of a run that has read some of its files and has others in hand."""

    def has_files() -> bool:
        with app.database.reading() as conn:
            row = runs.get(conn, job.job_id)
        return row is not None and row.state == "running" and bool(row.files_done and row.in_hand)

    until(has_files)
    return worker(app)


def kill(process: psutil.Process) -> None:
    process.kill()
    until(lambda: is_over(process))


def is_over(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_a_worker_does_it_and_stays_for_the_next(app: App, sample_repo: Path) -> None:
    first = end(app, ask(app, sample_repo, "shop"))
    assert (first.state, first.result.files_added) == ("completed", 6)
    assert [event.kind for event in app.runs.log(first.job_id)] == ["queued", "begun", "completed"]
    process = worker(app)
    assert process.pid != os.getpid()
    assert process.ppid() != os.getpid() or os.getsid(process.pid) != os.getsid(0), "it outlives us"
    assert end(app, ask(app, sample_repo, "shop", fresh=True)).state == "completed"
    assert worker(app).pid == process.pid


def test_a_like_request_joins_and_of_unlike_ones_only_the_newest_waits(app: App, large: Path) -> None:
    running = ask(app, large, "large")
    at_work(app, running)
    assert ask(app, large, "large").job_id == running.job_id
    second = ask(app, large, "large", fresh=True)
    assert app.runs.get(second.job_id).state == "queued"
    assert ask(app, large, "large", only_failed=True).job_id == second.job_id, "which does that as well"
    third = ask(app, large, "large", discovery=replace(app.indexing_options().discovery, exclude=("part_1*",)))
    assert app.runs.of_index("large").job_id == running.job_id, "not one that waits"
    ended = end(app, third)
    assert (ended.state, ended.result.files_unchanged) == ("completed", 0), "built anew, as that was to be"
    assert app.runs.get(running.job_id).state == "completed"
    assert app.runs.get(second.job_id).state == "cancelled"
    assert third.job_id in app.runs.log(second.job_id)[-1].message
    assert third.job_id in app.runs.get(second.job_id).error.message, "whoever waits for it is told"


def test_an_update_does_not_wait_for_the_first_build_of_another_index(app: App, large: Path, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    build = ask(app, large, "large")
    at_work(app, build)
    (sample_repo / "new.py").write_text("def new(): pass\n")
    update = end(app, ask(app, sample_repo, "shop"))
    assert (update.state, update.result.files_added) == ("completed", 1)
    assert app.runs.get(build.job_id).state == "running"
    app.runs.cancel(build.job_id)


def test_a_run_is_cancelled_from_anywhere(app: App, large: Path, sample_repo: Path) -> None:
    job = ask(app, large, "large")
    at_work(app, job)
    waiting = ask(app, large, "large", fresh=True)
    assert app.runs.cancel(waiting.job_id).state == "cancelled"
    assert app.runs.of_index("large").job_id == job.job_id, "not one that never began"
    app.runs.cancel(job.job_id)
    ended = end(app, job)
    assert ended.state == "cancelled"
    assert ended.result is not None, app.runs.log(job.job_id)
    assert 0 < ended.result.files_added < FILES
    assert app.catalog.find("large").file_count == ended.result.files_added, "what was complete is kept"
    assert app.runs.cancel(job.job_id).state == "cancelled"
    assert end(app, ask(app, large, "large")).result.files_added == FILES - ended.result.files_added


def test_a_killed_worker_costs_nothing_but_time(app: App, large: Path) -> None:
    job = ask(app, large, "large")
    kill(at_work(app, job))
    ended = end(app, job)
    assert (ended.state, ended.attempt) == ("completed", 2)
    assert "rescued" in [event.kind for event in app.runs.log(job.job_id)]
    app.index(large, name="again", options=app.indexing_options(fresh=True))
    assert app.catalog.find("large").chunk_count == app.catalog.find("again").chunk_count
    assert app.search(SearchRequest("work_7_3"), index_name="large")[1].hits[0].file_path == "part_7.py"


def test_three_deaths_at_one_place_end_it(
    app: App, sample_repo: Path, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written down as three processes that ended would have; that they really end is for the tests above."""
    monkeypatch.setattr(run_store, "start_worker", lambda _: None)
    gone = process_mark().rpartition("/")[0] + "/1"  # another process had our number
    job = ask(app, sample_repo, "shop")
    for files in (["a.py"], ["a.py", "b.py"], ["c.py", "b.py"], ["b.py", "d.py"], ["b.py"]):
        assert app.runs.get(job.job_id).state == "queued"
        with database.writing() as conn:
            attempt = runs.begin(conn, job.job_id, gone)
            runs.save_moment(conn, job.job_id, attempt, runs.Moment("parse", 1, 9, 1, 9, 10, files))
        app.runs.mend()
    ended = app.runs.get(job.job_id)
    assert ended.state == "failed"
    assert "3 processes in a row ended while working on: b.py" in str(ended.error)


def test_a_worker_that_is_told_to_end_leaves_its_run_to_the_next(app: App, large: Path) -> None:
    job = ask(app, large, "large")
    process = at_work(app, job)
    process.send_signal(signal.SIGTERM)
    until(lambda: "released" in [event.kind for event in app.runs.log(job.job_id)])
    ended = end(app, job)
    assert ended.state == "completed"
    assert "rescued" not in [event.kind for event in app.runs.log(job.job_id)]


def test_a_worker_that_wakes_up_late_changes_nothing(app: App, large: Path) -> None:
    job = ask(app, large, "large")
    process = at_work(app, job)
    process.suspend()
    try:
        with app.database.writing() as conn:  # a while later
            conn.execute("UPDATE cocosearch_py.runs SET heartbeat_at = heartbeat_at - interval '1 minute'")
            conn.execute("UPDATE cocosearch_py.workers SET heartbeat_at = heartbeat_at - interval '1 minute'")
        ended = end(app, job)
        assert (ended.state, ended.attempt) == ("completed", 2)
        generation = app.catalog.find("large").generation
    finally:
        process.resume()
    until(lambda: process.pid in workers(app))  # it goes on: it has entered itself again
    process.terminate()
    until(lambda: is_over(process))
    assert app.catalog.find("large").generation == generation
    assert app.runs.get(job.job_id).attempt == 2


def test_a_worker_without_the_key_says_so(app: App, sample_repo: Path) -> None:
    chosen = EmbeddingSettings(provider="openai", model="m", api_key="sk-123")
    app.settings = replace(app.settings, embedding=chosen)
    ended = end(app, ask(app, sample_repo, "shop"))
    assert isinstance(ended.error, ConfigurationError)
    assert "COCOSEARCH_EMBEDDING_API_KEY" in ended.error.hint


def test_a_worker_ends_when_nothing_is_left(app: App) -> None:
    done: list[bool] = []
    one = Worker(app.runs, queue_conninfo(app.database.dsn), this_host(), lambda _: None, 0.1)
    serving = threading.Thread(target=lambda: done.append(one.serve()))
    serving.start()
    serving.join(DEADLINE_S)
    assert done == [True]
    with app.database.reading() as conn:
        assert conn.execute("SELECT count(*) FROM cocosearch_py.workers").fetchone() == (0,)


@pytest.mark.parametrize("is_command", [False, True])
def test_no_progress_for_long_ends_it(
    app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch, is_command: bool
) -> None:
    """A command writes from the thread of its work, as long as it has no other."""
    if is_command:
        monkeypatch.setattr(recorder, "threading", SimpleNamespace(**{**vars(threading), "active_count": lambda: 1}))
    begun = app.runs.begin(request_of(app, sample_repo, "shop", app.indexing_options()))

    def hang(recorder: recorder.Recorder) -> None:
        recorder.tell(Progress("parse", 1, 9))
        while not recorder.stopped():
            time.sleep(0.01)

    errors: list[CocosearchError] = []

    def record() -> None:
        try:
            app.runs.record(begun, hang, 1)
        except CocosearchError as error:
            errors.append(error)

    hanging = threading.Thread(target=record)
    hanging.start()
    hanging.join(DEADLINE_S)
    assert app.runs.get(begun.job.job_id).state == "failed"
    assert [error.error_type for error in errors] == ["timeout"]


STUCK = """
import ctypes, threading, time, cocosearch_py.jobs.recorder as recorder, cocosearch_py.server.worker_program as working
recorder.GRACE_S, working._LAST_S, working._CHECK_S = 0.2, 0.2, 0.1
working.perform = lambda *_, **__: {stuck}
working.main()
"""


@pytest.fixture
def stuck(app: App, database_url: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Starts a worker whose runs do not look up, and waits for its end; meanwhile there is no other."""

    def serve(how: str) -> int:
        process = forking.Popen(
            [sys.executable, "-c", STUCK.format(stuck=how)],
            stdin=subprocess.PIPE,
            env={"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"], "HOME": str(data_folder)},
            stderr=subprocess.DEVNULL,
        )
        try:
            process.communicate(json.dumps({"url": database_url, "data_folder": str(data_folder)}).encode(), DEADLINE_S)
        finally:
            process.kill()
        return process.returncode

    monkeypatch.setattr(run_store, "start_worker", lambda _: None)
    return serve


def test_work_that_never_looks_up_is_ended(app: App, sample_repo: Path, stuck: Any, monkeypatch: Any) -> None:
    usual = app.settings
    app.settings = replace(usual, jobs=JobSettings(progress_timeout=1))
    job = ask(app, sample_repo, "shop")
    assert stuck("threading.Event().wait()") == 1
    ended = app.runs.get(job.job_id)
    assert (ended.state, ended.error and ended.error.error_type) == ("failed", "timeout")
    assert "jobs.progressTimeout" in str(ended.error)
    monkeypatch.undo()
    app.settings = usual
    assert end(app, ask(app, sample_repo, "shop")).state == "completed"


def test_a_worker_whose_interpreter_is_held_ends(app: App, sample_repo: Path, stuck: Any, monkeypatch: Any) -> None:
    """A library that does not return stops all threads; what they did is done again elsewhere."""
    job = ask(app, sample_repo, "shop")
    assert stuck("(setattr(working, 'HELD_S', 0.5), time.sleep(1), ctypes.PyDLL(None).pause())") == 1
    assert app.runs.get(job.job_id).state == "running"
    monkeypatch.undo()
    ended = end(app, job)
    assert (ended.state, ended.attempt) == ("completed", 2)


def test_a_run_whose_database_went_away_begins_again(
    app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_store, "start_worker", lambda _: None)
    job = ask(app, sample_repo, "shop")
    taken = app.runs.take(job.job_id)
    assert taken is not None

    def lose(_: recorder.Recorder) -> None:
        raise DatabaseUnreachableError("gone")

    with pytest.raises(DatabaseUnreachableError):
        app.runs.record(taken[0], lose, 0)
    told = app.runs.log(job.job_id)[-1]
    assert told.kind == "rescued"
    assert told.message.startswith("the database connection was lost")
    again = app.runs.take(job.job_id)
    assert again is not None and again[0].attempt == 2


def test_runs_of_other_folders_do_not_exist_for_some(app: App, sample_repo: Path) -> None:
    job = end(app, ask(app, sample_repo, "shop"))
    narrow = app.runs.seen_by(lambda path: path.startswith("/elsewhere"))
    assert narrow.all() == []
    with app.database.writing() as conn:
        for number in range(run_store.MOST_LISTED):
            runs.insert(conn, f"other-{number}", f"other-{number}", "/elsewhere", "a host", {})
    assert [one.job_id for one in app.runs.seen_by(str(sample_repo).__eq__).all()] == [job.job_id]
    assert narrow.of_index("shop") is None
    for look in (narrow.get, narrow.log, narrow.cancel):
        with pytest.raises(NotFoundError):
            look(job.job_id)


def test_commands(database_url: str, data_folder: Path, sample_repo: Path, tmp_path: Path) -> None:
    environ = {"PYTHONPATH": str(SOURCE), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    environ |= {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    environ |= {"COCOSEARCH_DATABASE_URL": database_url, "COCOSEARCH_DATA_DIR": str(data_folder)}

    def command(*arguments: str) -> Any:
        command = [sys.executable, "-m", "cocosearch_py", *arguments, "-q"]
        done = forking.run(command, env=environ, cwd=sample_repo, text=True, timeout=DEADLINE_S)
        return json.loads(done.stdout if done.returncode == 0 else done.stderr.splitlines()[-1])

    started = command("index", "--detach", "-n", "shop")
    assert (started["state"], started["index_name"]) == ("queued", "shop")
    assert (started["path"], str(started["seconds"])) == (str(sample_repo), "0.0")
    followed = command("status", started["job_id"], "--watch")
    assert (followed["state"], followed["progress"]) == ("completed", 100)
    told = command("status", "-n", "shop")
    assert (told["job_id"], told["files"], told["seq"]) == (started["job_id"], 6, 1)
    assert command("jobs")[0]["job_id"] == started["job_id"]
    assert [event["kind"] for event in command("log", "shop")] == ["queued", "begun", "completed"]
    assert command("cancel", started["job_id"])["state"] == "completed"
    assert command("cancel", "unknown")["error_type"] == "not_found"
