"""Resources that the machine gives this process."""

import math
import os
from pathlib import Path, PurePosixPath
from timeit import repeat

_SAMPLE = "sorted(str(n) for n in range(2000))"
_SAMPLE_S = 0.0002  # that it takes where `speed` is 1
_SAMPLES = 10  # the quickest counts: others have taken time from the rest


def usable_cores(system: Path = Path("/")) -> int:
    """How many processes can run at the same time, by the processors and the CPU quota of this one; at least 1.

    A container is often given a part of a machine's time instead of some of its processors.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota(system)
    return min(processors, max(1, math.ceil(quota))) if math.isfinite(quota) else processors


def speed() -> float:
    """How fast this process computes now, compared with the machine that the project's default rates are of; 2 ms."""
    return _SAMPLE_S / min(repeat(_SAMPLE, number=1, repeat=_SAMPLES))


def _quota(system: Path) -> float:
    """The least CPU quota of this process's control groups and those around them, in processors."""
    try:
        groups = (system / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return math.inf
    mounts = system / "sys/fs/cgroup"
    found = [math.inf]
    for group in groups:
        controllers, _, name = group.partition(":")[2].partition(":")
        path = PurePosixPath(name)
        for folder in (str(part).lstrip("/") for part in (path, *path.parents)):
            if not controllers:  # version 2: "max 100000" or "150000 100000"
                found.append(_share(_words(mounts / folder / "cpu.max")))
            elif "cpu" in controllers.split(","):
                files = ("cpu.cfs_quota_us", "cpu.cfs_period_us")  # version 1: -1 is no quota
                found.append(_share([word for file in files for word in _words(mounts / "cpu" / folder / file)]))
    return min(found)


def _share(words: list[str]) -> float:
    """Processors of [microseconds allowed, per microseconds]; infinity for anything else."""
    if len(words) == 2 and all(word.isdigit() and int(word) for word in words):
        return int(words[0]) / int(words[1])
    return math.inf


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").split()
    except OSError:
        return []
