"""Paths and other text as they are stored."""

import hashlib


def storable_path(path: str) -> str:
    r"""A path as PostgreSQL can hold it: undecodable bytes, which it refuses, as escapes like \xfe."""
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half of a surrogate pair that stands for no byte
        return path.encode("utf-8", "backslashreplace").decode("utf-8")


def is_text(text: str) -> bool:
    """Whether PostgreSQL takes it: no null byte, no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def file_id_of(path: str) -> int:
    """63-bit id of a stored path."""
    return int.from_bytes(hashlib.blake2b(path.encode("utf-8"), digest_size=8).digest(), "big") >> 1
