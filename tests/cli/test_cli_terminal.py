"""What only happens on a terminal or while a run goes on: colours, the bar, questions, Ctrl-C."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import psycopg
import pytest
from rich.console import Console
from tests.terminals import on_terminal

from cocosearch_py.cli.editor import editor_command
from cocosearch_py.cli.progress import open_progress
from cocosearch_py.indexing.progress import Progress

pytest.importorskip("pty", reason="needs a POSIX terminal")
import fcntl
import pty
import struct
import termios

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


@pytest.fixture(scope="module")
def wide(tmp_path_factory, cli, environment) -> dict[str, str]:
    """An environment without a width, with an index `wide` of long lines and long paths."""
    folder = tmp_path_factory.mktemp("wide") / "packages" / "a-rather-long-folder-name" / "another-long-folder-name"
    folder.mkdir(parents=True)
    (folder / "prices_of_articles.py").write_text(
        'def reduce_prices(prices):\n    """Reduce."""\n    return ['
        + ", ".join(f"price_{n}" for n in range(40))
        + "]\n"
    )
    (folder / "colours.py").write_text('RED = "\x1b[31m"  # of warnings\n')
    cli("index", folder.parents[2], "-n", "wide")
    return {name: value for name, value in environment.items() if name != "COLUMNS"}


def test_folders_that_are_typed_are_asked_for(environment, tmp_path):
    (tmp_path / "typed").mkdir()
    (tmp_path / "typed/a.py").write_text("one = 1\n")
    code, shown = on_terminal(environment, "index", "--paths-from", "-", typed=f"{tmp_path / 'typed'}\n\x04")
    assert code == 0, shown
    assert "reading folders from the terminal, one a line, until Ctrl-D" in shown
    assert "1 added" in shown


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

    def send(self, number):
        self._process.send_signal(number)

    def wait_for_worker(self):
        """Return when a worker process of the run works."""
        end = time.monotonic() + TIMEOUT_S
        while not psutil.Process(self._process.pid).children():
            assert self._process.poll() is None, self.err
            assert time.monotonic() < end
            time.sleep(0.01)

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


def test_a_terminal_hears_why_a_pipe_gets_json(environment, shop):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "cocosearch_py", "list"]

    def told(*flags):
        subprocess.run([*command, *flags], env=environment, stdout=subprocess.PIPE, stderr=theirs, check=True)
        os.write(theirs, b"end\n")
        shown = b""
        while not shown.endswith(b"end\r\n"):
            shown += os.read(ours, 65536)
        return shown.decode().splitlines()[:-1]

    try:
        assert told() == ["JSON, since the output is a pipe; --pretty for text"]
        assert told("--json") == told("-q") == told("--pretty") == []
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.fixture
def pager(environment, tmp_path) -> dict[str, str]:
    """An environment whose pager marks what it shows."""
    program = tmp_path / "pager"
    program.write_text("#!/bin/sh\necho PAGED $LESS\ncat\n")
    program.chmod(0o700)
    return {**environment, "PAGER": str(program)}


def test_a_pager_shows_what_is_longer_than_the_screen(pager, shop):
    long, short = ("search", "price", "-n", "shop", "--full"), ("search", "price", "-n", "shop", "-l", "1")
    code, shown = on_terminal(pager, *long)
    assert code == 0
    assert shown.startswith("PAGED FRX\n")
    for arguments in (short, (*long, "--no-pager"), ("search", "price", "-n", "shop", "--full", "--json")):
        assert "PAGED" not in on_terminal(pager, *arguments)[1]


def test_a_pager_that_is_not_there_hides_nothing(environment, shop):
    for pager in ("/nowhere/pager", ""):
        assert "discounts.py" in on_terminal({**environment, "PAGER": pager}, "search", "price", "-n", "shop")[1]


def test_warnings_come_before_the_results(pager, shop):
    _, shown = on_terminal(pager, "search", "prices.py:500", "-n", "shop", "--no-color")
    assert shown.index("has no line 500") < shown.index("1  ")


def test_the_editor_is_started_at_the_line(environment, shop, tmp_path):
    editor = tmp_path / "vim"
    editor.write_text('#!/bin/sh\necho "EDITED $@"\n')
    editor.chmod(0o700)
    named = {**environment, "VISUAL": f"{editor} -R"}
    code, shown = on_terminal(named, "open", "shop/discounts.py:7", "-n", "shop", cwd=shop)
    assert (code, shown) == (0, f"EDITED -R +7 {shop}/shop/discounts.py\n")
    code, shown = on_terminal(
        {**named, "VISUAL": "/nowhere/editor"}, "open", "shop/discounts.py", "-n", "shop", cwd=shop
    )
    assert code == 2
    assert "the editor `/nowhere/editor` cannot be started" in shown


@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        ("vi", ["+7", "/a b"]),
        ("nano -l", ["-l", "+7", "/a b"]),
        ("code --wait", ["--wait", "--goto", "/a b:7"]),
        ("/usr/bin/hx", ["/a b:7"]),
        ("pycharm", ["--line", "7", "/a b"]),
        ("unheard-of", ["/a b"]),
    ],
)
def test_editors_are_given_the_line_in_their_own_way(editor, arguments):
    assert editor_command({"EDITOR": editor}, "/a b", 7)[1:] == arguments
    assert editor_command({"VISUAL": "subl", "EDITOR": editor}, "/a b", 7) == ["subl", "/a b:7"]


def test_without_an_editor_the_place_is_printed(environment, shop, tmp_path):
    bare = {**environment, "VISUAL": "", "PATH": str(tmp_path)}
    code, shown = on_terminal(bare, "open", "shop/discounts.py:7", "-n", "shop", cwd=shop)
    assert code == 0
    assert shown.splitlines()[0] == f"{shop}/shop/discounts.py:7"
    assert "set VISUAL or EDITOR" in shown


def test_a_terminal_sees_progress_and_a_summary(environment, sample_repo, database_url):
    code, shown = on_terminal(environment, "index", sample_repo, "--database-url", database_url)
    assert code == 0
    assert "acquire" in shown
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


def test_clear_says_for_whom_it_waits(environment, cli, sample_repo, database_url, tmp_path):
    at = ("--database-url", database_url)
    cli("index", sample_repo, "-n", "shop", *at)
    with psycopg.connect(database_url, application_name="a person") as person:
        person.execute("SELECT count(*) FROM cocosearch_py.cocosearch_shop")
        run = Running(environment, tmp_path, "clear", "shop", "--force", *at)
        run.wait_for(f"read by process {person.info.backend_pid} (a person, last statement at ")
        assert "SELECT" not in run.err
    assert run.finish()[0] == 0
    assert cli("list", *at).json == []


def test_the_first_interrupt_keeps_what_is_done_and_the_next_run_goes_on(
    environment, cli, large, database_url, tmp_path
):
    at = ("--database-url", database_url)
    run = Running(environment, tmp_path, "index", large, "-n", "large", "--jobs", "1", *at)
    run.wait_for_worker()
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
    assert f"{kept:,} files kept" in run.err
    assert "interrupted" in cli("stats", "large", *at).json["warnings"][0]
    assert cli("search", "compute value", "-n", "large", "-l", "1", *at).json[-1]["type"] == "incomplete_index"
    for asked in (("search", "--files-only"), ("search", "--files-only", "--json"), ("analyze", "--pretty")):
        assert "interrupted" in cli(*asked, "compute value", "-n", "large", *at).err
    assert "interrupted" in cli("analyze", "compute value", "-n", "large", *at).json["warnings"][0]
    evaluated = cli("eval", "-n", "large", "--cases", "3", *at)
    assert "interrupted" in evaluated.json["warnings"][0]
    assert cli("list", *at).json[0]["files_pending"] == pending
    assert f"interrupted, {pending:,} files left" in cli("list", "--pretty", *at).out
    rest = cli("index", large, "-n", "large", "-q", *at)
    assert (rest.json["stats"]["files_added"], rest.json["stats"]["files_unchanged"]) == (pending, kept)
    assert "files_pending" not in cli("list", *at).json[0]
    assert rest.err == ""


def test_the_second_interrupt_aborts_and_leaves_the_index_as_it_was(environment, cli, large, database_url, tmp_path):
    at = ("--database-url", database_url)
    run = Running(environment, tmp_path, "index", large, "-n", "large", "--jobs", "1", *at)
    run.wait_for_worker()
    run.interrupt()
    run.wait_for("stopping")
    run.interrupt()
    code, _ = run.finish()
    assert code == 130, run.err
    assert "Traceback" not in run.err
    statuses = [item["status"] for item in cli("list", *at).json]
    aborted = "aborted: the index is unchanged" in run.err
    assert statuses == ([] if aborted else ["interrupted"])  # the run may end before the second signal comes


def test_a_run_that_is_terminated_leaves_no_process(environment, large, database_url, tmp_path):
    run = Running(environment, tmp_path, "index", large, "-n", "large", "--jobs", "2", "--database-url", database_url)
    run.wait_for_worker()
    run.terminate()
    run.finish()
    end = time.monotonic() + TIMEOUT_S
    while run.group_lives():
        assert time.monotonic() < end
        time.sleep(0.05)


LAST_PRICE = "price_39"
SEARCH = ("search", "reduce_prices", "-n", "wide", "-l", "1", "--no-color")


@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
@pytest.mark.parametrize("columns", [40, 200])
def test_code_is_cut_with_a_mark_at_the_width_of_the_terminal(wide, columns, terminal):
    code, shown = on_terminal({**wide, "TERM": terminal}, *SEARCH, columns=columns)
    assert code == 0
    shown = re.sub(r"\x1b\[[\d;]*m", "", shown)
    (line,) = [line for line in shown.splitlines() if "price_0," in line]
    assert len(line) == columns
    assert line.endswith("…")
    (line,) = [line for line in shown.splitlines() if "def reduce_prices" in line]
    assert line.endswith("(prices):")


def test_a_pipe_gets_whole_lines_unless_a_width_is_given(cli, wide):
    for without in ("", "0", "wide"):
        out = cli(*SEARCH, "--pretty", env={"COLUMNS": without}).out
        assert LAST_PRICE in out
        assert "…" not in out
    out = cli(*SEARCH, "--pretty", env={"COLUMNS": "40"}).out
    assert LAST_PRICE not in out
    assert max(len(line) for line in out.splitlines() if "price_0," in line) == 40


@pytest.mark.parametrize(
    "arguments",
    [
        ("analyze", "reduce_prices", "-n", "wide"),
        ("list",),
        ("stats", "wide", "--show-skipped", "--show-failures"),
        ("languages",),
        ("doctor",),
    ],
    ids=" ".join,
)
def test_nothing_is_broken_inside_a_word_or_left_out_at_any_width(cli, wide, arguments):
    def words(columns):
        out = cli(*arguments, "--pretty", env={"COLUMNS": columns}).out
        return {word for word in re.split(r"[\s:/]+", out) if not re.match(r"[\d.,]+$", word)}  # figures change

    whole = words("")
    assert words("80") == whole
    assert words("40") ^ whole <= {"#", "score", "by", "where", "why", "check", "found"}  # titles are repeated, or not


def test_a_narrow_table_is_a_list_of_blocks(cli, wide):
    lines = cli("list", "--pretty", env={"COLUMNS": "40"}).out.splitlines()
    assert "index:    wide" in lines
    assert "status:   complete" in lines
    assert "index  " in cli("list", "--pretty", env={"COLUMNS": "200"}).out.splitlines()[0]


def test_control_characters_of_files_do_not_reach_the_terminal(cli, wide):
    out = cli("search", "RED colour of warnings", "-n", "wide", "--pretty", "--path", "**/colours.py").out
    assert "\x1b" not in out
    assert '"\\x1b[31m"' in out


def piped(environment, command):
    """Exit code and standard error of a shell command, in which `cocosearch` is the program."""
    script = f'cocosearch() {{ "{sys.executable}" -m cocosearch_py "$@"; }}; set -o pipefail; {command}'
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "command",
    [
        "config show",
        "--help",
        "languages",
        "languages --pretty",
        "search price -n shop -q",
        "search price -n shop -q --pretty",
    ],
)
def test_a_reader_that_goes_away_is_no_error(environment, shop, command):
    assert piped(environment, f"cocosearch {command} | true") == (0, "")
    assert piped(environment, f"cocosearch {command} 2>&- | true") == (0, "")


def test_a_command_that_fails_fails_in_a_pipe_too(environment, shop):
    assert piped(environment, "cocosearch search x -n nowhere 2>/dev/null | true")[0] == 3


@pytest.mark.parametrize("command", ["list", "list --pretty", "languages --pretty", "config path --json"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_an_error(environment, shop, command):
    code, err = piped(environment, f"cocosearch {command} >/dev/full")
    assert code == 1
    assert "the output cannot be written: No space left on device" in err
    assert "Traceback" not in err


def test_closed_or_full_streams_change_no_exit_code(environment, shop):
    assert piped(environment, "cocosearch list >&-") == (0, "")
    assert piped(environment, "cocosearch list >&- 2>&- <&-") == (0, "")
    for lost in ("2>&-", "2>/dev/full", "2> >(true)"):
        assert piped(environment, f"cocosearch search x -n nowhere {lost}")[0] == 3


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="needs a small pipe")
@pytest.mark.parametrize("streams", [("stdout",), ("stdout", "stderr")])
@pytest.mark.parametrize(("sent", "expected"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_what_writes_to_a_pipe_that_nobody_reads(environment, sent, expected, streams):
    reading, writing = os.pipe()
    room = fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1)  # the least there is
    where = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **dict.fromkeys(streams, writing)}
    process = subprocess.Popen([sys.executable, "-m", "cocosearch_py", "languages"], env=environment, **where)
    os.close(writing)
    end = time.monotonic() + TIMEOUT_S
    while struct.unpack("i", fcntl.ioctl(reading, termios.FIONREAD, bytes(4))) < (room,):
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(sent)
    try:
        assert process.wait(TIMEOUT_S / 4) == expected
    finally:
        process.kill()
        os.close(reading)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="needs a small pipe")
def test_an_interrupt_stops_a_run_whose_progress_nobody_reads(environment, large, database_url, tmp_path):
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1)  # the least there is
    os.set_blocking(reading, False)
    arguments = ("index", str(large), "--jobs", "1", "--database-url", database_url)
    with (tmp_path / "out").open("w") as out:
        command = [sys.executable, "-m", "cocosearch_py", *arguments]
        process = subprocess.Popen(command, env=environment, stdout=out, stderr=writing)
    end = time.monotonic() + TIMEOUT_S
    while not psutil.Process(process.pid).children():
        assert time.monotonic() < end
        with contextlib.suppress(BlockingIOError):
            os.read(reading, 65536)
        time.sleep(0.01)
    ours = os.open(f"/dev/fd/{writing}", os.O_WRONLY | os.O_NONBLOCK)  # the run's own descriptor goes on blocking
    with contextlib.suppress(BlockingIOError):
        while os.write(ours, b"x"):
            pass
    os.close(ours)
    os.close(writing)
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(TIMEOUT_S / 2) == 130
    finally:
        process.kill()
        os.close(reading)
    assert json.loads((tmp_path / "out").read_text())["interrupted"] is True


@pytest.mark.parametrize(("sent", "expected"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_a_run_with_one_line(environment, large, database_url, tmp_path, sent, expected):
    run = Running(environment, tmp_path, "index", large, "-q", "--jobs", "1", "--database-url", database_url)
    run.wait_for_worker()
    run.send(sent)
    code, out = run.finish()
    assert (code, out) == (expected, ""), run.err
    (line,) = run.err.splitlines()
    assert json.loads(line)["error"] == f"ended by {sent.name}"


_SIGNALLED_IN_A_DESTRUCTOR = """
import os, signal, sys, time
from cocosearch_py.cli import main

