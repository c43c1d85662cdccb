"""Commands on a pseudo-terminal."""

import contextlib
import os
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from tests import forking

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")
import fcntl  # noqa: E402
import termios  # noqa: E402

TIMEOUT_S = 120  # far above what any command needs; ends a hanging one


def on_terminal(
    environment: Mapping[str, str], *arguments: str | Path, typed: str = "", columns: int = 0, cwd: Path | None = None
) -> tuple[int, str]:
    """Run with a pseudo-terminal for input, output and errors; return the exit code and all that was shown."""
    command = [sys.executable, "-m", "cocosearch_py", *map(str, arguments)]
    return run_on_terminal(forking.Popen, command, environment, typed=typed, columns=columns, cwd=cwd)


def run_on_terminal(
    start: Callable[..., Any],
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    typed: str = "",
    rows: int = 25,
    columns: int = 0,
    cwd: Path | None = None,
) -> tuple[int, str]:
    """Start a command as `subprocess.Popen` does, with a pseudo-terminal; return exit code and all that was shown."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = start(
        command,
        env={"TERM": "xterm-256color", **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        start_new_session=True,
    )
    os.close(theirs)
    os.write(ours, typed.encode())
    hanging = Timer(TIMEOUT_S, process.kill)
    hanging.start()
    shown = b""
    with contextlib.suppress(OSError):  # Linux ends a pseudo-terminal with an error
        while part := os.read(ours, 65536):
            shown += part
    os.close(ours)
    code = process.wait(TIMEOUT_S)
    hanging.cancel()
    hanging.join()
    return code, shown.decode("utf-8", "replace").replace("\r\n", "\n")
