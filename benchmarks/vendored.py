"""How many answers to general questions are other people's code, in trees that carry such code.

    python benchmarks/vendored.py REPOSITORIES_FOLDER [--json OUT] [--weights '{"vendored": 0, "generated": 0}']

Each tree is a copy of a repository with copies of others in folders such as vendor/, or a repository that brings its
own. None of the 50 questions names a tree, a package or a folder. Counted are the hits below the foreign folders among
the first ten, against the share of all chunks that is there; and how many of the questions that do ask for the foreign
code get it first. What is foreign is written here, not read from the product.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cocosearch_py.app import App
from cocosearch_py.config.settings import SearchSettings, Settings
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.server.administration import stop_server

CUT = 10


@dataclass(frozen=True, slots=True)
class Tree:
    """A repository, others by the folder that they are copied to, and every folder of foreign code."""

    name: str
    host: str
    guests: dict[str, str] = field(default_factory=dict)  # folder -> repository
    foreign: tuple[str, ...] = ()  # folders that the host brings


TREES = (
    Tree("gin", "gin", {"third_party/chi": "chi", "third_party/axios": "axios", "external/libuv": "libuv"}),
    Tree("fastapi", "fastapi", {"vendor/flask": "flask", "third_party/requests": "requests", "vendor/click": "click"}),
    Tree("redis", "redis", foreign=("deps/",)),
)

QUESTIONS = (
    "retry with backoff", "how are errors reported to the caller", "parse command line options", "read configuration",
    "open a network connection", "close the connection when it times out", "how is memory allocated",
    "hash table lookup",
    "convert a string to a number", "write to the log", "how are headers parsed", "cookies", "authentication",
    "route a path to its handler", "how is middleware called", "send a response", "stream a file", "upload of files",
    "decode JSON", "encode a value as JSON", "validate input", "default values", "how are requests dispatched",
    "event loop", "timers", "thread pool", "locks", "signal handling", "start a child process", "temporary files",
    "walk a directory", "compare versions", "random numbers", "format a date", "unicode text", "regular expressions",
    "compress the body", "redirects", "proxy settings", "session", "templates", "cache of results",
    "context of a request",
    "shut down gracefully", "recover from a crash", "print help", "progress", "sort a list", "iterate over keys",
    "test client",
)  # fmt: skip
# Tree -> questions that ask for its foreign code, by the name of a package or by a filter.
ASKED = {
    "gin": ("axios interceptors", "libuv threadpool", "event loop content:vendored", "middleware path:third_party/"),
    "fastapi": ("flask blueprint", "click option", "options content:vendored", "cookies path:third_party/"),
    "redis": ("jemalloc arena bins", "hiredis parse replies", "parser content:vendored", "line editing path:deps/"),
}


def build(tree: Tree, repositories: Path, folder: Path) -> tuple[str, ...]:
    """Lay the tree out; returns its folders of foreign code."""
    shutil.copytree(repositories / tree.host, folder, symlinks=True)
    for place, guest in tree.guests.items():
        shutil.copytree(repositories / guest, folder / place, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    return (*tree.foreign, *(f"{place}/" for place in tree.guests))


def paths_of(app: App, index_name: str, query: str) -> list[str]:
    found = app.search(SearchRequest(query, limit=CUT, smart_context=False), index_name=index_name)[1]
    return [hit.file_path for hit in found.hits]


def measure(app: App, tree: Tree, foreign: Sequence[str]) -> dict[str, Any]:
    """Figures of one indexed tree."""
    starts = tuple(foreign)
    answers = {question: paths_of(app, tree.name, question) for question in QUESTIONS}
    hits = [path for paths in answers.values() for path in paths]
    theirs = {question: sum(path.startswith(starts) for path in paths) for question, paths in answers.items()}
    asked = [paths_of(app, tree.name, question) for question in ASKED[tree.name]]
    with app.database.reading() as conn:
        row = conn.execute(
            "SELECT sum(f.chunk_count) FILTER (WHERE f.path ^@ ANY(%s)), sum(f.chunk_count) FROM cocosearch_py.files f "
            "JOIN cocosearch_py.indexes i USING (index_id) WHERE i.name = %s",
            [list(starts), tree.name],
        ).fetchone()
    assert row
    worst = sorted(theirs.items(), key=lambda pair: -pair[1])[:5]
    first = [paths[0].startswith(starts) for paths in answers.values() if paths]
    return {
        "chunks": int(row[1]),
        "foreign_chunks_pct": round(100 * row[0] / row[1], 1),
        "foreign_hits_pct": round(100 * sum(theirs.values()) / len(hits), 1),
        "foreign_first_pct": round(100 * sum(first) / len(first), 1),
        "worst": {question: count for question, count in worst if count},
        "asked_for": len(asked),
        "asked_for_and_first": sum(bool(paths) and paths[0].startswith(starts) for paths in asked),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--weights", type=json.loads, default={}, help="ranking weights to try, as JSON")
    options = parser.parse_args()
    settings = Settings(search=SearchSettings(weights=options.weights))
    figures = {}
    with tempfile.TemporaryDirectory() as scratch, App(settings, Path(scratch) / "data") as app:
        for tree in TREES:
            folder = Path(scratch) / tree.name
            foreign = build(tree, options.repositories, folder)
            app.index(folder, name=tree.name)
            figures[tree.name] = measure(app, tree, foreign)
            print(f"{tree.name}: {json.dumps(figures[tree.name])}", file=sys.stderr)
        stop_server(app.database)
    text = json.dumps({"questions": len(QUESTIONS), "cut": CUT, "trees": figures}, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
