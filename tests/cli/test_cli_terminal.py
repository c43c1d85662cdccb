"""What only happens on a terminal or while a run goes on: colours, the bar, questions, Ctrl-C."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")

FILES = 600  # about ten batches: a run that is told to stop after the first one leaves most of them
TIMEOUT_S = 120


@pytest.fixture(scope="module")
def large(tmp_path_factory) -> Path:
    """A folder of more than one batch."""
    folder = tmp_path_factory.mktemp("large")
    body = "\n".join(f"    value_{n} = left + right * {n}  # step {n} of the sum" for n in range(30))
    for number in range(FILES):
        part = folder / f"part{number // 100}"
        part.mkdir(exist_ok=True)
        (part / f"module_{number}.py").write_text(f"def compute_{number}(left, right):\n{body}\n    return value_1\n")
    return folder


def on_terminal(environment, *arguments, typed=""):
    """Run with a pseudo-terminal for input, output and errors; return the exit code and all that was shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cocosearch_py", *map(str, arguments)],
        env={**environment, "TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    shown = b""
    with contextlib.suppress(OSError):  # Linux ends a pseudo-terminal with an error
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    return process.wait(TIMEOUT_S), shown.decode("utf-8", "replace").replace("\r\n", "\n")


class Running:
    """A command that runs while the test goes on; what it tells can be read at any time."""

    def __init__(self, environment, folder, *arguments):
        self._out, self._err = folder / "out", folder / "err"
        with self._out.open("w") as out, self._err.open("w") as err:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "cocosearch_py", *map(str, arguments)],
                env=environment,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    @property
    def err(self):
        return self._err.read_text()

    def wait_for(self, text):
        end = time.monotonic() + TIMEOUT_S
        while text not in self.err:
            assert self._process.poll() is None, self.err
            assert time.monotonic() < end
            time.sleep(0.01)

    def interrupt(self):
        """Ctrl-C as a terminal sends it: to the whole group, workers included."""
        os.killpg(self._process.pid, signal.SIGINT)

    def terminate(self):
        self._process.terminate()

    def group_lives(self):
        """Whether a process of the command's session is left, its workers included."""
        try:
            os.killpg(self._process.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def finish(self):
        """Exit code and standard output."""
        return self._process.wait(TIMEOUT_S), self._out.read_text()


def test_a_terminal_gets_coloured_text_and_json_only_when_asked(environment, shop):
    code, shown = on_terminal(environment, "search", "apply_discount", "-n", "shop", "-l", "1")
    assert code == 0
    assert "\x1b[" in shown
    assert "discounts.py" in shown
    code, shown = on_terminal(environment, "search", "apply_discount", "-n", "shop", "-l", "1", "--no-color")
    assert code == 0
    assert "\x1b[3" not in shown
    code, shown = on_terminal(environment, "list", "--json", "-q")
    assert code == 0
    assert "shop" in [item["name"] for item in json.loads(shown)]


def test_a_terminal_sees_progress_and_a_summary(environment, sample_repo, database_url):
    code, shown = on_terminal(environment, "index", sample_repo, "--database-url", database_url)
    assert code == 0
    assert "scanning" in shown
    assert "6 added" in shown


def test_a_terminal_is_asked_before_an_index_goes(environment, cli, sample_repo, database_url):
    at = ("--database-url", database_url)
    cli("index", sample_repo, "-n", "precious", *at)
    code, shown = on_terminal(environment, "clear", "precious", *at, typed="n\n")
    assert code == 1
    assert "Delete 'precious' (6 files)?" in shown
    assert len(cli("list", *at).json) == 1
    code, _ = on_terminal(environment, "clear", "precious", *at, typed="y\n")
    assert code == 0
    assert cli("list", *at).json == []


def test_the_first_interrupt_keeps_what_is_done_and_the_next_run_goes_on(
    environment, cli, large, database_url, tmp_path
):
    at = ("--database-url", database_url)
    run = Running(environment, tmp_path, "index", large, "-n", "large", "--jobs", "1", *at)
    run.wait_for("scanning")
    run.interrupt()
    code, out = run.finish()
    assert code == 130, run.err
    report = json.loads(out)
    assert report["interrupted"] is True
    kept, pending = report["stats"]["files_added"], report["stats"]["files_pending"]
    assert kept > 0
    assert pending > 0
    assert kept + pending == FILES
    assert "stopping; keeping what is done" in run.err
    assert f"{kept:,} files are kept" in run.err
    assert "interrupted" in cli("stats", "large", *at).json["warnings"][0]
    assert cli("search", "compute value", "-n", "large", "-l", "1", *at).json
    rest = cli("index", large, "-n", "large", "-q", *at)
    assert (rest.json["stats"]["files_added"], rest.json["stats"]["files_unchanged"]) == (pending, kept)
    assert rest.err == ""


def test_the_second_interrupt_aborts_and_leaves_the_index_as_it_was(environment, cli, large, database_url, tmp_path):
    at = ("--database-url", database_url)
    run = Running(environment, tmp_path, "index", large, "-n", "large", "--jobs", "1", *at)
    run.wait_for("scanning")
    run.interrupt()
    run.wait_for("stopping")
    run.interrupt()
    code, _ = run.finish()
    assert code == 130, run.err
    assert "Traceback" not in run.err
    statuses = [item["status"] for item in cli("list", *at).json]
    aborted = "aborted: nothing of this run is kept" in run.err
    assert statuses == ([] if aborted else ["interrupted"])  # the run may end before the second signal comes


def test_a_run_that_is_terminated_leaves_no_process(environment, large, database_url, tmp_path):
    run = Running(environment, tmp_path, "index", large, "-n", "large", "--jobs", "2", "--database-url", database_url)
    run.wait_for("scanning")
    time.sleep(1)  # into the run, or past it
    run.terminate()
    run.finish()
    end = time.monotonic() + TIMEOUT_S
    while run.group_lives():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_reader_that_goes_away_is_no_error(environment, shop):
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [sys.executable, "-m", "cocosearch_py", "config", "show"],
        env=environment,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    os.close(writer)
    assert process.stderr == ""
