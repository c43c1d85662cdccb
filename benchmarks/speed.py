"""Speed and memory of indexing: this program beside semble and codegraph, over the same folders, in turns.

    python benchmarks/speed.py FOLDER... [--semble PYTHON] [--codegraph PROGRAM] [--rounds N] [--mode process|command]
                               [--json OUT]

PYTHON is the interpreter of an environment with semble, which gets our static table; PROGRAM is codegraph's. Each works
on copies of the folders: indexes them all (`cold`), again with nothing changed (`unchanged`), and again after a line
was added to one file of each (`edit`); in one process for all folders, and by one command for each. Our database server
runs before the first round, and counts as ours.

Machines differ and are shared: read the ratios, and CPU time before wall time. CPU time is that of all processes below
this one, also of those that detach themselves; memory is their proportional set size together, sampled. Linux only.
"""

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
from contestants import Contestant, codegraph, ours, semble
from figures import product_commit

from cocosearch_py.embedding.models import BUNDLED_FOLDER

STATES = ("cold", "unchanged", "edit")
SAMPLE_S = 0.2  # often enough for the peak of a run, rare enough not to weigh
SETTLE_S = 0.3  # what a command leaves behind ends meanwhile, and is counted
PR_SET_CHILD_SUBREAPER = 36

Row = dict[str, float]
Rows = dict[str, dict[str, Row]]  # mode -> state -> figures


class Below:
    """Wall and CPU seconds, and peak memory, of all processes below this one; those that detach themselves too.

    Args:
        settle_s: what a command leaves behind ends within this time, and is counted.
    """

    def __init__(self, settle_s: float = 0.0) -> None:
        self._settle_s = settle_s
        self._me = psutil.Process()
        self._peak_bytes = 0
        self._stop = threading.Event()
        self.row: Row = {}

    def __enter__(self) -> "Below":
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._cpu_before = self._cpu()
        self._started = time.perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        wall_s = time.perf_counter() - self._started
        self._sample()
        time.sleep(self._settle_s)
        self._stop.set()
        self._thread.join()
        self.row = {"wall_s": wall_s, "cpu_s": self._cpu() - self._cpu_before, "peak_mb": self._peak_bytes / 2**20}

    def _cpu(self) -> float:
        """Seconds so far; parents know those of children that they have waited for."""
        below = self._me.children(recursive=True)
        for process in below:
            with suppress(psutil.Error, ChildProcessError):
                if process.status() == psutil.STATUS_ZOMBIE and process.ppid() == self._me.pid:
                    os.waitpid(process.pid, os.WNOHANG)
        times = os.times()
        total = times.children_user + times.children_system
        for process in below:
            with suppress(psutil.Error):
                of_one = process.cpu_times()
                total += of_one.user + of_one.system + of_one.children_user + of_one.children_system
        return total

    def _watch(self) -> None:
        while not self._stop.wait(SAMPLE_S):
            self._sample()

    def _sample(self) -> None:
        total = 0
        for process in self._me.children(recursive=True):
            with suppress(psutil.Error, OSError):
                total += process.memory_full_info().pss
        self._peak_bytes = max(self._peak_bytes, total)


def edit(folder: Path) -> None:
    """Add a line to one file, of the kind that there are most of."""
    files = [path for path in folder.rglob("*.*") if path.is_file() and ".codegraph" not in path.parts]
    suffix = Counter(path.suffix for path in files).most_common(1)[0][0]
    with max(path for path in files if path.suffix == suffix).open("a", encoding="utf-8") as file:
        file.write("\n")


def by_process(one: Contestant, folders: list[Path]) -> dict[str, Row]:
    """All states in one process, which indexes all folders for each line that it is sent."""
    assert one.driver is not None
    rows = {}
    command = [*one.driver, *map(str, folders)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=one.variables, stdin=pipe, stdout=pipe, text=True) as driver:
        assert driver.stdin and driver.stdout
        for state in STATES:
            expect("ready", driver.stdout.readline())
            if state == "edit":
                list(map(edit, folders))
            with Below() as used:
                driver.stdin.write("\n")
                driver.stdin.flush()
                expect("done", driver.stdout.readline())
            rows[state] = used.row
        expect("ready", driver.stdout.readline())
        driver.stdin.close()
    return rows


