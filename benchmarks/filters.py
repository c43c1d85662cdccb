"""Searches with filters in one large index, by what the process has asked before; each question is asked once.

    python benchmarks/filters.py --annotations FOLDER --data FOLDER [--every N] [--json OUT]

`scale.py FOLDER --data DATA` makes the index. A process caches the files that filters let pass (docs/adr/0026). These
are told apart:

    plain       without filters, after sixty questions
    begins      the first nineteen questions of a process
    first       the first question with a filter, after thirty without one
    early       the second to the ninth with this filter
    changing    each question with the next of twelve filters
    inline      the same with filters in the question's text
    kept        with one filter, after fifteen with it

Prints one JSON object: milliseconds of wall and of CPU time (of the program and of the server) a search. Questions are
every N-th of the labelled benchmark; those asked before are others.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import Any

from inprocess import Family
from scale import INDEX_NAME, read_queries

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import SearchFilters, SearchRequest

FILTERS = {
    "language of 5 %": SearchFilters(languages=("python",)),
    "language of 14 %": SearchFilters(languages=("php",)),
    "**/src/**": SearchFilters(path_globs=("**/src/**",)),
    "without **/test*/**": SearchFilters(exclude_globs=("**/test*/**",)),
    "folder of 7 %": SearchFilters(path_globs=("copy0/commons-lang/**",)),
}
OTHERS = [
    *(SearchFilters(languages=(language,)) for language in ("go", "kotlin", "java")),
    *(SearchFilters(path_globs=(glob,)) for glob in ("**/lib/**", "**/test*/**")),
    SearchFilters(exclude_globs=("**/docs/**",)),
    SearchFilters(languages=("python",), exclude_globs=("**/test*/**",)),
]
INLINE = [
    "lang:python",
    "path:src/",
    "-path:test",
    "lang:ts",
    "path:laravel-framework/",
    "lang:go -path:test",
    "path:lib",
]
BEGINNING, FIRST = 19, 9
Row = tuple[float, float, float]  # milliseconds of wall, of the program's CPU and of the server's


class Asking:
    """Asks an index, each time as a process that has asked nothing yet, and keeps what each search took."""

    def __init__(self, data: Path, asked_before: Sequence[str]) -> None:
        self._data = data
        self._before = asked_before
        self.rows: dict[str, list[Row]] = {}
        with App(Settings(), data) as app:
            app.database.start()
            assert app.database.server
            self._server = Family(app.database.server.data)._server()[0]

    @contextmanager
    def process(self, plain: int, filtered: int = 0, filters: SearchFilters | None = None) -> Iterator[App]:
        """An app of which so many questions were asked without filters, and with some."""
        with App(Settings(), self._data) as app:
            for number, query in enumerate(self._before[: plain + filtered]):
                chosen = filters if number >= plain and filters else SearchFilters()
                app.search(SearchRequest(query, filters=chosen), index_name=INDEX_NAME)
            yield app

    def ask(self, app: App, kinds: Iterable[str], requests: Iterable[SearchRequest]) -> None:
        for kind, request in zip(kinds, requests, strict=False):
            served, own, started = self._server_ms(), time.process_time(), time.perf_counter()
            app.search(request, index_name=INDEX_NAME)
            wall, own = time.perf_counter() - started, time.process_time() - own
            after = self._server_ms()
            server = sum(spent - served.get(one, 0.0) for one, spent in after.items())
            self.rows.setdefault(kind, []).append((1000 * wall, 1000 * own, server))

    def _server_ms(self) -> dict[int, float]:
        """CPU of each process of the server, which is known in nanoseconds."""
        spent = {}
        for process in self._server.children():
            with suppress(OSError):  # one that has ended
                spent[process.pid] = int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / 1e6
        return spent


def measure(data: Path, queries: Sequence[str], asked_before: Sequence[str]) -> dict[str, Any]:
    asking = Asking(data, asked_before)
    plain = [SearchRequest(query) for query in queries]
    with asking.process(60) as app:
        asking.ask(app, cycle(["plain"]), plain)
    for start in range(0, len(queries), BEGINNING):
        with asking.process(0) as app:
            asking.ask(app, ["begins, first", *["begins"] * (BEGINNING - 1)], plain[start : start + BEGINNING])
    for name, filters in FILTERS.items():
        filtered = [SearchRequest(query, filters=filters) for query in queries]
        for start in range(0, len(queries), FIRST):
            with asking.process(30) as app:
                kinds = [f"first, {name}", *[f"early, {name}"] * (FIRST - 1)]
                asking.ask(app, kinds, filtered[start : start + FIRST])
        with asking.process(30, 15, filters) as app:
            asking.ask(app, cycle([f"kept, {name}"]), filtered)
    with asking.process(40) as app:
        changing = cycle([*FILTERS.values(), *OTHERS])
        asked = [SearchRequest(query, filters=next(changing)) for query in queries]
        asking.ask(app, cycle(["changing"]), asked)
    with asking.process(40) as app:
        texts = cycle(INLINE)
        asking.ask(app, cycle(["inline"]), [SearchRequest(f"{query} {next(texts)}") for query in queries])
    return {kind: summary(rows) for kind, rows in asking.rows.items()}


def summary(rows: Sequence[Row]) -> dict[str, float]:
    """Medians, and the 95th percentile of wall time."""
    wall, own, server = (sorted(column) for column in zip(*rows, strict=True))
    middle = len(rows) // 2
    return {
        "searches": len(rows),
        "p50": round(wall[middle], 1),
        "p95": round(wall[int(0.95 * len(rows))], 1),
        "own_cpu": round(own[middle], 1),
        "server_cpu": round(server[middle], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--annotations", type=Path, required=True, help="folder of labelled queries")
    parser.add_argument("--data", type=Path, required=True, help="where scale.py left the database")
    parser.add_argument("--every", type=int, default=8, metavar="N", help="one of N of these queries")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    queries = read_queries(options.annotations, 1)
    result = measure(options.data, queries[:: options.every], queries[options.every // 2 :: options.every])
    text = json.dumps(result, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
