"""The command line as a user meets it: a process of its own, with an environment of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cocosearch_py.storage.server.embedded import EmbeddedServer

SOURCE = Path(__file__).parents[2] / "src"
TIMEOUT_S = 120  # far above what any command needs; ends a hanging one


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The last line of standard error, which is the error object when the output is JSON."""
        return json.loads(self.err.strip().splitlines()[-1])


Cli = Callable[..., Result]


# Forks a process for each request, which becomes the program. The start of the interpreter and the imports are most of
# what a short command takes; here they are done once. Nothing of the program has run before the fork.
_FORKING = """
import gc, importlib, json, os, runpy, socket, sys
for module in ("cli.program", "app", "search.service", "navigation.service", "wiki.service", "indexing.run",
               "indexing.repair", "operations.common.requests", "operations.common.jsontext"):
    importlib.import_module(f"cocosearch_py.{module}")
gc.freeze()
channel = socket.socket(fileno=int(sys.argv[1]))
while True:
    request, streams, _, _ = socket.recv_fds(channel, 1 << 20, 3)
    if not request:
        os._exit(0)
    child = os.fork()
    if child == 0:
        break
    for stream in streams:
        os.close(stream)
    channel.send(str(child).encode())
    channel.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
channel.close()
for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
arguments, folder, environment = json.loads(request)
os.chdir(folder)
os.environ.clear()
os.environ.update(environment)
sys.argv = ["cocosearch_py", *arguments]
runpy.run_module("cocosearch_py", run_name="__main__", alter_sys=True)
"""
_OF_THE_START = ("PYTHON", "LANG", "LC_")  # variables that the interpreter reads when it starts


class Forking:
    """Runs commands, each in a process of its own that is forked where everything is imported; one at a time."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.settimeout(TIMEOUT_S)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _FORKING, str(theirs.fileno())],
                env=environment,
                stdin=subprocess.PIPE,  # what its standard streams are decides how those of the forked behave
                stdout=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )

    def can_run(self, environment: dict[str, str]) -> bool:
        """Whether a command needs no interpreter that starts in this very environment."""
        names = [name for name in environment | self._environment if name.startswith(_OF_THE_START)]
        return all(environment.get(name) == self._environment.get(name) for name in names)

    def run(self, arguments: list[str], cwd: Path, environment: dict[str, str], stdin: str) -> Result:
        request = json.dumps([arguments, str(cwd), environment]).encode()
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(stdin.encode())
            given.seek(0)
            socket.send_fds(self._channel, [request], [given.fileno(), out.fileno(), err.fileno()])
            child = int(self._channel.recv(64))
            try:
                code = int(self._channel.recv(64))
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                self._channel.recv(64)
                raise
            return Result(code, *(_text(stream.fileno()) for stream in (out, err)))

    def close(self) -> None:
        self._channel.close()
        self._process.communicate()


def _text(stream: int) -> str:
    """What is in a file, with line ends as Python has them."""
    with open(os.dup(stream), encoding="utf-8") as reader:
        reader.seek(0)
        return reader.read()


@pytest.fixture(scope="session")
def forking(environment: dict[str, str]) -> Iterator[Forking | None]:
    """None where processes cannot be forked."""
    if sys.platform != "linux":
        yield None
        return
    made = Forking(environment)
    yield made
    made.close()


@pytest.fixture(scope="session")
def environment(data_folder: Path, server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment of every command of this session, whose server runs already."""
    names = ("PATH", "LANG", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name in names or name.startswith("COVERAGE_")}
    home = tmp_path_factory.mktemp("home")
    return {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": str(SOURCE),
        "COCOSEARCH_DATA_DIR": str(data_folder),
        "COLUMNS": "120",
    }


def started(arguments: list[str], cwd: Path, environment: dict[str, str], stdin: str) -> Result:
    """What a command does whose process starts as a user's does."""
    done = subprocess.run(
        [sys.executable, "-m", "cocosearch_py", *arguments],
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def cli(environment: dict[str, str], forking: Forking | None, tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """Run a command; fails when the exit code is not the expected one or a traceback shows."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    def run(
        *arguments: str | Path,
        code: int = 0,
        cwd: Path = elsewhere,
        env: dict[str, str] | None = None,
        stdin: str = "",
    ) -> Result:
        words, whole = [str(argument) for argument in arguments], {**environment, **(env or {})}
        if forking is not None and forking.can_run(whole):
            result = forking.run(words, cwd, whole, stdin)
        else:
            result = started(words, cwd, whole, stdin)
        assert "Traceback" not in result.err, result.err
        assert result.code == code, result
        return result

    return run


@pytest.fixture(scope="session")
def shop(cli: Cli, tmp_path_factory: pytest.TempPathFactory, write_sample: Callable[[Path], Path]) -> Path:
    """The sample project, indexed as `shop` in the embedded database."""
    folder = write_sample(tmp_path_factory.mktemp("projects") / "shop")
    (folder / ".gitignore").write_text("build/\n")
    (folder / "build").mkdir()
    (folder / "build" / "made.py").write_text("made = True\n")
    (folder / "broken.py").write_text("def broken(:\n    return (\n")
    (folder / "empty.py").write_text("")
    cli("index", folder)
    return folder
