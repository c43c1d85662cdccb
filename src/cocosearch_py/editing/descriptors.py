"""Open files: what they hold and who writes them, and how a new one gets all that an old one has besides."""

import errno
import os
import signal
import stat

from cocosearch_py.discovery.regular_files import NO_LINK, WITHOUT_WAITING
from cocosearch_py.errors import SafetyError

READ = WITHOUT_WAITING | NO_LINK
_OF_SYSTEM = "security."  # what attributes begin with that the system itself gives


def dress(descriptor: int, old: int, path: str) -> None:
    """Give a new file owner, extended attributes (access lists are some) and mode of an old one, and no others.

    Raises:
        SafetyError: nobody but root can give it that owner or group.
        OSError: an attribute cannot be written.
    """
    mine, status = os.fstat(descriptor), os.fstat(old)
    if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.fchown(descriptor, status.st_uid, status.st_gid)
        except PermissionError:
            raise SafetyError(
                f"{path} is not edited: you cannot set its owner or group on a new file",
                hint="change the file's group to one of yours, or edit it by other means",
            ) from None
    names = attributes(old)
    for name in {*attributes(descriptor)} - {*names}:  # that the folder gives to new files
        if not name.startswith(_OF_SYSTEM):
            os.removexattr(descriptor, name)
    for name in names:
        try:
            os.setxattr(descriptor, name, os.getxattr(old, name))
        except OSError:
            if not name.startswith(_OF_SYSTEM):
                raise
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def content(descriptor: int) -> bytes:
    """All that an open file holds."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    with open(descriptor, "rb", closefd=False) as file:
        return file.read()


def attributes(descriptor: int) -> list[str]:
    """Names of the extended attributes of an open file; none where there are no such things."""
    if not hasattr(os, "listxattr"):
        return []
    try:
        return os.listxattr(descriptor)
    except OSError:
        return []


def is_being_written(descriptor: int) -> bool:
    """Whether any process has the file open for writing, as far as the system tells.

    It gives a lease for reading only where nobody has; the lease is handed back at once.
    """
    import fcntl

    if not hasattr(fcntl, "F_SETLEASE"):
        return False
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)  # which is ignored; SIGIO would end the process
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError as error:
        return error.errno in (errno.EAGAIN, errno.EWOULDBLOCK)
    return False


def marks(status: os.stat_result) -> tuple[int, ...]:
    """Return numbers that change when a file is written or replaced, unless its writer hides that."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
