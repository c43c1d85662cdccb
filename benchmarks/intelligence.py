"""What questions about code cost in one large index: definitions, outlines, references, impact, calls, maps.

    python benchmarks/intelligence.py FOLDER [--data FOLDER] [--names N] [--maps N] [--seed N] [--json OUT]

Indexes FOLDER, best one of copies of several repositories, and asks each operation in this process, answers made and
fitted as a tool gives them, less the protocol. With a data folder the index stays there and is only brought up to date.

The names are drawn for the seed from definitions in code: `distinct` evenly from all names, `defined` from all
definitions, so that a name counts as often as it is defined, `used` by the number of files that use the name; `common`
are the names most used of all. Files are drawn evenly from files of code with definitions. Wall times count what else
the machine does; CPU is that of this thread (`own`) and of all processes of the database server during a call.
"""

import argparse
import gc
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import psutil
from figures import product_commit

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.operations import (
    find_references,
    find_symbol,
    get_call_graph,
    get_impact,
    get_repo_map,
    outline_file,
)
from cocosearch_py.server.options import COLLECT_AFTER
from cocosearch_py.storage.queries.facts import read_definitions
from cocosearch_py.storage.queries.graph import count_uses, graph_files
from cocosearch_py.storage.server.administration import stop_server
from cocosearch_py.tools.call import Call, Selection
from cocosearch_py.tools.declaration import Operation
from cocosearch_py.tools.jsontext import to_json

INDEX = "mix"
COMMON = 40  # of the most used names
WARM_UP = 8  # calls of each kind that do not count


class InProcess(Call):
    """A call that asks one index."""

    def __init__(self, app: App, name: str) -> None:
        super().__init__(Selection((name,)))
        self._app = app

    def app(self, folder: Path | None = None) -> App:
        return self._app

    def folder_to_index(self, text: str) -> Path:
        raise NotImplementedError

    def start_run(self, *_: Any) -> Any:
        raise NotImplementedError

    def may_delete(self, *_: Any, **__: Any) -> bool:
        return False

    def may_edit(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class Server:
    """CPU time of the database server's processes, those that have ended while nobody looked left out."""

    def __init__(self, data: Path) -> None:
        self._main = next(
            process
            for process in psutil.process_iter(["name", "cmdline"])
            if "postgres" in (process.info["name"] or "") and str(data) in (process.info["cmdline"] or [])
        )
        self.look()

    def look(self) -> None:
        """Learn which processes there are."""
        self._ids = [one.pid for one in self._main.children()]

    def ms(self) -> float:
        total = 0
        for number in self._ids:
            with suppress(OSError):
                total += int(Path(f"/proc/{number}/schedstat").read_text(encoding="ascii").split()[0])
        return total / 1e6


class Sample(NamedTuple):
    """What one call took, in milliseconds."""

    what: str
    wall: float
    own: float
    server: float
    chars: int


class Drawn(NamedTuple):
    """What is asked about."""

    names: dict[str, list[str]]
    files: list[str]


def draw(app: App, name: str, count: int, rng: Random) -> Drawn:
    record = by_name(app, name)
    with app.database.reading() as conn:
        definitions = read_definitions(conn, record.index_id)
        files = {one.path: one for one in graph_files(conn, record.index_id).values()}
        known = sorted({one.name for one in definitions if files[one.path].content_class == "code"})
        uses = count_uses(conn, record.index_id, known)
    defined = [one.name for one in definitions if files[one.path].content_class == "code"]
    weights = [uses.get(one, 0) for one in known]
    names = {
        "distinct": rng.sample(known, count),
        "defined": rng.sample(defined, count),
        "used": rng.choices(known, weights, k=count),
        "common": sorted(known, key=lambda one: (-uses.get(one, 0), one))[:COMMON],
    }
    paths = sorted({one.path for one in definitions if files[one.path].content_class == "code"})
    return Drawn(names, rng.sample(paths, count))


def by_name(app: App, name: str) -> Any:
    return next(one for one in app.catalog.list_all() if one.name == name)


def ask(app: App, name: str, operation: Operation[Any, Any], values: dict[str, Any]) -> str:
    asked = operation.arguments(**values)
    return to_json(operation.shape(operation.run(InProcess(app, name), asked), asked))


def measure(server: Server, asked: Sequence[str], answer: Callable[[str], str]) -> list[Sample]:
    for one in asked[:WARM_UP]:
        answer(one)
    server.look()
    samples = []
    for one in asked:
        before, cpu, started = server.ms(), time.thread_time(), time.perf_counter()
        text = answer(one)
        wall, own = time.perf_counter() - started, time.thread_time() - cpu
        samples.append(Sample(one, wall * 1000, own * 1000, server.ms() - before, len(text)))
    return samples


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2)


