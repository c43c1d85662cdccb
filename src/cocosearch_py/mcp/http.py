"""One web application with /mcp, /sse, /health, /ready and /metrics, and the guards in front of it."""

import hmac
import json
import logging
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote

import uvicorn
from fastmcp import FastMCP
from fastmcp.server.http import StreamableHTTPASGIApp
from mcp.shared.inbound import x_mcp_header_map
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cocosearch_py.mcp.options import ServerOptions, is_loopback
from cocosearch_py.mcp.probes import HEALTH_PATH, READY_PATH, Probes, add_health, add_probes

log = logging.getLogger(__name__)

MCP_PATH, SSE_PATH = "/mcp", "/sse"
WITHOUT_TOKEN = (HEALTH_PATH, READY_PATH)  # for container platforms; they tell nothing else
MAX_BODY_BYTES = 1024 * 1024  # the longest legal query is a thousandth of it
MAX_SESSIONS = 1_000  # of each transport
SESSION_IDLE_S = 3600.0
_SHUTDOWN_S = 2
_ENDPOINT = re.compile(rb"event: endpoint\r?\ndata: [^\r\n]+")  # the first event of a stream


def serve(server: FastMCP, options: ServerOptions, probes: Probes | None = None) -> None:
    """Serve until SIGINT or SIGTERM."""
    config = uvicorn.Config(
        http_app(server, options, probes),
        host=options.host,
        port=options.port,
        log_config=None,  # uvicorn would log requests to standard output
        access_log=False,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        lifespan="on",
        server_header=False,
    )
    _Announcing(config, options).run()


def http_app(server: FastMCP, options: ServerOptions, probes: Probes | None = None) -> Starlette:
    """The application: both transports and the probes, behind the guards for Host, Origin, token, size and sessions.

    Without `probes` it has neither `/ready` nor `/metrics`.
    """
    hosts = list(options.allowed_hosts) + ([options.host] if is_loopback(options.host) else [])
    streams = _Streams()
    add_health(server)
    if probes is not None:
        add_probes(server, probes)
    app = server.http_app(
        path=MCP_PATH,
        transport="http",
        host_origin_protection=True,
        allowed_hosts=hosts,
        session_idle_timeout=SESSION_IDLE_S,
        # Added after the guard for Host and Origin, so it is inside of it.
        middleware=[Middleware(Gatekeeper, token=options.auth_token, streams=streams)],
    )
    events = server.http_app(path=SSE_PATH, transport="sse", host_origin_protection=True, allowed_hosts=hosts)
    known = {getattr(route, "path", "") for route in app.router.routes}
    app.router.routes[:0] = [route for route in events.router.routes if getattr(route, "path", "") not in known]
    app.router.lifespan_context = _adjusted(app, server)
    if probes is not None:
        probes.sessions["http"] = lambda: _open_sessions(app)
        probes.sessions["sse"] = lambda: streams.open
    return app


@dataclass(slots=True)
class _Streams:
    """How many event streams are open."""

    open: int = 0


class Gatekeeper:
    """Refuses requests without the token (401), too large ones (413) and too many event streams (503)."""

    def __init__(self, app: ASGIApp, token: str | None, streams: _Streams) -> None:
        self._app = app
        self._token = token.encode() if token is not None else None
        self._streams = streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] not in WITHOUT_TOKEN and not self._knows(scope):
            await _refuse(401, "a bearer token is needed", scope, receive, send)
        elif _declared_bytes(scope) > MAX_BODY_BYTES:
            await _refuse(413, f"a request has at most {MAX_BODY_BYTES} bytes", scope, receive, send)
        elif scope["path"] == SSE_PATH:
            await self._stream(scope, receive, send)
        else:
            await self._app(scope, _Counted(receive), send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._streams.open >= MAX_SESSIONS:
            await _refuse(503, "too many sessions", scope, receive, send)
            return
        self._streams.open += 1
        try:
            await self._app(scope, receive, _keeping_project(scope, send))
        finally:
            self._streams.open -= 1

    def _knows(self, scope: Scope) -> bool:
        if self._token is None:
            return True
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1:
            return False
        kind, _, token = given[0].partition(b" ")
        return hmac.compare_digest(token.strip(), self._token) and kind.lower() == b"bearer"


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


class _Counted:
    """Receives a body of undeclared size until it is too large; then the client is taken to be gone."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._bytes = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._bytes += len(message.get("body", b""))
        if message["type"] == "http.request" and self._bytes > MAX_BODY_BYTES:
            log.warning("a request with more than %d bytes was cut off", MAX_BODY_BYTES)
            return {"type": "http.disconnect"}
        return message


class _Announcing(uvicorn.Server):
    """Tells on standard error where it listens, once it does."""

    def __init__(self, config: uvicorn.Config, options: ServerOptions) -> None:
        super().__init__(config)
        self._options = options

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        ports = [sock.getsockname()[1] for server in self.servers for sock in server.sockets]
        host = f"[{self._options.host}]" if ":" in self._options.host else self._options.host
        if ports:
            place = f"http://{host}:{ports[0]}"
            log.warning("serving MCP on %s%s and %s%s (SSE)", place, MCP_PATH, place, SSE_PATH)


def _adjusted(app: Starlette, server: FastMCP) -> Any:
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
                    found.session_manager.max_sessions = MAX_SESSIONS
                    found.session_manager.app.get_tool_input_schema = schemas.get
            yield state

    return lifespan


def _session_apps(routes: Sequence[Any]) -> list[StreamableHTTPASGIApp]:
    return [route.endpoint for route in routes if isinstance(getattr(route, "endpoint", None), StreamableHTTPASGIApp)]


def _open_sessions(app: Starlette) -> int:
    managers = [found.session_manager for found in _session_apps(app.router.routes)]
    return sum(len(getattr(manager, "_server_instances", ())) for manager in managers)  # the library counts them so


def _declared_bytes(scope: Scope) -> int:
    sizes = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(sizes[0]) if sizes and sizes[0].isdigit() else 0


async def _refuse(status: int, why: str, scope: Scope, receive: Receive, send: Send) -> None:
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    body = json.dumps({"error": why})
    await Response(body, status, headers, media_type="application/json")(scope, receive, send)
