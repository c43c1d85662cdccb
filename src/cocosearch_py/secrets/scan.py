"""All secrets of one text (pure). What is found holds the values: it is for detectors, not for answers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from cocosearch_py.secrets.assigned import find_assigned, find_random
from cocosearch_py.secrets.formats import FORMATS
from cocosearch_py.secrets.likely import is_sample, is_sample_password

BASIC_AUTH, PRIVATE_KEY, JWT, PUBLIC_IP = (
    "secret/basic-auth-url",
    "secret/private-key",
    "secret/jwt",
    "secret/public-ip",
)

_BODY = re.compile(rb"[A-Za-z0-9+/]{40}[A-Za-z0-9+/=\\\s\"',+rn]*")
_BODY_WITHIN = 400  # bytes after the first line of a key: there may be headers
_SAMPLE_JWT = b"eyJzdWIiOiIxMjM0NTY3ODkwI"  # the one of everybody's examples: "sub": "1234567890"
_OCTET = rb"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_ADDRESS = re.compile(rb"[\"'](" + _OCTET + rb"(?:\." + _OCTET + rb"){3})(?::\d{1,5})?[\"']")
_NOT_PUBLIC = re.compile(
    rb"(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|192\.0\.[02]"
    rb"|198\.(?:18|19|51\.100)|203\.0\.113|22[4-9]|2[3-5]\d)\."
    rb"|(?:8\.8\.[48]\.[48]|1\.[01]\.[01]\.1|9\.9\.9\.9)$"
)
_OCTET_OF_NO_VERSION = 64  # numbers of versions are rarely larger


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text: from byte `start` to `end`; its value, which begins at byte `at`, is never to be shown."""

    rule: str
    start: int
    end: int
    value: bytes = field(repr=False)
    body: int | None = None  # where the value begins, if not at `start`

    @property
    def at(self) -> int:
        return self.start if self.body is None else self.body


@dataclass(slots=True)
class Scanned:
    """Secrets of one text, in order, and random texts that are secrets if they are so elsewhere."""

    secrets: list[Secret] = field(default_factory=list)
    doubtful: list[Secret] = field(default_factory=list)


def scan(source: bytes, *, bare: bool = False) -> Scanned:
    """Find the secrets of a text; of overlapping ones the first kind that is told by its own look.

    Args:
        bare: names are given values without quotes, as in settings.
    """
    result = Scanned()
    found = [*_formatted(source), *_addresses(source)]
    found += [Secret(*value, source[value.start : value.end]) for value in find_assigned(source, bare=bare)]
    for value, is_named in find_random(source):
        secret = Secret(*value, source[value.start : value.end])
        (found if is_named else result.doubtful).append(secret)
    kept: list[Secret] = []
    for one in found:
        if all(one.end <= other.start or one.start >= other.end for other in kept):
            kept.append(one)
    result.secrets = sorted(kept, key=lambda one: one.start)
    return result


def _formatted(source: bytes) -> Iterator[Secret]:
    for rule, needles, pattern in FORMATS:
        if not any(needle in source for needle in needles):
            continue
        for match in pattern.finditer(source):
            start, end = match.span(match.lastindex or 0)
            value = source[start:end]
            if rule == PRIVATE_KEY:
                body = _BODY.search(source, end, end + _BODY_WITHIN)
                if body is not None and not is_sample(body[0][:80]):
                    whole = _BODY.match(source, body.start())[0]  # type: ignore[index]
                    yield Secret(rule, start, end, whole, body.start())
            elif rule == BASIC_AUTH:
                if not is_sample_password(value):
                    yield Secret(rule, start, end, value)
            elif not is_sample(value) and not (rule == JWT and _SAMPLE_JWT in value):
                yield Secret(rule, start, end, value)


def _addresses(source: bytes) -> Iterator[Secret]:
    for match in _ADDRESS.finditer(source):
        octets = [int(octet) for octet in match[1].split(b".")]
        is_version = sum(octet >= _OCTET_OF_NO_VERSION for octet in octets) < 2
        steps = {second - first for first, second in pairwise(octets)}
        if not is_version and len(steps) > 1 and not _NOT_PUBLIC.match(match[1]):
            yield Secret(PUBLIC_IP, *match.span(1), match[1])
