"""Where an embedded server keeps its files and its socket, and how to address it. Touches no file, needs no driver."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.model.private import is_root
from cocosearch_py.storage.server.accounts import server_owner_name, world_can_enter

DATABASE_NAME = "cocosearch"
SUPERUSER = "cocosearch"
PORT = 5432  # only names the socket file; the server listens on no address
SOCKET_NAME = f".s.PGSQL.{PORT}"
DEFAULT_IDLE_STOP_S = 300  # long enough for a person between two commands, short enough to free the memory
ROOT_HOME = Path("/var/lib/cocosearch-py")  # where the server of a root user lives, see _reachable_home
_MAX_SOCKET_PATH_BYTES = 100  # the kernel allows 107 on Linux and 103 on macOS, socket name included


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """Where one embedded server keeps its files; says nothing about whether it runs."""

    home: Path  # holds data/, lock files and the log
    socket_dir: Path
    idle_stop_s: int = DEFAULT_IDLE_STOP_S
    apart_from: Path | None = None  # its data folder, where the home is not in that

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def log(self) -> Path:
        return self.data / "server.log"

    def dsn(self, database: str = DATABASE_NAME) -> str:
        """How to connect; libpq then refuses a server that another account runs (`requirepeer`)."""
        parts = {"host": str(self.socket_dir), "port": str(PORT), "user": SUPERUSER, "dbname": database}
        if (owner := server_owner_name()) is not None:
            parts["requirepeer"] = owner
        return " ".join(f"{name}={_quoted(value)}" for name, value in parts.items())


def _quoted(value: str) -> str:
    """A value as libpq reads it in a connection string."""
    if value and not any(one.isspace() or one in "'\\" for one in value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def locate(data_folder: Path, idle_stop_s: int = DEFAULT_IDLE_STOP_S) -> EmbeddedServer:
    """Name the server of a data folder without touching the disk."""
    folder = data_folder.absolute()  # libpq takes a relative one for a host's name
    home = _reachable_home(folder / "postgres-18")
    socket_dir = home / "run"
    # libpq reads a comma in a host as the end of the first of several.
    if len(os.fsencode(socket_dir / SOCKET_NAME)) > _MAX_SOCKET_PATH_BYTES or "," in str(socket_dir):
        digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
        if is_root():  # in a shared folder, other programs of the server's account could enter it
            socket_dir = ROOT_HOME / f"socket-{digest}" / "run"
        else:
            socket_dir = Path(tempfile.gettempdir()) / f"cocosearch-{digest}"
    return EmbeddedServer(home, socket_dir, idle_stop_s, None if home.is_relative_to(folder) else folder)


def _reachable_home(home: Path) -> Path:
    """For root: a place that the unprivileged account can enter, instead of loosening the modes of parent folders."""
    if not is_root() or world_can_enter(home.parent):
        return home
    return ROOT_HOME / hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
