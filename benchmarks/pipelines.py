"""Random pipelines compared with their single tools, called one after the other: what they answer, and how fast.

    python benchmarks/pipelines.py FOLDER... [--number 1000] [--seed 14] [--timed 200] [--rounds 8] [--json OUT]

Each FOLDER is indexed into a new database; the chains are shared out among them. A chain is answered by `run_pipeline`,
and by calls of list_files, outline_file and so on as a client makes them, with what `filter`, `sort`, `limit` and
`count` do written down here once more. The client is a good one: it asks for no more than a limit that follows lets
through, and stops reading and outlining when it has enough. `timed` of the chains that find something are then answered
by both in turns, each first in every other round. Times are of CPU, program and server together, as the machine may be
busy; of each the least of all rounds counts. Both make their JSON, of passages only pipelines with their texts;
neither has a client to send it to, which would cost the single calls more.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from intelligence import InProcess, Server

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.errors import CocosearchError
from cocosearch_py.operations import run_pipeline
from cocosearch_py.operations.pipelines import reader
from cocosearch_py.storage.server.administration import stop_server
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.registry import all_operations

Row = dict[str, Any]
TOOLS = {one.name: one for one in all_operations()}
PAGE = 200
KINDS = ("function", "class", "method")
KEYS = {
    "files": ("path",),
    "passages": ("path", "start_line", "end_line", "score"),
    "lines": ("path", "line", "column", "text"),
    "symbols": ("path", "start_line", "end_line", "kind", "name"),
    "uses": ("path", "line", "column", "kind", "text"),
    "texts": ("path", "start_line", "end_line", "source"),
}
SHOWN = 5  # differences
MOST_MS = 2_000  # of single calls, in a chain that is timed: some ask about thousands of definitions
BOUNDED = "a stream reached its bound, which the answer says"
UNHURRIED_S = 300.0  # instead of a pipeline's 10 s: what is compared is not how busy the machine is


class Singles:
    """Chains answered by calls of single tools on one index."""

    def __init__(self, app: App, name: str, root: str) -> None:
        self._app, self._name, self._root = app, name, root
        self.calls = 0
        self.languages = {one["path"]: one["language"] for one in self.pages("list_files", "files")}
        self._globs: dict[str, set[str]] = {}
        self._known: dict[str, bool] = {}

    def answer(self, steps: Sequence[Sequence[Any]]) -> list[Row] | int:
        """What a chain gives; of each step (its name, what it is told, its options)."""
        rows: Iterator[Row] = iter(())
        for at, (name, subject, options) in enumerate(steps):
            if name == "count":
                return sum(1 for _ in rows)
            rows = getattr(self, f"_{name}")(rows, subject, options, _let_through(steps[at + 1 :]))
        return list(rows)

    def _call(self, tool: str, **arguments: Any) -> Any:
        self.calls += 1
        operation = TOOLS[tool]
        asked = operation.arguments(**arguments)
        call = InProcess(self._app, self._name)
        return json.loads(to_json(operation.shape(operation.run(call, asked), asked)))

    def pages(self, tool: str, key: str, most: int | None = None, **arguments: Any) -> Iterator[Row]:
        cursor = None
        while True:
            asked = {**arguments, "limit": min(most or PAGE, PAGE)} | ({"cursor": cursor} if cursor else {})
            page = self._call(tool, **asked)
            yield from page[key]
            if (cursor := page.get("next_cursor")) is None:
                return

    def _inner(self, row: Row) -> Row:
        return {**row, "path": str(Path(row["file_path"]).relative_to(self._root))}

    def _find(self, _: Iterator[Row], glob: str, options: Row, most: int | None) -> Iterator[Row]:
        return self.pages("list_files", "files", most, path_glob=glob, **options)

    def _fuzzy(self, _: Iterator[Row], query: str, options: Row, most: int | None) -> Iterator[Row]:
        return iter(self._call("list_files", query=query, limit=min(most or PAGE, PAGE), **options)["results"])

    def _search(self, _: Iterator[Row], query: str, options: Row, most: int | None) -> Iterator[Row]:
        options = {{"kind": "symbol_type"}.get(name, name): value for name, value in options.items()}
        limit = min(most or 100, 100)
        found = self._call(
            "search_code", query=query, limit=limit, smart_context=False, include_content=False, compact=True, **options
        )
        rows = [dict(zip(found["columns"], row, strict=True)) for row in found["rows"]]
        return (self._inner({**row, "kind": row["symbol_type"]}) for row in rows)

    def _text(self, _: Iterator[Row], query: str, options: Row, most: int | None) -> Iterator[Row]:
        for row in self.pages("search_text", "matches", most, query=query, **options):
            yield self._inner({**row, "kind": (row["scope"] or {}).get("kind")})

    def _symbols(self, _: Iterator[Row], name: str, options: Row, most: int | None) -> Iterator[Row]:
        for row in self.pages("find_symbol", "definitions", most, name=name, **options):
            yield self._inner({**row, "name": row["qualified_name"]})

    def _callers(self, rows: Iterator[Row], name: str, options: Row, most: int | None) -> Iterator[Row]:
        names = [name] if name else _once(f"{row['path']}#{row['name']}" for row in rows)
        for symbol in names:
            uses = self.pages("find_references", "references", most, symbol=symbol, kinds=["call"], **options)
            yield from map(self._inner, uses)

    def _outline(self, rows: Iterator[Row], path: str, options: Row, _: int | None) -> Iterator[Row]:
        for one in [path] if path else _once(row["path"] for row in rows):
            found = self._call("outline_file", path=one, compact=True, **options)
            for values in found["rows"]:
                row = {**dict(zip(found["columns"], values, strict=True)), "path": one}
                if "kind" not in options or row["kind"] == options["kind"]:
                    yield row

    def _deps(self, rows: Iterator[Row], path: str, options: Row, _: int | None) -> Iterator[Row]:
        def imported() -> Iterator[str]:
            for one in [path] if path else _once(row["path"] for row in rows):
                found = self._call("get_dependencies", file=one, limit=1_000, **options)
                yield from (edge["target_file"] for edge in found["dependencies"])

        return ({"path": one} for one in _once(imported()))

    def _impact(self, rows: Iterator[Row], path: str, options: Row, _: int | None) -> Iterator[Row]:
        def importing() -> Iterator[str]:
            for one in [path] if path else _once(row["path"] for row in rows):
                found = self._call("get_impact", file=one, limit=1_000, **{"depth": 1, **options})
                yield from (file["file"] for file in found["affected_files"])

        return ({"path": one} for one in _once(importing()))

    def _read(self, rows: Iterator[Row], target: str, _: Row, most: int | None) -> Iterator[Row]:
        targets = iter([target]) if target else map(_target, rows)
        while some := list(islice(targets, min(most or 20, 20))):
            found = self._call("read_code", targets=some, max_tokens=20_000)
            if found.get("truncated") and len(some) > 1:  # one by one, so that each has room
                for one in some:
                    yield from self._parts(self._call("read_code", targets=[one], max_tokens=20_000))
            else:
                yield from self._parts(found)

    def _parts(self, found: Row) -> Iterator[Row]:
        return map(self._inner, found.get("symbols", [found]))

    def _filter(self, rows: Iterator[Row], text: str, options: Row, _: int | None) -> Iterator[Row]:
        glob, kind, language = (options.get(name) for name in ("path_glob", "kind", "language"))
        if glob and glob not in self._globs:
            self._globs[glob] = {one["path"] for one in self.pages("list_files", "files", path_glob=glob)}
        for row in rows:
            said = "\n".join(str(row.get(key) or "") for key in ("path", "name", "signature", "text"))
            if text and text not in (said if text != text.lower() else said.lower()):
                continue
            if (glob and row["path"] not in self._globs[glob]) or (kind and row.get("kind") != kind):
                continue
            if not language or self.languages.get(row["path"]) == language:
                yield row

    def _sort(self, rows: Iterator[Row], key: str, options: Row, _: int | None) -> Iterator[Row]:
        def rank(row: Row) -> Any:
            place = (row["path"], row.get("start_line") or row.get("line") or 0, row.get("end_line") or 0)
            return place if key == "path" else (row.get("name") or "", *place)

        return iter(sorted(rows, key=rank, reverse="reverse" in options))

    def _limit(self, rows: Iterator[Row], most: str, _: Row, __: int | None) -> Iterator[Row]:
        return islice(rows, int(most))


def _let_through(following: Sequence[Sequence[Any]]) -> int | None:
    """How many items the steps that follow directly let through."""
    for name, subject, _ in following:
        if name == "limit":
            return int(subject)
        if name != "read":
            return None
    return None


def _once(texts: Any) -> Iterator[str]:
    return iter(dict.fromkeys(texts)) if isinstance(texts, list) else _lazily_once(texts)


def _lazily_once(texts: Iterator[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in texts:
        if text not in seen:
            seen.add(text)
            yield text


def _target(row: Row) -> str:
    first, last = row.get("start_line") or row.get("line"), row.get("end_line") or row.get("line")
    return row["path"] if first is None else f"{row['path']}:{first}-{last}"


def chains(chance: Random, paths: Sequence[str], names: Sequence[str]) -> Iterator[list[list[Any]]]:
    """Chains that fit, of random length, about files and names that there are."""
    endings = sorted({path.rpartition(".")[2] for path in paths if "." in path})

    def begin() -> tuple[list[Any], str]:
        name, path = chance.choice(names), chance.choice(paths)
        ending = f"**/*.{chance.choice(endings)}"
        narrowed = {"path_glob": ending} if chance.random() < 0.3 else {}
        choice: Callable[[], tuple[list[Any], str]] = chance.choice(
            [
                lambda: (["find", ending, {}], "files"),
                lambda: (["fuzzy", path.rpartition("/")[2][:6], {}], "files"),
                lambda: (["search", f"{name} {path.rpartition('/')[2]}", narrowed], "passages"),
                lambda: (["text", name, {**narrowed, **({"word": True} if chance.random() < 0.3 else {})}], "lines"),
                lambda: (["symbols", name[: chance.randrange(3, 20)], {**narrowed, **_kind(chance)}], "symbols"),
                lambda: (["callers", name, {}], "uses"),
                lambda: (["outline", path, _kind(chance)], "symbols"),
                lambda: (["deps", path, {}], "files"),
                lambda: (["impact", path, {}], "files"),
                lambda: (["read", path, {}], "texts"),
            ]
        )
        return choice()

    def further(kind: str) -> tuple[list[Any], str]:
        if kind == "texts":
            return ["limit", str(chance.randrange(1, 30)), {}], kind
        steps: list[tuple[list[Any], str]] = [
            (["filter", "" if kind == "passages" else chance.choice(names)[:3].lower(), {}], kind),
            (["filter", "", {"path_glob": f"**/*.{chance.choice(endings)}"}], kind),
            (["outline", "", _kind(chance)], "symbols"),
            (["deps", "", {}], "files"),
            (["impact", "", {}], "files"),
            (["read", "", {}], "texts"),
            (["sort", "path", {"reverse": True} if chance.random() < 0.3 else {}], kind),
            (["limit", str(chance.randrange(1, 30)), {}], kind),
            (["limit", str(chance.randrange(1, 5)), {}], kind),
        ]
        if kind == "passages":
            steps.pop(0)
        if kind != "files":
            steps.append((["filter", "", {"kind": chance.choice(KINDS)}], kind))
        if kind == "symbols":
            steps += [(["callers", "", {}], "uses"), (["sort", "name", {}], kind)]
        return chance.choice(steps)

    while True:
        step, kind = begin()
        made = [step]
        if step[0] == "fuzzy":  # list_files has one page of these
            made.append(["limit", str(chance.randrange(1, 100)), {}])
        for _ in range(chance.randrange(5)):
            step, kind = further(kind)
            made.append(step)
        made.append(["limit", "20", {}] if chance.random() < 0.7 else ["count", "", {}])
        yield made


def _kind(chance: Random) -> Row:
    return {"kind": chance.choice(KINDS)} if chance.random() < 0.3 else {}


def spelled(steps: Sequence[Sequence[Any]]) -> str:
    def option(name: str, value: Any) -> str:
        flag = f"--{name.replace('_', '-')}"
        return flag if value is True else f'{flag} "{value}"'

    return " | ".join(
        " ".join([name, *([f'"{subject}"'] if subject else []), *(option(*one) for one in options.items())])
        for name, subject, options in steps
    )


def piped(app: App, name: str, text: str) -> Any:
    """What run_pipeline answers, and how it found it."""
    asked = run_pipeline.Arguments(pipeline=text, max_tokens=20_000)
    ran = run_pipeline.OPERATION.run(InProcess(app, name), asked)
    return ran, to_json(run_pipeline.OPERATION.shape(ran, asked))


def difference(singles: Singles, app: App, name: str, steps: Sequence[Sequence[Any]]) -> str | None:
    """How a chain's answer differs from that of its single tools, or BOUNDED; None if it does not."""
    text = spelled(steps)
    try:
        expected: Any = singles.answer(steps)
    except CocosearchError as error:
        expected = error.error_type
    try:
        ran, _ = piped(app, name, text)
    except CocosearchError as error:
        return None if error.error_type == expected else f"{text}: {error} instead of {expected}"
    if ran.incomplete:
        return BOUNDED
    if isinstance(expected, str):
        return f"{text}: an answer instead of {expected}"
    if isinstance(expected, int):
        counted = ran.items[0].shown["count"]
        return None if counted == expected else f"{text}: {counted} instead of {expected}"
    keys = KEYS[ran.kind.value]
    found = [tuple(item.shown.get(key) for key in keys) for item in ran.items]
    wanted = [tuple(row.get(key) for key in keys) for row in expected]
    if ran.has_more:
        wanted = wanted[: len(found)]
    if ran.incomplete:
        return f"{text}: {ran.incomplete}"
    if keys == KEYS["texts"]:  # an answer of read_code may have room for the beginning of a text only
        pairs = list(zip(found, wanted, strict=False))
        if len(found) == len(wanted) and all(a[:2] == b[:2] and a[3].startswith(b[3]) and b[3] for a, b in pairs):
            return None
    if found == wanted:
        return None
    at = next((number for number, pair in enumerate(zip(found, wanted, strict=False)) if pair[0] != pair[1]), None)
    where = f"item {at}: {found[at]} instead of {wanted[at]}" if at is not None else f"{len(found)}, not {len(wanted)}"
    return f"{text}: {where}"[:600]


