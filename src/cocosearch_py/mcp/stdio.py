"""Messages on standard input and output, read in a thread of its own and written from the event loop.

The SDK's own transport hands a question and its answer over seven times, between tasks and to threads and back.
"""

import asyncio
import os
import select
import socket
from array import array
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Thread
from types import TracebackType

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError

from cocosearch_py.mcp.envelopes import read_message

Item = SessionMessage | JSONRPCError  # an error is the answer to a message that cannot be accepted


class Input:
    """Standard input, which is empty for everybody else from now on."""

    def __init__(self) -> None:
        self._number = _taken(0, os.open(os.devnull, os.O_RDONLY))

    def read(self, take: Callable[[Item], None], end: Callable[[], None]) -> None:
        """Have the running loop call `take` with each message, and `end` after the last one."""
        given = (asyncio.get_running_loop(), take, end)
        # A daemon, since nothing ends its waiting for a line.
        Thread(target=self._read, args=given, name="standard input", daemon=True).start()

    def _read(self, loop: asyncio.AbstractEventLoop, take: Callable[[Item], None], end: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            try:
                with suppress(OSError), open(self._number, encoding="utf-8", errors="replace") as lines:
                    for line in lines:
                        if (item := read_message(line)) is not None:
                            loop.call_soon_threadsafe(take, item)
            finally:
                loop.call_soon_threadsafe(end)


class Output:
    """The SDK's stream of messages to standard output, which is standard error for everybody else from now on.

    Each of the SDK's loops closes it when it ends; it stays open for the other.
    """

    def __init__(self) -> None:
        self._number = _taken(1, _copy_of_errors())
        self._socket = _socket_of(self._number)
        self._capacity = _capacity_of(self._number)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="standard output")  # waits for a client that is slow
        self._waiting: Future[OSError | None] | None = None  # the last one that it was given
        self.lost: Callable[[], None] = lambda: None  # called when nobody reads any more
        self.error: OSError | None = None  # that said so

    async def send(self, item: SessionMessage, /) -> None:
        """Write a message behind those before it. Raises BrokenResourceError when nobody reads."""
        line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        error = None
        if self._waiting is None or self._waiting.done():
            line, error = self._write_at_once(line)
        if line and error is None:
            self._waiting = self._writer.submit(self._write, line)
            # Whoever cancels a call must not cut its answer short, or the next one would begin amid it.
            error = await asyncio.shield(asyncio.wrap_future(self._waiting))
        if error is not None:
            self.error = error
            self.lost()
            raise anyio.BrokenResourceError from error

    def _write_at_once(self, line: bytes) -> tuple[bytes, OSError | None]:
        """Write what nobody has to be waited for, as nearly always; what is left, and why nothing can be written."""
        try:
            if self._socket is not None:
                line = line[self._socket.send(line, socket.MSG_DONTWAIT) :]
            elif len(line) <= self._capacity and _is_empty(self._number):
                line = line[os.write(self._number, line) :]
        except BlockingIOError:
            pass
        except OSError as error:
            return line, error
        return line, None

    def _write(self, line: bytes) -> OSError | None:
        """Write all of it; why that cannot be done, since whoever is cancelled does not take an exception."""
        try:
            while line:
                try:
                    line = line[os.write(self._number, line) :]
                except BlockingIOError:  # somebody who shares it has set that
                    select.select([], [self._number], [])
        except OSError as error:
            return error
        return None

    async def settle(self, within_s: float) -> None:
        """Give a client that is slow so long to take the message that it has begun to read."""
        if self._waiting is not None:
            with anyio.move_on_after(within_s):
                await asyncio.shield(asyncio.wrap_future(self._waiting))

    async def aclose(self) -> None:
        """Leave it open."""

    async def __aenter__(self) -> "Output":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave it open."""


def _taken(number: int, instead: int) -> int:
    """Another number for what a descriptor stands for, which stands for something else from now on."""
    own = os.dup(number)
    os.dup2(instead, number)
    os.close(instead)
    return own


def _copy_of_errors() -> int:
    try:
        return os.dup(2)
    except OSError:  # it is closed
        return os.open(os.devnull, os.O_WRONLY)


def _socket_of(number: int) -> socket.socket | None:
    """Return the socket that Node.js gives to its programs; None for other input, and where sockets always wait."""
    if hasattr(socket, "MSG_DONTWAIT"):
        with suppress(OSError):
            return socket.socket(fileno=number)
    return None


def _capacity_of(number: int) -> int:
    """Bytes that a pipe holds; 0 for anything else, and on systems that do not say."""
    try:
        import fcntl  # not everywhere

        return fcntl.fcntl(number, fcntl.F_GETPIPE_SZ)
    except (ImportError, AttributeError, OSError):
        return 0


def _is_empty(pipe: int) -> bool:
    """Whether all that was written to a pipe was read."""
    import fcntl
    import termios

    unread = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, unread)
    return not unread[0]
