"""The application of a port without any protocol: siblings, and the guards in front of all of them."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from cocosearch_py.jobs.registry import JobRegistry
from cocosearch_py.server.guards import MAX_BODY_BYTES
from cocosearch_py.server.health import Probes, health_routes
from cocosearch_py.server.metrics import OK, CallFigures
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.server.processes import SearchProcesses
from cocosearch_py.server.web import web_app

TOKEN = "correct-horse-battery"


class State:
    """A server's state as any front end may keep it."""

    def __init__(self) -> None:
        self.options = ServerOptions(transport="http")
        self.calls = CallFigures()
        self.open_calls = 2
        self.last_call_s = 0.0
        self.jobs = JobRegistry()
        self.processes = SearchProcesses({}, 0)


def port(probes: Probes | None = None, **options: Any) -> Starlette:
    """A port with the routes of health and a front end that echoes."""

    async def echo(request: Request) -> Response:
        return PlainTextResponse(await request.body())

    rest = Starlette(routes=[Route("/echo", echo, methods=["POST"])])
    return web_app(
        health_routes(probes), rest, ServerOptions(transport="http", **options), ["https://page.example.org"]
    )


def ask(app: Starlette, method: str, path: str, body: bytes = b"", **headers: str) -> httpx.Response:
    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:3000") as client:
            return await client.request(method, path, content=body, headers=headers)

    return asyncio.run(go())


def test_siblings_answer_on_their_own_paths() -> None:
    app = port()
    assert ask(app, "GET", "/health").json() == {"status": "ok"}
    assert ask(app, "POST", "/echo", b"hello").text == "hello"
    assert ask(app, "POST", "/health").status_code == 405
    assert ask(app, "GET", "/ready").status_code == ask(app, "GET", "/elsewhere").status_code == 404


def test_the_token_stands_before_all_but_the_probes_of_platforms() -> None:
    app = port(Probes(State(), lambda: None), auth_token=TOKEN)
    paths = ("/health", "/ready", "/metrics", "/echo", "/elsewhere")
    assert [ask(app, "GET", path).status_code for path in paths] == [200, 200, 401, 401, 401]
    assert ask(app, "POST", "/echo", b"x", authorization=f"Bearer {TOKEN}").text == "x"


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:3000", "", 200),
        ("127.0.0.1:3000", "http://127.0.0.1:3000", 200),
        ("[::1]:3000", "http://[::1]:3000", 200),
        ("localhost:3000", "http://localhost:5173", 403),
        ("127.0.0.1:3000", "http://localhost:3000", 403),
        ("localhost", "evil://localhost", 403),
        ("localhost:3000", "http://localhost", 403),
        ("localhost", "localhost", 403),
        ("search.example.org", "", 200),
        ("search.example.org", "http://search.example.org:80", 200),
        ("search.example.org", "https://search.example.org", 200),
        ("search.example.org", "https://search.example.org:443", 200),
        ("search.example.org", "https://search.example.org:8443", 403),
        ("search.example.org", "https://page.example.org/", 200),
        ("search.example.org", "http://localhost", 403),
        ("localhost", "http://evil.example.org", 403),
        ("localhost", "null", 403),
        ("evil.example.org", "", 421),
        ("", "", 421),
        ("127.0.0.1.example.org", "", 421),
    ],
)
def test_hosts_and_origins(host: str, origin: str, status: int) -> None:
    given = {"host": host, **({"origin": origin} if origin else {})}
    assert ask(port(allowed_hosts=("search.example.org",)), "GET", "/health", **given).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("host", "localhost")], 200),
        ([("host", "localhost"), ("host", "localhost")], 421),
        ([("host", "localhost"), ("host", "evil.example.org")], 421),
        ([("host", "localhost"), ("origin", "")], 403),
        ([("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://localhost")], 403),
        ([("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example.org")], 403),
    ],
)
def test_a_repeated_host_or_origin_is_refused(headers: list[tuple[str, str]], status: int) -> None:
    async def go() -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(port()), base_url="http://localhost") as client:
            return (await client.get("/health", headers=headers)).status_code

    assert asyncio.run(go()) == status


@pytest.mark.parametrize("path", ["/healthXYZ", "/health/", "/health/x", "/readyX", "//health", "/Health"])
def test_only_the_exact_probe_paths_need_no_token(path: str) -> None:
    assert ask(port(auth_token=TOKEN), "GET", path).status_code == 401


def test_several_authorization_headers_are_refused() -> None:
    right, wrong = ("authorization", f"Bearer {TOKEN}"), ("authorization", "Bearer wrong-token-wrong")

    async def go(*headers: tuple[str, str]) -> int:
        transport = httpx.ASGITransport(port(auth_token=TOKEN))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return (await client.post("/echo", content=b"x", headers=headers)).status_code

    assert asyncio.run(go(right)) == 200
    for several in ((right, wrong), (wrong, right), (right, right)):
        assert asyncio.run(go(*several)) == 401


def test_large_bodies_do_not_arrive() -> None:
    async def chunks() -> AsyncIterator[bytes]:  # which declare no size
        yield b"x" * MAX_BODY_BYTES
        yield b"x"

    async def send() -> int:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(port()), base_url="http://localhost") as client:
            return (await client.post("/echo", content=chunks())).status_code

    assert ask(port(), "POST", "/echo", b"x" * (MAX_BODY_BYTES + 1)).status_code == 413
    assert asyncio.run(send()) == 413
    assert ask(port(), "POST", "/echo", b"x" * MAX_BODY_BYTES).status_code == 200
    assert MAX_BODY_BYTES == 1_048_576


def test_metrics_read_the_state() -> None:
    state = State()
    with state.calls.timed("search_code") as outcome:
        outcome.append(OK)
    probes = Probes(state, lambda: None)
    probes.sessions["echo"] = lambda: 3
    lines = ask(port(probes), "GET", "/metrics").text.splitlines()
    assert 'cocosearch_tool_calls_total{tool="search_code",outcome="ok"} 1' in lines
    assert 'cocosearch_sessions{transport="echo"} 3' in lines
    assert "cocosearch_open_calls 2" in lines
