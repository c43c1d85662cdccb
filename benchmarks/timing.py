"""Wall time, CPU time and memory of processes; percentiles."""

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import psutil

SAMPLE_S = 0.2  # between two looks at memory: often enough for the peak of a run, rare enough to cost nothing
SETTLE_S = 0.3  # processes that a command leaves behind end within this time, and are counted


class Cost:
    """Wall and CPU seconds, and peak memory, of all processes below this one, the database server among them."""

    def __init__(self, settle_s: float = 0.0) -> None:
        self._settle_s = settle_s
        self._peak_bytes = 0
        self._stop = threading.Event()
        self.wall_s = self.cpu_s = 0.0

    def __enter__(self) -> "Cost":
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._before, self._started = cpu_below(), time.perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall_s = time.perf_counter() - self._started
        self._sample()
        time.sleep(self._settle_s)
        self._stop.set()
        self._thread.join()
        self.cpu_s = cpu_below() - self._before

    def figures(self, name: str) -> dict[str, Any]:
        return {
            f"{name} wall s": round(self.wall_s, 3),
            f"{name} CPU s": round(self.cpu_s, 2),
            f"{name} peak MB": round(self._peak_bytes / 2**20),
        }

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_S):
            self._sample()

    def _sample(self) -> None:
        self._peak_bytes = max(self._peak_bytes, memory_of(psutil.Process().children(recursive=True)))


def memory_of(processes: Iterable[psutil.Process]) -> int:
    """Proportional bytes of processes."""
    total = 0
    for process in processes:
        with suppress(psutil.Error, OSError):
            total += process.memory_full_info().pss
    return total


def cpu_below() -> float:
    """CPU seconds so far of all processes below this one; parents know those of children that they waited for."""
    me = psutil.Process()
    below = me.children(recursive=True)
    for process in below:
        with suppress(psutil.Error, ChildProcessError):
            if process.status() == psutil.STATUS_ZOMBIE and process.ppid() == me.pid:
                os.waitpid(process.pid, os.WNOHANG)
    times = os.times()
    return times.children_user + times.children_system + sum(map(cpu_of, below))


def cpu_of(process: psutil.Process) -> float:
    """CPU seconds so far of a process and of its ended children."""
    with suppress(psutil.Error):
        return float(sum(process.cpu_times()[:4]))
    return 0.0


def tree_cpu(pid: int) -> float:
    """CPU seconds so far of a process and its children, but for the database server."""
    process = psutil.Process(pid)
    return cpu_of(process) + sum(cpu_of(child) for child in process.children() if child.name() != "postgres")


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Milliseconds that a piece of work takes, and its result."""
    started = time.perf_counter()
    result = work()
    return (time.perf_counter() - started) * 1000, result


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2)


def middle(name: str, values: Sequence[float]) -> dict[str, Any]:
    """Median and 95th percentile of milliseconds."""
    return {f"{name} p50 ms": percentile(values, 0.5), f"{name} p95 ms": percentile(values, 0.95)}


def ratio(part: float, whole: float) -> float | None:
    """Share of a whole; None if there is nothing to share."""
    return round(part / whole, 4) if whole else None
