"""One port for every front end: the web application that joins them behind the guards, and the server that runs it."""

from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from cocosearch_py.server.connections import Connection, Connections, limits
from cocosearch_py.server.guards import Gatekeeper, HostGuard
from cocosearch_py.server.options import ServerOptions, is_loopback

_SHUTDOWN_S = 2
# Connections that wait to be accepted; the system may allow fewer. More have to try again, after a second.
_QUEUED = 2_048
_TICKS_A_SECOND = 10  # uvicorn's


def web_app(
    routes: Sequence[BaseRoute], rest: Starlette, options: ServerOptions, origins: Sequence[str] = ()
) -> Starlette:
    """The application of a port.

    Args:
        routes: of front ends that need nothing around them, such as /health.
        rest: answers every other path, with its own middleware; its lifespan is the application's.
        options: who may ask; see `guards`.
        origins: of web pages that may ask beside those of this server.
    """
    hosts = [*options.allowed_hosts, *([options.host] if is_loopback(options.host) else [])]
    lifespan: Any = rest.router.lifespan_context
    app = Starlette(
        routes=routes,
        middleware=[Middleware(HostGuard, hosts, origins), Middleware(Gatekeeper, options.auth_token)],
        lifespan=lambda _: lifespan(rest),
    )
    app.router.default = rest
    return app


def serve(app: Starlette, options: ServerOptions, announce: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; `announce` gets the address once it is listened on."""
    make_server(app, options, announce).run()


def make_server(app: Starlette, options: ServerOptions, announce: Callable[[str], None]) -> uvicorn.Server:
    """The server that `serve` runs."""
    most, accepted = limits(options.sessions)
    config = uvicorn.Config(
        app,
        host=options.host,
        port=options.port,
        http=Connection,
        ws="none",  # a connection that becomes a WebSocket would leave the limits
        backlog=accepted,
        log_config=None,  # uvicorn would log requests to standard output
        access_log=False,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        lifespan="on",
        server_header=False,
    )
    return _Server(config, Connections(most), announce)


class _Server(uvicorn.Server):
    """Announces its address once it listens, and keeps its connections within their limits."""

    def __init__(self, config: uvicorn.Config, connections: Connections, announce: Callable[[str], None]) -> None:
        super().__init__(config)
        self.server_state = self._connections = connections
        self._announce = announce

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        listening = [sock for server in self.servers for sock in server.sockets]
        for sock in listening:
            with sock.dup() as same:  # asyncio has one number for the queue and for what it accepts at once
                same.listen(_QUEUED)
        ports = [sock.getsockname()[1] for sock in listening]
        host = f"[{self.config.host}]" if ":" in self.config.host else self.config.host
        if ports:
            self._announce(f"http://{host}:{ports[0]}")

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS_A_SECOND == 0:
            self._connections.end_overdue()
        return await super().on_tick(counter)
