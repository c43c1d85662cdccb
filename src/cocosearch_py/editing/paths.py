"""Where paths below a root lead, and folders on the way there."""

import errno
import os
from contextlib import suppress

from cocosearch_py.discovery.reading import open_folder
from cocosearch_py.errors import ConflictError, SafetyError, WorkspaceError


def real_place(root: str, path: str) -> str:
    """Where a path below a root leads, links followed, relative to the root and '/' separated; it need not exist.

    Raises:
        SafetyError: it leads out of the root, or to the root itself.
        ConflictError: folders and links change places meanwhile.
    """
    top = os.path.realpath(root)
    try:
        found = os.path.realpath(os.path.join(top, path))
    except OSError:  # a link was put in the place of a folder, or the other way round, while it was looked at
        raise ConflictError(f"the folder of {path} is changing; nothing was written", hint="call again") from None
    inner = os.path.relpath(found, top).replace(os.sep, "/")
    if inner in {".", ".."} or inner.startswith("../") or os.path.isabs(inner):
        raise SafetyError(f"{path} is, or links to, a place outside {root}", hint="only files inside it can be edited")
    return inner


def make_folders(root: str, path: str) -> None:
    """Make the folders above a path that are not there. Raises SafetyError, WorkspaceError."""
    top, folder = os.path.realpath(root), path.rpartition("/")[0]
    parts = folder.split("/") if folder else []
    for count in range(len(parts)):
        try:
            above = open_folder(top, "/".join(parts[:count]))
        except OSError as error:
            raise refused(path, error) from error
        try:
            with suppress(FileExistsError):
                os.mkdir(parts[count], dir_fd=above)
                os.fsync(above)
        except OSError as error:
            raise refused(path, error) from error
        finally:
            os.close(above)


def refused(path: str, error: OSError) -> SafetyError | WorkspaceError:
    """Our error for one of the system, which has left a file as it was."""
    if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.ENXIO):
        return SafetyError(f"{path} is not edited: it is not a regular file", hint="name the file itself")
    return WorkspaceError(
        f"{path} cannot be written: {error.strerror}; it was not changed", hint="check the disk and its permissions"
    )
