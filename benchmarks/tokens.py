"""What answers cost an agent: tokens to the first right hit, beside grep and reading; and whether bounds hold.

    python benchmarks/tokens.py BENCH_FOLDER REPOSITORIES_FOLDER [--repo NAME ...] [--calls N] [--data FOLDER]
        [--tokenizer FILE] [--codegraph PROGRAM] [--json OUT]

The folders are those of `relevance.py`. Every question is asked over MCP, of a real server in this process. Three ways
to find its first right file (or line span) are compared, up to 50 hits each:

- ours: `search_code`, page by page, ten hits each. `page` counts whole pages, `read` only up to the right hit; `full`
  and `top50` are the same for `full=true` and for one page of 50 whole passages.
- tools: a page of names and places alone (`compact`), then `read_code` of each hit's lines until the right one.
- codegraph, with --codegraph: what its `explore` answers, one call a question; `codegraph_read` up to the right place.
- files (the method of semble's benchmark): the keywords of the question are looked for, and the files with most of them
  are read whole, in that order.
- grep: what grep shows of the same files in the same order, every line with a keyword, 250 lines at most as agents'
  tools have it, 200 characters each; then 40 lines around the line of a file with most keywords, file by file.
- lean: the same, but grep shows only that one line of each file: nobody's grep knows it, so this is a lower bound.

What is never found counts as all that was read. Grep looks at all text files of the folder. Tokens are counted by
--tokenizer, a `tokenizer.json`, or else by the product's own estimate, which errs upwards. --calls makes so many
random calls of all tools that read, and reports the answers above their bound, in any case by the product's estimate.
"""

import argparse
import asyncio
import itertools
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.append(sys.path.pop(0))  # behind all else: mcp.py beside this file is not the package

from fastmcp import Client
from randomcalls import Vocabulary, bound_of, random_calls
from relevance import load_scorer

from cocosearch_py.analysis.words import STOP_WORDS
from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.mcp.server import create_server
from cocosearch_py.server.options import ServerOptions
from cocosearch_py.storage.server.administration import stop_server
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.tokens import count_tokens

HITS = 50  # places that are looked at, in every way
PAGE = 10
LINE_CHARS = 200  # of a line that grep shows
GREP_LINES = 250
AROUND = 40  # lines that are read around a place
MAX_FILE_BYTES = 1_000_000
SEED = 12

Count = Callable[[str], int]
Hit = Mapping[str, Any]  # path, and lines if not all of the file


@dataclass
class Folder:
    """The text files of a repository, with what reading them costs."""

    count: Count
    texts: dict[str, str]
    costs: dict[str, int] = field(default_factory=dict)

    def cost(self, path: str) -> int:
        """Tokens of a whole file."""
        if path not in self.costs:
            self.costs[path] = self.count(self.texts[path])
        return self.costs[path]


@dataclass(frozen=True)
class Reading:
    """What it cost to come to a right place, and whether one was found."""

    tokens: int
    found: bool


def read_folder(folder: Path, count: Count) -> Folder:
    """All text files below a folder."""
    texts = {}
    for path in sorted(folder.rglob("*")):
        if ".git" in path.parts or not path.is_file() or path.is_symlink() or path.stat().st_size > MAX_FILE_BYTES:
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            texts[path.relative_to(folder).as_posix()] = content.decode("utf-8", "replace")
    return Folder(count, texts)


def keywords(question: str) -> list[str]:
    """The words of a question that somebody would grep for."""
    words = re.findall(r"[a-z_][a-z0-9_]{2,}", question.lower())
    return list(dict.fromkeys(word for word in words if word not in STOP_WORDS)) or [question.lower()]


def grepped(folder: Folder, words: Sequence[str]) -> list[tuple[str, int]]:
    """Files with most of the words first, each with the number of its line that has most of them, from 0."""
    ranked = []
    for path, text in folder.texts.items():
        lowered = text.lower()
        counts = [lowered.count(word) for word in words]
        if any(counts):
            ranked.append((-sum(map(bool, counts)), -sum(counts), path))
    places = []
    for _, _, path in sorted(ranked)[:HITS]:
        lines = folder.texts[path].lower().split("\n")
        places.append((path, max(range(len(lines)), key=lambda at: (sum(word in lines[at] for word in words), -at))))
    return places


