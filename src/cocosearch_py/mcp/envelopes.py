"""Messages of JSON-RPC that cannot be accepted, and the errors that JSON-RPC 2.0 has for them.

The SDK takes a request whose `id` is neither text nor an integer for a notification, which nobody answers. It also
accepts NaN and Infinity, which are no JSON.
"""

import json
from typing import Any, NoReturn

from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from cocosearch_py.server.guards import read_body, replayed

_CONSTANTS = ("NaN", "Infinity")


def read_message(line: str) -> SessionMessage | JSONRPCError | None:
    """Read a message, or make the error that answers it. None for an unreadable response, which has no answer."""
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        return _refusal_of_unread(line, error)
    if isinstance(message, JSONRPCNotification) or any(constant in line for constant in _CONSTANTS):
        return refusal(line) or SessionMessage(message)
    return SessionMessage(message)


def refusal(text: str | bytes) -> JSONRPCError | None:
    """The error for text that is no JSON, or for a request whose `id` cannot be repeated; None for all else."""
    try:
        read = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        return _error(PARSE_ERROR, "the message is nested too deeply")
    except ValueError as error:
        return _error(PARSE_ERROR, f"the message is not JSON: {error}", _id_of(_lenient(text)))
    if isinstance(read, dict) and "method" in read and "id" in read and _id_of(read) is None:
        return _error(INVALID_REQUEST, "the id of a request must be text or an integer")
    return None


class StrictMessages:
    """Refuses what `refusal` does with status 400, before the SDK reads it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await read_body(receive)
        if body is None:
            return
        if (error := refusal(body)) is not None:
            content = error.model_dump_json(by_alias=True, exclude_unset=True)
            await Response(content, 400, media_type="application/json")(scope, receive, send)
            return
        await self._app(scope, replayed(body, receive), send)


def _refusal_of_unread(line: str, error: ValidationError) -> JSONRPCError | None:
    """The error for a line that the SDK cannot read."""
    if not line.strip():
        return None
    if (strict := refusal(line)) is not None:
        return strict
    read = _lenient(line)
    problem = error.errors()[0]
    if problem["type"] == "json_invalid":  # half of a surrogate pair, which Python's reader accepts
        return _error(PARSE_ERROR, f"{problem['msg']}; text must be valid Unicode", _id_of(read))
    if isinstance(read, dict) and "method" not in read and ("result" in read or "error" in read):
        return None
    return _error(INVALID_REQUEST, "the message is not a JSON-RPC 2.0 request", _id_of(read))


def _lenient(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _id_of(read: Any) -> int | str | None:
    """The id of a request, if an answer can repeat it."""
    found = read.get("id") if isinstance(read, dict) else None
    if isinstance(found, bool) or not isinstance(found, int | str):
        return None
    try:
        str(found).encode()
    except ValueError:  # half of a surrogate pair, or more digits than Python writes
        return None
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def _error(code: int, message: str, number: int | str | None = None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=number, error=ErrorData(code=code, message=message))
