"""Parses files before and after an edit in a process of its own: one that crashes, hangs or grows harms nobody.

The process stays for the next edit, and remembers what it has parsed. Started as a program it answers pickled
questions, each with its length before it, until its input ends.
"""

import os
import pickle
import struct
import subprocess  # noqa: TID251
import sys
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from threading import Lock
from typing import IO, Any, NamedTuple

from cocosearch_py.model.symbols import Symbol
from cocosearch_py.model.syntax import Soundness
from cocosearch_py.model.waiting import wait_to_read, wait_to_write

LIMIT_S = 10.0  # for one question; a file of 200 KB takes 40 ms
_START_S = 30.0  # until a process that has just begun has loaded what it needs, on a busy machine
_MEMORY_BYTES = 4 * 2**30
_MOST_KNOWN = 64
_LENGTH = struct.Struct(">Q")


class Version(NamedTuple):
    """A file at one time: what it is called, its language, its text in UTF-8."""

    path: str
    language: str
    source: bytes


class Parsers:
    """Asks the process, and starts it when it is needed. For any number of threads; close it at the end."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_new = True
        self._known: OrderedDict[tuple[str, bytes], Soundness] = OrderedDict()

    def expect(self) -> None:
        """Start the process, and do not wait for it."""
        if not self._lock.acquire(blocking=False):
            return  # somebody is asking it
        try:
            with suppress(OSError):
                self._running()
        finally:
            self._lock.release()

    def check(self, versions: Sequence[Version]) -> list[Soundness | None]:
        """How each can be parsed, in their order; None for what was not parsed in time."""
        keys = [_key(one) for one in versions]
        return [self._known.get(key) or self._check(key, one) for key, one in zip(keys, versions, strict=True)]

    def symbols(self, version: Version) -> list[Symbol] | None:
        """All definitions of a file; None when it was not parsed in time."""
        found: list[Symbol] | None = self._ask(("symbols", version))
        return found

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def _check(self, key: tuple[str, bytes], version: Version) -> Soundness | None:
        found: Soundness | None = self._ask(("check", version))
        if found is not None:
            self._known[key] = found
            while len(self._known) > _MOST_KNOWN:
                with suppress(KeyError):
                    self._known.popitem(last=False)
        return found

    def _ask(self, question: tuple[str, Version]) -> Any:
        with self._lock:
            try:
                process = self._running()
                assert process.stdin is not None and process.stdout is not None
                limit_s, self._is_new = self._limit_s + (_START_S if self._is_new else 0.0), False
                deadline = time.monotonic() + limit_s
                _ask(process.stdin, pickle.dumps(question), deadline)
                return pickle.loads(_receive(process.stdout, deadline))
            except (OSError, EOFError):  # a TimeoutError is an OSError
                self._end()
                return None

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            self._end()
            self._is_new = True
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in a terminal is for its parent
            )
            if self._process.stdin is not None:
                os.set_blocking(self._process.stdin.fileno(), False)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        process.wait()


def _key(version: Version) -> tuple[str, bytes]:
    return version.language, blake2b(version.source, digest_size=16).digest()


def _ask(stream: IO[bytes], data: bytes, deadline: float) -> None:
    """Send a message to a process that may not read it. Raises TimeoutError, OSError."""
    left = memoryview(_LENGTH.pack(len(data)) + data)
    while left:
        if not wait_to_write(stream.fileno(), max(0.0, deadline - time.monotonic())):
            raise TimeoutError
        left = left[os.write(stream.fileno(), left) :]


def _send(stream: IO[bytes], data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes], deadline: float | None = None) -> bytes:
    """The next message. Raises EOFError, TimeoutError."""
    size = _LENGTH.unpack(_read(stream, _LENGTH.size, deadline))[0]
    return _read(stream, size, deadline)


def _read(stream: IO[bytes], size: int, deadline: float | None) -> bytes:
    pieces, left, descriptor = [], size, stream.fileno()
    while left:
        wait_s = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not wait_to_read([descriptor], wait_s):
            raise TimeoutError
        piece = os.read(descriptor, min(left, 1 << 20))
        if not piece:
            raise EOFError
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _main() -> None:
    from cocosearch_py.parsing.checking import SoundnessChecker
    from cocosearch_py.parsing.source import parse_source

    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_BYTES, _MEMORY_BYTES))
    checker = SoundnessChecker()
    while True:
        try:
            kind, version = pickle.loads(_receive(sys.stdin.buffer))
        except EOFError:
            return
        path, language, source = version
        if kind == "check":
            answer: Any = checker.check(language, path, source)
        else:
            answer = list(parse_source(language, source).symbols)
        _send(sys.stdout.buffer, pickle.dumps(answer))


if __name__ == "__main__":
    _main()
