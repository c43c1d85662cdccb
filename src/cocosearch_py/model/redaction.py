"""Takes secrets out of text that people, logs or agents will see; the only place that does.

It never takes an address apart by the rules, because a password with a bare "@", "/" or "#" breaks them: where two
readings are possible, all that could belong to a secret is hidden. More than the secret may be lost, never less.
"""

import re
from urllib.parse import quote, unquote_plus, urlsplit, urlunsplit

MASK = "***"

# Texts, not compiled patterns: most processes never need them, and compiling costs as much as importing a module.
_FLAGS = re.IGNORECASE | re.DOTALL
_NAMES = r"(?:ssl)?(?:password|passwd|pwd)|(?:x-)?api[_-]?key|(?:access_|auth_|refresh_)token|client_secret"
_URL = r"(?<![\w+.-])([a-z][\w+.-]*)://(\S*)"
_WHOLE_URL = r"\s*([a-z][\w+.-]*)://(.*)"
_PARAMETER = rf"[?&](?:{_NAMES}|token|secret|key|sig|signature|code)=([^&]*)"
_VARIABLE = r"(?:(?:bearer|basic|token)\s+)?(?:\$\{\w+\}|\{env:\w+\})"
_REFERENCE = rf"(?!{_VARIABLE}(?:[\s\"',}}]|$))"  # "${NAME}" tells where a secret is, not what it is
# key=value as libpq reads it, and as headers, JSON and error messages have it.
_ASSIGNED = (
    rf"(?<![\w?&])(?:(?:{_NAMES})[\"']?\s*[=:]|(?:token|secret)(?:\s*=|[\"']\s*:))\s*"
    rf"({_REFERENCE}(?:'(?:[^'\\]|\\.)*(?:'|$)|\"(?:[^\"\\]|\\.)*(?:\"|$))?(?:[^\s\\]|\\.)*)"
)
_HEADER = (
    rf"authorization[\"']?\s*[=:]\s*[\"']?(?>(?:(?:bearer|basic|token)\s+)?)({_REFERENCE}[^\s\"',}}]+)"
    rf"|\bbearer\s+({_REFERENCE}[^\s\"',}}]+)|\b(sk-[\w*-]{{8,}})"
)
_QUOTED = (
    r"[^\"'\s=:]*(?:token|key|secret|passw|auth|credential|cookie)[^\"'\s=:]*(?<!_env_var)[\"']?\s*[:=]\s*"
    r"(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)')"
)


def redact(text: str, *secrets: str | None) -> str:
    """Return a text with what is secret as "***": passwords of URLs and DSNs, keys in parameters and headers.

    A text that begins with a scheme is one URL to its end; elsewhere a URL ends at white space.

    Args:
        secrets: values that are known to be secret; hidden wherever they stand, percent-encoded too.
    """
    for secret in sorted({form for known in secrets if known for form in _forms(known)}, key=len, reverse=True):
        text = text.replace(secret, MASK)
    spans = [*_groups(_ASSIGNED, text), *_groups(_HEADER, text)]
    whole = re.match(_WHOLE_URL, text, _FLAGS)
    for match in [whole] if whole else re.finditer(_URL, text, _FLAGS):
        spans += _spans_of_url(match)
    return _mask(text, spans)


def redact_line(line: str) -> str:
    """Return a line of a configuration file without secrets: also what stands in quotes after a secret's name."""
    spans = [
        (start, end) for start, end in _groups(_QUOTED, line) if not re.fullmatch(_VARIABLE, line[start:end], _FLAGS)
    ]
    return redact(_mask(line, spans))


def strip_credentials(url: str) -> str:
    """Drop user, password, query and fragment of a URL; "" when it cannot be taken apart.

    `git@host:path` forms and paths stay as they are.
    """
    if "://" not in url:
        return url
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    if ":" in host:
        host = f"[{host}]"
    return urlunsplit((parts.scheme, host + port, parts.path, "", ""))


def secrets_of_query(url: str) -> list[str]:
    """The values in a URL's query that are secret by their names."""
    return [unquote_plus(url[start:end]) for start, end in _groups(_PARAMETER, url)]


def _spans_of_url(match: re.Match[str]) -> list[tuple[int, int]]:
    scheme, rest = match.groups()
    offset = match.start(2)
    spans = [(offset + start, offset + end) for start, end in _groups(_PARAMETER, rest)]
    end = rest.rfind("@")
    colon = rest.find(":", 0, max(end, 0))
    if colon >= 0:
        spans.append((offset + colon + 1, offset + end))
    elif end > 0 and scheme.lower().startswith("http"):  # there a name without a password is a token
        spans.append((offset, offset + end))
    return spans


def _groups(pattern: str, text: str) -> list[tuple[int, int]]:
    """Return where the group that matched stands, for every match."""
    return [match.span(match.lastindex) for match in re.finditer(pattern, text, _FLAGS) if match.lastindex]


def _mask(text: str, spans: list[tuple[int, int]]) -> str:
    """Replace each of the spans by the mask; those that touch or overlap are one."""
    result, done = "", -1
    for start, end in sorted(spans):
        if start > done:
            result += text[max(done, 0) : start] + MASK
        done = max(done, end)
    return result + text[max(done, 0) :]


def _forms(secret: str) -> set[str]:
    return {secret, quote(secret), quote(secret, safe="")}
