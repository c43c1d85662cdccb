"""Open files of a project without waiting for them.

A project may hold a named pipe or a device under the name of any file. Opening a pipe waits for its other end, and
reading a device may never stop. All files of a project, and git's own, are therefore opened here, or by `reading` and
`editing` relative to a folder that they hold open.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

# Flags to open a file that may be of any kind. A caller must check the kind of the open file.
WITHOUT_WAITING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"))
NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def open_regular(path: str | Path, *, follow_links: bool = True) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        OSError: the file cannot be opened, or is not a regular file.
    """
    try:
        descriptor = os.open(path, WITHOUT_WAITING | (0 if follow_links else NO_LINK))
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.EINVAL, str(error)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file")
    return open(descriptor, "rb")


def read_regular(path: str | Path, max_bytes: int, *, follow_links: bool = True) -> bytes:
    """Read a whole regular file.

    Raises:
        OSError: the file cannot be opened, is not a regular file, or has more than `max_bytes` (EFBIG).
    """
    with open_regular(path, follow_links=follow_links) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, f"it is larger than {max_bytes:,} bytes")
    return data
