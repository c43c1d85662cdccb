"""This program in one process, measured: indexing, unchanged re-indexing, search, a cold command; others: `speed.py`.

    python benchmarks/inprocess.py FOLDER... [--rounds N] [--embedding-model MODEL] [--json OUT]

Each FOLDER is indexed from scratch into a new database. Machines differ and are shared: read CPU time before wall time.
`cpu_s` counts this process, its workers and the database server; memory is the proportional set size of all of them,
sampled.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil

from cocosearch_py.app import App
from cocosearch_py.config.settings import EmbeddingSettings, Settings
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.server.administration import stop_server

SAMPLE_S = 0.2  # often enough for the peak of a run, rare enough not to weigh
QUERIES = [
    "how are requests validated before a handler runs",
    "parse configuration file",
    "retry with exponential backoff",
    "serialize an object to json",
    "open a database connection",
    "UserRepository",
    "getUserById",
    "where are errors turned into responses",
    "cache expiry",
    "render template with layout",
]
SEARCH_ROUNDS = 30


class Family:
    """This process, its children, and the database server: CPU seconds and peak memory."""

    def __init__(self, server_data: Path) -> None:
        self._server_data = str(server_data)
        self._stop = threading.Event()
        self.peak_bytes = 0
        self.cpu_by_kind: dict[str, float] = {}
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Family":
        self._before = self._cpu()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self.cpu_by_kind = {kind: seconds - self._before[kind] for kind, seconds in self._cpu().items()}

    @property
    def cpu_s(self) -> float:
        return sum(self.cpu_by_kind.values())

    def _cpu(self) -> dict[str, float]:
        """Seconds so far; those of ended children count for the parent that reaped them."""
        me = psutil.Process()
        groups = {"own": [me], "workers": me.children(recursive=True), "server": self._server()}
        seconds = {}
        for kind, processes in groups.items():
            times = [process.cpu_times() for process in processes]
            seconds[kind] = sum(one.user + one.system for one in times)
            if kind != "own":
                seconds[kind] += sum(one.children_user + one.children_system for one in times)
        ended = me.cpu_times()  # those of a large run
        seconds["workers"] += ended.children_user + ended.children_system
        return seconds

    def _server(self) -> list[psutil.Process]:
        for process in psutil.process_iter(["name", "cmdline"]):
            command = process.info["cmdline"] or []
            if "postgres" in (process.info["name"] or "") and "-D" in command and self._server_data in command:
                return [process, *process.children(recursive=True)]
        return []

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._stop.wait(SAMPLE_S):
            total = 0
            for process in [me, *me.children(recursive=True), *self._server()]:
                try:
                    total += process.memory_full_info().pss
                except (psutil.Error, OSError):
                    continue
            self.peak_bytes = max(self.peak_bytes, total)


def index_all(app: App, folders: list[Path]) -> dict[str, Any]:
    """Index every folder from scratch, as new indexes."""
    per_folder = {}
    for number, folder in enumerate(folders):
        report = app.index(folder, name=f"{number}-{folder.name}"[:60])
        files = report.files_added + report.files_skipped + report.files_failed
        per_folder[str(number) + " " + folder.name] = [round(report.seconds, 3), files, report.chunks]
    return per_folder


def measure_indexing(folders: list[Path], model: str | None) -> dict[str, Any]:
    settings = Settings(embedding=EmbeddingSettings(model=model))
    with tempfile.TemporaryDirectory() as scratch, App(settings, Path(scratch)) as app:
        app.database.start()
        assert app.embedder and app.database.server
        with Family(app.database.server.data) as family:
            started = time.perf_counter()
            per_folder = index_all(app, folders)
            wall = time.perf_counter() - started
        chunks = sum(row[2] for row in per_folder.values())
        result = {
            "wall_s": wall,
            "cpu_s": family.cpu_s,
            "cpu_by_kind_s": family.cpu_by_kind,
            "peak_mb": family.peak_bytes / 2**20,
            "chunks": chunks,
            "folders": per_folder,
        }
        result |= measure_rest(app, folders, per_folder)
        stop_server(app.database)
    return result


def measure_rest(app: App, folders: list[Path], per_folder: dict[str, Any]) -> dict[str, Any]:
    """What follows on a filled database: the largest index unchanged, and searches in it."""
    largest = max(range(len(folders)), key=lambda number: list(per_folder.values())[number][2])
    name = f"{largest}-{folders[largest].name}"[:60]
    again = [app.index(folders[largest], name=name).seconds for _ in range(5)]
    for query in QUERIES:
        app.search(SearchRequest(query), index_name=name)
    times = []
    cpu = time.process_time()
    for _ in range(SEARCH_ROUNDS):
        for query in QUERIES:
            started = time.perf_counter()
            app.search(SearchRequest(query), index_name=name)
            times.append((time.perf_counter() - started) * 1000)
    cpu = time.process_time() - cpu
    times.sort()
    return {
        "reindex_unchanged_s": {
            "folder": folders[largest].name,
            "median": statistics.median(again),
            "best": min(again),
        },
        "search_ms": {
            "chunks": list(per_folder.values())[largest][2],
            "p50": times[len(times) // 2],
            "p95": times[int(len(times) * 0.95)],
            "best": times[0],
            "own_cpu": cpu * 1000 / len(times),
        },
        "cold_command_s": measure_cold_command(app, name),
    }


def measure_cold_command(app: App, name: str) -> dict[str, float]:
    """`cocosearch-py search` as a new process, server running."""
    assert app.database.server
    environment = {**os.environ, "COCOSEARCH_DATA_DIR": str(app.database.server.home.parent)}
    environment["COCOSEARCH_DATABASE_URL"] = (
        f"postgresql://cocosearch@/cocosearch?host={app.database.server.socket_dir}"
    )
    if app.settings.embedding.model:
        environment["COCOSEARCH_EMBEDDING_MODEL"] = app.settings.embedding.model
    command = [sys.executable, "-m", "cocosearch_py", "--json", "search", "--index", name, QUERIES[0]]
    walls, cpus = [], []
    for _ in range(7):
        before, started = os.times(), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        after = os.times()
        walls.append(time.perf_counter() - started)
        cpus.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return {"median": statistics.median(walls), "best": min(walls), "cpu": statistics.median(cpus)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--embedding-model", help="a folder or name, instead of the bundled table")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    folders = [folder.resolve() for folder in options.folders]
    rounds = []
    for _ in range(options.rounds):
        row = {"ours": measure_indexing(folders, options.embedding_model)}
        rounds.append(row)
        print(json.dumps(row, indent=1), flush=True)
    if options.json:
        options.json.write_text(json.dumps(rounds, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
