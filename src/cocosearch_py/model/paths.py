"""Paths and other text as they are stored."""

import hashlib
import re
from pathlib import PureWindowsPath

_CONTROLS = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff]")


def storable_path(path: str) -> str:
    r"""A path as PostgreSQL can hold it: undecodable bytes, which it refuses, as escapes like \xfe."""
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half of a surrogate pair that stands for no byte
        return path.encode("utf-8", "backslashreplace").decode("utf-8")


def unescaped_path(stored: str) -> str:
    """The path on disk that `storable_path` makes this of, if its escapes are of bytes: with surrogate escapes."""
    return re.sub(r"\\x([89a-f][0-9a-f])", lambda escape: chr(0xDC00 + int(escape[1], 16)), stored)


def is_text(text: str) -> bool:
    """Whether PostgreSQL takes it: no null byte, no half of a surrogate pair."""
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def has_controls(text: str) -> bool:
    """Whether a text has a control character or half of a surrogate pair."""
    return _CONTROLS.search(text) is not None


def is_inside(path: str) -> bool:
    """Whether a stored path leads to something below its root on every system, Windows included.

    A folder's path ends with a slash.
    """
    windows = PureWindowsPath(unescaped_path(path))
    segments = path.removesuffix("/").split("/")
    return not (windows.anchor or ".." in windows.parts or {"", "."} & set(segments))


def file_id_of(path: str) -> int:
    """63-bit id of a stored path."""
    return int.from_bytes(hashlib.blake2b(path.encode("utf-8"), digest_size=8).digest(), "big") >> 1
