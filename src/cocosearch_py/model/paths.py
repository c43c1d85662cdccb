"""Paths as they are stored."""


def storable_path(path: str) -> str:
    """A path as PostgreSQL can hold it: undecodable bytes, which it refuses, as hexadecimal escapes."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")
