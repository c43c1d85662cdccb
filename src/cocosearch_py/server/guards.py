"""Checks before every path of a port: Host and Origin, the token, and the size of a request.

They know nothing of what is behind them. Only the paths of WITHOUT_TOKEN are answered without the token.
"""

import hmac
import json
from collections.abc import Sequence
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cocosearch_py.server.health import HEALTH_PATH, READY_PATH

WITHOUT_TOKEN = (HEALTH_PATH, READY_PATH)  # for container platforms; they tell nothing else
MAX_BODY_BYTES = 1024 * 1024  # the longest legal query, all of it escaped, takes a quarter
_TOO_LARGE = f"a request may have at most {MAX_BODY_BYTES} bytes"
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
_ANY_ADDRESS = ("", "0.0.0.0", "::")  # what is listened on, not a host that anybody asks for
_PORTS = {"http": 80, "https": 443}


class HostGuard:
    """Refuses requests to other hosts (421) and from pages of other origins (403): a browser sends both.

    A page may ask only the host and port that it came from. Names and additional origins may be patterns.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str], origins: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = [_host_name(host) for host in (*_LOOPBACK_NAMES, *hosts)]
        self._origins = [_origin(origin) for origin in origins]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._is_ours(_host_name(hosts[0]), scope):
            await Response("Misdirected Request", 421)(scope, receive, send)
        elif len(origins) > 1 or (origins and not self._may_ask(origins[0], hosts[0])):
            await Response("Forbidden Origin", 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _is_ours(self, name: str, scope: Scope) -> bool:
        address = _host_name((scope.get("server") or ("",))[0])
        return (address == name and address not in _ANY_ADDRESS) or any(fnmatchcase(name, one) for one in self._hosts)

    def _may_ask(self, origin: str, host: str) -> bool:
        asking = _origin(origin)
        # A proxy may speak TLS for this server, so the scheme of the request says nothing.
        own = {_origin(f"{scheme}://{host}") for scheme in _PORTS}
        return asking in own or any(fnmatchcase(asking, one) for one in self._origins)


class Gatekeeper:
    """Refuses requests without the token (401) and too large ones (413)."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token.encode() if token is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] not in WITHOUT_TOKEN and not self._knows(scope):
            await refuse(401, "a bearer token is required", scope, receive, send)
        elif _declared_bytes(scope) > MAX_BODY_BYTES:
            await refuse(413, _TOO_LARGE, scope, receive, send)
        else:
            body = await read_body(receive)
            if body is not None and len(body) > MAX_BODY_BYTES:  # a chunked one declares no size
                await refuse(413, _TOO_LARGE, scope, receive, send)
            elif body is not None:
                await self._app(scope, replayed(body, receive), send)

    def _knows(self, scope: Scope) -> bool:
        if self._token is None:
            return True
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1:
            return False
        kind, _, token = given[0].partition(b" ")
        return hmac.compare_digest(token.strip(), self._token) and kind.lower() == b"bearer"


async def read_body(receive: Receive) -> bytes | None:
    """The body of a request; at most one piece of it beyond MAX_BODY_BYTES. None: its client is gone."""
    body = bytearray()
    while len(body) <= MAX_BODY_BYTES:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return bytes(body)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Receives a body that was read already, then what follows it."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receiving() -> Message:
        return first.pop() if first else await receive()

    return receiving


async def refuse(status: int, why: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a status and, as JSON, why."""
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    body = json.dumps({"error": why})
    await Response(body, status, headers, media_type="application/json")(scope, receive, send)


def _declared_bytes(scope: Scope) -> int:
    sizes = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(sizes[0]) if sizes and sizes[0].isdigit() else 0


def _host_name(host: str) -> str:
    """The name in a Host header: lower case, without port and brackets."""
    host = host.strip().lower()
    if host.startswith("["):
        name, closed, _ = host[1:].partition("]")
        return name if closed else host
    return host.partition(":")[0] if host.count(":") == 1 else host  # else it has none, or is a bare IPv6 address


def _origin(text: str) -> str:
    """An origin that compares: lower case, with its port; whatever is not an origin stays as it is."""
    text = text.strip().rstrip("/").lower()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return text
    if not parts.scheme or not parts.hostname or parts.path or parts.query or parts.fragment:
        return text
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{_PORTS.get(parts.scheme) if port is None else port}"
