"""Masks secrets in text with asterisks, by the rules of the audit, for answers that agents read.

Each character of a secret becomes one asterisk, so lines and columns stay where they are. Answers are short and nearly
always clean. Therefore cheap searches find the few lines that may hold a secret, and only these are scanned.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

MASK = "*"
_END = "\n\0\n"  # between texts; no rule reads past it
_LEAST_RUN = 20  # characters of all credentials that have a form of their own, but for those of _FORMS
_RUN = b"x" * _LEAST_RUN
_RUNS = bytes(
    ord("x") if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_+/=-") else ord(" ")
    for byte in range(256)
)
_DIGIT = re.compile(rb"[0-9]")
# Forms without such a run, each beginning with fixed characters, which makes the search quick.
_FORMS = tuple(
    re.compile(form)
    for form in (
        rb"AKC[a-zA-Z0-9]{10}",
        rb"AP[0-9A-F][a-zA-Z0-9]{8}",
        rb"eyJ[\w-]{8}",
        rb"xox[abposre]-",
        rb"xapp-\d",
        rb"hooks\.slack\.com/",
        rb"://[^\s/@]{1,80}:[^\s/@]{1,200}@",
    )
)
_KEYS = (b"PRIVATE KEY", b"PuTTY-User-Key-File-")  # the key follows on later lines
_CORES = (b"pass", b"pwd", b"secret", b"contrase", b"key", b"token", b"credential")  # of names, as in `assigned`
# A value in quotes that may be more than words: the only ones that `likely` takes for secrets.
_ODD = re.compile(
    rb"[\"'`](?:[^\s\"'`]*(?:[^A-Za-z\x80-\xff\s\"'`_.,:;/\\!?#&+()-]|[A-Za-z]{20})[^\s\"'`]*|[_.,:;!?#&+()-][^\s\"'`]+)"
    rb"[\"'`]"
)


def mask_texts(texts: Sequence[str], *, bare: bool = False) -> Sequence[str]:
    """Return the texts with their secrets masked; the same object if there are none.

    A random text without a name counts as a secret if it is one elsewhere in these texts.

    Args:
        bare: values need no quotes, as in settings.
    """
    source = _END.join(texts).encode("utf-8", "surrogatepass")
    spans = [*_spans(source, bare)]
    if not spans:
        return texts
    return _masked(source, spans).decode("utf-8", "surrogatepass").split(_END)


def quotes_mask(text: str, source: bytes) -> bool:
    """Report whether a text has asterisks in place of a secret of the source; writing it would lose the secret."""
    if MASK not in text:
        return False
    masks = {MASK * len(source[start:end].decode("utf-8", "replace")) for start, end in _spans(source, bare=True)}
    runs = {*re.findall(r"\*+", text)} - {*re.findall(r"\*+", source.decode("utf-8", "replace"))}
    return not runs.isdisjoint(masks)


def _spans(source: bytes, bare: bool) -> Iterator[tuple[int, int]]:
    """Places of the secrets, in bytes."""
    blocks = _blocks(source, bare)
    if not blocks:
        return
    from cocosearch_py.secrets.scan import PUBLIC_IP, scan  # compiles many patterns, which few answers need

    known, doubtful = set[bytes](), list[tuple[int, int, bytes]]()
    for begin, end in blocks:
        found = scan(source[begin:end], bare=bare)
        doubtful += [(begin + one.at, begin + one.at + len(one.value), one.value) for one in found.doubtful]
        for one in found.secrets:
            if one.rule != PUBLIC_IP:
                known.add(one.value)
                yield begin + one.at, begin + one.at + len(one.value)
    yield from ((start, end) for start, end, value in doubtful if value in known)


def _masked(source: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    parts, done = list[bytes](), 0
    for start, end in sorted(spans):
        if start >= done:
            value = source[start:end].decode("utf-8", "surrogatepass")
            parts += [source[done:start], re.sub(r"[^\s\"'\\]", MASK, value).encode()]
            done = end
    return b"".join([*parts, source[done:]])


def _blocks(source: bytes, bare: bool) -> list[tuple[int, int]]:
    """Lines that may hold a secret, each with the line before and the line after it, joined where they touch."""
    if any(key in source for key in _KEYS):
        return [(0, len(source))]
    places = sorted({*_long_runs(source), *_forms(source), *_named(source, bare)})
    blocks = list[tuple[int, int]]()
    for at in places:
        if blocks and at < blocks[-1][1]:
            continue
        begin = _line_begin(source, _line_begin(source, at) - 1)
        end = _line_end(source, _line_end(source, at) + 1)
        if blocks and begin <= blocks[-1][1]:
            begin = blocks.pop()[0]
        blocks.append((begin, end))
    return blocks


def _long_runs(source: bytes) -> Iterator[int]:
    """Long runs of the characters of credentials with a digit among them."""
    runs = source.translate(_RUNS)
    at = runs.find(_RUN)
    while at >= 0:
        end = runs.find(b" ", at)
        end = len(runs) if end < 0 else end
        if _DIGIT.search(source, at, end):
            yield at
        at = runs.find(_RUN, end)


def _forms(source: bytes) -> Iterator[int]:
    for form in _FORMS:
        for match in form.finditer(source):
            yield match.start()


def _named(source: bytes, bare: bool) -> Iterator[int]:
    """Words that name secrets, beside a value that may be one."""
    lowered, done = source.lower(), 0
    places = list[int]()
    for core in _CORES:
        at = lowered.find(core)
        while at >= 0:
            places.append(at)
            at = lowered.find(core, at + len(core))
    for at in sorted(places):
        if at < done:
            continue
        begin, done = _line_begin(source, at), _line_end(source, _line_end(source, at) + 1)
        if bare or _ODD.search(source, begin, done):
            yield at


def _line_begin(source: bytes, at: int) -> int:
    return source.rfind(b"\n", 0, max(at, 0)) + 1


def _line_end(source: bytes, at: int) -> int:
    end = source.find(b"\n", at)
    return len(source) if end < 0 else end
