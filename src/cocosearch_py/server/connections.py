"""Connections of a port: how many there may be, and how long a client may keep the server waiting.

A connection waits for its client before a request has arrived completely, and while the client does not read the
response. Only then it has a time limit, and only then it may be closed to make room for a new one. A request that is
being answered, such as an open event stream, is left alone.
"""

import logging
import sys
import time
from asyncio import BaseTransport
from contextlib import suppress

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

log = logging.getLogger(__name__)

# Seconds until a client must have sent the line and the headers of its next request.
HEAD_S = 20.0
# Seconds until it must have sent the body, and for which it may stop reading the response.
BODY_S = 60.0
# Connections beside the event streams of sessions: one for each request in progress, and idle ones.
_MORE_CONNECTIONS = 2_000
# Files that stay free for the database, search processes, bundles and connections that are accepted at once.
_RESERVED_FILES = 512
# One round of the event loop accepts this part of the reserved files, and four rounds pass before closed ones are free.
_ACCEPTED_PART = 8


class Connections(ServerState):
    """All connections of a port, and since when each has been waiting for its client."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit
        # In the order of their times, the longest wait first.
        self.waiting: dict[Connection, float] = {}

    def admit(self, new: "Connection") -> None:
        """Make room for a new connection: close the one that waits longest, else the new one."""
        if len(self.connections) > self.limit:
            oldest = next(iter(self.waiting), new)
            log.warning("all %d connections are in use: closing the one that has been idle longest", self.limit)
            oldest.end()

    def end_overdue(self) -> None:
        """Close connections whose clients have kept the server waiting for too long."""
        now = time.monotonic()
        for connection, since in list(self.waiting.items()):
            if now - since > connection.patience_s:
                connection.end()


class Connection(H11Protocol):
    """One connection, which notes when it waits for its client."""

    server_state: Connections

    @property
    def patience_s(self) -> float:
        """How long this connection may wait for its client now."""
        return BODY_S if self._is_asking or self.flow.write_paused else HEAD_S

    @property
    def _is_asking(self) -> bool:
        """Whether a request has begun and is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def end(self) -> None:
        """Close at once, whatever is still to be sent."""
        self.server_state.waiting.pop(self, None)
        self.transport.abort()

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[arg-type]
        self.server_state.admit(self)
        self._note()

    def connection_lost(self, exc: Exception | None) -> None:
        self.server_state.waiting.pop(self, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._note()

    def on_response_complete(self) -> None:
        self.server_state.waiting.pop(self, None)  # the wait for the next request begins now
        super().on_response_complete()
        self._note()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._note()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._note()

    def _note(self) -> None:
        waiting = self.server_state.waiting
        is_answering = self._is_asking and not self.cycle.more_body and not self.flow.write_paused
        if is_answering or self not in self.connections:  # lost ones are not there
            waiting.pop(self, None)
        else:
            waiting.setdefault(self, time.monotonic())


def limits(sessions: int) -> tuple[int, int]:
    """Number of connections that this process may have, and of those that it may accept at once.

    Raises the process's limit of open files as far as that is needed and allowed.

    Args:
        sessions: of each transport; every one may have a connection that stays open.
    """
    wanted = 2 * sessions + _MORE_CONNECTIONS
    files = _open_files(wanted + _RESERVED_FILES)
    reserved = min(_RESERVED_FILES, files // 2)
    return min(wanted, files - reserved), max(1, reserved // _ACCEPTED_PART)


def _open_files(wanted: int) -> int:
    """Number of files that this process may open, raised towards `wanted` where the system allows that."""
    if sys.platform == "win32":  # has no such limit
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # macOS has a further limit, which it does not show here
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    return wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)
