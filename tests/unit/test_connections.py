"""Limits of connections: on a real port, of a front end without any protocol."""

import http.client
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from queue import Queue

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from cocosearch_py.server import connections
from cocosearch_py.server.connections import Connections
from cocosearch_py.server.guards import MAX_BODY_BYTES
from cocosearch_py.server.health import health_routes
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.web import make_server, web_app

TIMEOUT_S = 60  # far above what anything here needs
HEAD = b"POST /echo HTTP/1.1\r\nHost: localhost\r\n"


class Port:
    """A server on a port of this machine. `go_on` lets open streams end."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.number = 0
        self.connections = Connections(0)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.number), TIMEOUT_S)

    def health(self) -> int:
        with closing(http.client.HTTPConnection("127.0.0.1", self.number, timeout=TIMEOUT_S)) as client:
            client.request("GET", "/health")
            return client.getresponse().status


def front_end(go_on: threading.Event) -> Starlette:
    async def echo(request: Request) -> Response:
        return PlainTextResponse(await request.body())

    async def pieces() -> AsyncIterator[bytes]:
        import asyncio

        yield b"first"
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        yield b"last"

    async def stream(_: Request) -> Response:
        return StreamingResponse(pieces())

    async def large(_: Request) -> Response:
        return PlainTextResponse(b"x" * 100_000_000)

    async def large_pieces(_: Request) -> Response:
        return StreamingResponse(b"x" * 1_000_000 for _ in range(100))

    return Starlette(
        routes=[
            Route("/echo", echo, methods=["POST"]),
            Route("/stream", stream),
            Route("/large", large),
            Route("/large-pieces", large_pieces),
        ]
    )


@contextmanager
def serving(limit: int | None = None) -> Iterator[Port]:
    port, addresses = Port(), Queue[str]()
    app = web_app(health_routes(None), front_end(port.go_on), ServerOptions(transport="http"))
    server = make_server(app, ServerOptions(transport="http", port=0), addresses.put)
    assert isinstance(server.server_state, Connections)
    port.connections = server.server_state
    if limit is not None:
        port.connections.limit = limit
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        port.number = int(addresses.get(timeout=TIMEOUT_S).rpartition(":")[2])
        yield port
    finally:
        port.go_on.set()
        server.should_exit = True
        thread.join(TIMEOUT_S)
    assert not thread.is_alive()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def drip(client: socket.socket) -> None:
    """Send a byte now and then until the server closes the connection."""
    client.settimeout(0.05)
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            client.send(b"x")
            if client.recv(1) == b"":
                return
        except TimeoutError:
            pass
        except OSError:
            return
    pytest.fail("the connection stays open")


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET /heal", HEAD + b"X-Slow: ", HEAD + b"Content-Length: 100\r\n\r\nabc"],
    ids=["nothing", "line", "headers", "body"],
)
def test_a_slow_request_is_ended(begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    monkeypatch.setattr(connections, "BODY_S", 0.4)
    with serving() as port:
        with port.connect() as client:
            client.sendall(begun)
            drip(client)
        assert port.health() == 200


def test_a_body_that_follows_its_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    with serving() as port, port.connect() as client:
        client.sendall(HEAD + b"Content-Length: 2000000\r\n\r\nabc")
        assert client.recv(100).startswith(b"HTTP/1.1 413")
        drip(client)


@pytest.mark.parametrize("after", ["keep-alive", "close"])
@pytest.mark.parametrize("path", ["/large", "/large-pieces"])
def test_a_response_that_nobody_reads_is_ended(path: str, after: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BODY_S", 0.2)
    with serving() as port, port.connect() as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: {after}\r\n\r\n".encode())
        assert client.recv(10)
        until(lambda: not port.connections.connections)
        assert not port.connections.waiting


def test_an_open_stream_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.0)
    monkeypatch.setattr(connections, "BODY_S", 0.0)
    with serving() as port, closing(http.client.HTTPConnection("127.0.0.1", port.number, timeout=TIMEOUT_S)) as client:
        client.request("GET", "/stream")
        response = client.getresponse()
        assert response.read(5) == b"first"
        with port.connect() as idle:
            assert idle.recv(1) == b"", "time is up for connections that wait"
        port.go_on.set()
        assert response.read() == b"last"


def test_the_connection_that_waits_longest_makes_room() -> None:
    with serving(limit=3) as port, ExitStack() as opened:
        first, *others = [opened.enter_context(port.connect()) for _ in range(3)]
        until(lambda: len(port.connections.waiting) == 3)
        assert port.health() == 200
        assert first.recv(1) == b""
        for client in others:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.1 200")


def test_open_streams_do_not_make_room() -> None:
    with (
        serving(limit=1) as port,
        closing(http.client.HTTPConnection("127.0.0.1", port.number, timeout=TIMEOUT_S)) as client,
    ):
        client.request("GET", "/stream")
        response = client.getresponse()
        with port.connect() as new:
            assert new.recv(1) == b""
        port.go_on.set()
        assert response.read() == b"firstlast"


def test_a_chunked_body_that_is_too_large_is_413() -> None:
    piece = b"%x\r\n%s\r\n" % (65_536, b"x" * 65_536)
    with serving() as port, port.connect() as client:
        client.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(MAX_BODY_BYTES // 65_536 + 1):
            client.sendall(piece)
        head, _, body = client.recv(10_000).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 413")
        assert "1048576 bytes" in json.loads(body or client.recv(10_000))["error"]


def test_no_request_becomes_a_web_socket() -> None:
    upgrade = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    key = b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    with serving() as port, port.connect() as client:
        client.sendall(upgrade + key)
        assert client.recv(100).startswith(b"HTTP/1.1 200"), "it is an ordinary request"
