"""Tokens that an agent spends until it has seen the first right place, beside grep and reading files.

Ways to find a place, up to 50 hits each; a place that is never found counts as all that was read:

- page, read: `search_code` page by page; whole pages, or only up to the right hit.
- places: pages of names and lines alone (`compact`), then `read_code` of each hit's lines until the right one.
- files: the files with most keywords of the question are read whole, in that order, as in semble's benchmark.
- grep: what grep shows of these files, 250 lines of at most 200 characters; then 40 lines around the line with most
  keywords, file by file.
- lean: the same, but grep shows only that one line of each file. No grep knows it, so this is a lower bound.
"""

import json
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from tokenizers import Tokenizer

from benchmarks.frame import Folder, benchmark, report_faults
from benchmarks.product import Product, Server
from benchmarks.random_calls import Vocabulary, bound_of, random_calls
from benchmarks.relevance import Bench, Only, Repositories, load
from benchmarks.rows import Figures
from benchmarks.timing import percentile, ratio
from cocosearch_py.analysis.words import STOP_WORDS
from cocosearch_py.tools.tokens import count_tokens

HITS = 50  # places that are looked at, in every way
PAGE = 10
LINE_CHARS = 200  # of a line that grep shows
GREP_LINES = 250
AROUND = 40  # lines that are read around a place
MAX_FILE_BYTES = 1_000_000
SEED = 12
INDEX = "folder"
Count = Callable[[str], int]
Hit = Mapping[str, Any]  # path, and lines if it is not a whole file
Right = Callable[[Hit], bool]
Reading = tuple[int, bool]  # tokens that were read, and whether a right place was among them


@dataclass
class TextFiles:
    """Text files of a repository, with the tokens of each."""

    count: Count
    texts: dict[str, str]
    costs: dict[str, int] = field(default_factory=dict)

    def cost(self, path: str) -> int:
        if path not in self.costs:
            self.costs[path] = self.count(self.texts[path])
        return self.costs[path]


def read_texts(folder: Path) -> dict[str, str]:
    texts = {}
    for path in sorted(folder.rglob("*")):
        if ".git" in path.parts or not path.is_file() or path.is_symlink() or path.stat().st_size > MAX_FILE_BYTES:
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            texts[path.relative_to(folder).as_posix()] = content.decode("utf-8", "replace")
    return texts


def counter(tokenizer: Path | None) -> Count:
    """Count tokens by a tokenizer.json, or by the product's own estimate, which errs upwards."""
    if tokenizer is None:
        return count_tokens
    known = Tokenizer.from_file(str(tokenizer))
    return lambda text: len(known.encode(text, add_special_tokens=False).ids)


@benchmark
def tokens(
    product: Product, bench: Bench, repositories: Repositories, *, only: Only = (),
    tokenizer: Annotated[Path | None, "tokenizer.json to count with"] = None,
) -> Figures:  # fmt: skip
    """Tokens to the first right place of the labelled questions, by search and by grep."""
    labelled = load(bench, repositories, only)
    count = counter(tokenizer)
    readings: dict[str, list[Reading]] = {}
    for name, server, tasks in labelled.indexed(product):
        files = TextFiles(count, read_texts(labelled.folders[name]))
        for task in tasks:

            def right(hit: Hit, task: Mapping[str, Any] = task) -> bool:
                return labelled.right(hit, task)

            ways = {**by_grep(files, task["query"], right), **by_search(server, task["query"], name, count, right)}
            for way, reading in ways.items():
                readings.setdefault(way, []).append(reading)
    figures: Figures = {
        "repositories": len(labelled.folders),
        "questions": len(labelled.tasks),
        "tokenizer": tokenizer.stem if tokenizer else "estimate",
    }
    for way, values in readings.items():
        spent = [number for number, _ in values]
        figures |= {
            f"{way} found": ratio(sum(was_found for _, was_found in values), len(values)),
            f"{way} median": round(statistics.median(spent)),
            f"{way} p95": percentile(spent, 0.95),
        }
    return figures


def by_search(server: Server, question: str, index: str, count: Count, right: Right) -> dict[str, Reading]:
    """Pages of whole passages; and pages of places, whose lines are read."""
    pages, read = _by_pages(server, question, index, count, right)
    return {"page": pages, "read": read, "places": _by_places(server, question, index, count, right)}


