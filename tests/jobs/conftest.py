"""Runs in processes of their own, on the test's database."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests import forking

SOURCE = Path(__file__).parents[2] / "src"
# Does a run as a command does; stops at the first progress of a stage, says so, and goes on when its input ends.
HERE = """
import sys, time
from pathlib import Path
from cocosearch_py.app import App
from cocosearch_py.config.settings import DatabaseSettings, IndexingSettings, Settings
from cocosearch_py.jobs import recorder
from cocosearch_py.tools.requests import run_here

url, data, folder, name, stage = sys.argv[1:]
recorder._FIRST_S = recorder._TELL_S = 0.01  # what it does before it stops is told, however short
paused = False

def pause(progress):
    global paused
    if progress.stage == stage and not paused and (progress.files_done or stage != "parse"):
        paused = True
        print("reached", flush=True)
        sys.stdin.read()
        time.sleep(0.1)  # until it hears of others

settings = Settings(database=DatabaseSettings(url=url), indexing=IndexingSettings(workers=1))
with App(settings, Path(data)) as app:
    job = run_here(app, Path(folder), name, app.indexing_options(), pause, lambda: False)
    print(job.state, job.job_id, flush=True)
"""
Paused = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def paused(database_url: str, data_folder: Path) -> Iterator[Callable[..., Iterator["subprocess.Popen[str]"]]]:
    """A run in another process that waits at a stage; it is killed at the end if it still waits."""

    @contextmanager
    def begin(folder: Path, name: str, stage: str = "acquire") -> Iterator["subprocess.Popen[str]"]:
        process = forking.Popen(
            [sys.executable, "-c", HERE, database_url, str(data_folder), str(folder), name, stage],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin", "HOME": str(folder.parent)},
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "reached\n"
            yield process
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None and not pipe.closed:
                    pipe.close()

    yield begin
