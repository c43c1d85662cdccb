"""Which account runs the embedded server, and whether files belong to it: PostgreSQL refuses to run as root.

Other programs and people may use the account that root's server gets, and the server would obey them. So the server
has a group of its own, and its files lie behind a folder that only root and this group can enter. Linux lets no process
look into another one that has the same user but a different group.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from cocosearch_py.errors import DatabaseError, DatabaseUnreachableError
from cocosearch_py.model.private import private_folder

_UNPRIVILEGED_USERS = ("postgres", "nobody")
_GROUPS = range(60_600, 61_184)  # numbers that neither distributions, people's accounts nor systemd use
_GATE_MODE = 0o710


def unprivileged_account() -> tuple[int, int] | None:
    """User and group to run the server as when this process is root; None for ordinary users."""
    if os.geteuid() != 0:
        return None
    import pwd

    for name in _UNPRIVILEGED_USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, _own_group()
    raise DatabaseUnreachableError(
        "PostgreSQL refuses to run as root, and neither account `postgres` nor `nobody` exists to run it",
        hint="run as an ordinary user, or set COCOSEARCH_DATABASE_URL",
    )


@cache
def _own_group() -> int:
    """Return the first group that has no name, so that nobody is in it."""
    import grp

    for number in _GROUPS:
        try:
            grp.getgrgid(number)
        except KeyError:
            return number
    raise DatabaseUnreachableError(
        f"the embedded server needs its own group, and all ids from {_GROUPS.start} to {_GROUPS.stop - 1} are taken",
        hint="run as an ordinary user, or set COCOSEARCH_DATABASE_URL",
    )


def server_owner() -> int:
    """User id that the embedded server of this user runs as."""
    account = unprivileged_account()
    return account[0] if account else os.geteuid()


def server_owner_name() -> str | None:
    """Name of that account for libpq's `requirepeer`; None where it has none, as in many containers."""
    if os.name == "nt":
        return None
    import pwd

    try:
        return pwd.getpwuid(server_owner()).pw_name
    except (KeyError, DatabaseUnreachableError):
        return None


def make_private(folder: Path) -> None:
    """Create a 0700 folder that belongs to the account that runs the server. Raises SafetyError, OSError."""
    private_folder(folder, owner=unprivileged_account())


def make_home(home: Path) -> None:
    """Create the folder around the folders of a server, which nobody but this user and the server can enter.

    Raises:
        SafetyError: it belongs to another user.
        OSError: it cannot be created.
    """
    account = unprivileged_account()
    if account is None:
        private_folder(home)
    else:
        user, group = account
        private_folder(home, _GATE_MODE, owner=(os.geteuid(), group), owners=(user,))


@contextmanager
def entering(folder: Path) -> Iterator[None]:
    """Turn a refusal to enter a folder of the server into an error with a remedy.

    Raises:
        DatabaseError: another account made the folder, as a run by sudo does.
    """
    try:
        yield
    except PermissionError as error:
        raise DatabaseError(
            f"{folder} belongs to another user: {error.strerror}",
            hint="run as the user who made it, remove it with that user's rights, or set COCOSEARCH_DATA_DIR",
        ) from error


def require_private_socket(folder: Path, socket_name: str) -> bool:
    """Whether a socket is there that nobody but the server's account can have made; False when there is none.

    Raises:
        DatabaseError: folder or socket belongs to somebody else, or others may write to the folder.
    """
    try:
        found = folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISDIR(found.st_mode):
        problem = "is not a folder"
    elif found.st_uid not in {os.geteuid(), server_owner()}:  # Root makes it, then gives it to the server's account.
        problem = "belongs to another user"
    elif found.st_mode & 0o077:
        problem = "can be entered by other users"
    else:
        try:
            made = (folder / socket_name).lstat()
        except FileNotFoundError:
            return False
        if stat.S_ISSOCK(made.st_mode) and made.st_uid == server_owner():
            return True
        problem = "contains another user's socket"
    raise DatabaseError(
        f"refused to connect to the embedded database: its socket folder {folder} {problem}",
        hint="remove that folder if nobody needs it, or set COCOSEARCH_DATA_DIR to a short path in your own folder",
    )


def world_can_enter(folder: Path) -> bool:
    """Whether every existing folder of the path may be entered by any account."""
    folder = folder.resolve()
    return all(part.stat().st_mode & stat.S_IXOTH for part in (folder, *folder.parents) if part.exists())
