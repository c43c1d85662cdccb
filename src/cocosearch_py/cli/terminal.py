"""Programs that take over the terminal for a while: a pager, an editor."""

import math
import os
import shlex
import shutil
import signal
import subprocess  # noqa: TID251  # starts the programs that the user names
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.pager import Pager
from rich.text import Text

_LESS = "FRX"  # ends at once if all fits, keeps colours, leaves the text on the screen; as git sets it


def run_program(command: Sequence[str], environ: Mapping[str, str], text: str | None = None) -> int:
    """Run a program on this terminal and return its exit code; Ctrl-C is for the program.

    Args:
        text: its standard input; None leaves it the terminal.

    Raises:
        OSError: the program cannot be started.
    """
    before = signal.signal(signal.SIGINT, lambda *_: None)  # a handler, unlike SIG_IGN, is not inherited
    try:
        given = None if text is None else text.encode(sys.stdout.encoding, "backslashreplace")
        return subprocess.run(command, env=dict(environ), input=given, check=False).returncode
    finally:
        signal.signal(signal.SIGINT, before)


def pager_command(environ: Mapping[str, str]) -> list[str]:
    """Return the program of PAGER, else less; nothing where there is none, or it is `cat`."""
    command = shlex.split(environ.get("PAGER", "less"))
    is_there = bool(command) and command[0] != "cat" and shutil.which(command[0]) is not None
    return command if is_there else []


class LongPager(Pager):
    """Shows text with a pager if it is longer than the screen."""

    def __init__(self, console: Console, environ: Mapping[str, str]) -> None:
        self._console = console
        self._environ = environ

    def show(self, content: str) -> None:
        """Write the text to the terminal, or let the pager do so."""
        command = pager_command(self._environ)
        if command and self._is_long(content):
            try:
                run_program(command, {"LESS": _LESS, **self._environ}, content)
            except OSError:  # it is there, but not a program
                pass
            else:
                return
        self._console.file.write(content)
        self._console.file.flush()

    def _is_long(self, content: str) -> bool:
        """Whether the text has more lines, as the terminal wraps them, than the screen."""
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        left = rows - 1  # the prompt has one
        for line in content.splitlines():
            left -= max(1, math.ceil(Text.from_ansi(line).cell_len / columns)) if columns else 1
            if left < 0:
                return rows > 0
        return False
