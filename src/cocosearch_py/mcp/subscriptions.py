"""Subscriptions to resources: `resources/subscribe` of sessions, and `subscriptions/listen` of the stateless era.

FastMCP has neither, so that the handlers are those of the SDK's server below it.
"""

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any

import mcp_types
from fastmcp import FastMCP
from mcp.server.subscriptions import ListenHandler
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent

from cocosearch_py.errors import BusyError
from cocosearch_py.mcp.resources import ResourceGate
from cocosearch_py.resources.snapshots import Moment
from cocosearch_py.server.changes import Mark
from cocosearch_py.server.context import ServerContext

MOST_FOLLOWED = 1_000  # by all clients of a server
MOST_EACH = 100  # by a session or a stream
_LISTS = ""  # no address: the list of resources
_STATE = "cocosearch.subscriptions"  # of a connection


def serve_subscriptions(server: FastMCP, context: ServerContext, gate: ResourceGate) -> None:
    """Add the handlers to a server."""
    subscriptions = _Subscriptions(context, gate)
    engine: Any = server._mcp_server  # FastMCP has no other name for the SDK's server
    engine.add_request_handler("resources/subscribe", mcp_types.SubscribeRequestParams, subscriptions.subscribe)
    engine.add_request_handler("resources/unsubscribe", mcp_types.UnsubscribeRequestParams, subscriptions.unsubscribe)
    engine.add_request_handler("subscriptions/listen", mcp_types.SubscriptionsListenRequestParams, subscriptions.listen)


class _Subscriptions:
    """The handlers of one server."""

    def __init__(self, context: ServerContext, gate: ResourceGate) -> None:
        self._context = context
        self._gate = gate

    async def subscribe(self, ctx: Any, params: mcp_types.SubscribeRequestParams) -> mcp_types.EmptyResult:
        uri = str(params.uri)
        marks = self._marks([uri])
        if not marks:
            raise self._gate.unknown(uri, ctx.protocol_version)
        mailbox = _mailbox(ctx.session._connection)
        for key, mark in {_LISTS: Moment.names, **marks}.items():
            if key not in mailbox.stops:
                already = len(mailbox.stops.keys() - {_LISTS})
                mailbox.add(key, await self._follow(uri, {key: mark}, mailbox.put, already))
        return mcp_types.EmptyResult()

    async def unsubscribe(self, ctx: Any, params: mcp_types.UnsubscribeRequestParams) -> mcp_types.EmptyResult:
        stop = _mailbox(ctx.session._connection).stops.pop(str(params.uri), None)
        if stop is not None:
            stop()
        return mcp_types.EmptyResult()

    async def listen(
        self, ctx: Any, params: mcp_types.SubscriptionsListenRequestParams
    ) -> mcp_types.SubscriptionsListenResult:
        """One stream; the acknowledgment says which of the wishes are heard."""
        wanted = params.notifications
        marks = self._marks((wanted.resource_subscriptions or [])[:MOST_EACH])
        heard = wanted.model_copy(update={"resource_subscriptions": list(marks) or None})
        if wanted.resources_list_changed:
            marks[_LISTS] = Moment.names
        bus = _Bus()
        stop = await self._follow("", marks, bus.put, 0)
        try:
            return await ListenHandler(bus)(ctx, params.model_copy(update={"notifications": heard}))
        finally:
            stop()

    def _marks(self, uris: Iterable[str]) -> dict[str, Mark]:
        """Return the state to watch for each address that this client may read."""
        found: dict[str, Mark] = {}
        for uri in uris:
            address = self._gate.meant(uri)
            if address is not None:
                found[uri] = partial(_mark, address=address)
        return found

    async def _follow(
        self, uri: str, marks: dict[str, Mark], tell: Callable[[str], None], already: int
    ) -> Callable[[], None]:
        if already >= MOST_EACH or self._context.changes.followed + len(marks) > MOST_FOLLOWED:
            error = BusyError("too many subscriptions", hint="unsubscribe from resources that are no longer needed")
            raise self._gate.error(uri, error, mcp_types.INVALID_PARAMS)
        return await self._context.run(lambda: self._context.changes.follow(marks, tell))


def _mark(moment: Moment, address: Any) -> Any:
    return moment.mark(address)


def _call_soon(loop: asyncio.AbstractEventLoop, call: Callable[[str], None], uri: str) -> None:
    """Have a loop call something, from any thread; nothing happens when it has ended."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(call, uri)


class _Bus:
    """Source of events for the SDK's handler of one stream."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[ServerEvent], None]] = []
        self._loop = asyncio.get_running_loop()

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return self._listeners.clear

    async def publish(self, event: ServerEvent) -> None:
        for listener in self._listeners:
            listener(event)

    def put(self, uri: str) -> None:
        """Have the stream told; from any thread."""
        _call_soon(self._loop, self._put, uri)

    def _put(self, uri: str) -> None:
        for listener in self._listeners:
            listener(ResourceUpdated(uri) if uri else ResourcesListChanged())


class _Mailbox:
    """Subscriptions of a session, and its unsent notifications, each at most once."""

    def __init__(self, connection: Any) -> None:
        self.stops: dict[str, Callable[[], None]] = {}
        self._connection = connection
        self._waiting: dict[str, None] = {}
        self._filled = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._send())

    def add(self, uri: str, stop: Callable[[], None]) -> None:
        """Let a thing be followed until `stop` is called, unless it already is or the session has ended."""
        if self._task.done() or uri in self.stops:
            stop()
        else:
            self.stops[uri] = stop

    def put(self, uri: str) -> None:
        """Have the session told; from any thread."""
        _call_soon(self._loop, self._put, uri)

    def close(self) -> None:
        """End all of it."""
        for stop in self.stops.values():
            stop()
        self.stops.clear()
        self._task.cancel()

    def _put(self, uri: str) -> None:
        self._waiting[uri] = None
        self._filled.set()

    async def _send(self) -> None:
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._waiting:
                uri = next(iter(self._waiting))
                del self._waiting[uri]
                if uri not in self.stops:
                    continue
                if uri == _LISTS:
                    await self._connection.notify("notifications/resources/list_changed", None)
                else:
                    await self._connection.notify("notifications/resources/updated", {"uri": uri})


def _mailbox(connection: Any) -> _Mailbox:
    """Return the mailbox of a session; it ends with the session."""
    found: _Mailbox | None = connection.state.get(_STATE)
    if found is None:
        found = connection.state[_STATE] = _Mailbox(connection)
        connection.exit_stack.callback(found.close)
    return found
