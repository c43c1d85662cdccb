"""The MCP front end of a port: streamable HTTP on /mcp and event streams on /sse."""

import logging
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote

import fastmcp
from fastmcp import FastMCP
from fastmcp.server.http import StreamableHTTPASGIApp
from mcp.shared.inbound import x_mcp_header_map
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cocosearch_py.mcp.envelopes import StrictMessages
from cocosearch_py.mcp.plainjson import PlainAnswers
from cocosearch_py.mcp.server import all_tools
from cocosearch_py.mcp.toolsets import choose_tools, narrowed
from cocosearch_py.resources.addresses import ABOUT, Kind
from cocosearch_py.server import web
from cocosearch_py.server.bundles import bundle_routes
from cocosearch_py.server.context import ServerContext
from cocosearch_py.server.guards import refuse
from cocosearch_py.server.health import Probes, health_routes
from cocosearch_py.server.options import ServerOptions

log = logging.getLogger(__name__)

MCP_PATH, SSE_PATH = "/mcp", "/sse"
SESSION_IDLE_S = 3600.0
_ENDPOINT = re.compile(rb"event: endpoint\r?\ndata: [^\r\n]+")  # the first event of a stream


def serve(
    server: FastMCP, options: ServerOptions, probes: Probes | None = None, context: ServerContext | None = None
) -> None:
    """Serve until SIGINT or SIGTERM."""
    web.serve(http_app(server, options, probes, context), options, _announce)


def http_app(
    server: FastMCP, options: ServerOptions, probes: Probes | None = None, context: ServerContext | None = None
) -> Starlette:
    """The application of a port with MCP on it.

    Args:
        probes: of `/ready` and `/metrics`, which are not there without it.
        context: of the server, for bundles of its indexes.
    """
    streams = _Streams(options.sessions)
    app = _mcp_app(server, streams)
    if probes is not None:
        probes.sessions["http"] = lambda: _open_sessions(app)
        probes.sessions["sse"] = lambda: streams.open
    # As FastMCP's own guard would, for whoever set its variable.
    routes = [*health_routes(probes), *(_bundles(context) if context is not None else ())]
    return web.web_app(routes, app, options, fastmcp.settings.http_allowed_origins or ())


def _bundles(context: ServerContext) -> list[Route]:
    """Bundles for whoever may call the tool that makes them."""
    tool = ABOUT[Kind.BUNDLE].tool
    offered = choose_tools(all_tools(), context.options)
    return bundle_routes(context, lambda request: tool in narrowed(offered, request.headers))


def _mcp_app(server: FastMCP, streams: "_Streams") -> Starlette:
    """Both transports, without guards."""
    app = server.http_app(
        path=MCP_PATH,
        transport="http",
        host_origin_protection=False,
        session_idle_timeout=SESSION_IDLE_S,
        middleware=[Middleware(StrictMessages), Middleware(PlainAnswers, MCP_PATH), Middleware(_StreamKeeper, streams)],
    )
    events = server.http_app(path=SSE_PATH, transport="sse", host_origin_protection=False)
    app.router.routes[:0] = events.router.routes
    app.router.lifespan_context = _adjusted(app, server, streams.most)
    return app


def _announce(place: str) -> None:
    log.warning("serving MCP on %s%s and %s%s (SSE)", place, MCP_PATH, place, SSE_PATH)


@dataclass(slots=True)
class _Streams:
    """How many event streams are open, and may be."""

    most: int

    open: int = 0


class _StreamKeeper:
    """Refuses too many event streams (503), keeps their project, and ends what the library leaves unended."""

    def __init__(self, app: ASGIApp, streams: _Streams) -> None:
        self._app = app
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] != SSE_PATH:
            await self._whole(scope, receive, send)
        elif self._streams.open >= self._streams.most:
            await refuse(503, "too many sessions", scope, receive, send)
        else:
            self._streams.open += 1
            try:
                await self._whole(scope, receive, _keeping_project(scope, send))
            finally:
                self._streams.open -= 1

    async def _whole(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = _OneResponse(send)
        await self._app(scope, receive, response)
        await response.end()


class _OneResponse:
    """Sends one response to its end: when the server ends, event streams just stop, and /sse begins a second one."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = 0
        self._open = False

    async def __call__(self, message: Message) -> None:
        begins = message["type"] == "http.response.start"
        self._begun += begins
        if self._begun < 2:
            await self._send(message)
            self._open = begins or bool(message.get("more_body"))

    async def end(self) -> None:
        if self._open:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _keeping_project(scope: Scope, send: Send) -> Send:
    """Repeat `?project=` of an event stream in the address that it tells its client to post to."""
    named = parse_qs(scope["query_string"].decode("latin-1")).get("project")
    if not named:
        return send
    addition = b"&project=" + quote(named[0], safe="").encode()

    async def sending(message: Message) -> None:
        body = message.get("body", b"")
        if _ENDPOINT.match(body):
            message = {**message, "body": _ENDPOINT.sub(lambda match: match[0] + addition, body, count=1)}
        await send(message)

    return sending


def _adjusted(app: Starlette, server: FastMCP, most_sessions: int) -> Any:
    """The application's lifespan, with the bound on sessions, and schemas by tool, where the library keeps its own.

    Without them it would list all tools before each call of the stateless era, a third of the time of a cached answer.
    """
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(scope: Any) -> AsyncIterator[Any]:
        async with inner(scope) as state:
            tools = await server.list_tools(run_middleware=False)
            # Schemas serve to check headers that repeat parameters; most tools have none.
            schemas = {tool.name: tool.parameters for tool in tools if x_mcp_header_map(tool.parameters)}
            for found in _session_apps(app.router.routes):
                if found.session_manager is not None:
                    found.session_manager.max_sessions = most_sessions
                    found.session_manager.app.get_tool_input_schema = schemas.get
            yield state

    return lifespan


def _session_apps(routes: Sequence[Any]) -> list[StreamableHTTPASGIApp]:
    return [route.endpoint for route in routes if isinstance(getattr(route, "endpoint", None), StreamableHTTPASGIApp)]


def _open_sessions(app: Starlette) -> int:
    managers = [found.session_manager for found in _session_apps(app.router.routes)]
    # The library bounds their number and tells it nowhere: neither by a method nor by a hook to count at.
    return sum(len(getattr(manager, "_server_instances", ())) for manager in managers)
