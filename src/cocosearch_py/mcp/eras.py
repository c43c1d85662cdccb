"""Both protocol eras on one stdio connection.

The SDK lets a client's first request decide the era of its connection, once, and refuses what belongs to the other. A
client that negotiates asks `server/discover` first, which only the stateless era has, and may then choose
`initialize`. So each era gets an SDK loop of its own here, and every message goes to the loop that understands it.
"""

import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from fastmcp import FastMCP
from mcp.server.runner import serve_dual_era_loop
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
)
from pydantic import ValidationError

Item = SessionMessage | Exception  # the transport passes on what it could not read
Send = MemoryObjectSendStream[Item]


def run_stdio(server: FastMCP) -> None:
    """Serve standard input until its end. Raises BrokenPipeError, in a group, when nobody reads the answers."""
    engine: Any = server._mcp_server  # FastMCP has no other name for the SDK's server

    async def serve(read: Any, write: Any, initialization: Any, raise_exceptions: bool = False) -> None:
        async with engine.lifespan(engine) as state, write, anyio.create_task_group() as loops:
            sends = []
            for _ in range(2):
                send, receive = anyio.create_memory_object_stream[Item]()
                sends.append(send)
                loops.start_soon(_loop, engine, receive, _Shared(write), state, initialization)
            await _distribute(read, _Shared(write), *sends)

    engine.run = serve
    server.run("stdio", show_banner=False)


async def _loop(engine: Any, receive: Any, write: "_Shared", state: Any, initialization: Any) -> None:
    """One era; its first request, of the right kind, makes it that."""
    await serve_dual_era_loop(engine, receive, write, lifespan_state=state, init_options=initialization)


async def _distribute(read: Any, write: "_Shared", handshake: Send, stateless: Send) -> None:
    """Pass each message on. Notifications carry no sign of their era: they belong to the requests before them."""
    async with handshake, stateless, read:
        era = handshake
        async for item in read:
            message = getattr(item, "message", None)
            if isinstance(message, JSONRPCRequest):
                era = stateless if _is_stateless(message) else handshake
                await era.send(item)
            elif isinstance(message, JSONRPCNotification):
                everywhere = message.method == "notifications/cancelled"  # whichever has that request
                for send in (handshake, stateless) if everywhere else (era,):
                    await send.send(item)
            elif (refusal := _refusal(item)) is not None:
                await write.send(SessionMessage(refusal))
            else:  # an answer; only servers of the handshake era ask
                await handshake.send(item)


def _refusal(item: Item) -> JSONRPCError | None:
    """The answer to a request that the SDK's reader could not read, which it drops: half of a surrogate pair in it."""
    if not isinstance(item, ValidationError):
        return None
    problem = item.errors()[0]
    try:
        read = json.loads(problem["input"]) if problem["type"] == "json_invalid" else None
    except (ValueError, RecursionError):  # no JSON at all, so there is no telling whose answer it would be
        return None
    number = read.get("id") if isinstance(read, dict) and "method" in read else None
    if isinstance(number, bool) or not isinstance(number, int | str) or not str(number).isascii():
        return None
    error = ErrorData(code=PARSE_ERROR, message=f"{problem['msg']}; text must be valid Unicode")
    return JSONRPCError(jsonrpc="2.0", id=number, error=error)


def _is_stateless(request: JSONRPCRequest) -> bool:
    """Whether a request carries its era with it; `initialize` does not exist there, whatever it carries."""
    meta = (request.params or {}).get("_meta")
    return request.method != "initialize" and isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta


class _Shared:
    """A stream that both loops write to; each closes it when it ends, but only its owner may."""

    def __init__(self, write: Any) -> None:
        self._write = write

    async def send(self, item: SessionMessage, /) -> None:
        await self._write.send(item)

    async def aclose(self) -> None:
        """Leave it open."""

    async def __aenter__(self) -> "_Shared":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave it open."""
