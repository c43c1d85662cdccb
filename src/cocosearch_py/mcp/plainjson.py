"""Answers for clients that take JSON and no event streams: requests as `curl` sends them."""

import json
from collections.abc import Iterator
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cocosearch_py.server.guards import read_body, replayed

_BOTH = "application/json, text/event-stream"
_EVENTS = "text/event-stream"
# What `initialize` must say; a client that says nothing gets the first version with this transport.
_SAID_NOTHING = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "unnamed", "version": "0"}}


class PlainAnswers:
    """Makes the event stream that answers a request the one answer in it, where the client takes JSON alone.

    What is told on the way, such as progress, is left out. `initialize` of such a client may have empty parameters.
    """

    def __init__(self, app: ASGIApp, path: str) -> None:
        self._app = app
        self._path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != self._path or scope["method"] != "POST" or not _is_plain(scope):
            await self._app(scope, receive, send)
            return
        body = await read_body(receive)
        if body is None:
            return
        body = _introduced(body)
        headers = MutableHeaders(raw=list(scope["headers"]))
        headers["accept"] = _BOTH
        headers["content-length"] = str(len(body))
        await self._app({**scope, "headers": headers.raw}, replayed(body, receive), _Collected(send))


class _Collected:
    """Sends a response on; an event stream when it has ended, as the answer in it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _EVENTS in Headers(raw=message["headers"]).get(
            "content-type", ""
        ):
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body"):
                await self._end(self._start)

    async def _end(self, start: Message) -> None:
        answer = next((one for one in _events(self._body) if _is_answer(one)), b"")
        headers = MutableHeaders(raw=list(start["headers"]))
        headers["content-type"] = "application/json"
        headers["content-length"] = str(len(answer))
        await self._send({**start, "headers": headers.raw})
        await self._send({"type": "http.response.body", "body": answer})


def _is_plain(scope: Scope) -> bool:
    accepted = Headers(scope=scope).get("accept", "").lower()
    return "application/json" in accepted and _EVENTS not in accepted and "*/*" not in accepted


def _introduced(body: bytes) -> bytes:
    """Add the parameters that an `initialize` lacks."""
    asked = _read(body)
    if not isinstance(asked, dict) or asked.get("method") != "initialize":
        return body
    said = asked.get("params") or {}
    return json.dumps({**asked, "params": {**_SAID_NOTHING, **said}}).encode() if isinstance(said, dict) else body


def _events(stream: bytes) -> Iterator[bytes]:
    """The data of each event."""
    for event in stream.replace(b"\r\n", b"\n").split(b"\n\n"):
        lines = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
        yield b"\n".join(lines)


def _is_answer(data: bytes) -> bool:
    read = _read(data)
    return isinstance(read, dict) and ("result" in read or "error" in read)


def _read(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
