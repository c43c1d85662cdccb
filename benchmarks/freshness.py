"""What it costs that answers match the disk.

    python benchmarks/freshness.py FOLDER [--edits N] [--json OUT]

A copy of FOLDER is indexed. Then questions are asked in turns: without a look at the disk, with one while nothing has
changed, and after a line was added to the first result's file, which is waited for as long as it takes; then for a name
that nothing has, and for one that a new file has. Machines differ and are shared: read ratios, CPU before wall time.
`cpu_ms` counts this process and the server.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from many import Costs

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import SearchReport, SearchRequest
from cocosearch_py.search import verify
from cocosearch_py.storage.server import embedded

QUERIES = ("where are requests handled", "parse command line options", "read the configuration", "write to the log")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cs-fresh-") as place:
        data = Path(place) / "data"
        folder = Path(shutil.copytree(given.folder, Path(place) / "folder"))
        try:
            with App(Settings(), data) as app:
                figures = measure(app, folder, given.edits)
        finally:
            embedded.stop(embedded.locate(data))
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n")


def measure(app: App, folder: Path, edits: int) -> dict[str, object]:
    run = app.index(folder, name="folder")
    verify.BUDGET_S = 60.0
    off = app.under(replace(app.settings, search=replace(app.settings.search, freshness="off")))
    kinds = ("not_compared", "unchanged", "edited", "name_of_nothing", "name_in_new_file")
    took: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
    sizes, looks_ms = [], []
    for query in QUERIES:
        app.expect_repairs(ask(app, query))
    time.sleep(1)  # what a server does beside its first answers
    costs = Costs(app)
    for number in range(edits):
        query = QUERIES[number % len(QUERIES)]
        timed(costs, took["not_compared"], lambda query=query: ask(off, query))
        report = timed(costs, took["unchanged"], lambda query=query: ask(app, query))
        looks_ms.append(report.timings_ms["freshness_ms"])
        file = folder / report.hits[0].file_path
        file.write_bytes(file.read_bytes() + f"\n# line {number}\n".encode())
        sizes.append(file.stat().st_size)
        report = timed(costs, took["edited"], lambda query=query: ask(app, query))
        assert not report.stale, report.stale_because
        timed(costs, took["name_of_nothing"], lambda number=number: ask(app, f"zorgle_fump_{number}"))
        new = folder / "blarg.py"
        new.write_text(f"def blarg_quux_{number}(): ...\n")
        report = timed(costs, took["name_in_new_file"], lambda number=number: ask(app, f"blarg_quux_{number}"))
        assert report.hits[0].file_path == new.name
        new.unlink()
        ask(app, f"blarg_quux_{number}")  # the file leaves the index
    return {
        "files": run.files_added,
        "chunks": run.chunks,
        "edited_kb": round(statistics.median(sizes) / 1000, 1),
        "looking_ms": round(statistics.median(looks_ms), 3),
        **{name: middle(values) for name, values in took.items()},
    }


def ask(app: App, query: str) -> SearchReport:
    return app.answer(lambda: app.searches.search(SearchRequest(query), "folder"))[1]


def timed(costs: Costs, into: list[tuple[float, float]], work: Callable[[], SearchReport]) -> SearchReport:
    found: list[SearchReport] = []
    into.append(costs.of(lambda: found.append(work())))
    return found[0]


def middle(values: list[tuple[float, float]]) -> dict[str, float]:
    """Median wall time, mean CPU time: the system counts that in steps of ten milliseconds."""
    wall, cpu = zip(*values, strict=True)
    return {"wall_ms": round(statistics.median(wall), 1), "cpu_ms": round(statistics.mean(cpu), 1)}


if __name__ == "__main__":
    main()
