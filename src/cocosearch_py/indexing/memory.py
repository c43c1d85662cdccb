"""Memory that a process has no more use for goes back to the system, as far as the C library can be told so."""

import ctypes
import sys
from functools import cache


def trim() -> None:
    """Give back what was freed and is kept for later; a few milliseconds."""
    library = _library()
    if library is not None:
        library.malloc_trim(0)


@cache
def _library() -> ctypes.CDLL | None:
    """The C library of Linux, unless it is another one than glibc; others give memory back by themselves or cannot."""
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "malloc_trim") else None
