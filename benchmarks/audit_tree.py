"""All parts of an audit on one tree beside the programs that do one part each: time, processor and memory.

    python benchmarks/audit_tree.py TREE WORK --vulture PROGRAM --knip PROGRAM --secrets PROGRAM --copies PROGRAM
        [--out FILE]

TREE is a folder of repositories that git knows; it is indexed in WORK if it is not yet, without vectors. Then, one
after the other: vulture over its Python, knip over each repository with a `package.json` (its dependencies are not
installed), `detect-secrets scan --no-verify --all-files`, jscpd, and last `cocosearch-py audit --include all` as one
command, with the server running. Of each the wall clock, the processor's time of all its processes (ours: with the
server's), and the most memory that they had together, each page counted once (PSS), looked at twice a second. `--kept
FILE` takes the figures of the others from an earlier run.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from figures import product_commit

SAMPLE_S = 0.5
NAME = "audited"


class Watch:
    """Samples the memory of processes and all below them."""

    def __init__(self, *roots: psutil.Process) -> None:
        self.roots, self.peak, self._stop = roots, [0] * len(roots), threading.Event()

    def sample(self) -> None:
        totals = [0] * len(self.roots)
        for at, root in enumerate(self.roots):
            with suppress(psutil.Error):
                for one in [root, *root.children(recursive=True)]:
                    with suppress(psutil.Error, OSError):
                        totals[at] += one.memory_full_info().pss
        self.peak = max(self.peak, totals, key=sum)

    @contextmanager
    def watching(self) -> Iterator[None]:
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _run(self) -> None:
        while not self._stop.wait(SAMPLE_S):
            self.sample()


def spent(root: psutil.Process) -> float:
    """Seconds of the processor of a process, those below it and those that have ended below it."""
    total = 0.0
    for one in [root, *root.children(recursive=True)]:
        with suppress(psutil.Error):
            of_one = one.cpu_times()
            total += of_one.user + of_one.system
            if one == root:
                total += of_one.children_user + of_one.children_system
    return total


def measured(commands: Sequence[tuple[Sequence[str], Path]], server: psutil.Process | None = None) -> dict[str, Any]:
    """Run commands in their folders; what they cost together, and the most memory of one of them."""
    wall, peak = 0.0, [0]
    used, served = os.times(), spent(server) if server else 0.0
    codes = []
    for command, folder in commands:
        begun = time.monotonic()
        with tempfile.TemporaryFile() as out:
            process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT)
            watch = Watch(psutil.Process(process.pid), *([server] if server else []))
            with watch.watching():
                codes.append(process.wait())
        wall, peak = wall + time.monotonic() - begun, max(peak, watch.peak, key=sum)
    after = os.times()
    cpu = after.children_user + after.children_system - used.children_user - used.children_system
    if server:
        cpu += spent(server) - served
    found = {"wall_s": round(wall, 1), "cpu_s": round(cpu, 1), "peak_mb": round(sum(peak) / 2**20), "codes": codes}
    if server:
        found["of_the_server_mb"] = round(peak[-1] / 2**20)
    print(commands[0][0][0], found, file=sys.stderr, flush=True)
    return found


def peers(asked: argparse.Namespace) -> dict[str, Any]:
    """The other programs, one after the other."""
    manifests = sorted(path.parent for path in asked.tree.glob("*/package.json"))
    with tempfile.TemporaryDirectory() as folder:
        flags = ["--mode", "weak", "--min-lines", "1", "--no-tips", "-s", "-r", "json", "-o", folder]
        runs: dict[str, list[tuple[list[str], Path]]] = {
            "vulture": [([asked.vulture, ".", "--min-confidence", "60"], asked.tree)],
            "knip": [([asked.knip, "--no-progress", "--include", "exports,types,files"], one) for one in manifests],
            "detect-secrets": [([asked.secrets, "scan", "--no-verify", "--all-files", "."], asked.tree)],
            "jscpd": [([asked.copies, *flags, "."], asked.tree)],
        }
        return {name: measured(one) for name, one in runs.items() if one and one[0][0][0]}


def own(asked: argparse.Namespace) -> dict[str, Any]:
    """The audit as one command, with a server that runs already."""
    environment = {**os.environ, "COCOSEARCH_DATA_DIR": str(asked.work / "data")}
    os.environ.update(environment)
    program = [sys.executable, "-m", "cocosearch_py"]
    known = subprocess.run([*program, "list", "--json"], capture_output=True, text=True, check=True).stdout
    if f'"{NAME}"' not in known:
        index = [*program, "index", ".", "--name", NAME, "--without", "vector", "--yes"]
        subprocess.run(index, cwd=asked.tree, check=True, capture_output=True)
    audit = [*program, "audit", ".", "--include", "all", "--json", "--limit", "1"]
    told = json.loads(subprocess.run([*program, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    files = next(one["files"] for one in told if one["name"] == NAME)
    return {**measured([(audit, asked.tree)], postmaster(str(asked.work / "data"))), "files": files}


def postmaster(folder: str) -> psutil.Process:
    """The server whose data are in a folder."""
    for one in psutil.process_iter():
        with suppress(psutil.Error):
            command = one.cmdline()
            if command and Path(command[0]).name == "postgres" and any(part.startswith(folder) for part in command):
                return one
    raise SystemExit(f"no server of {folder} runs")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("work", type=Path)
    for name in ("vulture", "knip", "secrets", "copies"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    asked.tree, asked.work = asked.tree.resolve(), asked.work.resolve()
    others = json.loads(asked.kept.read_text())["peers"] if asked.kept else peers(asked)
    sums = {key: round(sum(one[key] for one in others.values()), 1) for key in ("wall_s", "cpu_s")}
    commit = product_commit(Path(__file__).parent.parent)
    report: dict[str, Any] = {"commit": commit, "peers": others, "sum_of_peers": sums, "ours": own(asked)}
    report["wall_to_peers"] = round(report["ours"]["wall_s"] / max(sums["wall_s"], 0.1), 3)
    report["cpu_to_peers"] = round(report["ours"]["cpu_s"] / max(sums["cpu_s"], 0.1), 3)
    if asked.out:
        asked.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    json.dump(report, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
