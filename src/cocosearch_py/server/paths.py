"""One folder has several spellings where Windows is near; here they become the one that this system opens.

Spelling only: whether a client may use the folder is decided on the result, by `access`.
"""

import platform
import re
import sys
from configparser import ConfigParser
from configparser import Error as ConfigurationFileError
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

WINDOWS_DRIVES = ""  # C:/x is opened as C:/x
WSL_DRIVES = "/mnt/"  # where WSL has the drives unless /etc/wsl.conf says otherwise
_WSL_MARKS = ("/run/WSL", "/proc/sys/fs/binfmt_misc/WSLInterop")  # a container on Windows has the kernel without these
# C:\x, C:/x and the same after \\?\; /c/x of Git Bash, /cygdrive/c/x of Cygwin and /mnt/c/x of WSL.
_WITH_DRIVE = re.compile(r"(?:\\\\\?\\)?([A-Za-z]):(?:[\\/](.*))?", re.DOTALL)
_WITH_FOLDER = re.compile(r"(?:/mnt|/cygdrive)?/([A-Za-z])(?:/(.*))?", re.DOTALL)


def local_path(text: str, drives: str | None) -> str:
    """A path as this system spells it, from the forms that clients on Windows use for one place.

    Args:
        text: a path or a `file:` URI. Relative paths, and paths on no drive, stay as they are.
        drives: what stands before `c/x` here; WINDOWS_DRIVES on Windows; None where there are no such drives, and
            where `C:` and `/c` are then names like any other.
    """
    path = path_of_uri(text, drives) if text[:5].lower() == "file:" else text
    if path is None:
        return text
    if drives is None:
        return path
    found = _WITH_DRIVE.fullmatch(path) or _WITH_FOLDER.fullmatch(path)
    if found is None:
        return path
    letter, rest = found[1], (found[2] or "").replace("\\", "/")
    return f"{drives}{letter.lower()}/{rest}" if drives else f"{letter.upper()}:/{rest}"


def path_of_uri(uri: str, drives: str | None) -> str | None:
    """The path of a `file:` URI of this machine, as this system spells it; None for anything else."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc.lower() not in ("", "localhost"):
        return None
    path = unquote(parts.path, errors="surrogateescape")
    if drives is not None and _WITH_DRIVE.fullmatch(path.removeprefix("/")):
        path = path.removeprefix("/")
    elif not path.startswith("/"):
        return None
    return local_path(path, drives)


@cache
def drives_here() -> str | None:
    """`drives` of this system; see `local_path`."""
    if sys.platform == "win32":
        return WINDOWS_DRIVES
    if "microsoft" not in platform.release().lower() or not any(Path(mark).exists() for mark in _WSL_MARKS):
        return None
    return wsl_drives(Path("/etc/wsl.conf"))


def wsl_drives(configuration: Path) -> str:
    """Where a distribution mounts the drives: `root` of `[automount]`."""
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read(configuration, encoding="utf-8")
        root = parser.get("automount", "root", fallback=WSL_DRIVES).strip().strip('"')
    except (ConfigurationFileError, OSError, UnicodeDecodeError):
        return WSL_DRIVES
    return root.rstrip("/") + "/" if root.startswith("/") else WSL_DRIVES
