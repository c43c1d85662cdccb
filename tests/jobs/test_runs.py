"""Runs are written down while they go on, and every process knows of all of them."""

import errno
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.jobs.waiting import DEADLINE_S, until

from cocosearch_py.app import App
from cocosearch_py.config.settings import EmbeddingSettings
from cocosearch_py.errors import IndexCollisionError, NotFoundError, OperationCancelled, SafetyError, WideFolderError
from cocosearch_py.indexing.progress import Progress
from cocosearch_py.jobs.failures import described, rebuilt
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.jobs.request import RunRequest
from cocosearch_py.model.plain import to_plain
from cocosearch_py.storage.queries import runs
from cocosearch_py.tools.requests import request_of, run_here


def run(app: App, folder: Path, name: str, **more: Any) -> JobStatus:
    options = replace(app.indexing_options(), **more)
    return run_here(app, folder, name, options, lambda _: None, lambda: False)


def test_a_run_is_written_down(app: App, sample_repo: Path) -> None:
    job = run(app, sample_repo, "shop")
    kept = app.runs.get(job.job_id)
    assert (kept.state, kept.percent, kept.subject, kept.root_path) == ("completed", 100, "shop", str(sample_repo))
    assert kept.result == job.result
    assert kept.result.files_added == 6
    assert [event.kind for event in app.runs.log(job.job_id)] == ["begun", "completed"]
    assert app.runs.all()[0].job_id == job.job_id
    with pytest.raises(NotFoundError):
        app.runs.get("unknown")


def test_a_failed_run_keeps_its_error(app: App, sample_repo: Path, tmp_path: Path) -> None:
    run(app, sample_repo, "shop")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.py").write_text("x = 1\n")
    with pytest.raises(IndexCollisionError) as raised:
        run(app, tmp_path / "other", "shop")
    kept = app.runs.all()[0]
    assert kept.state == "failed"
    assert isinstance(kept.error, IndexCollisionError)
    assert (kept.error.message, kept.error.hint) == (raised.value.message, raised.value.hint)


@pytest.mark.parametrize(("number", "remedy"), [(errno.EMFILE, "ulimit"), (errno.ENOSPC, "free space")])
def test_a_limit_of_the_system_is_told_as_one(app: App, sample_repo: Path, number: int, remedy: str) -> None:
    def refused(_: object) -> None:
        raise OSError(number, os.strerror(number))

    with pytest.raises(OSError, match=os.strerror(number)):
        run_here(app, sample_repo, "shop", app.indexing_options(), refused, lambda: False)
    error = app.runs.all()[0].error
    assert error is not None
    assert error.message == f"the operating system refused: {os.strerror(number)}"
    assert remedy in error.hint


def test_errors_come_back_as_they_were() -> None:
    assert isinstance(rebuilt(described(WideFolderError("large", hint="yes"))), SafetyError)
    assert rebuilt({"type": "OfANewerVersion", "message": "m"}).message == "m"


def test_others_see_how_far_a_run_is_and_stop_it(
    app: App, sample_repo: Path, paused: Callable[..., Any], database_url: str
) -> None:
    for number in range(150):  # several batches
        (sample_repo / f"part_{number}.py").write_text(f"def part_{number}(): pass\n")
    with psycopg.connect(database_url, autocommit=True) as conn, paused(sample_repo, "shop", "parse") as process:
        runs.listen(conn)
        job = app.runs.all()[0]
        assert (job.state, job.percent < 100) == ("running", True)
        assert 0 < until(lambda: app.runs.get(job.job_id).done) < 156
        app.runs.cancel(job.job_id)
        told = [one.payload for one in conn.notifies(timeout=DEADLINE_S, stop_after=1)]
        assert f"{job.job_id} running shop" in told
        process.stdin.close()
        process.wait(DEADLINE_S)
    ended = app.runs.get(job.job_id)
    assert ended.state == "cancelled"
    assert ended.percent is not None and 0 < ended.percent <= 100 * ended.done / ended.total < 90
    assert ended.result.files_added + ended.result.files_pending == 156, "what was complete is kept"
    assert ended.percent < 100


def test_progress_never_falls(app: App, sample_repo: Path, database: Any) -> None:
    job = run(app, sample_repo, "shop")
    with database.writing() as conn:
        conn.execute("UPDATE cocosearch_py.runs SET state = 'running', progress = 40")
        moment = runs.Moment("parse", 1, 2, 1, 2, 10, [])
        assert runs.save_moment(conn, job.job_id, 1, moment) is False
    assert app.runs.get(job.job_id).percent == 40


def test_a_like_run_is_followed(app: App, sample_repo: Path, paused: Callable[..., Any]) -> None:
    with paused(sample_repo, "shop") as process:
        seen: list[Progress] = []
        done: list[JobStatus] = []

        def follow() -> None:
            done.append(run_here(app, sample_repo, "shop", app.indexing_options(), seen.append, lambda: False))

        following = threading.Thread(target=follow)
        following.start()
        until(lambda: seen)
        assert process.stdin is not None
        process.stdin.close()
        following.join(DEADLINE_S)
    assert done[0].result.files_added == 6
    assert len(app.runs.all()) == 1


