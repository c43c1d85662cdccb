"""Which account runs the embedded server, and whether files belong to it: PostgreSQL refuses to run as root."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cocosearch_py.errors import DatabaseError, DatabaseUnreachableError

_UNPRIVILEGED_USERS = ("postgres", "nobody")


def unprivileged_account() -> tuple[int, int] | None:
    """(uid, gid) to run the server as when this process is root; None for ordinary users."""
    if os.geteuid() != 0:
        return None
    import pwd

    for name in _UNPRIVILEGED_USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return entry.pw_uid, entry.pw_gid
    raise DatabaseUnreachableError(
        "PostgreSQL refuses to run as root and there is no account `postgres` or `nobody` to run it as",
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
    """Create a 0700 folder that belongs to the account that runs the server."""
    account = unprivileged_account()
    folder.mkdir(parents=True, exist_ok=True, mode=0o755 if account else 0o700)
    # Root must not give away what a link in the temporary folder points to, or take over another user's folder.
    owner = (folder.lstat() if account else folder.stat()).st_uid
    if owner not in {os.geteuid(), server_owner()} or (account and folder.is_symlink()):
        raise DatabaseError(f"{folder} belongs to another user", hint="set COCOSEARCH_DATA_DIR to a folder of your own")
    if account and owner != account[0]:
        os.chown(folder, *account)
    folder.chmod(0o700)


@contextmanager
def entering(folder: Path) -> Iterator[None]:
    """Say of a folder of the server that cannot be entered what to do about it.

    Raises:
        DatabaseError: this account may not, since another one made it, as a run by sudo does; or a file is above it.
    """
    try:
        yield
    except PermissionError as error:
        raise DatabaseError(
            f"{folder} belongs to another user: {error.strerror}",
            hint="run as the user who made it, remove it with that user's rights, or set COCOSEARCH_DATA_DIR",
        ) from error
    except NotADirectoryError as error:
        raise DatabaseError(
            f"{folder} cannot be used: {error.strerror}",
            hint="remove the file that is in its place, or set COCOSEARCH_DATA_DIR",
        ) from error


def require_private_socket(folder: Path, socket_name: str) -> bool:
    """Whether a socket is there that nobody but the server's account can have made; False when there is none.

    Raises:
        DatabaseError: folder or socket belongs to somebody else, or others may write to the folder.
    """
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        problem = "is not a folder"
    elif found.st_uid != server_owner():
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
        problem = "holds a socket of another user"
    raise DatabaseError(
        f"refused to connect to the embedded database: its socket folder {folder} {problem}",
        hint="remove that folder if nobody needs it, or set COCOSEARCH_DATA_DIR to a short path in your own folder",
    )


def world_can_enter(folder: Path) -> bool:
    """Whether every existing folder of the path may be entered by any account."""
    folder = folder.resolve()
    return all(part.stat().st_mode & stat.S_IXOTH for part in (folder, *folder.parents) if part.exists())
