"""Files that a parser never finishes, that crash it, or that eat all memory: each fails alone, with the reason.

The program is the real one with one language more, in which such files can be written.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.jobs.waiting import until

import cocosearch_py
from cocosearch_py.app import App
from cocosearch_py.catalog.stats import StatsRequest
from cocosearch_py.indexing.tasks import KILLED
from cocosearch_py.model.search import SearchRequest

PACKAGE = Path(cocosearch_py.__file__).parent
PATIENCE_S = 100
POISON = """
import os
from cocosearch_py.languages.language import Language

def rewrite(source):
    if b"never" in source:
        while True:
            pass
    if b"crash" in source:
        os.abort()
    if b"eat" in source:
        return bytes(bytearray(2**30))
    if b"large" in source:
        with open(os.environ["TRIES"], "a") as tries:
            tries.write("x")
        if "ROOM" not in os.environ:
            os.kill(os.getpid(), 9)
    if b"raise" in source:
        raise RuntimeError("this file is poison")
    return source

LANGUAGE = Language("poison", "Poison", extensions=(".poison",), grammar="tree_sitter_json", rewrite=rewrite)
"""
CRASHES = 25  # more than workers may break in a row for no file's fault
FAILED = {
    "bad/eat.poison": "it needs more memory than a file may take (indexing.fileMemoryMb)",
    "bad/never.poison": "it took longer than 5 s (indexing.fileTimeout)",
    "bad/raise.poison": "RuntimeError: this file is poison",
    **{f"bad/crash{number}.poison": "its worker process crashed (Aborted)" for number in range(CRASHES)},
}


@pytest.fixture
def program(tmp_path: Path, database_url: str, data_folder: Path) -> Callable[..., Any]:
    """Runs the program with the poisoned language; its JSON."""
    package = tmp_path / "site" / "cocosearch_py"
    (package / "languages" / "poison").mkdir(parents=True)
    for folder, into in ((PACKAGE, package), (PACKAGE / "languages", package / "languages")):
        for entry in folder.iterdir():
            if entry.name not in ("languages", "__pycache__"):
                (into / entry.name).symlink_to(entry)
    (package / "migrations").symlink_to(PACKAGE.parents[1] / "migrations")
    (package / "languages" / "poison" / "__init__.py").write_text(POISON)
    environment = {
        **os.environ,
        "PYTHONPATH": str(package.parent),
        "COCOSEARCH_DATABASE_URL": database_url,
        "COCOSEARCH_DATA_DIR": str(data_folder),
        "COCOSEARCH_INDEXING_FILE_TIMEOUT": "5",
        "COCOSEARCH_INDEXING_FILE_MEMORY_MB": "600",
        "COCOSEARCH_INDEXING_WORKERS": "2",
    }

    def run(*arguments: str, **more: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "cocosearch_py", *arguments],
            cwd=tmp_path,
            env=environment | more,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not limit memory")
def test_each_poisoned_file_fails_alone(app: App, tmp_path: Path, program: Callable[..., Any]) -> None:
    root = tmp_path / "root"
    (root / "bad").mkdir(parents=True)
    for path in FAILED:
        (root / path).write_text(f'{{"{Path(path).stem}": 1}}\n')
    for number in range(40):
        lines = "".join(f"def good_{number}_{line}(): return {line}\n" for line in range(300))
        (root / f"good{number}.py").write_text(lines)
    (root / "bad/good.poison").write_text('{"good": "antidote"}\n')
    stats = program("index", "root")["stats"]
    assert (stats["files_added"], stats["files_failed"]) == (41, len(FAILED))
    held = app.catalog.stats(app.catalog.find("root"), StatsRequest(skipped=True))
    assert {path: error for path, status, error, _, _ in held.left_out or () if status == "failed"} == FAILED
    for query, path in (("good_39_7", "good39.py"), ("antidote", "bad/good.poison")):
        assert app.search(SearchRequest(query), index_name="root")[1].hits[0].file_path == path
    again = program("index", "root")["stats"]  # none of them is tried again
    assert (again["files_unchanged"], again["files_failed"]) == (41, len(FAILED))
    (root / "bad/never.poison").write_text('{"fine": 1}\n')
    mended = program("index", "root")["stats"]
    assert (mended["files_added"], mended["files_failed"]) == (1, len(FAILED) - 1)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere so little work is done without workers")
def test_a_run_that_reads_little_is_protected_as_well(tmp_path: Path, program: Callable[..., Any]) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "good.py").write_text("def good(): ...\n")
    assert program("index", "root")["stats"]["files_added"] == 1
    for name in ("crash", "never"):
        (root / f"{name}.poison").write_text(f'{{"{name}": 1}}\n')
    stats = program("index", "root")["stats"]
    assert (stats["files_unchanged"], stats["files_failed"]) == (1, 2)
    verdicts = program("why", "root/crash.poison", "root/never.poison", "-n", "root")
    assert [verdict["error"] for verdict in verdicts] == [
        "its worker process crashed (Aborted)",
        "it took longer than 5 s (indexing.fileTimeout)",
    ]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere so little work is done without workers")
def test_what_the_system_killed_is_tried_once_by_each_run(tmp_path: Path, program: Callable[..., Any]) -> None:
    root, tries = tmp_path / "root", tmp_path / "tries"
    (root / "a").mkdir(parents=True)
    for number in range(3):
        (root / f"a/good{number}.py").write_text("def good(): ...\n")
    (root / "a/large.poison").write_text('{"large": 1}\n')
    outcomes = []
    for _ in range(2):
        stats = program("index", "root", TRIES=str(tries))["stats"]
        outcomes.append((stats["files_added"], stats["files_unchanged"], stats["files_failed"], len(tries.read_text())))
    assert outcomes == [(3, 0, 1, 2), (0, 3, 1, 3)]  # among others first
    (verdict,) = program("why", "root/a/large.poison", "-n", "root")
    assert (verdict["verdict"], verdict["error"]) == ("failed", KILLED)
    stats = program("index", "root", TRIES=str(tries), ROOM="there is")["stats"]
    assert (stats["files_added"], stats["files_failed"]) == (1, 0)
    assert program("search", "large", "-n", "root")


@pytest.mark.slow
def test_what_a_worker_of_the_queue_hung_in_fails_alone_the_next_time(
    tmp_path: Path, program: Callable[..., Any]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "good.py").write_text("def good(): ...\n")
    (root / "never.poison").write_text('{"never": 1}\n')

    def newest() -> dict[str, Any]:
        job: dict[str, Any] = program("jobs")[0]
        return job

    def ended() -> dict[str, Any] | None:
        return job if (job := newest())["state"] not in ("queued", "running") else None

    program("index", "root", "--detach", COCOSEARCH_JOBS_PROGRESS_TIMEOUT="8")
    first = until(ended)
    assert first["state"] == "failed" and "no progress" in first["error"]
    program("index", "root", "--detach", COCOSEARCH_INDEXING_FILE_TIMEOUT="2")
    until(lambda: newest()["files_done"])
    assert until(ended)["state"] == "completed"
    (verdict,) = program("why", "root/never.poison", "-n", "root")
    assert verdict["error"] == "it took longer than 2 s (indexing.fileTimeout)"
    assert program("search", "good", "-n", "root")


def test_only_runs_that_are_asked_for_try_again_what_the_system_killed(app: App, tmp_path: Path) -> None:
    path = tmp_path / "root" / "large.py"
    path.parent.mkdir()
    path.write_text("large = 1\n")
    app.index(path.parent)
    with psycopg.connect(app.settings.database.url or "") as conn:
        conn.execute("UPDATE cocosearch_py.files SET status = 'failed', error = %s", (KILLED,))
    assert app.forecast(path.parent).read_bytes == path.stat().st_size
    reports = [
        app.by_itself().index(path.parent),
        app.index(path.parent, is_suspect=True),
        app.index(path.parent),
    ]
    assert [(report.files_failed, report.files_added) for report in reports] == [(1, 0), (1, 0), (0, 1)]
