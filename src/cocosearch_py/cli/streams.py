"""Standard streams that may be closed, full, or read by a program that has gone away."""

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer


class OutputLostError(Exception):
    """Standard output takes no more; the cause is the OSError. Told apart from files and sockets that fail."""


class _Output(io.FileIO):
    def write(self, data: "Buffer", /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            _discard(self)
            raise OutputLostError(error.strerror) from error


class _Errors(io.FileIO):
    def write(self, data: "Buffer", /) -> int:
        """Write, or drop what nobody can read: that must not end the work which it is about."""
        try:
            return super().write(data)
        except OSError:
            _discard(self)
            return memoryview(data).nbytes


def put(text: str, stream: TextIO) -> None:
    """Write one line, at once: the two standard streams keep their order."""
    stream.write(text + "\n")
    stream.flush()


def set_up_streams() -> None:
    """Make the standard streams safe to write to; a name that the terminal cannot show is escaped.

    A closed one becomes the null device: the next file opened would get its number, and whatever is printed.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  # lives as long as the process
    sys.stdout = _text(_Output, 1, sys.stdout)
    sys.stderr = _text(_Errors, 2, sys.stderr)


def _text(kind: type[io.FileIO], number: int, stream: TextIO | None) -> TextIO:
    if os.name != "posix" and stream is not None:  # a console of Windows is no plain file
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
        return stream
    raw = kind(os.devnull, "w") if stream is None else kind(number, "w", closefd=False)
    encoding = "utf-8" if stream is None else stream.encoding
    lines = kind is _Errors or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, "backslashreplace", line_buffering=lines)


def _discard(stream: io.FileIO) -> None:
    """Send what is still buffered to the null device, or Python would complain about it while it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)
