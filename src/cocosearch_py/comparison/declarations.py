"""The definitions of texts, read by a process of its own: a parser that crashes or grows harms nobody there.

Started as a program it reads pickled texts from standard input and writes their definitions as JSON.
"""

import json
import pickle
import subprocess  # noqa: TID251
import sys
from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from cocosearch_py.model.symbols import Symbol

_TIMEOUT_S = 120
_MEMORY_BYTES = 4 * 2**30


class Declaration(NamedTuple):
    """A definition outside of functions; `digest` is of its text, without that of the definitions in it."""

    kind: str
    name: str  # with its owners
    signature: str
    line: int
    digest: str


def read_declarations(texts: Sequence[tuple[str, bytes]]) -> list[list[Declaration]] | None:
    """The definitions of each text, given as language and UTF-8; None when they cannot be read."""
    if not texts:
        return []
    command = [sys.executable, "-P", "-m", __name__]
    try:
        done = subprocess.run(
            command, input=pickle.dumps(list(texts)), capture_output=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    return [[Declaration(*row) for row in rows] for rows in json.loads(done.stdout)]


def _declarations(language: str, source: bytes) -> list[Declaration]:
    from cocosearch_py.parsing.source import parse_source

    symbols = parse_source(language, source).symbols
    shown = [number for number, one in enumerate(symbols) if not one.function_depth]
    inner: dict[int | None, list[Symbol]] = {}
    for number in shown:
        inner.setdefault(symbols[number].parent, []).append(symbols[number])
    return [
        Declaration(
            one.kind, one.qualified_name, one.signature, one.start_line, _digest(source, one, inner.get(at, []))
        )
        for at, one in ((number, symbols[number]) for number in shown)
    ]


def _digest(source: bytes, one: Symbol, inner: Sequence[Symbol]) -> str:
    found = blake2b(digest_size=16)
    at = one.start_byte
    for child in sorted(inner, key=lambda child: child.start_byte):
        found.update(_plain(source[at : max(at, child.start_byte)]))
        at = max(at, child.end_byte)
    found.update(_plain(source[at : one.end_byte]))
    return found.hexdigest()


def _plain(text: bytes) -> bytes:
    """Return the text without trailing white space and empty lines."""
    return b"\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _main() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY_BYTES, _MEMORY_BYTES))
    texts = pickle.load(sys.stdin.buffer)
    json.dump([_declarations(language, source) for language, source in texts], sys.stdout)


if __name__ == "__main__":
    _main()
