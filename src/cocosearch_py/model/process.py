"""Processes by a mark that no other one ever has, so that a dead one can be told from a silent one; their host."""

import getpass
import os
import signal
import socket
from functools import cache
from pathlib import Path

_STATE, _START = 0, 19  # fields of /proc/PID/stat, counted behind the name
_DEAD = ("Z", "X")


@cache
def _this(pid: int) -> str:
    started = _started(pid)
    return f"{_here()}/{pid}/{started}" if _here() and started else ""


def process_mark() -> str:
    """The mark of this process; empty where the system does not tell enough for one."""
    return _this(os.getpid())


def place_of(mark: str) -> str:
    """The machine, since it was started, and the container of a mark; empty for an empty one."""
    return mark.partition("/")[0]


def is_gone(mark: str) -> bool:
    """Whether the process of a mark has surely ended; False for one of another machine or container."""
    place, _, rest = mark.partition("/")
    pid, _, started = rest.partition("/")
    return bool(place) and place == _here() and pid.isdecimal() and _started(int(pid)) != started


def ask_to_end(mark: str) -> bool:
    """Ask the process of a mark to end; False if it has ended, or is not one of this machine that we may ask."""
    place, _, rest = mark.partition("/")
    if not place or place != _here() or is_gone(mark):
        return False
    try:
        os.kill(int(rest.partition("/")[0]), signal.SIGTERM)
    except OSError:
        return False
    return True


@cache
def this_host() -> str:
    """The machine and the account: what a path means, and who may read it, depends on both."""
    return f"{_account()}@{socket.gethostname()}"


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        return str(os.getuid()) if hasattr(os, "getuid") else "user"


@cache
def _here() -> str:
    """Return a mark of the start of the machine and the container, so that process numbers of others differ."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}:{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:  # not Linux
        return ""


def _started(pid: int) -> str:
    """When a process began, in the system's ticks; empty when it has ended."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if words[_STATE] in _DEAD else words[_START]
