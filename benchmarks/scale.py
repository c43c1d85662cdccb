"""One large index, measured: what it takes to build, how fast it answers, and what its short cuts cost.

    python benchmarks/scale.py FOLDER [--annotations FOLDER] [--data FOLDER] [--update SHARE] [--json OUT]

FOLDER is indexed into one index, best with the sources of many repositories in it (links are not followed; copy them);
`corpus.py` makes such a folder of any size. The queries are those of the labelled benchmark (`--annotations`, see
docs/retrieval.md), every `--every`-th of them, else the ten of inprocess.py. With `--data` the database stays in that
folder and a second call measures the index that is there. Prints one JSON object.

Searches run without a filter, with some usual ones, and below folders that have about 10, 1 and 0.1 % of the chunks.
Two short cuts are compared with what they replace: the approximate vector index with an exact scan (share of the exact
leg's chunks that it finds), and the budget of keyword candidates with none (share of queries with the same ten answers
in the same order, and with the same first one).

With `--update` a line is added to that share of the files of FOLDER, one after the other alone and then all, and what
the runs cost is measured, and what vacuum does afterwards.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import psutil
import psycopg
from inprocess import QUERIES, Family
from many import Costs

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import SearchFilters, SearchRequest
from cocosearch_py.search.retrieval import VECTOR_CANDIDATES
from cocosearch_py.search.service import SearchService
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.candidates import CandidateBudget
from cocosearch_py.storage.queries.target import SearchLimits, Target
from cocosearch_py.storage.schema.partitions import leaf
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.administration import stop_server

INDEX_NAME = "scale"
WARM_UP = 40  # queries before the clock runs
SHARES = (0.1, 0.01, 0.001)  # of the chunks, that filters let pass
SINGLE_UPDATES = 5
NO_BUDGET = 2**40


def read_queries(annotations: Path | None, every: int) -> list[str]:
    if annotations is None:
        return QUERIES
    found = [task["query"] for path in sorted(annotations.glob("*.json")) for task in json.loads(path.read_bytes())]
    return found[::every]


def build(app: App, folder: Path) -> dict[str, Any]:
    """Index the folder; memory counts this process, its workers and the database server."""
    assert app.database.server and app.embedder
    with Family(app.database.server.data) as family:
        report = app.index(folder, name=INDEX_NAME, options=app.indexing_options(confirmed=True))
    return {
        "seconds": round(report.seconds, 1),
        "files_added": report.files_added,
        "cpu_by_kind_s": {kind: round(seconds, 1) for kind, seconds in family.cpu_by_kind.items()},
        "peak_mb": round(family.peak_bytes / 2**20),
    }


def measure_sizes(app: App) -> dict[str, Any]:
    """Megabytes of the index by table, with the indexes on it."""
    index_id = app.catalog.find(INDEX_NAME).index_id
    sizes = {}
    with app.database.reading() as conn:
        for name in TABLES:
            row = conn.execute("SELECT pg_total_relation_size(%s::regclass)", [leaf(name, index_id).as_string(conn)])
            sizes[name] = round(row.fetchone()[0] / 2**20, 1)  # type: ignore[index]
    return {"disk_mb": round(sum(sizes.values()), 1), "disk_mb_by_table": sizes}


def measure_searches(app: App, requests: Sequence[SearchRequest]) -> dict[str, float]:
    """Milliseconds of wall and CPU time a search, one after the other and without the cache of answers."""
    assert app.database.server
    for request in requests[:WARM_UP]:
        app.search(request, index_name=INDEX_NAME)
    server = Family(app.database.server.data)._server()
    walls = []
    stages: dict[str, list[float]] = {}
    own, served = time.process_time(), _cpu(server)
    for request in requests:
        started = time.perf_counter()
        _, report = app.search(request, index_name=INDEX_NAME)
        walls.append((time.perf_counter() - started) * 1000)
        for stage, spent in report.timings_ms.items():
            stages.setdefault(stage, []).append(spent)
    return {
        "p50": _percentile(walls, 0.5),
        "p95": _percentile(walls, 0.95),
        "own_cpu": round((time.process_time() - own) * 1000 / len(requests), 2),
        "server_cpu": round((_cpu(server) - served) * 1000 / len(requests), 2),
        **{stage: _percentile(spent, 0.5) for stage, spent in stages.items()},
    }


def _cpu(processes: Sequence[psutil.Process]) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def _percentile(values: Sequence[float], share: float) -> float:
    return round(sorted(values)[int(len(values) * share)], 2)


def folders_by_share(app: App) -> dict[str, SearchFilters]:
    """Filters on a folder each, the ones whose shares of the chunks are nearest to those wanted."""
    index_id = app.catalog.find(INDEX_NAME).index_id
    chunks: Counter[str] = Counter()
    with app.database.reading() as conn:
        query = "SELECT path, chunk_count FROM cocosearch_py.files WHERE index_id = %s AND chunk_count > 0"
        for path, count in conn.execute(query, [index_id]):
            for parent in PurePosixPath(path).parents[:-1]:
                chunks[str(parent)] += count
    total = app.catalog.find(INDEX_NAME).chunk_count
    found = {}
    for share in SHARES:
        folder = min(chunks, key=lambda one, share=share: abs(chunks[one] - share * total))  # type: ignore[misc]
        found[f"{100 * chunks[folder] / total:.2g} %"] = SearchFilters(path_globs=(f"{folder}/**",))
    return found


def compare_legs(app: App, queries: Sequence[str], filters: SearchFilters) -> float:
    """Mean share of the nearest chunks that vector retrieval finds."""
    record = app.catalog.find(INDEX_NAME)
    shares = []
    with app.database.reading() as conn:
        target = store.with_passing_files(conn, Target(record.index_id, record.chunk_count, filters))
        exactly = Target(record.index_id, 0, filters)
        for query in queries:
            vector = store.query_vector([float(value) for value in app.embedder.embed_query(query)])
            if vector is None:
                continue
            found = {chunk[:2] for chunk in store.rank_by_vector(conn, target, vector, limit=VECTOR_CANDIDATES)}
            exact = {chunk[:2] for chunk in store.rank_by_vector(conn, exactly, vector, limit=VECTOR_CANDIDATES)}
            shares.append(len(found & exact) / len(exact) if exact else 1.0)
    return round(sum(shares) / len(shares), 4)


def compare_answers(app: App, requests: Sequence[SearchRequest]) -> dict[str, float]:
    """Shares of queries whose answers are those of a search without a budget of keyword candidates."""

    def answers(service: SearchService) -> list[list[tuple[str, int]]]:
        reports = [service.search(request, INDEX_NAME)[1] for request in requests]
        return [[(hit.file_path, hit.start_line) for hit in report.hits] for report in reports]

    limited = answers(app.searches)
    free = answers(replace(app.searches, limits=SearchLimits(budget=CandidateBudget(NO_BUDGET, NO_BUDGET))))
    pairs = list(zip(limited, free, strict=True))
    kept = [len(set(some) & set(most)) / len(most) for some, most in pairs if most]

    def share(same: Callable[[list[tuple[str, int]], list[tuple[str, int]]], bool]) -> float:
        return round(sum(same(some, most) for some, most in pairs) / len(pairs), 4)

    return {
        "same_ten": share(lambda some, most: some == most),
        "same_first": share(lambda some, most: some[:1] == most[:1]),
        "kept_of_ten": round(sum(kept) / len(kept), 4),
    }


def measure(app: App, folder: Path, queries: Sequence[str]) -> dict[str, Any]:
    app.database.start()
    known = any(index.name == INDEX_NAME for index in app.catalog.list_all())
    result: dict[str, Any] = {} if known else {"build": build(app, folder)}
    stop_server(app.database)  # one that starts has buffers for what it finds; see docs/adr/0001
    record = app.catalog.find(INDEX_NAME)
    result |= {"chunks": record.chunk_count, "files": record.file_count, **measure_sizes(app)}
    started = time.perf_counter()
    app.search(SearchRequest(queries[0]), index_name=INDEX_NAME)
    result["first_search_ms"] = round((time.perf_counter() - started) * 1000, 1)
    filters = {
        "plain": SearchFilters(),
        "language": SearchFilters(languages=("python",)),
        "path": SearchFilters(path_globs=("**/src/**",)),
        "not_tests": SearchFilters(exclude_globs=("**/test*/**",)),
        **folders_by_share(app),
    }
    requests = {kind: [SearchRequest(query, filters=chosen) for query in queries] for kind, chosen in filters.items()}
    result["search_ms"] = {}
    for kind, asked in requests.items():
        result["search_ms"][kind] = measure_searches(app, asked)
        sys.stderr.write(f"{kind}: {result['search_ms'][kind]}\n")
    result["vector_recall_at_50"] = {kind: compare_legs(app, queries, chosen) for kind, chosen in filters.items()}
    sys.stderr.write(f"{result['vector_recall_at_50']}\n")
    result["against_no_budget"] = compare_answers(app, requests["plain"])
    return result


def update(app: App, folder: Path, share: float) -> dict[str, Any]:
    """What runs after edits cost, alone and many at once, and vacuum after them."""
    files = sorted(path for path in folder.rglob("*.py") if path.stat().st_size < 50_000)
    wanted = max(1, int(share * app.catalog.find(INDEX_NAME).file_count))
    chosen = random.Random(0).sample(files, min(wanted, len(files)))
    single = [change(app, folder, [file]) for file in chosen[:SINGLE_UPDATES]]
    together = {"files": len(chosen), **change(app, folder, chosen)}
    before = measure_sizes(app)["disk_mb"]
    app.database.close()
    with psycopg.connect(app.database.dsn, autocommit=True) as conn:
        started = time.perf_counter()
        for name in TABLES:
            table = leaf(name, app.catalog.find(INDEX_NAME).index_id).as_string(conn)
            conn.execute(f"VACUUM {table}".encode())
        vacuum_s = round(time.perf_counter() - started, 1)
    after = measure_sizes(app)["disk_mb"]
    return {
        "one_file": {name: _percentile([run[name] for run in single], 0.5) for name in single[0]},
        "many_files": together,
        "vacuum": {"wall_s": vacuum_s, "disk_mb_before": before, "disk_mb_after": after},
    }


def change(app: App, folder: Path, files: Sequence[Path]) -> dict[str, float]:
    for file in files:
        file.write_bytes(file.read_bytes() + b"\nchanged = True\n")
    wall_ms, cpu_ms = Costs(app).of(lambda: app.index(folder, name=INDEX_NAME))
    return {"wall_s": round(wall_ms / 1000, 2), "cpu_s": round(cpu_ms / 1000, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--annotations", type=Path, help="folder of labelled queries")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one of N of these queries")
    parser.add_argument("--data", type=Path, help="keep the database in this folder")
    parser.add_argument("--update", type=float, metavar="SHARE", help="change so many of the files of FOLDER")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch)) as app:
        result = measure(app, options.folder.resolve(), read_queries(options.annotations, options.every))
        if options.update:
            result["update"] = update(app, options.folder.resolve(), options.update)
        if not options.data:
            stop_server(app.database)
    text = json.dumps(result, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
