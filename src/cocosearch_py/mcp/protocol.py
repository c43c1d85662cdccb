"""Both protocol eras on one stdio connection.

The SDK lets a client's first request decide the era of its connection, once, and refuses what belongs to the other. A
client that negotiates asks `server/discover` first, which only the stateless era has, and may then choose
`initialize`. So each era gets an SDK loop of its own here, and every message goes to the loop that understands it.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from fastmcp import FastMCP
from mcp.server.runner import serve_dual_era_loop, serve_loop
from mcp.shared.message import SessionMessage
from mcp_types import (
    PROTOCOL_VERSION_META_KEY,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
)

from cocosearch_py.mcp.stdio import Input, Item, Output
from cocosearch_py.server.lifecycle import STOP_WAIT_S

Send = MemoryObjectSendStream[Any]


def run_stdio(server: FastMCP) -> None:
    """Serve standard input until its end. Raises ConnectionError, in a group, when nobody reads the answers."""
    engine: Any = server._mcp_server  # FastMCP has no other name for the SDK's server
    lines, output = Input(), Output()  # taken before the framework does, whose own streams stay empty

    async def refuse(answer: JSONRPCError) -> None:
        with suppress(anyio.BrokenResourceError):  # which `output` remembers
            await output.send(SessionMessage(answer))

    async def serve(read: Any, write: Any, initialization: Any, raise_exceptions: bool = False) -> None:
        async with engine.lifespan(engine) as state, read, write, anyio.create_task_group() as loops:
            given = {"lifespan_state": state, "init_options": initialization}
            handshake, first = anyio.create_memory_object_stream[Any](math.inf)
            stateless, second = anyio.create_memory_object_stream[Any](math.inf)
            loops.start_soon(partial(serve_loop, engine, first, output, **given))
            # Its first request, of the right kind, makes it stateless.
            loops.start_soon(partial(serve_dual_era_loop, engine, second, output, **given))
            output.lost = loops.cancel_scope.cancel
            eras = _Eras(handshake, stateless, lambda answer: loops.start_soon(refuse, answer))
            lines.read(eras.take, eras.end)
        await output.settle(STOP_WAIT_S)
        if output.error is not None:
            raise output.error

    engine.run = serve
    server.run("stdio", show_banner=False)


class _Eras:
    """Passes each message on. Notifications carry no sign of their era: they belong to the requests before them."""

    def __init__(self, handshake: Send, stateless: Send, refuse: Callable[[JSONRPCError], object]) -> None:
        self._handshake, self._stateless = handshake, stateless
        self._refuse = refuse
        self._last = handshake

    def take(self, item: Item) -> None:
        if isinstance(item, JSONRPCError):
            self._refuse(item)
            return
        message = item.message
        with suppress(anyio.BrokenResourceError):  # the server ends
            if isinstance(message, JSONRPCRequest):
                self._last = self._stateless if _is_stateless(message) else self._handshake
                self._last.send_nowait(item)
            elif isinstance(message, JSONRPCNotification):
                everywhere = message.method == "notifications/cancelled"  # whichever has that request
                for send in (self._handshake, self._stateless) if everywhere else (self._last,):
                    send.send_nowait(item)
            else:  # an answer; only servers of the handshake era ask
                self._handshake.send_nowait(item)

    def end(self) -> None:
        """Let both loops end."""
        self._handshake.close()
        self._stateless.close()


def _is_stateless(request: JSONRPCRequest) -> bool:
    """Whether a request carries its era with it; `initialize` does not exist there, whatever it carries."""
    meta = (request.params or {}).get("_meta")
    return request.method != "initialize" and isinstance(meta, Mapping) and PROTOCOL_VERSION_META_KEY in meta