def test_whoever_follows_may_leave(app: App, sample_repo: Path, paused: Callable[..., Any]) -> None:
    told: list[Progress] = []
    with paused(sample_repo, "shop"), pytest.raises(OperationCancelled, match="still running") as raised:
        run_here(app, sample_repo, "shop", app.indexing_options(), told.append, lambda: bool(told))
    assert "cocosearch-py cancel" in raised.value.hint


def test_an_unlike_run_waits(app: App, sample_repo: Path, paused: Callable[..., Any]) -> None:
    with paused(sample_repo, "shop") as process:
        waiting = threading.Thread(target=run, args=(app, sample_repo, "shop"), kwargs={"fresh": True})
        waiting.start()
        until(app.runs.all)
        waiting.join(1.0)
        assert waiting.is_alive()
        assert len(app.runs.all()) == 1
        assert process.stdin is not None
        process.stdin.close()
        waiting.join(DEADLINE_S)
    assert [job.state for job in app.runs.all()] == ["completed", "completed"]


def test_a_killed_command_does_not_hold_up_the_next(app: App, sample_repo: Path, paused: Callable[..., Any]) -> None:
    with paused(sample_repo, "shop", "graph") as process:
        process.kill()
        process.wait()
        killed = app.runs.all()[0]
        assert killed.state == "failed"
        assert "ended unexpectedly" in str(killed.error)
        assert run(app, sample_repo, "shop").result.files_added == 6


def test_a_fenced_run_commits_nothing(app: App, sample_repo: Path, database: Any) -> None:
    """Its process was taken for dead; somebody else does the run now."""

    def other_attempt(progress: Progress) -> None:
        if progress.stage == "finalize":
            with database.writing() as conn:
                conn.execute("UPDATE cocosearch_py.runs SET attempt = attempt + 1")

    with pytest.raises(Exception, match="continues in another process"):
        run_here(app, sample_repo, "shop", app.indexing_options(), other_attempt, lambda: False)
    assert app.catalog.list_all() == []
    assert app.runs.all()[0].state == "running", "it is not this process that ends it"


def test_a_request_holds_no_secret(app: App, sample_repo: Path) -> None:
    for url, kept in (("http://here/v1", True), ("http://user:word@here/v1", False)):
        chosen = EmbeddingSettings(provider="openai", model="m", api_key="sk-123", base_url=url)
        under = app.under(app.settings)
        under.settings = replace(app.settings, embedding=chosen)
        request = request_of(under, sample_repo, "shop", app.indexing_options())
        assert "sk-123" not in str(request)
        assert "user:word" not in str(request)
        assert (request.settings["embedding"].get("base_url") == url) is kept
        assert request.needs == (("embedding.apiKey",) if kept else ("embedding.apiKey", "embedding.baseUrl"))


def test_old_runs_are_removed(app: App, sample_repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_KEPT", 2)
    made = [run(app, sample_repo, "shop").job_id for _ in range(4)]
    assert [job.job_id for job in app.runs.all()] == made[:0:-1], "two that had ended when the last one began"


def test_a_request_that_takes_the_place_of_others_keeps_their_wishes(app: App, sample_repo: Path) -> None:
    options = app.indexing_options()

    def asking(**more: Any) -> RunRequest:
        return request_of(app, sample_repo, "shop", replace(options, **more))

    def merged(new: RunRequest, waiting: RunRequest) -> RunRequest:
        assert new.takes_place_of(to_plain(waiting))
        return new.with_wishes_of(to_plain(waiting))

    plain, fresh, failed = asking(), asking(fresh=True), asking(only_failed=True)
    assert merged(plain, fresh) == merged(failed, fresh) == merged(fresh, failed) == fresh
    assert merged(plain, failed) == merged(failed, plain) == plain
    assert merged(failed, failed) == failed
    assert merged(plain, asking(confirmed=True)).options["confirmed"], "a folder as large is meant"
    other_discovery = replace(options.discovery, exclude=("a*",))
    other = asking(discovery=other_discovery)
    assert merged(plain, other) == plain, "of what contradicts, the newest holds"
    wide = asking(discovery=other_discovery, content=replace(options.content, symbol=False, graph=False))
    assert merged(failed, wide) == wide, "one of failed files names nothing that a whole run goes by"
    named = replace(wide, settings={"indexing": {}}, needs=("embedding.apiKey",))
    assert merged(failed, named) == named
    assert not merged(plain, asking(confirmed=True, discovery=other_discovery)).options["confirmed"], "another choice"
    sure = asking(only_failed=True, confirmed=True)
    assert (merged(sure, plain).options["confirmed"], merged(sure, wide)) == (True, wide)
    for unlike in (replace(plain, folder="/elsewhere"), replace(plain, completes=True, options={})):
        assert not plain.takes_place_of(to_plain(unlike))
        assert not unlike.takes_place_of(to_plain(plain))
