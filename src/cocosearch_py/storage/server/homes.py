"""Homes of embedded servers that stand apart from their data folders, as root's do: such a home outlives its folder.

Each says which data folder it belongs to. One is removed only when that folder is gone, the disk that held it is there,
and no server works in it.
"""

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.location import ROOT_HOME, EmbeddedServer
from cocosearch_py.storage.server.locks import try_lock
from cocosearch_py.storage.server.owners import noted

_HOME = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Remains:
    """A home whose data folder is not there, or is not known; `kept_because` is empty if nobody can need it."""

    home: Path
    data_folder: str | None
    kept_because: str

    def size_bytes(self) -> int:
        """Of all its files, as the disk says now."""
        size = 0
        for folder, _, names in os.walk(self.home):
            for name in names:
                with suppress(OSError):
                    size += os.lstat(os.path.join(folder, name)).st_size
        return size


def find_remains(root: Path = ROOT_HOME) -> list[Remains]:
    """Homes below `root` whose data folder is gone or unknown, by name; none for an account that does not own these."""
    if not os.access(root, os.R_OK | os.W_OK):
        return []
    homes = [home for home in sorted(root.iterdir()) if _HOME.fullmatch(home.name) and not home.is_symlink()]
    found = []
    for home in homes:
        path, device = noted(home)
        if path is None or not os.path.lexists(path):
            found.append(Remains(home, path, _needed(home, path, device)))
    return found


def remove(remains: Remains) -> bool:
    """Remove a home that nobody can need; False if it is needed by now."""
    path, device = noted(remains.home)
    lock = remains.home / "start.lock"
    with suppress(OSError):
        held = try_lock(lock, hold=True)
        if held is None:
            return False
        try:
            if path is None or os.path.lexists(path) or _needed(remains.home, path, device):
                return False
            shutil.rmtree(remains.home)
        finally:
            os.close(held)
        return True
    return False


def _needed(home: Path, path: str | None, device: int) -> str:
    """Why a home is kept whose data folder is not there; empty if it is not."""
    if path is None:
        return "an older version created it without recording its data folder"
    if embedded.is_running(EmbeddedServer(home, home / "run")):
        return "its server is still running"
    above = next(folder for folder in Path(path).parents if folder.exists())
    return "" if above.stat().st_dev == device else "the disk of its data folder is not available"
