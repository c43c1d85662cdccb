"""Lines by exact text: are they all found, and how fast, beside a peer on the same files.

    python benchmarks/texts.py FOLDER... --data FOLDER [--queries N] [--truth 'rg'] [--multiline]
        [--peer 'COMMAND'] [--json OUT]

Each FOLDER is indexed. Queries are drawn at random from its files, always the same: parts of lines (a name, some words,
cut anywhere) and regular expressions around a name. The lines of an answer are compared with those that Python finds in
the files themselves (`re` means the same by these few patterns), or with those that ripgrep finds. With --multiline
the queries are texts over two lines and expressions around names of nearby ones, and lines those of `rg -U`. Timed is a
page of 20 lines with their definitions, the least of three times; beside it, in turns, all lines by COMMAND, run
in the folder with `-- QUERY` (and `-F` for texts) behind it, as ripgrep is.
Prints one JSON object; times are milliseconds, `cpu` counts our process and the database server.
"""

import argparse
import json
import random
import re
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inprocess import Family

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.texts import TextRequest
from cocosearch_py.search.patterns import text_pattern
from cocosearch_py.storage.queries.facts import read_languages
from cocosearch_py.storage.server.administration import stop_server

SEED = 11
ALL = 1_000_000
ROUNDS = 3
MAX_LINE_CHARS = 900  # a longer line is searched in parts
NAME = re.compile(r"[A-Za-z_]\w{3,30}")
OVER_LINES = (
    r"{0}[^;]*?{1}",
    r"(?s){0}.*?{1}",
    r"(?s){0}.{{0,80}}{1}",
    r"{0}.*\n.*{1}",
    r"{0}\s*\([^)]*\)",
    r"[({{]\s+{0}\b",
    r"\b{0}\s+{1}",
    r"^\s*\w+ {0}(?:\n.*){{1,3}}{1}",
    r"{0}\W*\n\s*\w+",
    r"{0}$\n^\s+\S+",
    r"{0}[\s\S]*?\n\n|\n\n.*{1}",
    r"(?:{0}|{1})(?:\s|,)+\w+",
    r"(?s)\w+\s*{0}.*?[;)]\n",
    r"\n{{3,}}.*{0}?",
)
TEMPLATES = (
    r"\b{0}\b",
    r"{0}\s*\(",
    r"^\s*\w+ {0}",
    r"\w+{0}\w*",
    "{0}|{1}",
    r"[A-Z]\w*{0}",
    r"{0}.*{1}",
    "({0}|{1})s?$",
)


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    is_regex: bool
    ignore_case: bool
    multiline: bool = False

    @property
    def meaning(self) -> re.Pattern[str]:
        pattern = self.text if self.is_regex else re.escape(self.text)
        return re.compile(pattern, re.IGNORECASE if self.ignore_case else 0)


def draw(lines: Sequence[str], count: int) -> list[Query]:
    chosen = random.Random(SEED)
    queries: list[Query] = []
    while len(queries) < count:
        line = chosen.choice(lines).strip()
        names = NAME.findall(line)
        if len(line) < 4 or not names:
            continue
        kind, start = len(queries) % 4, chosen.randrange(len(line) - 3)
        if kind == 0:
            text = chosen.choice(names)
        elif kind == 1:
            text = " ".join(line.split(" ")[:3])
        elif kind == 2:
            text = line[start : start + chosen.randint(4, 40)].strip()
        else:
            text = chosen.choice(TEMPLATES).format(chosen.choice(names), chosen.choice(names))
        if len(text) > 2:
            queries.append(Query(text, kind == 3, chosen.random() < 0.5))
    return queries


def draw_over_lines(texts: Sequence[str], count: int) -> list[Query]:
    """Queries whose matches span lines, around names of one or two lines that stand together."""
    chosen = random.Random(SEED)
    queries: list[Query] = []
    while len(queries) < count:
        lines = chosen.choice(texts).split("\n")
        at = chosen.randrange(len(lines))
        two = lines[at : at + 2]
        names = NAME.findall(" ".join(lines[at : at + chosen.randint(1, 4)]))
        if len(names) < 2 or max(map(len, two)) > MAX_LINE_CHARS:
            continue
        if len(queries) % 4 == 0:
            text = "\n".join(two)[chosen.randrange(len(two[0]) + 1) :][: chosen.randint(8, 80)]
        else:
            text = chosen.choice(OVER_LINES).format(*sorted(chosen.sample(names, 2), key=names.index))
        if len(text) > 2 and "\r" not in text:
            queries.append(Query(text, len(queries) % 4 > 0, chosen.random() < 0.5, multiline=True))
    return queries


def asked(query: Query, limit: int) -> TextRequest:
    text = query.text.lower() if query.ignore_case and not query.is_regex else query.text
    pattern = text_pattern(
        f"(?i){text}" if query.ignore_case and query.is_regex else text,
        regex=query.is_regex,
        case_sensitive=not query.ignore_case,
        multiline=query.multiline,
    )
    return TextRequest(pattern=pattern, limit=limit, timeout_ms=60_000)