class Signalled:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        time.sleep(0)

def work(arguments):
    Signalled()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(0.01)

main.run(["index"], work)
"""


@pytest.mark.parametrize(("sent", "expected"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_a_run_also_in_the_midst_of_a_destructor(environment, sent, expected):
    """Python drops what a handler raises there."""
    command = [sys.executable, "-c", _SIGNALLED_IN_A_DESTRUCTOR, str(int(sent))]
    ended = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert (ended.returncode, ended.stdout, len(ended.stderr.splitlines())) == (expected, "", 1), ended.stderr


def test_the_bar_has_a_thread_only_after_workers_were_forked(monkeypatch):
    shown = io.StringIO()
    session = SimpleNamespace(quiet=False, error_console=Console(file=shown, force_terminal=True, width=80))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    before = threading.active_count()
    with open_progress(session) as sink:
        sink(Progress("parse", 7, 20))
        assert threading.active_count() == before
        assert "7/20 files" in shown.getvalue()
        sink(Progress("graph", 20, 20))
        told, end = len(shown.getvalue()), time.monotonic() + TIMEOUT_S
        while len(shown.getvalue()) == told:  # the spinner turns although nobody tells anything
            assert time.monotonic() < end
            time.sleep(0.01)
    assert threading.active_count() == before
