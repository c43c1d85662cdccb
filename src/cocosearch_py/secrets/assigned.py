"""Values by the names that they are given to: `password = "…"`, and random texts beside names such as `token`."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from cocosearch_py.secrets.likely import entropy, has_words, is_likely, is_sequence, says_something

ASSIGNED, RANDOM_HEX, RANDOM_BASE64 = "secret/assigned", "secret/random-hex", "secret/random-base64"

_NAMES = (
    rb"(?i:passw(?:or)?d|passwd|passphrase|pwd|secret|contrase(?:n|\xc3\xb1)a"
    rb"|(?:api|auth|service|account|db|database|priv|private|client|access|encryption|encrypt|signing|master|storage)"
    rb"[_-]?(?:key|pass)|(?:api|auth|access|refresh|bearer|bot|private|oauth)[_-]?token|key[_-]?pass|credential)"
)
_WORD = re.compile(_NAMES)
_CORES = (b"pass", b"pwd", b"secret", b"contrase", b"key", b"token", b"credential")  # each such word has one, lowered
_REACH = 16  # bytes that it has at most before and after that
_BEGINS = re.compile(rb"[\w$-]{0,40}$")  # what stands of the name before such a word
_QUOTED = rb"[A-Za-z@$]{0,2}(?P<quote>[\"'`])(?P<value>(?:\\.|(?!(?P=quote))[^\\\n]){3,300})(?P=quote)"
_TYPE = rb"(?:\s{0,3}:\s{0,3}&?(?:'\w+ )?[\w<>?.]{1,30}|\s{1,3}[\w.]{1,20}|\s{0,2}\[\w{0,10}\])?"
# What follows such a word; the first group is the rest of the name.
_GIVEN = re.compile(
    rb"([\w-]{0,40})[\"'\])]{0,3}(?:" + _TYPE + rb"\s{0,12}={1,3}|\s{0,3}(?::=|=>|!={1,2}|:))>?\s{0,12}" + _QUOTED
)
_CALLED = re.compile(rb"([\w-]{0,40})\s{0,2}[({]\s{0,2}" + _QUOTED)
_TYPED = re.compile(rb"(?:string|String|auto)\s+$")
_DIRECTIVE = re.compile(rb"([\w-]{0,40})[ \t]{1,8}" + _QUOTED + rb"[ \t]*;")
_BARE = re.compile(
    rb"([\w-]{0,40})[\"']?[ \t]{0,20}(?:=|:[ \t])[ \t]{0,20}(?P<value>[^\s\"'`#,;{\[|>&*][^\s\"'`,;]{2,200})"
    rb"[ \t]*(?:\r?$|[ \t]#)",
    re.MULTILINE,
)
_LINE_BEGINS = re.compile(rb"[ \t]*(?:-[ \t]+)?(?:export[ \t]+|ENV[ \t]+|set[ \t]+)?[\"']?[\w.$-]*$")
_ELEMENT = re.compile(rb"([\w-]{0,40})>(?P<value>[^<\s]{4,200})</")
_COMPARED = re.compile(_QUOTED + rb"\s{0,3}[!=]={1,2}\s{0,3}[\w.$>\[\]()-]{0,60}?(?P<name>" + _NAMES + rb")")

_RANDOM = re.compile(rb"[\"'](?P<value>[A-Za-z0-9+/_-]{20,300}={0,2})[\"']")
_HEX = re.compile(rb"(?:[0-9a-f]{32,}|[0-9A-F]{32,})")
# What stands before a random text in its line, or in the name it is given to.
_SECRET_NAME = re.compile(
    rb"(?i:secret|token|passw|auth|credential|cookie|sessi|salt|private|signature|signing|bearer|csrf|api"
    rb"|(?<![a-z])key|[_-]key|[a-z]Key)"
)
_PUBLIC_NAME = re.compile(
    rb"(?i:hash|sha\d|sha_|md5|etag|checksum|digest|integrity|commit|\brev\b|revision|nonce|opaque|fingerprint|public|uuid|guid"
    rb"|keyboard|keyword|keyid|key_id|alphabet|charset|translation|http|www|selector|payload)"
)
_BEFORE = 80  # bytes that are looked at for such a name
_LEAST_ENTROPY = {RANDOM_HEX: 3.0, RANDOM_BASE64: 4.0}


class Value(NamedTuple):
    """Where a value stands that may be a secret, in bytes."""

    rule: str
    start: int
    end: int


def find_assigned(source: bytes, *, bare: bool) -> Iterator[Value]:
    """Values of names that mean a secret.

    Args:
        bare: values need no quotes, as in settings.
    """
    for word in _words(source):
        line = source.rfind(b"\n", 0, word.start()) + 1
        before = source[max(line, word.start() - _BEFORE) : word.start()]
        begin = _BEGINS.search(before)
        name = begin[0] if begin is not None else b""
        for pattern in _patterns(before, name, bare):
            match = pattern.match(source, word.end())
            if match is not None:
                value = match["value"]
                if is_likely(value, name + word[0] + match[1]) and not says_something(value):
                    yield Value(ASSIGNED, *match.span("value"))
                break
    if b"==" in source or b"!=" in source:
        for match in _COMPARED.finditer(source):
            if is_likely(match["value"], match["name"]):
                yield Value(ASSIGNED, *match.span("value"))


def _words(source: bytes) -> Iterator[re.Match[bytes]]:
    """All words that name a secret, in order; tried only around their cores, as a plain search for these is quicker."""
    lowered, found = source.lower(), list[int]()
    for core in _CORES:
        at = lowered.find(core)
        while at >= 0:
            found.append(at)
            at = lowered.find(core, at + 1)
    begin = end = 0
    for at in sorted(found):
        if at - _REACH > end:
            yield from _WORD.finditer(source, begin, end)
            begin = at - _REACH
        end = at + _REACH
    yield from _WORD.finditer(source, begin, end)


def _patterns(before: bytes, name: bytes, bare: bool) -> Iterator[re.Pattern[bytes]]:
    """Return the patterns that may follow a name, by what stands before it in its line."""
    yield _GIVEN
    front = before[: len(before) - len(name)]
    if _TYPED.search(front):
        yield _CALLED
    if not front.strip():
        yield _DIRECTIVE
    if bare and _LINE_BEGINS.fullmatch(before):
        yield _BARE
    if bare and front.endswith(b"<"):
        yield _ELEMENT


def find_random(source: bytes) -> Iterator[tuple[Value, bool]]:
    """Texts in quotes that are too random for words, and whether what stands before says that they are secret."""
    for match in _RANDOM.finditer(source):
        value = match["value"]
        rule = RANDOM_HEX if _HEX.fullmatch(value) else RANDOM_BASE64
        if entropy(value) < _LEAST_ENTROPY[rule] or is_sequence(value) or not is_likely(value):
            continue
        if rule == RANDOM_BASE64 and not _is_random(value):
            continue
        line = source.rfind(b"\n", 0, match.start()) + 1
        before = source[max(line, match.start() - _BEFORE) : match.start()]
        named = _SECRET_NAME.search(before) is not None and _PUBLIC_NAME.search(before) is None
        yield Value(rule, *match.span("value")), named


def _is_random(value: bytes) -> bool:
    kinds = [re.search(kind, value) is not None for kind in (rb"[a-z]", rb"[A-Z]", rb"[0-9]")]
    return all(kinds) and not has_words(value) and not says_something(value)