class Clock:
    """CPU time of this process and of the server."""

    def __init__(self, app: App) -> None:
        self._server = Server(app.database.server.data)

    def ms(self) -> float:
        return time.process_time() * 1000 + self._server.ms()

    def timed(self, works: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
        """The least milliseconds of each, in turns."""
        least = [float("inf")] * len(works)
        self._server.look()
        for number in range(rounds):
            for at in sorted(range(len(works)), reverse=bool(number % 2)):
                begin = self.ms()
                works[at]()
                least[at] = min(least[at], self.ms() - begin)
        return least


def measure(app: App, folder: Path, options: argparse.Namespace, number: int, seed: int) -> Row:
    report = app.index(folder, name=folder.name)
    clock = Clock(app)
    singles = Singles(app, folder.name, report.root_path)
    names = [row["name"] for row in singles.pages("find_symbol", "definitions", name="*")][:2_000]
    names = sorted({name for name in names if len(name) > 3 and name.isidentifier()})
    made = list(islice(chains(Random(seed), sorted(singles.languages), names), number))
    differences, bounded = [], 0
    for steps in made:
        told = difference(singles, app, folder.name, steps)
        bounded += told == BOUNDED
        if told is not None and told != BOUNDED:
            differences.append(told)
            print(told, flush=True)
    times, calls, kept, long = [], [], [], 0
    for steps in made:
        if len(times) == options.timed * number // options.number:
            break
        before = singles.calls
        try:
            begin = clock.ms()
            if not singles.answer(steps):
                continue
            if clock.ms() - begin > MOST_MS:
                long += 1
                continue
            calls.append(singles.calls - before)
            text = spelled(steps)
            works = [lambda text=text: piped(app, folder.name, text), lambda steps=steps: singles.answer(steps)]
            times.append(clock.timed(works, options.rounds))
        except CocosearchError:
            continue
        kept.append(text)
    ratios = [one / other for one, other in times]
    slowest = sorted(zip(ratios, times, kept, strict=True), key=lambda one: -one[0])[:SHOWN]
    return {
        "folder": folder.name,
        "files": report.files_added,
        "chains": len(made),
        "steps": sum(map(len, made)),
        "bounded": bounded,
        "different": len(differences),
        "differences": differences[:SHOWN],
        "timed": len(times),
        "too_long_to_time": long,
        "single_calls_median": statistics.median(calls),
        "pipeline_ms": round(sum(one for one, _ in times)),
        "single_calls_ms": round(sum(other for _, other in times)),
        "ratio_of_sums": round(sum(one for one, _ in times) / sum(other for _, other in times), 3),
        "ratio_median": round(statistics.median(ratios), 3),
        "ratio_p95": round(statistics.quantiles(ratios, n=20)[-1], 3),
        "slowest": [f"{one:.1f} ms, {other:.1f} by single calls: {text}" for _, (one, other), text in slowest],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--number", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--timed", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    reader.MAX_S = UNHURRIED_S
    results = []
    with tempfile.TemporaryDirectory() as data, App(Settings(), Path(data)) as app:
        try:
            for at, folder in enumerate(options.folders):
                shares = [options.number * one // len(options.folders) for one in (at, at + 1)]
                results.append(measure(app, folder.resolve(), options, shares[1] - shares[0], options.seed + at))
                print(json.dumps(results[-1], indent=1), flush=True)
        finally:
            stop_server(app.database)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 1 if any(one["different"] for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
