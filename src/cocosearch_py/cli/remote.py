"""Asks a server elsewhere: calls of its tools over HTTP, in the era that needs no session.

No redirect is followed, so that the token goes only to the address that the user named; a proxy of the environment is
used for https alone.
"""

import http.client
import json
import queue
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

from cocosearch_py.cli.version import installed_version
from cocosearch_py.errors import CocosearchError, ConfigurationError, ServiceError, exit_codes
from cocosearch_py.model.redaction import redact, strip_credentials

URL = "COCOSEARCH_SERVER_URL"
TOKEN = "COCOSEARCH_AUTH_TOKEN"
PROGRAM = "cocosearch-py"
ERA = "2026-07-28"
TIMEOUT_S = 120.0  # longer than any tool takes; a run is waited for in several calls
_UNKNOWN = "0"  # version of a checkout that is not installed
_MAX_BYTES = 16 * 1024**2  # of an answer; those of our tools have a tenth
_MAX_DEPTH = 100  # of lists and mappings in each other; answers of our tools have ten
_MAX_TOLD = 200  # characters of what a server says of itself
_MAX_ERROR_CHARS = 2_000  # of an error of a tool, and of its hints
_META = "io.modelcontextprotocol/"
_OWN = f"or unset {URL} to work on this machine"


class RefusedCallError(CocosearchError):
    """A tool of the server answered with an error; its type and exit code are those of the same error here."""

    def __init__(self, payload: Mapping[str, Any]) -> None:
        hints = payload.get("actionable_guidance")
        hint = " ".join(str(one) for one in hints) if isinstance(hints, list) else ""
        error, message = payload.get("error"), payload.get("message")
        told = str((message if error is True else error) or message or "the server refused the call")
        super().__init__(told[:_MAX_ERROR_CHARS], hint=hint[:_MAX_ERROR_CHARS])
        self.details = _mapping(payload.get("details"))
        codes = exit_codes()
        kind = str(payload.get("error_type", ""))
        self.error_type = kind if kind in codes else CocosearchError.error_type  # type: ignore[misc]  # of this one
        self.exit_code = codes.get(kind, CocosearchError.exit_code)  # type: ignore[misc]


