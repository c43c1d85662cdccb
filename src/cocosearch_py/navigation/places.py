"""Which file of an index a caller's text means. Reads no file; follows links only to see where they lead."""

import os
import posixpath
import re

from cocosearch_py.model.code import CodeTarget
from cocosearch_py.model.paths import storable_path

_LINES = re.compile(r"(.+?):(\d{1,9})(?:-(\d{1,9})?)?", re.DOTALL)


class OutsideError(Exception):
    """A path that is not below the root, or a link that leads out of it."""


def paths_meant(root: str, text: str, folder: str | None = None) -> list[str]:
    """Paths relative to the root that a text can mean, as the index stores them, the likeliest first.

    Args:
        root: folder of the index.
        text: absolute, or relative to the root or to `folder`; may be or go through a link.
    Raises:
        OutsideError: all it can mean is outside of the root.
    """
    bases = [root] if folder is None or os.path.isabs(text) else [root, folder]
    # Where the text leads by its names alone comes before where links lead.
    plain = [os.path.normpath(os.path.join(base, text)) for base in bases]
    led = [os.path.realpath(os.path.join(base, text)) for base in bases]
    roots = (root, os.path.realpath(root))
    found = [inner for path in (*plain, *led) if (inner := _below(roots, path)) is not None]
    if not found or all(_below(roots, path) is None for path in led):
        raise OutsideError
    return list(dict.fromkeys(map(storable_path, found)))


def _below(roots: tuple[str, ...], path: str) -> str | None:
    """The path relative to one of the roots; "" for itself, None when it is outside."""
    for root in roots:
        if path == root:
            return ""
        if path.startswith(root.rstrip(os.sep) + os.sep):
            inner = path[len(root.rstrip(os.sep)) + 1 :]
            return inner if os.sep == "/" else inner.replace(os.sep, posixpath.sep)
    return None


def readings(target: CodeTarget) -> list[CodeTarget]:
    """Return the meanings of a target, likeliest first: a file name may contain the marks of lines and symbols."""
    path = target.path
    if path is None or target.symbol is not None or target.start is not None or target.end is not None:
        return [target]
    found = [target]
    if (lines := _LINES.fullmatch(path)) is not None:
        first = int(lines[2])
        last = int(lines[3]) if lines[3] else None if path.endswith("-") else first
        found.append(CodeTarget(target.text, lines[1], start=first, end=last))
    if "#" in path:
        before, _, symbol = path.partition("#")
        if before and symbol:
            found.append(CodeTarget(target.text, before, symbol))
    if "/" not in path and "#" not in path and lines is None:
        found.append(CodeTarget(target.text, symbol=path))
    return found
