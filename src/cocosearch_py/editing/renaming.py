"""Names of files in a folder, changed in one step each: two exchanged, or one given where none was."""

import ctypes
import errno
import os
from functools import cache
from typing import Any

_NOREPLACE, _EXCHANGE = 1, 2  # of renameat2(2)
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)


class UnsupportedError(Exception):
    """The system, or this file system, cannot do that in one step."""


def exchange(folder: int, one: str, other: str) -> None:
    """Exchange two files of a folder. Raises UnsupportedError, or OSError where one is not there."""
    _rename(folder, one, other, _EXCHANGE)


def move_to_free(folder: int, old: str, new: str) -> None:
    """Give a file a name that no other has. Raises FileExistsError, OSError."""
    try:
        _rename(folder, old, new, _NOREPLACE)
    except UnsupportedError:
        os.link(old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        os.unlink(old, dir_fd=folder)


def _rename(folder: int, old: str, new: str, flags: int) -> None:
    call = _renameat2()
    if call is None:
        raise UnsupportedError
    if call(folder, os.fsencode(old), folder, os.fsencode(new), flags) == 0:
        return
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        raise UnsupportedError
    raise OSError(number, os.strerror(number), old)


@cache
def _renameat2() -> Any:
    """The function of the C library; None where it has none."""
    try:
        found = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return None
    found.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    found.restype = ctypes.c_int
    return found
