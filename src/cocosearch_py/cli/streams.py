"""Standard streams that may be closed, full, or read by a program that has gone away."""

import io
import os
import select
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from cocosearch_py.model.terminal import TerminalStream, escaping, visible

if TYPE_CHECKING:
    from typing_extensions import Buffer


class OutputLostError(Exception):
    """Standard output takes no more; the cause is the OSError. Told apart from files and sockets that fail."""


MAX_INPUT_BYTES = 1 << 20  # Maximum bytes read for a query; each operation allows fewer characters.
_PATIENCE_S = 1.0  # of a process that was asked to end, for a pipe that nobody may be reading
_LEAST_ROOM = 512  # bytes that a pipe takes without blocking once it takes any: PIPE_BUF of POSIX


class _Stream(io.FileIO):
    ending = False

    def write(self, data: "Buffer", /) -> int:
        if not _Stream.ending:
            return super().write(data)
        _drop_unread(self.fileno())
        return super().write(memoryview(data)[:_LEAST_ROOM])


class _Output(_Stream):
    def write(self, data: "Buffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            _discard(self.fileno())
            raise OutputLostError(error.strerror) from error


class _Errors(_Stream):
    def write(self, data: "Buffer", /) -> int:
        """Write, or drop what nobody can read: that must not end the work which it is about."""
        try:
            return super().write(data)
        except OSError:
            _discard(self.fileno())
            return memoryview(data).nbytes


def put(text: str, stream: TextIO) -> None:
    """Write one line for people, at once: the two standard streams keep their order."""
    stream.write(visible(text) + "\n")  # during a progress bar Rich reads the text before the stream escapes it
    stream.flush()


def put_data(text: str, stream: TextIO) -> None:
    """Write one line for programs, at once: a terminal gets it as people do, a pipe or a file unchanged."""
    if isinstance(stream, TerminalStream) and not stream.isatty():
        stream.write_unchanged(text + "\n")
        stream.flush()
    else:
        put(text, stream)


def piped_text() -> str:
    """Return the text on standard input, to its end; bytes that are not UTF-8 become question marks."""
    return sys.stdin.buffer.read(MAX_INPUT_BYTES).decode("utf-8", "replace").strip()


def file_text(path: Path) -> str:
    """Return the text of a file or pipe that the user names; raises OSError."""
    with path.open("rb") as file:
        return file.read(MAX_INPUT_BYTES).decode("utf-8", "replace").strip()


def set_up_streams() -> None:
    """Make the standard streams safe to write to; characters that are hidden or cannot be encoded are escaped.

    A closed one becomes the null device: the next file opened would get its number, and whatever is printed.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # lives as long as the process
    sys.stdout = _text(_Output, 1, sys.stdout)
    sys.stderr = _text(_Errors, 2, sys.stderr)


def stop_waiting() -> None:
    """From now on no write waits for long for a reader; what it does not take is lost."""
    _Stream.ending = True


def write_in_handler(text: bytes) -> None:
    """Write to standard error from a signal's handler, past a stream in the middle of a write.

    If nobody reads it, the interrupted write comes to an end as well.
    """
    _drop_unread(sys.stderr.fileno())
    with suppress(OSError):  # nobody is there any more
        os.write(sys.stderr.fileno(), text)


def _drop_unread(number: int) -> None:
    """Let a descriptor lead to the null device if it takes nothing."""
    if os.name == "posix" and not select.select([], [number], [], _PATIENCE_S)[1]:
        _discard(number)


def _text(kind: type[io.FileIO], number: int, stream: TextIO | None) -> TextIO:
    if os.name != "posix" and stream is not None:  # a console of Windows is no plain file
        return escaping(stream)
    raw = kind(os.devnull, "w") if stream is None else kind(number, "w", closefd=False)
    encoding = "utf-8" if stream is None else stream.encoding
    lines = kind is _Errors or raw.isatty()
    return TerminalStream(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=lines)


def _discard(number: int) -> None:
    """Send what is still buffered to the null device, or Python would complain about it while it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, number)
    os.close(null)
