"""Advisory file locks, released by the kernel whatever happens to the process. POSIX only, like the embedded server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cocosearch_py.model.private import open_private


def try_lock(path: Path, *, hold: bool) -> int | None:
    """Take an advisory file lock without waiting.

    Returns:
        A file descriptor that holds the lock (`hold`), or a true value for "was free"; None when taken.
    """
    import fcntl

    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    if not hold:
        os.close(descriptor)
    return descriptor


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an advisory file lock inside; waits for it."""
    import fcntl

    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    return open_private(path, os.O_RDWR)