def by_files(folder: Folder, places: Sequence[tuple[str, int]], right: Callable[[Hit], bool]) -> Reading:
    """Whole files are read."""
    tokens = 0
    for path, _ in places:
        tokens += folder.cost(path)
        if right({"path": path}):
            return Reading(tokens, True)
    return Reading(tokens, False)


def grep_output(folder: Folder, words: Sequence[str], places: Sequence[tuple[str, int]], *, best: bool) -> str:
    """Lines with a keyword, or only the best of each file."""
    shown: list[str] = []
    for path, line in places:
        lines = folder.texts[path].split("\n")
        if not best and len(shown) >= GREP_LINES:
            break
        wanted = (
            [line] if best else [at for at, text in enumerate(lines) if any(word in text.lower() for word in words)]
        )
        shown += [f"{path}:{at + 1}:{lines[at][:LINE_CHARS]}" for at in wanted]
    return "\n".join(shown if best else shown[:GREP_LINES])


def by_lines(folder: Folder, output: str, places: Sequence[tuple[str, int]], right: Callable[[Hit], bool]) -> Reading:
    """What grep shows is read, then the lines around."""
    tokens = folder.count(output)
    for path, at in places:
        lines = folder.texts[path].split("\n")
        start = max(0, at - AROUND // 2)
        part = lines[start : start + AROUND]
        tokens += folder.count("\n".join(part))
        if right({"path": path, "start_line": start + 1, "end_line": start + len(part)}):
            return Reading(tokens, True)
    return Reading(tokens, False)


async def asked(client: Any, question: str, index: str, **more: Any) -> tuple[str, list[Hit]]:
    """The text of an answer of search_code, and its hits."""
    result = await client.call_tool("search_code", {"query": question, "index_name": index, **more})
    text = str(result.content[0].text)
    return text, [{**item, "path": item["file_path"]} for item in json.loads(text) if "file_path" in item]


async def by_search(
    ask: Callable[[int], Any], count: Count, right: Callable[[Hit], bool], pages: int
) -> tuple[Reading, Reading]:
    """Tokens of whole pages, and up to the right hit. `ask`: the page that begins after so many hits."""
    before = 0
    for number in range(pages):
        text, hits = await ask(number * PAGE)
        tokens = count(text)
        for at, hit in enumerate(hits):
            if right(hit):
                part = [{name: value for name, value in one.items() if name != "path"} for one in hits[: at + 1]]
                return Reading(before + tokens, True), Reading(before + count(to_json(part)), True)
        before += tokens
        if len(hits) < PAGE:
            break
    return Reading(before, False), Reading(before, False)


async def by_tools(client: Any, question: str, index: str, count: Count, right: Callable[[Hit], bool]) -> Reading:
    """Places alone, and then the lines of one after the other."""
    given = {"query": question, "index_name": index, "include_content": False, "smart_context": False}
    tokens = 0
    for start in range(0, HITS, PAGE):
        result = await client.call_tool("search_code", {**given, "compact": True, "offset": start})
        text = str(result.content[0].text)
        tokens += count(text)
        table = json.loads(text)
        rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
        for hit in rows:
            lines = {"start_line": hit["start_line"], "end_line": hit["end_line"]}
            read = await client.call_tool("read_code", {"path": hit["file_path"], "index_name": index, **lines})
            tokens += count(str(read.content[0].text))
            if right({**lines, "path": hit["file_path"]}):
                return Reading(tokens, True)
        if len(rows) < PAGE:
            break
    return Reading(tokens, False)


def by_explore(
    program: Path, copy: Path, question: str, count: Count, right: Callable[[Hit], bool]
) -> tuple[Reading, Reading]:
    """The whole answer of codegraph's `explore`, and what stands in it up to the end of the right place."""
    asked = subprocess.run([program, "explore", "--", question], cwd=copy, capture_output=True, text=True, check=True)
    text, path, block, at = asked.stdout, "", [0, 0], 0
    whole = count(text)
    for line in [*text.splitlines(keepends=True), ""]:
        number = int(found[1]) if (found := re.match(r"(\d+)\t", line)) else 0
        if path and block[0] and number != block[1] + 1:
            if right({"path": path, "start_line": block[0], "end_line": block[1]}):
                return Reading(whole, True), Reading(count(text[:at]), True)
            block = [0, 0]
        if number:
            block = [block[0] or number, number]
        elif header := re.match(r"\*\*`([^`]+)`\*\*", line):
            path = header[1]
        at += len(line)
    return Reading(whole, False), Reading(whole, False)


@dataclass(frozen=True)
class Peers:
    """Other programs to ask."""

    codegraph: Path | None
    scratch: Path

    def prepare(self, name: str, folder: Path) -> Path:
        """A copy of the folder with codegraph's index."""
        copy = self.scratch / name
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        assert self.codegraph is not None
        subprocess.run([self.codegraph, "init", "."], cwd=copy, capture_output=True, check=True)
        return copy


async def measure(
    client: Any, tasks: Sequence[Any], folders: Mapping[str, Path], scorer: Any, count: Count, peers: Peers
) -> Any:
    """What each question costs in each way, and the sizes of answers."""
    readings: dict[str, list[Reading]] = {}
    sizes: dict[str, list[tuple[int, int]]] = {"default": [], "full": []}
    for name, path in folders.items():
        folder = read_folder(path, count)
        copy = peers.prepare(name, path) if peers.codegraph else None
        for task in (one for one in tasks if one["repo"] == name):

            def right(hit: Hit, task: Any = task) -> bool:
                return any(scorer.hit(hit, target) for target in task["targets"])

            kept: dict[str, Any] = {}

            async def page(start: int, task: Any = task, kept: Any = kept, **more: Any) -> Any:
                if (key := f"{start} {more}") not in kept:
                    kept[key] = await asked(client, task["query"], task["repo"].lower(), offset=start, **more)
                return kept[key]

            async def full(start: int, page: Any = page) -> Any:
                return await page(start, full=True)

            async def top(_: int, page: Any = page) -> Any:
                return await page(0, full=True, limit=HITS)

            words, pages = keywords(task["query"]), HITS // PAGE
            places = grepped(folder, words)
            found = {"files": by_files(folder, places, right)}
            for way, best in (("grep", False), ("lean", True)):
                output = grep_output(folder, words, places, best=best)
                found[way] = by_lines(folder, output, places, right)
            found["page"], found["read"] = await by_search(page, count, right, pages)
            found["full_page"], found["full_read"] = await by_search(full, count, right, pages)
            found["top50_page"], found["top50_read"] = await by_search(top, count, right, 1)
            found["tools"] = await by_tools(client, task["query"], name.lower(), count, right)
            if peers.codegraph and copy:
                whole, part = by_explore(peers.codegraph, copy, task["query"], count, right)
                found["codegraph_page"], found["codegraph_read"] = whole, part
            for way, reading in found.items():
                readings.setdefault(way, []).append(reading)
            for kind, ask in (("default", page), ("full", full)):
                text, _ = await ask(0)
                sizes[kind].append((len(text), count(text)))
        print(name, file=sys.stderr, flush=True)
    return readings, sizes


def figures(readings: Mapping[str, Sequence[Reading]], sizes: Mapping[str, Sequence[tuple[int, int]]]) -> Any:
    """Medians and means; ratios are those of the medians, of the means, and the median of all questions."""

    def of(values: Sequence[int]) -> dict[str, float]:
        ordered = sorted(values)
        median, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
        return {"median": median, "mean": round(statistics.fmean(ordered), 1), "p95": p95}

    def ratios(tokens: Sequence[int], other: Sequence[int]) -> dict[str, float]:
        return {
            "medians": round(statistics.median(tokens) / statistics.median(other), 3),
            "means": round(statistics.fmean(tokens) / statistics.fmean(other), 3),
            "median": round(statistics.median(a / b for a, b in zip(tokens, other, strict=True)), 3),
        }

    ways = {}
    for way, found in readings.items():
        tokens = [one.tokens for one in found]
        ways[way] = {
            "found": round(statistics.fmean(one.found for one in found), 4),
            **of(tokens),
            **{f"to_{other}": ratios(tokens, [one.tokens for one in readings[other]]) for other in ("grep", "lean")},
        }
    answers = {
        kind: {"chars": of([chars for chars, _ in pairs]), "tokens": of([tokens for _, tokens in pairs])}
        for kind, pairs in sizes.items()
    }
    return {"questions": len(readings["lean"]), "answers": answers, "to_first_right_hit": ways}


async def check_bounds(client: Any, folders: Mapping[str, Path], calls: int) -> Any:
    """How many random calls were answered, and which answers have more tokens than they may have."""
    name, path = max(folders.items(), key=lambda item: sum(1 for _ in item[1].rglob("*")))
    texts = read_folder(path, len).texts
    lines = [line.strip() for text in texts.values() for line in text.split("\n") if line.strip()]
    names = sorted({word for line in lines[::50] for word in re.findall(r"[A-Za-z_]{4,}", line)})
    over, errors, largest = [], 0, 0.0
    made = random_calls(SEED, Vocabulary([name.lower()], lines, sorted(texts), names))
    for number, (tool, arguments) in enumerate(itertools.islice(made, calls)):
        if number % 500 == 0:
            print(f"{number} calls, {len(over)} above their bound", file=sys.stderr, flush=True)
        result = await client.call_tool(tool, arguments, raise_on_error=False)
        tokens = count_tokens(result.content[0].text)
        errors += result.is_error
        bound = bound_of({} if result.is_error else arguments)
        largest = max(largest, tokens / bound)
        if tokens > bound:
            over.append({"tool": tool, "arguments": to_json(arguments)[:300], "tokens": tokens, "bound": bound})
    return {"index": name, "calls": calls, "errors": errors, "fullest": round(largest, 4), "above": over}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--repo", action="append", help="only these repositories")
    parser.add_argument("--calls", type=int, default=0, help="random calls to make")
    parser.add_argument("--only-calls", action="store_true", help="ask no questions")
    parser.add_argument("--data", type=Path, help="keep the indexes in this folder")
    parser.add_argument("--tokenizer", type=Path, help="a tokenizer.json to count with")
    parser.add_argument("--codegraph", type=Path, help="codegraph's program, to ask beside us")
    parser.add_argument("--json", type=Path, help="write the figures here")
    return parser.parse_args()


def counter(tokenizer: Path | None) -> Count:
    """Counts the tokens of a text."""
    if tokenizer is None:
        return count_tokens
    from tokenizers import Tokenizer  # noqa: PLC0415  # takes a moment

    known = Tokenizer.from_file(str(tokenizer))
    return lambda text: len(known.encode(text, add_special_tokens=False).ids)


async def run(app: App, options: argparse.Namespace, folders: Mapping[str, Path], scorer: Any) -> Any:
    server, context = create_server(lambda _: app, ServerOptions(toolsets=("all",)))
    tasks = scorer.load_tasks(str(options.bench / "annotations"), str(options.bench / "repos.json"))
    async with Client(server, mode="legacy") as client:
        result: dict[str, Any] = {}
        if not options.only_calls:
            with tempfile.TemporaryDirectory() as scratch:
                peers = Peers(options.codegraph and options.codegraph.absolute(), Path(scratch))
                count = counter(options.tokenizer)
                readings, sizes = await measure(client, tasks, folders, scorer, count, peers)
            result["tokenizer"] = options.tokenizer.stem if options.tokenizer else "estimate"
            result |= figures(readings, sizes)
        if options.calls:
            result["bounds"] = await check_bounds(client, folders, options.calls)
    context.jobs.close(30)
    return result


def main() -> None:
    options = parse()
    scorer = load_scorer(options.bench)
    folders = {
        repo["name"]: options.repositories / repo["name"] / (repo.get("benchmark_root") or "")
        for repo in json.loads((options.bench / "repos.json").read_text(encoding="utf-8"))
        if not options.repo or repo["name"] in options.repo
    }
    folders = {name: folder for name, folder in folders.items() if folder.is_dir()}
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), options.data or Path(scratch)) as app:
        for name, folder in folders.items():
            app.index(folder, name=name.lower())
        result = asyncio.run(run(app, options, folders, scorer))
        if not options.data:
            stop_server(app.database)
    text = json.dumps(result, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