def summary(samples: Sequence[Sample]) -> dict[str, Any]:
    found: dict[str, Any] = {"calls": len(samples)}
    for field, values in (
        ("wall_ms", [one.wall for one in samples]),
        ("cpu_ms", [one.own + one.server for one in samples]),
        ("own_cpu_ms", [one.own for one in samples]),
        ("server_cpu_ms", [one.server for one in samples]),
    ):
        found[field] = {"p50": quantile(values, 0.5), "p95": quantile(values, 0.95), "max": round(max(values), 2)}
    found["chars_p50"] = int(statistics.median(one.chars for one in samples))
    slowest = sorted(samples, key=lambda one: -(one.own + one.server))[:5]
    found["slowest"] = {one.what: round(one.own + one.server, 1) for one in slowest}
    return found


def measure_all(app: App, name: str, drawn: Drawn, maps: int) -> dict[str, Any]:
    assert app.database.server
    server = Server(app.database.server.data)
    operations = {
        module.OPERATION.name: module.OPERATION
        for module in (find_symbol, outline_file, find_references, get_impact, get_call_graph, get_repo_map)
    }

    def asking(operation: str, values: Callable[[str], dict[str, Any]]) -> Callable[[str], str]:
        return lambda one: ask(app, name, operations[operation], values(one))

    figures: dict[str, Any] = {}

    def add(title: str, asked: Sequence[str], answer: Callable[[str], str]) -> None:
        figures[title] = summary(measure(server, asked, answer))
        row = figures[title]
        print(f"{title:28} {row['wall_ms']}  cpu {row['cpu_ms']}  own {row['own_cpu_ms']}", flush=True)
        print(f"{'':28} {row['slowest']}", flush=True)

    for kind, names in drawn.names.items():
        add(f"find_symbol {kind}", names, asking("find_symbol", lambda one: {"name": one, "match": "exact"}))
    add("outline_file", drawn.files, asking("outline_file", lambda one: {"path": one}))
    for kind, names in drawn.names.items():
        add(f"find_references {kind}", names, asking("find_references", lambda one: {"symbol": one}))
    add("get_call_graph", drawn.names["defined"], asking("get_call_graph", lambda one: {"symbol": one}))
    add("get_impact", drawn.files, asking("get_impact", lambda one: {"file": one}))
    add("get_repo_map", [""] * maps, asking("get_repo_map", lambda _: {"max_tokens": 2_000}))
    add(
        "get_repo_map focus",
        drawn.files[:maps],
        asking("get_repo_map", lambda one: {"max_tokens": 2_000, "focus": [one]}),
    )
    return figures


def report(app: App, options: argparse.Namespace) -> dict[str, Any]:
    record = by_name(app, INDEX)
    drawn = draw(app, INDEX, options.names, Random(options.seed))
    with app.database.reading() as conn:
        symbols = len(read_definitions(conn, record.index_id))
    print(f"{record.file_count:,} files, {symbols:,} symbols", flush=True)
    return {
        "commit": product_commit(Path(__file__).parent.parent)[0],
        "load": round(os.getloadavg()[0], 1),
        "files": record.file_count,
        "symbols": symbols,
        "figures": measure_all(app, INDEX, drawn, options.maps),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, help="keep the index in this data folder")
    parser.add_argument("--names", type=int, default=200)
    parser.add_argument("--maps", type=int, default=10)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)  # as in a server
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch)) as app:
        app.index(options.folder.resolve(), name=INDEX, options=app.indexing_options(confirmed=True))
        found = report(app, options)
        if options.data is None:
            stop_server(app.database)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