def expect(word: str, heard: str) -> None:
    if heard.strip() != word:
        raise SystemExit(f"expected {word!r} of a contestant, heard {heard!r}")


def by_command(one: Contestant, folders: list[Path]) -> dict[str, Row]:
    """All states, by one command for each folder."""
    rows = {}
    for state in STATES:
        if state == "edit":
            list(map(edit, folders))
        with Below(SETTLE_S) as used:
            for folder in folders:
                one.run(one.command(folder, state != "cold"))
        rows[state] = used.row
    return rows


def measure(one: Contestant, folders: list[Path], mode: str) -> dict[str, Row]:
    """One contestant's figures over new copies of the folders."""
    copies = [one.home / f"{number}-{folder.name}" for number, folder in enumerate(folders)]
    for folder, copy in zip(folders, copies, strict=True):
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    one.run(one.prepare)
    rows = (by_process if mode == "process" else by_command)(one, copies)
    one.run(one.finish)
    return rows


def contestants(home: Path, options: argparse.Namespace) -> list[Contestant]:
    """Who takes part, each with nothing stored yet: a database would know contents that it was given before."""
    found = [ours(home / "ours")]
    if options.semble:
        found.append(semble(home / "semble", options.semble.absolute(), BUNDLED_FOLDER))
    if options.codegraph:
        found.append(codegraph(home / "codegraph", options.codegraph.resolve()))
    return found


def measure_all(folders: list[Path], options: argparse.Namespace) -> dict[str, Rows]:
    """One round: all contestants in turns, mode by mode."""
    rows: dict[str, Rows] = {}
    for mode in options.mode or ("process", "command"):
        with tempfile.TemporaryDirectory() as scratch:
            for one in contestants(Path(scratch), options):
                if mode == "command" or one.driver is not None:
                    rows.setdefault(one.name, {})[mode] = measure(one, folders, mode)
    return rows


def table(found: dict[str, Rows]) -> str:
    """Figures of one round, and ours as multiples of the others'; of their one process too, where we are commands."""
    lines = [f"{'':10} {'mode':8} {'state':10} {'wall s':>8} {'CPU s':>8} {'MB':>6}"]
    for name, rows in found.items():
        for mode, states in rows.items():
            for state, row in states.items():
                figures = f"{row['wall_s']:8.2f} {row['cpu_s']:8.2f} {row['peak_mb']:6.0f}"
                lines.append(f"{name:10} {mode:8} {state:10} {figures}")
    for name, rows in found.items():
        for mine, theirs in (("process", "process"), ("command", "command"), ("command", "process")):
            if name != "ours" and mine in found["ours"] and theirs in rows:
                for state, row in rows[theirs].items():
                    own = found["ours"][mine][state]
                    ratios = " ".join(f"{own[key] / row[key]:8.2f}" for key in ("wall_s", "cpu_s"))
                    memory = own["peak_mb"] / max(row["peak_mb"], 1.0)
                    lines.append(f"ours by {mine} / {name} by {theirs}, {state:10} {ratios} {memory:6.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--semble", type=Path, metavar="PYTHON", help="interpreter of an environment with semble")
    parser.add_argument("--codegraph", type=Path, metavar="PROGRAM")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--mode", choices=("process", "command"), action="append", help="both if not given")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if sys.platform != "linux":
        parser.error("needs Linux, to count processes that detach themselves")
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    folders = [folder.resolve() for folder in options.folders]
    rounds = []
    for _ in range(options.rounds):
        rounds.append(measure_all(folders, options))
        print(table(rounds[-1]), flush=True)
    if options.json:
        commit, day = product_commit(Path(__file__).parents[1])
        told = {"commit": commit, "day": day, "folders": len(folders), "rounds": rounds}
        options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
