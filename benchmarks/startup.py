"""What a new process costs: a search, an index of one changed file, one of nothing changed, `initialize` over stdio.

    python benchmarks/startup.py FOLDER [--peer SRC] [--rounds N] [--json OUT]

Works on a copy of FOLDER, with a server that runs. `--peer` names the `src` folder of another version of this program,
measured in turns with this one by the same interpreter and libraries. Figures are medians of the rounds; CPU time
also as the median share of what the peer took in the same round. Modules are compiled once, as in an installation.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "startup", "version": "1"}}
PROGRAM = [sys.executable, "-P", "-m", "cocosearch_py"]


class Version:
    """One version of the program, with a folder and a database of its own."""

    def __init__(self, source: Path, folder: Path, scratch: Path) -> None:
        self.folder = shutil.copytree(folder, scratch / "folder", symlinks=True)
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(source),
            "COCOSEARCH_DATA_DIR": str(scratch / "data"),
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(scratch / "compiled"),
        }
        suffix = folder_suffix(folder)
        self.changed = max((path for path in self.folder.rglob("*.*") if path.suffix == suffix), key=str)
        self.run("index", ".")
        self.search()
        self.initialize()

    def run(self, *arguments: str) -> None:
        command = [*PROGRAM, "--json", "--quiet", *arguments]
        subprocess.run(command, cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL, check=True)

    def search(self) -> None:
        self.run("search", "where are requests routed")

    def index_changed(self) -> None:
        with self.changed.open("a", encoding="utf-8") as file:
            file.write("\n")
        self.run("index", ".")

    def index_unchanged(self) -> None:
        self.run("index", ".")

    def initialize(self) -> None:
        """Ask, read the answer, end the server; its end counts too."""
        request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}) + "\n"
        command = [*PROGRAM, "mcp"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, cwd=self.folder, env=self.environment, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        ) as server:
            assert server.stdin and server.stdout
            server.stdin.write(request.encode())
            server.stdin.flush()
            if b'"serverInfo"' not in server.stdout.readline():
                raise RuntimeError("initialize was not answered")
            server.stdin.close()


def folder_suffix(folder: Path) -> str:
    """The commonest suffix of the folder's files."""
    return statistics.mode(path.suffix for path in folder.rglob("*.*") if path.is_file())


def cost(work: Callable[[], None]) -> tuple[float, float]:
    """Wall and CPU milliseconds of the processes that `work` starts and waits for."""
    before, started = cpu_of_children(), time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000, (cpu_of_children() - before) * 1000


def cpu_of_children() -> float:
    """Seconds, of the processes that have ended and were waited for; os.times() counts hundredths."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(versions: dict[str, Version], rounds: int) -> dict[str, Any]:
    costs: dict[str, dict[str, list[tuple[float, float]]]] = {name: {} for name in versions}
    for _ in range(rounds):
        for name, version in versions.items():
            for work in (version.search, version.index_changed, version.index_unchanged, version.initialize):
                costs[name].setdefault(work.__name__, []).append(cost(work))
    reference = list(costs.values())[-1]
    return {
        name: {
            work: {
                "wall_ms": round(statistics.median(wall for wall, _ in measured)),
                "cpu_ms": round(statistics.median(cpu for _, cpu in measured)),
                "cpu_of_peer": round(
                    statistics.median(
                        own / other for (_, own), (_, other) in zip(measured, reference[work], strict=True)
                    ),
                    3,
                ),
            }
            for work, measured in works.items()
        }
        for name, works in costs.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peer", type=Path, help="src folder of another version")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    sources = {"this": Path(__file__).parents[1] / "src"} | ({"peer": options.peer.resolve()} if options.peer else {})
    with tempfile.TemporaryDirectory(prefix="startup-") as scratch:
        Path(scratch).chmod(0o755)
        versions = {}
        for name, source in sources.items():
            (Path(scratch) / name).mkdir()
            versions[name] = Version(source, options.folder.resolve(), Path(scratch) / name)
        text = json.dumps(measure(versions, options.rounds), indent=1)
        for version in versions.values():
            version.run("db", "stop")
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
