"""Many small indexes in one database: what the thousandth costs, beside what the tenth did.

    python benchmarks/many.py [--count N] [--peer SRC [--peer-count N]] [--large FOLDER] [--json OUT]

N folders of about forty chunks are indexed one after the other into one database, then searched. `--peer` names the
`src` folder of another version of this program, which is measured in the same way in the same run. `--large` adds an
index of that folder to an empty database of each, in turns: the CPU of indexing and searching it, the best of three.
Machines differ and are shared: read ratios, and CPU before wall time. `cpu_ms` counts this process and the server.
"""

import argparse
import importlib
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import SearchRequest

FILES, FUNCTIONS = 4, 40  # about forty chunks
WINDOW = 9  # indexes around the tenth and before the last, whose median counts
SEARCHES = 100
ROUNDS = 3  # of the large index
QUERIES = ["open the server port", "parse a file of settings", "render_page_4", "retry the queue", "close user token"]
WORDS = "server port load file parse user render page token cache queue retry open close read settings".split()


class Costs:
    """Wall and CPU milliseconds of work by this process, its workers and the database server."""

    def __init__(self, app: App) -> None:
        assert app.database.server
        data = str(app.database.server.data)
        self._server = next(
            process
            for process in psutil.process_iter(["cmdline"])
            if data in (process.info["cmdline"] or []) and "-D" in process.info["cmdline"]
        )

    def _cpu_s(self) -> float:
        total = 0.0
        for process in (psutil.Process(), self._server):
            for one in (process, *process.children(recursive=True)):
                try:
                    total += sum(one.cpu_times())
                except psutil.NoSuchProcess:
                    continue
        return total

    def of(self, work: Callable[[], object]) -> tuple[float, float]:
        wall, cpu = time.perf_counter(), self._cpu_s()
        work()
        return (time.perf_counter() - wall) * 1000, (self._cpu_s() - cpu) * 1000


def chunk_count(app: Any, name: str) -> int:
    """Chunks of an index, asked as this version and the one before it want to be asked."""
    record = app.catalog.find(name) if hasattr(app, "catalog") else app.find_index(name)
    return int(record.chunk_count)


def stop_server(app: Any) -> None:
    if hasattr(app, "stop_server"):
        app.stop_server()
    else:
        importlib.import_module("cocosearch_py.storage.server.administration").stop_server(app.database)


def write_folder(folder: Path, number: int) -> Path:
    source = random.Random(number)
    folder.mkdir()
    for file in range(FILES):
        lines = []
        for function in range(FUNCTIONS):
            lines.append(f"def {source.choice(WORDS)}_{source.choice(WORDS)}_{function}():")
            lines += [f"    {source.choice(WORDS)} = '{' '.join(source.choices(WORDS, k=12))}'" for _ in range(3)]
        (folder / f"module_{number}_{file}.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def search_costs(app: App, costs: Costs, name: str) -> dict[str, float]:
    def search() -> None:
        for number in range(SEARCHES):
            app.search(SearchRequest(QUERIES[number % len(QUERIES)]), index_name=name)

    search()
    walls = []
    for query in QUERIES * (SEARCHES // len(QUERIES)):
        started = time.perf_counter()
        app.search(SearchRequest(query), index_name=name)
        walls.append((time.perf_counter() - started) * 1000)
    cpu = costs.of(search)[1]
    return {"wall_ms": round(statistics.median(walls), 2), "cpu_ms": round(cpu / SEARCHES, 2)}


def database_figures(app: App, name: str) -> dict[str, Any]:
    with app.database.reading() as conn:
        ((relations,),) = conn.execute(
            "SELECT count(*) FROM pg_class WHERE relnamespace = 'cocosearch_py'::regnamespace"
        ).fetchall()
        query = "EXPLAIN (ANALYZE, FORMAT json) SELECT * FROM cocosearch_py.code WHERE index_name = %s"
        plans = [conn.execute(query, [name]).fetchall()[0][0][0] for _ in range(5)]
    return {
        "relations": relations,
        "code_planning_ms": round(statistics.median(plan["Planning Time"] for plan in plans), 2),
        "code_execution_ms": round(statistics.median(plan["Execution Time"] for plan in plans), 2),
    }


def measure_many(count: int, data: Path) -> dict[str, Any]:
    with App(Settings(), data / "data") as app:
        app.database.start()
        costs = Costs(app)
        made: list[tuple[float, float]] = []
        result: dict[str, Any] = {}

        def at(number: int) -> None:
            window = made[-WINDOW:]
            result[str(number)] = {
                "index_wall_ms": round(statistics.median(wall for wall, _ in window), 1),
                "index_cpu_ms": round(sum(cpu for _, cpu in window) / len(window), 1),
                "search": search_costs(app, costs, "many-5"),
                **database_figures(app, "many-5"),
            }

        for number in range(1, count + 1):
            folder = write_folder(data / f"many-{number}", number)
            try:
                made.append(costs.of(lambda folder=folder: app.index(folder)))  # type: ignore[misc]
                if number in (15, 1_000, count):  # the median of 7 to 15 stands for the tenth
                    at(10 if number == 15 else number)
            except Exception as error:  # noqa: BLE001 - how far a version gets is one of the figures
                result["stopped_at"] = number
                result["because"] = str(error)[:200]
                break
        result["chunks_each"] = chunk_count(app, "many-5")
        stop_server(app)
    return result


def measure_large(folder: Path, data: Path) -> dict[str, float]:
    with App(Settings(), data / "data") as app:
        app.database.start()
        costs = Costs(app)
        wall, cpu = costs.of(lambda: app.index(folder, name="large"))
        result = {"chunks": chunk_count(app, "large"), "index_wall_s": round(wall / 1000, 2)}
        result |= {"index_cpu_s": round(cpu / 1000, 2)}
        result |= {f"search_{key}": value for key, value in search_costs(app, costs, "large").items()}
        stop_server(app)
    return result


def run_in(src: Path, arguments: list[str]) -> Any:
    """This program in a process of its own, on the package in `src`."""
    with tempfile.TemporaryDirectory(prefix="many-") as scratch:
        Path(scratch).chmod(0o755)
        command = [sys.executable, __file__, "--in", scratch, *arguments]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(src)}, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def compare(options: argparse.Namespace) -> dict[str, Any]:
    versions = {"this": Path(__file__).parents[1] / "src"}
    counts = {"this": options.count}
    if options.peer:
        versions["peer"], counts["peer"] = options.peer, options.peer_count or options.count
    result: dict[str, Any] = {name: {} for name in versions}
    if options.large:
        rounds: dict[str, list[dict[str, float]]] = {name: [] for name in versions}
        for _ in range(ROUNDS):
            for name, src in versions.items():
                rounds[name].append(run_in(src, ["--large", str(options.large)]))
        for name, measured in rounds.items():
            result[name]["large"] = {key: min(one[key] for one in measured) for key in measured[0]}
    for name, src in versions.items():
        if counts[name]:
            result[name]["many"] = run_in(src, ["--count", str(counts[name])])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--peer", type=Path, help="src folder of another version")
    parser.add_argument("--peer-count", type=int, help="how many indexes the other version makes")
    parser.add_argument("--large", type=Path, help="folder of several thousand chunks")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    parser.add_argument("--in", dest="inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        large = options.large and options.large.resolve()
        measured = measure_large(large, options.inside) if large else measure_many(options.count, options.inside)
        sys.stdout.write(json.dumps(measured))
        return
    text = json.dumps(compare(options), indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
