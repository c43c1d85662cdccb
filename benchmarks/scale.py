"""One large index, measured: what it takes to build, how fast it answers, and what its short cuts cost.

    python benchmarks/scale.py FOLDER [--annotations FOLDER] [--data FOLDER] [--json OUT]

FOLDER is indexed into one index, best with the sources of many repositories in it (links are not followed; copy them).
The queries are those of the labelled benchmark (`--annotations`, see docs/retrieval.md), else the ten of inprocess.py.
With `--data` the database stays in that folder and a second call measures the index that is there. Prints one JSON
object.

Two short cuts are compared with what they replace: the approximate vector index with an exact scan (share of the exact
leg's chunks that it finds), and the budget of keyword candidates with none (share of queries with the same ten answers
in the same order, and with the same first one).
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
from inprocess import QUERIES, Family

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.search.legs import VECTOR_CANDIDATES
from cocosearch_py.storage.queries import candidates
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.schema.places import leaf
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.server.administration import stop_server

INDEX_NAME = "scale"
WARM_UP = 40  # queries before the clock runs
NO_BUDGET = 2**40


def read_queries(annotations: Path | None) -> list[str]:
    if annotations is None:
        return QUERIES
    return [task["query"] for path in sorted(annotations.glob("*.json")) for task in json.loads(path.read_bytes())]


def build(app: App, folder: Path) -> dict[str, Any]:
    """Index the folder; memory counts this process, its workers and the database server."""
    assert app.database.server and app.embedder
    with Family(app.database.server.data) as family:
        report = app.index(folder, name=INDEX_NAME)
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


def compare_legs(app: App, queries: Sequence[str]) -> float:
    """Mean share of the nearest chunks that the vector leg finds."""
    record = app.catalog.find(INDEX_NAME)
    target = Target(record.index_id, record.chunk_count, SearchFilters())
    rank = store.rank_by_vector
    shares = []
    with app.database.reading() as conn:
        for query in queries:
            vector = store.query_vector([float(value) for value in app.embedder.embed_query(query)])
            if vector is None:
                continue
            found, exact = (
                {(chunk.file_id, chunk.chunk_no) for chunk in rank(conn, place, vector, limit=VECTOR_CANDIDATES)}
                for place in (target, replace(target, chunk_count=0))
            )
            shares.append(len(found & exact) / len(exact) if exact else 1.0)
    return round(sum(shares) / len(shares), 4)


def compare_answers(app: App, requests: Sequence[SearchRequest]) -> dict[str, float]:
    """Shares of queries whose answers are those of a search without a budget of keyword candidates."""

    def answer(request: SearchRequest) -> list[tuple[str, int]]:
        report: SearchReport = app.search(request, index_name=INDEX_NAME)[1]
        return [(hit.file_path, hit.start_line) for hit in report.hits]

    limited = [answer(request) for request in requests]
    budget = candidates.CANDIDATE_BUDGET
    candidates.CANDIDATE_BUDGET = NO_BUDGET
    free = [answer(request) for request in requests]
    candidates.CANDIDATE_BUDGET = budget
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
    }
    requests = {kind: [SearchRequest(query, filters=chosen) for query in queries] for kind, chosen in filters.items()}
    result["search_ms"] = {kind: measure_searches(app, asked) for kind, asked in requests.items()}
    result["vector_recall_at_50"] = compare_legs(app, queries)
    result["against_no_budget"] = compare_answers(app, requests["plain"])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--annotations", type=Path, help="folder of labelled queries")
    parser.add_argument("--data", type=Path, help="keep the database in this folder")
    parser.add_argument("--json", type=Path, help="write the figures here, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch)) as app:
        result = measure(app, options.folder.resolve(), read_queries(options.annotations))
        if not options.data:
            stop_server(app.database)
    text = json.dumps(result, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(text + "\n")


if __name__ == "__main__":
    main()