def measure(
    app: App, record: IndexRecord, count: int, truth: Sequence[str], peer: Sequence[str], *, multiline: bool
) -> dict[str, Any]:
    with app.database.reading() as conn:
        paths = sorted(read_languages(conn, record.index_id))
    root = Path(record.root_path)
    texts = {path: (root / path).read_bytes().decode("utf-8", "replace") for path in paths}
    lines = {
        (path, number): line
        for path, text in texts.items()
        for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1)
        if len(line) <= MAX_LINE_CHARS
    }
    if multiline:
        queries = draw_over_lines([text for text in texts.values() if text.strip()], count)
    else:
        queries = draw([line for line in lines.values() if line.strip()], count)
    wrong: list[dict[str, Any]] = []
    readable = {path for path, text in texts.items() if "\ufffd" not in text}  # by whoever reads UTF-8 alone
    for query in queries:
        report = app.searches.search_text(replace(asked(query, ALL), scope=False), record)
        found = {
            place
            for match in report.matches
            for number in range(match.line, (match.end_line or match.line) + 1)
            if (place := (match.path, number)) in lines
        }
        if truth:
            expected = {place for place in of_truth(truth, root, query) if place in lines and place[0] in readable}
            found = {place for place in found if place[0] in readable}
        else:
            meaning = query.meaning
            expected = {place for place, line in lines.items() if meaning.search(line)}
        if found != expected:
            wrong.append({"query": query.text, "missing": len(expected - found), "more": len(found - expected)})
    assert app.database.server
    ours, theirs = Timed(), Timed()
    with Family(app.database.server.data) as family:
        for _ in range(ROUNDS):
            for query in queries:
                started = time.perf_counter()
                app.searches.search_text(asked(query, 20), record)
                ours.add(query, time.perf_counter() - started)
                if peer:
                    theirs.add(query, of_peer(peer, root, query))
    result: dict[str, Any] = {
        "chunks": record.chunk_count,
        "files": len(paths),
        "queries": count,
        "equal": count - len(wrong),
        "wrong": wrong[:10],
        "ms": ours.quantiles(),
        "cpu_ms": {kind: round(1000 * seconds / count / ROUNDS, 2) for kind, seconds in family.cpu_by_kind.items()},
    }
    if peer:
        result["peer_ms"] = theirs.quantiles()
    return result


class Timed:
    """The least time of each query."""

    def __init__(self) -> None:
        self.seconds: dict[Query, float] = {}

    def add(self, query: Query, seconds: float) -> None:
        self.seconds[query] = min(seconds, self.seconds.get(query, seconds))

    def quantiles(self) -> dict[str, dict[str, float]]:
        kinds: dict[str, list[float]] = {"text": [], "regex": []}
        for query, seconds in self.seconds.items():
            kinds["regex" if query.is_regex else "text"].append(seconds * 1000)
        return {kind: quantiles(values) for kind, values in kinds.items()}


def flags_of(query: Query) -> list[str]:
    case = "-i" if query.ignore_case else "-s"
    over = ["-U"] if query.multiline else []
    return [case, *over, *([] if query.is_regex else ["-F"]), "-n", "--", query.text]


def of_peer(peer: Sequence[str], root: Path, query: Query) -> float:
    started = time.perf_counter()
    subprocess.run([*peer, *flags_of(query)], cwd=root, stdout=subprocess.DEVNULL, check=False)
    return time.perf_counter() - started


def of_truth(truth: Sequence[str], root: Path, query: Query) -> set[tuple[str, int]]:
    """Path and number of every line that ripgrep finds."""
    everything = ["--no-config", "--no-ignore", "--hidden", "-a", "--no-heading", "--null", "--no-messages"]
    command = [*truth, *everything, *flags_of(query), "."]
    found = subprocess.run(command, cwd=root, capture_output=True, check=False).stdout
    places = set()
    for line in found.split(b"\n"):
        path, null, rest = line.partition(b"\0")
        if null:
            places.add((path.decode("utf-8", "replace").removeprefix("./"), int(rest.partition(b":")[0])))
    return places


def quantiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50": round(statistics.median(ordered), 2), "p95": round(ordered[int(0.95 * len(ordered))], 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder of the indexes")
    parser.add_argument("--queries", type=int, default=200, help="of each folder")
    parser.add_argument("--truth", default="", help="ripgrep's command; without it Python says what matches")
    parser.add_argument("--multiline", action="store_true", help="matches that span lines, which needs --truth")
    parser.add_argument("--peer", default="", help="command like ripgrep")
    parser.add_argument("--json", type=Path, help="write the results there, too")
    options = parser.parse_args()
    results: dict[str, Any] = {}
    with App(Settings(), options.data) as app:
        for folder in options.folders:
            app.index(folder, name=folder.name)
            results[folder.name] = measure(
                app,
                app.catalog.find(folder.name),
                options.queries,
                shlex.split(options.truth),
                shlex.split(options.peer),
                multiline=options.multiline,
            )
            print(folder.name, json.dumps(results[folder.name]), file=sys.stderr, flush=True)
        stop_server(app.database)
    text = json.dumps(results, indent=1)
    print(text)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
