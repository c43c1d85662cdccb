"""Commands on a pseudo-terminal."""

import contextlib
import os
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Timer

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
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
    process = forking.Popen(
        [sys.executable, "-m", "cocosearch_py", *map(str, arguments)],
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
    return code, shown.decode("utf-8", "replace").replace("\r\n", "\n")
