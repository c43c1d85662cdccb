"""Lines by exact text and regular expression: completeness, and time beside ripgrep."""

import random
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from benchmarks.frame import Folder, benchmark, report_faults
from benchmarks.product import Product, Server
from benchmarks.rows import Figures
from benchmarks.timing import cpu_below, middle, timed

INDEX = "folder"
SEED = 11
MAX_LINE_CHARS = 900  # a longer line is searched in parts
NAME = re.compile(r"[A-Za-z_]\w{3,30}")
TEMPLATES = (
    r"\b{0}\b", r"{0}\s*\(", r"^\s*\w+ {0}", r"\w+{0}\w*", "{0}|{1}", r"[A-Z]\w*{0}", r"{0}.*{1}", "({0}|{1})s?$",
)  # fmt: skip


class Query(NamedTuple):
    """A text or regular expression."""

    text: str
    is_regex: bool
    ignore_case: bool

    @property
    def arguments(self) -> dict[str, Any]:
        """Parameters of search_text."""
        return {
            "query": self.text,
            "regex": self.is_regex,
            "case_sensitive": not self.ignore_case,
            "index_name": INDEX,
            "timeout_ms": 60_000,
        }

    @property
    def flags(self) -> list[str]:
        """Options of ripgrep."""
        return ["-i" if self.ignore_case else "-s", *([] if self.is_regex else ["-F"]), "-n", "--", self.text]


def draw(texts: Sequence[str]) -> Iterator[Query]:
    """Names, words, parts of lines, and regular expressions around names, within a line."""
    chance = random.Random(SEED)
    lines = [line.strip() for text in texts for line in text.split("\n") if len(line) <= MAX_LINE_CHARS]
    number = 0
    while True:
        line = chance.choice(lines)
        names = NAME.findall(line)
        if len(line) < 4 or not names:
            continue
        start = chance.randrange(len(line) - 3)
        text = (
            chance.choice(names),
            " ".join(line.split(" ")[:3]),
            line[start : start + chance.randint(4, 40)].strip(),
            chance.choice(TEMPLATES).format(chance.choice(names), chance.choice(names)),
        )[number % 4]
        if len(text) > 2:
            yield Query(text, number % 4 == 3, chance.random() < 0.5)
            number += 1


@benchmark
def texts(
    product: Product, folder: Folder, *,
    queries: Annotated[int, "number of queries"] = 100,
    ripgrep: Annotated[str, "program that finds the true lines, instead of Python"] = "",
) -> Figures:  # fmt: skip
    """Completeness of search_text, and the time of a page of 20 lines; a missing or wrong line is a fault."""
    product.index(folder, INDEX)
    root = folder.resolve()
    times: dict[str, list[float]] = {"text": [], "regex": [], "ripgrep": []}
    faults = []
    with product.server(folder) as server:
        paths = [row["path"] for row in server.pages("list_files", "files", index_name=INDEX, limit=200)]
        sources = {path: (root / path).read_bytes().decode("utf-8", "replace") for path in paths}
        sources = {path: text for path, text in sources.items() if "\ufffd" not in text}
        drawn = draw([text for text in sources.values() if text.strip()])
        cpu = 0.0
        for query in (next(drawn) for _ in range(queries)):
            before = cpu_below()
            milliseconds, _ = timed(lambda: server.call("search_text", limit=20, **query.arguments))  # noqa: B023
            cpu += cpu_below() - before
            times["regex" if query.is_regex else "text"].append(milliseconds)
            truth = _by_ripgrep(ripgrep, root, query, times["ripgrep"]) if ripgrep else _by_python(sources, query)
            truth = {place for place in truth if place[0] in sources}
            ours = {place for place in _ours(server, root, query) if place[0] in sources}
            if ours != truth:
                faults.append(f"{query}: {len(truth - ours)} lines missing, {len(ours - truth)} wrong")
    figures: Figures = {"files": len(paths), "queries": queries, "CPU ms": round(1000 * cpu / queries, 2)}
    for kind, values in times.items():
        figures |= middle(kind, values) if values else {}
    return figures | {"faults": report_faults(faults)}


def _ours(server: Server, root: Path, query: Query) -> set[tuple[str, int]]:
    matches = server.pages("search_text", "matches", limit=200, scope=False, **query.arguments)
    return {(match["file_path"].removeprefix(f"{root}/"), match["line"]) for match in matches}


def _by_python(sources: dict[str, str], query: Query) -> set[tuple[str, int]]:
    pattern = re.compile(query.text if query.is_regex else re.escape(query.text), re.I if query.ignore_case else 0)
    return {
        (path, number)
        for path, text in sources.items()
        for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1)
        if pattern.search(line)
    }


def _by_ripgrep(program: str, root: Path, query: Query, times: list[float]) -> set[tuple[str, int]]:
    everything = ["--no-config", "--no-ignore", "--hidden", "-a", "--no-heading", "--null", "--no-messages"]
    started = time.perf_counter()
    done = subprocess.run([program, *everything, *query.flags, "."], cwd=root, capture_output=True, check=False)
    times.append((time.perf_counter() - started) * 1000)
    rows = [line.partition(b"\0") for line in done.stdout.split(b"\n")]
    return {
        (path.decode("utf-8", "replace").removeprefix("./"), int(rest.partition(b":")[0]))
        for path, null, rest in rows
        if null
    }
