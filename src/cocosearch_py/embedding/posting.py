"""Posts JSON to an endpoint that the user named: tries again what may pass, and bounds time and size.

No redirect is followed, so that neither the key nor the text goes to a host that the user did not name. A proxy of the
environment is used for https alone, where it sees neither.
"""

import http.client
import json
import random
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from cocosearch_py.errors import EmbeddingError, EmbeddingTimeoutError, RefusedTextsError
from cocosearch_py.model.redaction import redact, secrets_of_query, strip_credentials

FIRST_PAUSE_S = 0.5  # doubled after every attempt, and up to a half shorter by chance
MAX_PAUSE_S = 30.0  # a service that asks for more is not waited for
RETRY_WITHIN_S = 120.0  # since the first attempt; no other begins later
LATE_ATTEMPTS = 2  # of what takes too long: it mostly does so again
MAX_ERROR_CHARS = 200  # of an endpoint's own message, enough to name the cause
_READ_ERROR_BYTES = MAX_ERROR_CHARS * 4
_ECHO_CHARS = 16  # that a message has of a text that was sent, before it is taken for an echo
_ECHO = "[the text]"
PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
TEXT_STATUSES = frozenset({400, 413, 422})  # may be about one of the texts, or about their number
STATUS_HINTS = {
    401: "set the right key as embedding.apiKey",
    403: "set the right key as embedding.apiKey",
    404: "check embedding.model and embedding.baseUrl",
    429: "wait, or raise the service's rate limit",
}
_READ_BYTES = 64 * 1024
_PASSING_FAULTS = (
    TimeoutError,
    ConnectionResetError,
    ConnectionAbortedError,
    BrokenPipeError,
    http.client.IncompleteRead,
    http.client.BadStatusLine,
)


class _PassingError(Exception):
    """A fault that may be gone at the next attempt.

    `pause_s` is what the endpoint asks for, None when it does not; `late`: that it took too long is the fault.
    """

    def __init__(self, message: str, hint: str, pause_s: float | None = None, *, late: bool = False) -> None:
        super().__init__(message)
        self.late = late
        self.message = message
        self.hint = hint
        self.pause_s = pause_s


@dataclass(frozen=True, slots=True)
class Address:
    """Where to post, with the headers that prove who asks. An error tells of it what is `shown`, and no `secrets`."""

    url: str = field(repr=False)
    shown: str
    headers: dict[str, str] = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)
    timeout_s: float


def make_address(base_url: str, path: str, api_key: str | None, timeout_s: float) -> Address:
    """Return the address of `path` below a base URL; user and password of the URL count when there is no key.

    Raises:
        EmbeddingError: not an HTTP address, or a key that no header can carry.
    """
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise EmbeddingError(
            "embedding.baseUrl is not an HTTP address", hint="write it as http://host:port or https://host/path"
        )
    key = (api_key or "").strip()  # read from a file, it often ends with a line break
    if not (key.isascii() and key.isprintable()):
        raise EmbeddingError(
            "embedding.apiKey has characters not allowed in a header", hint="copy the key again, on one line"
        )
    headers = {"Content-Type": "application/json"}
    secrets = secrets_of_query(base_url)
    if key:
        headers["Authorization"] = f"Bearer {key}"
        secrets.append(key)
    elif parts.username is not None:
        user, password = unquote(parts.username), unquote(parts.password or "")
        pair = b64encode(f"{user}:{password}".encode()).decode()
        headers["Authorization"] = f"Basic {pair}"
        secrets += [password or user, pair]  # without a password the name is a token
    url = urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/") + path, parts.query, ""))
    return Address(url, strip_credentials(url), headers, tuple(secrets), timeout_s)


def post(address: Address, body: dict[str, Any], *, max_bytes: int, attempts: int) -> Any:
    """Post JSON and return the JSON answered, after at most `attempts`.

    Raises:
        RefusedTextsError: a status that may be about the texts.
        EmbeddingTimeoutError: no answer in time.
        EmbeddingError: any other fault; it shows no secret.
    """
    data = json.dumps(body).encode()
    started = time.monotonic()
    attempt = 1
    while True:
        try:
            return _attempt(address, data, max_bytes, body.get("input", ()))
        except _PassingError as fault:
            backoff = FIRST_PAUSE_S * 2 ** (attempt - 1) * random.uniform(0.5, 1)
            pause = backoff if fault.pause_s is None else fault.pause_s
            over = time.monotonic() - started + pause > RETRY_WITHIN_S
            most = min(attempts, LATE_ATTEMPTS) if fault.late else attempts
            if attempt >= most or over or pause > MAX_PAUSE_S:
                tried = f" (tried {attempt} times)" if attempt > 1 else ""
                asked = f"; the service asks to wait {pause:.0f} seconds" if pause > MAX_PAUSE_S else ""
                kind = EmbeddingTimeoutError if fault.late else EmbeddingError
                raise kind(f"{fault.message}{asked}{tried}", hint=fault.hint) from None
        time.sleep(pause)
        attempt += 1


