"""Reads and writes configuration files: whole or not at all, and never through a link out of the allowed folder."""

import errno
import os
import secrets
import stat
from pathlib import Path

from cocosearch_py.discovery.regular_files import read_regular
from cocosearch_py.errors import BusyError, ConfigurationError, SafetyError

MAX_FILE_BYTES = 64 * 1024 * 1024  # Claude Code keeps its history in its file; ten times the largest one seen
_NEW_FILE_MODE = 0o666  # less the umask, as for every file
_NEW_PRIVATE_MODE = 0o600  # user-wide files may come to hold keys


def real_file(folder: Path, relative: str) -> Path:
    """The file that a place means, links resolved.

    Raises:
        SafetyError: a link leads out of the folder.
        ConfigurationError: the place cannot be a file.
    """
    try:
        allowed = folder.resolve()
        found = (allowed / relative).resolve()
    except (OSError, RuntimeError) as error:  # a loop of links
        raise ConfigurationError(f"{folder / relative} cannot be resolved", hint="repair the link") from error
    if not found.is_relative_to(allowed):
        raise SafetyError(
            f"{folder / relative} is a link to a place outside {folder}",
            hint="edit the link's target yourself, or remove the link",
        )
    if found.exists() and not found.is_file():
        raise ConfigurationError(f"{folder / relative} is not a file", hint="move it away")
    return found


def read(path: Path) -> str | None:
    """The text, line ends as they are; None when there is no file. Raises ConfigurationError."""
    try:
        return read_regular(path, MAX_FILE_BYTES).decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8", hint="save it as UTF-8") from error
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigurationError(f"{path} is too large to edit", hint="add the entry by hand") from None
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}", hint="check its permissions") from error


def write(path: Path, text: str, *, before: str | None, private: bool) -> None:
    """Replace the file, or make it and its folders; a reader sees the old or the new text. Permissions are kept.

    Raises:
        BusyError: the file is no longer what `before` says; another program has written it.
        ConfigurationError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(path.stat().st_mode) if before is not None else None
        new_mode = _NEW_PRIVATE_MODE if private or mode is not None else _NEW_FILE_MODE
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, new_mode), "wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            temporary.chmod(mode)
        if read(path) != before:
            raise BusyError(f"another program has just changed {path}", hint="run the command again")
        temporary.replace(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}", hint="check its permissions") from error
    finally:
        temporary.unlink(missing_ok=True)