@dataclass(frozen=True)
class Server:
    """One server; `project` is the folder, as the server knows it, that calls without an index are about."""

    url: str = field(repr=False)
    token: str = field(repr=False, default="")
    project: str | None = None

    @cached_property
    def shown(self) -> str:
        """Its address as messages may have it."""
        return strip_credentials(self.url)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Return the answer of a tool.

        Raises:
            RefusedCallError: the tool answered with an error.
            ServiceError, ConfigurationError: no answer of a server of this version.
        """
        result = self._ask("tools/call", {"name": tool, "arguments": dict(arguments)}, {"Mcp-Name": tool})
        try:
            payload = result.get("structuredContent") or _parsed(result["content"][0]["text"])
        except (KeyError, IndexError, TypeError, ValueError):
            raise self._other("it sent an unexpected answer") from None
        if result.get("isError"):
            raise RefusedCallError(_mapping(payload))
        return payload

    def check(self) -> None:
        """Raise ServiceError unless this is the same program of the same version, but for fixes."""
        found = self._ask("server/discover", {}, {})
        told = _mapping(found.get("serverInfo") or _mapping(found.get("_meta")).get(f"{_META}serverInfo"))
        name, theirs = str(told.get("name", "?"))[:_MAX_TOLD], str(told.get("version", "?"))[:_MAX_TOLD]
        ours = installed_version() or _UNKNOWN
        if name != PROGRAM:
            raise self._other(f"it identifies itself as {name}")
        if theirs.split(".")[:2] != ours.split(".")[:2]:
            raise ServiceError(
                f"the server at {self.shown} runs {PROGRAM} {theirs}, this machine {ours}",
                hint=f"install the same version on both sides, {_OWN}",
            )

    def _ask(self, method: str, params: Mapping[str, Any], more: Mapping[str, str]) -> dict[str, Any]:
        client = {"name": PROGRAM, "version": installed_version() or _UNKNOWN}
        meta = {"protocolVersion": ERA, "clientCapabilities": {}, "clientInfo": client}
        asked = {**params, "_meta": {f"{_META}{name}": value for name, value in meta.items()}}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": asked}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": ERA,
            "Mcp-Method": method,
            **more,
        }
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        answer = self._answer(urllib.request.Request(self._address, json.dumps(body).encode(), headers, method="POST"))
        if isinstance(answer.get("result"), dict):
            return dict(answer["result"])
        told = answer.get("error")
        why = str(told.get("message", ""))[:_MAX_TOLD] if isinstance(told, dict) else "no result"
        raise self._other(f"it answered {why!r} to {method}")

    @property
    def _address(self) -> str:
        parts = urlsplit(self.url)
        path = parts.path.rstrip("/")
        query = urlencode({"project": self.project}) if self.project is not None else ""
        host = parts.netloc.rpartition("@")[2]
        return urlunsplit((parts.scheme, host, path if path.endswith("/mcp") else f"{path}/mcp", query, ""))

    def _answer(self, request: urllib.request.Request) -> dict[str, Any]:
        try:
            status, content = _fetched(request)
        except (OSError, ValueError, http.client.HTTPException) as error:
            told = redact(str(getattr(error, "reason", error)) or type(error).__name__, self.token)
            raise ServiceError(
                f"the server at {self.shown} does not respond: {told}",
                hint=f"start it there with `{PROGRAM} mcp --transport http`, correct {URL}, {_OWN}",
            ) from None
        if not 200 <= status < 300:
            raise self._refusal(status, content[:_MAX_TOLD].decode("utf-8", "replace"))
        if len(content) > _MAX_BYTES:
            raise self._other(f"its answer is longer than {_MAX_BYTES // 1024**2} MiB")
        try:
            answer = _parsed(_message(content.decode("utf-8")))
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self._other("its answer is not an MCP message")
        return answer

    def _refusal(self, code: int, text: str) -> CocosearchError:
        told = f"the server at {self.shown} refused the request with status {code}"
        if code in (401, 403):
            hint = f"set {TOKEN} to its token" if not self.token else f"correct {TOKEN}, which the server rejects"
            return ServiceError(told, hint=f"{hint}, {_OWN}")
        said = " ".join(redact(text, self.token).split())
        return ServiceError(f"{told}: {said}" if said else told, hint=f"check that {URL} names a {PROGRAM} server")

    def _other(self, what: str) -> ServiceError:
        return ServiceError(
            f"the server at {self.shown} cannot be used: {what}",
            hint=f"name a {PROGRAM} server of this version in {URL}, {_OWN}",
        )


def server_of(environ: Mapping[str, str]) -> Server:
    """The server that the environment names. Raises ConfigurationError."""
    url = environ.get(URL, "").strip()
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    token = environ.get(TOKEN, "").strip()
    if not usable:
        raise ConfigurationError(f"{URL} is not an HTTP address", hint="write it as http://host:3000")
    if not (token.isascii() and token.isprintable()):
        raise ConfigurationError(f"{TOKEN} has characters not allowed in a header", hint="copy the token again")
    return Server(url, token)


def _message(text: str) -> str:
    """The JSON of an answer, which may come as the last event of a stream."""
    if text.lstrip().startswith("{"):
        return text
    events = text.replace("\r\n", "\n").strip().split("\n\n")
    lines = [line.removeprefix("data:").strip() for line in events[-1].split("\n") if line.startswith("data:")]
    return "\n".join(lines)


def _parsed(text: str) -> Any:
    """Parse the JSON of a server. Raises ValueError, also if it is nested too deeply to walk through."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    level = [value]
    for _ in range(_MAX_DEPTH):
        inner = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list))
        level = [item for items in inner for item in items]
    if level:
        raise ValueError("nested too deeply")
    return value


def _mapping(value: Any) -> dict[str, Any]:
    """Return a JSON object as it is, and an empty one for every other value."""
    return value if isinstance(value, dict) else {}


def _fetched(request: urllib.request.Request) -> tuple[int, bytes]:
    """Return status and body of an answer, at most a byte more than allowed.

    A timeout of a socket begins again with each byte, so a thread reads, and is left alone when the time is over.

    Raises:
        OSError, ValueError, HTTPException: there is no complete answer; TimeoutError: not in time.
    """
    done: queue.SimpleQueue[tuple[int, bytes] | Exception] = queue.SimpleQueue()

    def fetch() -> None:
        try:
            try:
                response = _opener().open(request, timeout=TIMEOUT_S)
            except urllib.error.HTTPError as error:  # an answer all the same
                response = error
            with response:
                done.put((response.status, response.read(_MAX_BYTES + 1)))
        except Exception as error:  # noqa: BLE001  # raised again where it is waited for
            done.put(error)

    threading.Thread(target=fetch, daemon=True).start()
    try:
        found = done.get(timeout=TIMEOUT_S)
    except queue.Empty:
        raise TimeoutError("timed out") from None
    if isinstance(found, Exception):
        raise found
    return found


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Make every redirect an error."""


def _opener() -> urllib.request.OpenerDirector:
    proxies = {scheme: proxy for scheme, proxy in urllib.request.getproxies().items() if scheme == "https"}
    return urllib.request.build_opener(urllib.request.ProxyHandler(proxies), _NoRedirects)
