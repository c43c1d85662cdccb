"""Folders and files that only one account can read, whatever the umask."""

import os
import stat
import tempfile
from collections.abc import Collection
from pathlib import Path

from cocosearch_py.errors import ConfigurationError, SafetyError

FILE_MODE = 0o600
FOLDER_MODE = 0o700
PASSAGE_MODE = 0o711  # others may reach what they can name in it, and list nothing
SUBFOLDERS = ("exports", "logs", "wikis")  # of a data folder
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def is_root() -> bool:
    """Report whether this process runs as root."""
    return os.name != "nt" and os.geteuid() == 0


def private_folder(
    folder: Path,
    mode: int = FOLDER_MODE,
    *,
    owner: tuple[int, int] | None = None,
    owners: Collection[int] = (),
    may_widen: bool = True,
) -> None:
    """Create FOLDER and its parents, or correct the mode of an existing folder.

    Args:
        mode: mode of the folder.
        owner: user and group that get the folder; None for those of this process.
        owners: further users whose folder is accepted.
        may_widen: give an existing folder the rights that it lacks; otherwise it only loses rights.

    Raises:
        SafetyError: the folder, or a link in its place, belongs to another user, or all users share the folder.
        ConfigurationError: the folder, or one above it, is a file.
        OSError: it cannot be created or changed.
    """
    is_new = True
    try:
        folder.mkdir(mode=mode, parents=True)
    except FileExistsError:
        is_new = False
    except NotADirectoryError as error:
        raise _not_a_folder(folder) from error
    if os.name == "nt":
        return
    wanted = owner or (os.geteuid(), os.getegid())
    descriptor = _open_folder(folder, may_be_link=wanted[0] == os.geteuid())
    try:
        found = os.fstat(descriptor)
        if found.st_mode & stat.S_ISVTX:
            raise SafetyError(f"{folder} is shared by all users", hint="use a folder of your own inside it")
        if found.st_uid == 0 and not is_root() and os.access(folder, os.W_OK | os.X_OK):
            return  # a container's volume: root made it for us, and only root can change it
        if found.st_uid not in {os.geteuid(), wanted[0], *owners}:
            raise _not_ours(folder)
        if found.st_uid != wanted[0] or (owner is not None and found.st_gid != wanted[1]):
            os.fchown(descriptor, *wanted)
        chosen = mode if is_new or may_widen else stat.S_IMODE(found.st_mode) & mode
        if chosen != stat.S_IMODE(found.st_mode):
            os.fchmod(descriptor, chosen)
    finally:
        os.close(descriptor)


def data_folder_with(data_folder: Path, name: str) -> Path:
    """Create one of the SUBFOLDERS, closed to other users, and return its path."""
    private_data_folder(data_folder)
    private_folder(data_folder / name)
    return data_folder / name


def private_data_folder(data_folder: Path) -> None:
    """Create the data folder, or close it to other users; root's server passes through it under another account.

    An administrator may have closed root's folder to the server too, which then lives elsewhere.
    """
    private_folder(data_folder, PASSAGE_MODE if is_root() else FOLDER_MODE, may_widen=False)
    for folder in (data_folder / name for name in SUBFOLDERS):
        if folder.is_dir():
            private_folder(folder)


def write_private(path: Path, data: bytes) -> None:
    """Replace the content of PATH, which only this user can read then; a link in its place is refused."""
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_TRUNC), "wb") as file:
        file.write(data)


def open_private(path: Path, flags: int) -> int:
    """Open PATH, created if needed, as a file that only this user can read; follows no link. Returns a descriptor."""
    descriptor = os.open(path, flags | os.O_CREAT | _NO_LINK, FILE_MODE)
    if os.name != "nt" and stat.S_IMODE(os.fstat(descriptor).st_mode) & ~FILE_MODE:
        os.fchmod(descriptor, FILE_MODE)
    return descriptor


def put_in_place(unfinished: Path, target: Path) -> None:
    """Rename a finished file to TARGET; it gets the mode of the file of ours that it replaces, or 0600."""
    mode = FILE_MODE
    try:
        replaced = target.lstat()
    except FileNotFoundError:
        pass
    else:
        if stat.S_ISREG(replaced.st_mode) and (os.name == "nt" or replaced.st_uid == os.geteuid()):
            mode = stat.S_IMODE(replaced.st_mode) & 0o777
    unfinished.chmod(mode)
    unfinished.replace(target)


def replace_text(target: Path, text: str) -> None:
    """Replace TARGET at once, as `put_in_place` does; a link is replaced and not followed."""
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    unfinished = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode())
        put_in_place(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _open_folder(folder: Path, *, may_be_link: bool) -> int:
    """Open a folder; a link is followed only if this user or root made it, and `may_be_link`."""
    found = folder.lstat()
    if stat.S_ISLNK(found.st_mode):
        if not may_be_link or found.st_uid not in {0, os.geteuid()}:
            raise _not_ours(folder)
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
    except NotADirectoryError as error:
        raise _not_a_folder(folder) from error
    except PermissionError as error:
        raise _not_ours(folder) from error


def _not_a_folder(folder: Path) -> ConfigurationError:
    return ConfigurationError(
        f"{folder} cannot be a folder: it, or a parent, is a file",
        hint="move the file away, or set COCOSEARCH_DATA_DIR to another folder",
    )


def _not_ours(folder: Path) -> SafetyError:
    return SafetyError(
        f"{folder} belongs to another user",
        hint="run as that user, remove it with that user's rights, or set COCOSEARCH_DATA_DIR to a folder of your own",
    )