def _attempt(address: Address, data: bytes, max_bytes: int, texts: Sequence[str]) -> Any:
    request = urllib.request.Request(address.url, data=data, headers=address.headers, method="POST")
    deadline = time.monotonic() + address.timeout_s
    try:
        with _opener().open(request, timeout=address.timeout_s) as response:
            content = _read(response, max_bytes, deadline, address)
    except urllib.error.HTTPError as error:
        raise _refusal(address, error, texts) from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise _unreachable(address, error) from None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise EmbeddingError(
            f"no usable answer from {address.shown}: it is not JSON",
            hint="check that embedding.baseUrl is the address of an embedding API",
        ) from None


def _read(response: http.client.HTTPResponse, max_bytes: int, deadline: float, address: Address) -> bytes:
    content = bytearray()
    while block := response.read1(_READ_BYTES):
        content += block
        if len(content) > max_bytes:
            raise EmbeddingError(
                f"{address.shown} answered with more than {max_bytes // 1024**2} MiB",
                hint="check that embedding.baseUrl is the address of an embedding API",
            )
        if time.monotonic() > deadline:
            raise TimeoutError("timed out in the middle of the answer")
    if response.length:
        raise http.client.IncompleteRead(bytes(content), response.length)
    return bytes(content)


def _refusal(address: Address, error: urllib.error.HTTPError, texts: Sequence[str]) -> Exception:
    with error:
        if 300 <= error.code < 400:
            target = strip_credentials(error.headers.get("Location", "")) or "somewhere else"
            return EmbeddingError(
                f"{address.shown} redirects to {target}; redirects are not followed: your key and text go only "
                "to the address that you set",
                hint="set embedding.baseUrl to the new address, if you trust it",
            )
        more = max(map(len, address.secrets), default=0) * 3  # what may be a part of one is cut off
        try:
            read = error.read(_READ_ERROR_BYTES + more)
        except (OSError, http.client.HTTPException):
            read = b""
    told = " ".join(read.decode("utf-8", "replace").split())
    told = told[: max(len(told) - more, 0)] if len(read) == _READ_ERROR_BYTES + more else told
    told = redact(_without_echo(told, texts), *address.secrets)[:MAX_ERROR_CHARS]
    message = f"{address.shown} refused the request with status {error.code}" + (f": {told}" if told else "")
    hint = STATUS_HINTS.get(error.code, "check the service's log, or lower embedding.batchSize")
    if error.code in PASSING_STATUSES:
        return _PassingError(message, hint, _retry_after_s(error.headers.get("Retry-After", "")))
    return RefusedTextsError(message, hint=hint) if error.code in TEXT_STATUSES else EmbeddingError(message, hint=hint)


def _without_echo(told: str, texts: Sequence[str]) -> str:
    """A message without what it repeats of the texts, as they are or as JSON has them: they may hold secrets."""
    for text in texts:
        forms = (text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])
        for echo in (" ".join(form.split()) for form in forms):
            while len(echo) >= _ECHO_CHARS and (start := told.find(echo[:_ECHO_CHARS])) >= 0:
                length = max(_common(told[start:], " ".join(form.split())) for form in forms)
                told = told[:start] + _ECHO + told[start + length :]
    return told


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    differing = (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
    return next(differing, min(len(one), len(other)))


def _unreachable(address: Address, error: Exception) -> Exception:
    reason = getattr(error, "reason", error)
    told = redact(str(reason) or type(reason).__name__, *address.secrets)
    message = f"no usable answer from {address.shown}: {told}"
    hint = "check that the service is running, and check embedding.baseUrl and embedding.timeout"
    if isinstance(reason, _PASSING_FAULTS):
        return _PassingError(message, hint, late=isinstance(reason, TimeoutError))
    return EmbeddingError(message, hint=hint)


def _retry_after_s(text: str) -> float | None:
    """Return the pause that a Retry-After header asks for, in seconds or until a date; None when it has neither."""
    if text.strip().isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Make every redirect an error."""


@cache
def _opener() -> urllib.request.OpenerDirector:
    proxies = {scheme: proxy for scheme, proxy in urllib.request.getproxies().items() if scheme == "https"}
    return urllib.request.build_opener(urllib.request.ProxyHandler(proxies), _NoRedirects)
