"""The temporary folder in which multiprocessing keeps the socket of its fork server, and whatever else we put there.

A process that is killed cannot remove it. Ours has a name of its own and a lock that the kernel releases, by which the
next process knows that nobody needs it.
"""

import multiprocessing
import os
import shutil
import stat
import tempfile
import time
from contextlib import suppress
from multiprocessing.util import Finalize
from pathlib import Path

from cocosearch_py.storage.server.locks import try_lock

_PREFIX = "cocosearch-workers-"
_LOCK = "lock"
_NEW_S = 60.0  # somebody may have made it just now, and not locked it yet


def claim() -> str:
    """Make this process's folder before multiprocessing makes one, and remove those that killed processes left.

    One that somebody removed is made anew.
    """
    config = getattr(multiprocessing.current_process(), "_config", {})
    if "tempdir" in config and Path(config["tempdir"]).is_dir():
        return str(config["tempdir"])
    sweep(Path(tempfile.gettempdir()))
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try_lock(folder / _LOCK, hold=True)
    Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=-100)  # after that of the processes
    config["tempdir"] = str(folder)
    return str(folder)


def sweep(top: Path) -> None:
    """Remove the folders below `top` that processes of this user made and do not hold any more."""
    for folder in top.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
            if ours and found.st_mtime < time.time() - _NEW_S and try_lock(folder / _LOCK, hold=False):
                shutil.rmtree(folder)
