"""Paths as they are stored."""


def storable_path(path: str) -> str:
    r"""A path as PostgreSQL can hold it: undecodable bytes, which it refuses, as escapes like \xfe."""
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # half of a surrogate pair that stands for no byte
        return path.encode("utf-8", "backslashreplace").decode("utf-8")
