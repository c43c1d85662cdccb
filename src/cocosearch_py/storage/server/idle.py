"""Connections that nobody uses now, kept for the next reader."""

import os
import select
import time
from threading import Lock, Timer
from weakref import WeakSet

import psycopg
from psycopg.pq import PipelineStatus, TransactionStatus

_KEEP_S = 60.0  # a server may have few connections, and a crowd that is gone needs none
_all: "WeakSet[IdleConnections]" = WeakSet()


class IdleConnections:
    """A stack of open connections, for any number of threads. One is kept for ever, the others for `_KEEP_S`.

    `generation` counts how often all were closed: what was lent before does not come back.
    """

    def __init__(self) -> None:
        _all.add(self)
        self.generation = 0
        self.forget()

    def forget(self) -> None:
        """Have none from now on, without closing any: in a copy of the process that made them, which uses them."""
        self._stack: list[tuple[float, psycopg.Connection]] = []  # (given back at, connection), the newest last
        self._lock = Lock()
        self._shrinking: Timer | None = None

    def take(self) -> psycopg.Connection | None:
        """A connection that lives; None when there is none."""
        while True:
            with self._lock:
                if not self._stack:
                    return None
                _, conn = self._stack.pop()
            if _lives(conn):
                return conn
            conn.close()

    def give_back(self, conn: psycopg.Connection, generation: int) -> None:
        """Keep a connection that was taken, or was made, in that generation; close it if it is of no use any more."""
        state = conn.pgconn
        clean = state.transaction_status == TransactionStatus.IDLE and state.pipeline_status == PipelineStatus.OFF
        with self._lock:
            if clean and generation == self.generation:
                self._stack.append((time.monotonic(), conn))
                self._shrink_later()
                return
        conn.close()

    def clear(self) -> None:
        """Close all; what is lent now is closed when it is given back."""
        with self._lock:
            self.generation += 1
            closing, self._stack = self._stack, []
            if self._shrinking is not None:
                self._shrinking.cancel()
                self._shrinking = None
        for _, conn in closing:
            conn.close()

    def _shrink_later(self) -> None:
        if self._shrinking is None and len(self._stack) > 1:
            self._shrinking = Timer(_KEEP_S, self._shrink)
            self._shrinking.daemon = True
            self._shrinking.start()

    def _shrink(self) -> None:
        with self._lock:
            used_since = time.monotonic() - _KEEP_S
            old = [entry for entry in self._stack[:-1] if entry[0] <= used_since]
            self._stack = self._stack[len(old) :]
            self._shrinking = None
            self._shrink_later()
        for _, conn in old:
            conn.close()


def _lives(conn: psycopg.Connection) -> bool:
    """Whether the server still has this session; asks it only if it has sent something, such as a farewell."""
    try:
        if hasattr(select, "poll"):  # not on Windows
            socket = select.poll()
            socket.register(conn.fileno(), select.POLLIN)
            if not socket.poll(0):
                return True
        conn.execute("")
    except psycopg.OperationalError:
        return False
    return True


def _forget_all() -> None:
    for connections in _all:
        connections.forget()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_forget_all)
