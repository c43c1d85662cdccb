"""Programs as processes that are forked from an interpreter which has imported ours.

The start of the interpreter and the imports are most of what a short program takes; here they are done once. Nothing of
the program has run before the fork. Tests that are about the start use `subprocess`.
"""

import atexit
import ctypes
import inspect
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, PIPE
from threading import Lock
from typing import Any

SOURCE = Path(__file__).parents[1] / "src"
TIMEOUT_S = 120  # far above what any fork needs
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux
_OF_THE_START = ("PYTHON", "LANG", "LC_")  # variables that the interpreter reads when it starts
_MODULES = (
    *("app", "cli.help", "cli.main", "cli.operations", "cli.program", "cli.running", "editing.log"),
    *("embedding.vectors", "indexing.pipeline", "indexing.repair", "indexing.run", "indexing.words"),
    *("navigation.service", "features.search.request", "tools.jsontext", "tools.requests", "search.service"),
    *("search.verify", "server.worker_program", "features.wiki.service"),
)
# Imported before the first server is forked; commands do without.
_OF_SERVERS = (
    *(
        "mcp.command",
        "mcp.protocol",
        "mcp.http",
        "mcp.server",
        "server.engines",
        "server.lifecycle",
        "server.processes",
    ),
)
# Forks a process for each request, through another that ends at once: an orphan becomes a child of who asked for it.
_FORKING = """
import gc, importlib, json, os, runpy, socket, sys, time, types
of_servers = sys.argv[3:]
def load(modules):
    for module in modules:
        importlib.import_module(f"cocosearch_py.{module}")
    gc.freeze()
os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"  # as servers have it
load(sys.argv[2].split())
channel = socket.socket(fileno=int(sys.argv[1]))
while True:
    request, streams, _, _ = socket.recv_fds(channel, 1 << 20, 3)
    if not request:
        os._exit(0)
    parent, way, arguments, folder, environment, new_session = json.loads(request)
    if "mcp" in arguments:
        load(of_servers)
        of_servers = []
    channel.send(b"ready")
    channel.recv(64)
    between = os.fork()
    if between == 0:
        child = os.fork()
        if child == 0:
            break
        channel.send(str(child).encode())
        os._exit(0)
    for stream in streams:
        os.close(stream)
    os.waitpid(between, 0)
    channel.send(b"adopted")
channel.close()
while os.getppid() != parent:
    time.sleep(0.001)
for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
if new_session:
    os.setsid()
os.chdir(folder)
os.environ.clear()
os.environ.update(environment)
if way == "-m":
    sys.argv = arguments
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
else:
    sys.argv = ["-c", *arguments[1:]]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(arguments[0], main.__dict__)
"""


class _Interpreter:
    """The interpreter that forks, for any number of threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._channel.settimeout(TIMEOUT_S)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        with theirs:
            # What its streams are decides how those of the forked behave.
            self._process = subprocess.Popen(
                [sys.executable, "-c", _FORKING, str(theirs.fileno()), " ".join(_MODULES), *_OF_SERVERS],
                env={**environment, "PYTHONPATH": str(SOURCE)},
                stdin=PIPE,
                stdout=PIPE,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self._close)

    def _close(self) -> None:
        self._channel.close()
        self._process.communicate()

    def fork(self, request: list[Any], streams: list[int]) -> int:
        """Let a process begin as a child of this one; its number."""
        with self._lock:
            prctl = ctypes.CDLL(None).prctl
            socket.send_fds(self._channel, [json.dumps([os.getpid(), *request]).encode()], streams)
            assert self._channel.recv(64) == b"ready"
            prctl(_SUBREAPER, 1, 0, 0, 0)  # so briefly that hardly any other orphan comes
            try:
                self._channel.send(b"fork")
                child = int(self._channel.recv(64))
                assert self._channel.recv(64) == b"adopted"
            finally:
                prctl(_SUBREAPER, 0, 0, 0, 0)
            return child


@cache
def _interpreter() -> _Interpreter:
    return _Interpreter()


def _can_fork(command: list[str], environment: Mapping[str, str]) -> bool:
    """Whether a command is ours, and needs no interpreter that starts in this very environment."""
    if sys.platform != "linux" or command[0] != sys.executable or command[1] not in ("-c", "-m"):
        return False
    of_start = ((name, value) for name, value in environment.items() if name.startswith(_OF_THE_START))
    return all(value in (os.environ.get(name), str(SOURCE)) for name, value in of_start)


class Popen(subprocess.Popen[Any]):
    """That of `subprocess`, which forks `[sys.executable, "-m" or "-c", ...]` where that makes no difference."""

    def _execute_child(self, *given: Any) -> None:
        asked = inspect.signature(super()._execute_child).bind(*given).arguments  # type: ignore[misc]
        command, environment = list(map(str, asked["args"])), os.environ if asked["env"] is None else asked["env"]
        if not _can_fork(command, environment) or asked["pass_fds"]:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        pipes = [asked[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        streams = [number if pipe == -1 else pipe for number, pipe in enumerate(pipes)]
        where = [str(asked["cwd"] or Path.cwd()), dict(environment), asked["start_new_session"]]
        self.pid = _interpreter().fork([command[1], command[2:], *where], streams)
        self._child_created = True
        every = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        self._close_pipe_fds(*(asked[name] for name in every))  # type: ignore[attr-defined]


def run(command: list[str], *, input: Any = None, timeout: float = TIMEOUT_S, **more: Any) -> Any:
    """`subprocess.run` of such a command with its output captured."""
    pipes = {"stdin": DEVNULL if input is None else PIPE, "stdout": PIPE, "stderr": PIPE}
    with Popen(command, **{**pipes, **more}) as process:
        try:
            out, error = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, error)