def _by_pages(server: Server, question: str, index: str, count: Count, right: Right) -> tuple[Reading, Reading]:
    before = 0
    for start in range(0, HITS, PAGE):
        text, _ = server.answer("search_code", {"query": question, "index_name": index, "offset": start})
        items = json.loads(text)
        size = count(text)
        hits = [item for item in items if "file_path" in item]
        for at, hit in enumerate(hits):
            if right({**hit, "path": hit["file_path"]}):
                part = json.dumps(hits[: at + 1], ensure_ascii=False, separators=(",", ":"))
                return (before + size, True), (before + count(part), True)
        before += size
        if len(hits) < PAGE:
            break
    return (before, False), (before, False)


def _by_places(server: Server, question: str, index: str, count: Count, right: Right) -> Reading:
    asked = {"query": question, "index_name": index, "include_content": False, "smart_context": False, "compact": True}
    spent = 0
    for start in range(0, HITS, PAGE):
        text, _ = server.answer("search_code", {**asked, "offset": start})
        spent += count(text)
        table = json.loads(text)
        rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
        for hit in rows:
            lines = {"start_line": hit["start_line"], "end_line": hit["end_line"]}
            text, _ = server.answer("read_code", {"path": hit["file_path"], "index_name": index, **lines})
            spent += count(text)
            if right({**lines, "path": hit["file_path"]}):
                return spent, True
        if len(rows) < PAGE:
            break
    return spent, False


def by_grep(files: TextFiles, question: str, right: Right) -> dict[str, Reading]:
    words = re.findall(r"[a-z_][a-z0-9_]{2,}", question.lower())
    keywords = list(dict.fromkeys(word for word in words if word not in STOP_WORDS)) or [question.lower()]
    places = grepped(files, keywords)
    every: list[str] = []
    best: list[str] = []
    for path, line in places:
        lines = files.texts[path].split("\n")
        best.append(f"{path}:{line + 1}:{lines[line][:LINE_CHARS]}")
        if len(every) < GREP_LINES:
            matching = [at for at, text in enumerate(lines) if any(word in text.lower() for word in keywords)]
            every += [f"{path}:{at + 1}:{lines[at][:LINE_CHARS]}" for at in matching]
    return {
        "files": _read_until((({"path": path}, files.cost(path)) for path, _ in places), right),
        "grep": _read_until(_around(files, places), right, files.count("\n".join(every[:GREP_LINES]))),
        "lean": _read_until(_around(files, places), right, files.count("\n".join(best))),
    }


def grepped(files: TextFiles, words: Sequence[str]) -> list[tuple[str, int]]:
    """Files with most of the words first, each with its line, from 0, that has most of them."""
    ranked = []
    for path, text in files.texts.items():
        counts = [text.lower().count(word) for word in words]
        if any(counts):
            ranked.append((-sum(map(bool, counts)), -sum(counts), path))
    places = []
    for _, _, path in sorted(ranked)[:HITS]:
        lines = files.texts[path].lower().split("\n")
        hits = [sum(word in line for word in words) for line in lines]
        places.append((path, hits.index(max(hits))))
    return places


def _around(files: TextFiles, places: Sequence[tuple[str, int]]) -> Iterator[tuple[Hit, int]]:
    """Lines around places, and their tokens."""
    for path, at in places:
        start = max(0, at - AROUND // 2)
        part = files.texts[path].split("\n")[start : start + AROUND]
        yield {"path": path, "start_line": start + 1, "end_line": start + len(part)}, files.count("\n".join(part))


def _read_until(reads: Iterator[tuple[Hit, int]], right: Right, spent: int = 0) -> Reading:
    for hit, size in reads:
        spent += size
        if right(hit):
            return spent, True
    return spent, False


@benchmark
def bounds(product: Product, folder: Folder, *, calls: int = 2_000) -> Figures:
    """Random calls of all tools that read: answers with more tokens than they may have are faults."""
    product.index(folder, INDEX)
    texts = read_texts(folder)
    lines = [line.strip() for text in texts.values() for line in text.split("\n") if line.strip()]
    names = sorted({word for line in lines[::50] for word in re.findall(r"[A-Za-z_]{4,}", line)})
    faults, errors, fullest = [], 0, 0.0
    with product.server(folder, "--toolsets", "all") as server:
        for tool, arguments in islice(random_calls(SEED, Vocabulary([INDEX], lines, sorted(texts), names)), calls):
            text, is_error = server.answer(tool, arguments)
            errors += is_error
            share = count_tokens(text) / bound_of({} if is_error else arguments)
            fullest = max(fullest, share)
            if share > 1:
                faults.append(f"{share:.3f} of its bound: {tool} {json.dumps(arguments)[:300]}")
    figures: Figures = {"calls": calls, "errors": errors, "fullest answer": round(fullest, 4)}
    return figures | {"faults": report_faults(faults)}
