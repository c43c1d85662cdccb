"""One port for every front end: the web application that joins them behind the guards, and the server that runs it."""

from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from cocosearch_py.server.guards import Gatekeeper, HostGuard
from cocosearch_py.server.options import ServerOptions, is_loopback

_SHUTDOWN_S = 2


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
    config = uvicorn.Config(
        app,
        host=options.host,
        port=options.port,
        log_config=None,  # uvicorn would log requests to standard output
        access_log=False,
        timeout_graceful_shutdown=_SHUTDOWN_S,
        lifespan="on",
        server_header=False,
    )
    _Announcing(config, announce).run()


class _Announcing(uvicorn.Server):
    """Tells where it listens, once it does."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[str], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        ports = [sock.getsockname()[1] for server in self.servers for sock in server.sockets]
        host = f"[{self.config.host}]" if ":" in self.config.host else self.config.host
        if ports:
            self._announce(f"http://{host}:{ports[0]}")
