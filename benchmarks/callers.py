"""Callers and other uses of definitions, compared with what language servers find.

    python benchmarks/callers.py FOLDER... --language ID [--symbols N] [--tools JSON] [--kept FOLDER] [--list]
        [--json OUT]

ID is python (truth: basedpyright), typescript (the language service of npm's typescript) or c (clangd, which needs a
compile_commands.json in the folder). N functions, methods and classes of each folder are drawn at random from files
that are no tests, dunder names left out. Compared are places: a call of ours at a confidence is right where the truth
has a reference to the definition, and a call of the truth is found where we have one, at any confidence; `recall_bound`
counts those only that are resolved or scoped. The name in the definition itself and imports do not count. A verdict
`complete` is wrong if the truth has a reference, imports among them, in a line where we have none. Not compared are
files that clangd does not compile, and for a symbol those that import it from where TypeScript finds nothing (no
packages are installed). In JavaScript files the compiler's type checker is asked as well, since the language
service does not follow `const lib = require(...)` to what is called on `lib`.
--tools names the programs: {"pyright": ..., "clangd": ..., "node_modules": ..., "python": ...}, python being an
interpreter with the libraries that the folders import. --kept keeps the truths. --list prints all differences.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from definitions import by_language
from figures import product_commit
from services import ASK, Reference, References, Spot, Tools

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.model.completeness import CONFIDENCES
from cocosearch_py.model.usages import UsageReport, UsageRequest
from cocosearch_py.navigation.names import read_name
from cocosearch_py.parsing import parse_source
from cocosearch_py.storage.server.administration import stop_server

KINDS = frozenset({"function", "method", "class", "struct"})
ALIKE = {"typescript": ("typescript", "tsx", "javascript"), "c": ("c", "cpp"), "python": ("python",)}
SEED = 7
MANY = 100_000
SHOWN = 12
_LEFT_OUT = re.compile(
    r"(^|/)(\.git|node_modules|dist|docs?|docs_src|docs-src|www|examples?|\w*tests?|testing|__tests__|specs?|e2e)/"
    r"|(^|/)test_|[._](test|spec)\."
)
_BEFORE = {
    "python": r"(?:def|class)\s+",
    "typescript": r"(?:^|[\s.*#])",
    "c": r"(?:^|[\s*])",
}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A symbol, and where its definitions have their names: several if it is overloaded."""

    path: str
    qualified_name: str
    name: str
    kind: str
    spots: tuple[Spot, ...]


@dataclass(slots=True)
class Compared:
    """Counts over symbols. `calls` and `uses` are by confidence: given and right."""

    symbols: Counter[str] = field(default_factory=Counter)
    calls: dict[str, list[int]] = field(default_factory=lambda: {one: [0, 0] for one in CONFIDENCES})
    uses: dict[str, list[int]] = field(default_factory=lambda: {one: [0, 0] for one in CONFIDENCES})
    truth: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    unbound: list[str] = field(default_factory=list)
    verdicts_wrong: list[str] = field(default_factory=list)

    def add(self, symbol: Drawn, truth: Sequence[Reference], report: UsageReport, where: str) -> None:
        self.symbols[symbol.kind] += 1
        blind = {one.path for one in truth if not one.line}
        truth = [one for one in truth if one.line and not one.is_untold]
        passed_on = {one.spot for one in truth if one.is_import}
        ours = {Spot(one.path, one.line, one.column): one for one in report.usages if _is_of(symbol, one.target)}
        ours = {spot: one for spot, one in ours.items() if spot not in passed_on and spot.path not in blind}
        ours = {spot: one for spot, one in ours.items() if one.kind != "import"}
        theirs = {one.spot: one for one in truth if not one.is_import}
        name = f"{where}/{symbol.path}#{symbol.qualified_name}"
        for spot, one in ours.items():
            right = spot in theirs
            if spot in symbol.spots:
                continue
            for counts in (self.uses, *([self.calls] if one.kind == "call" else [])):
                counts[one.confidence][0] += 1
                counts[one.confidence][1] += right
            if not right and one.confidence != "name_only":
                self.wrong.append(
                    f"{name}: {one.confidence} {one.kind} {spot.path}:{spot.line}:{spot.column} {one.text}"
                )
        for spot, reference in theirs.items():
            one = ours.get(spot)
            sorts = ("uses", "calls") if reference.is_call else ("uses",)
            self.truth.update(sorts)
            if one is not None:
                self.truth.update(f"{sort} found" for sort in sorts)
            if one is not None and one.confidence != "name_only":
                self.truth.update(f"{sort} bound" for sort in sorts)
            what = f"{name}: {'call' if reference.is_call else 'use'} {spot.path}:{spot.line}:{spot.column}"
            if one is None:
                self.missed.append(what)
            elif one.confidence == "name_only":
                self.unbound.append(f"{what} {one.text}")
        self._judge(name, report, truth)

    def _judge(self, name: str, report: UsageReport, truth: Sequence[Reference]) -> None:
        self.verdicts[report.completeness.level] += 1
        lines = {(one.path, one.line) for one in report.usages}
        hidden = [one for one in truth if (one.path, one.line) not in lines]
        if report.completeness.level == "complete" and hidden:
            self.verdicts["complete, and wrong"] += 1
            self.verdicts_wrong += [f"{name}: {one.path}:{one.line}" for one in hidden]

    def figures(self) -> dict[str, Any]:
        return {
            "symbols": self.symbols.total(),
            "by_kind": dict(sorted(self.symbols.items())),
            "calls": self._of("calls", self.calls),
            "uses": self._of("uses", self.uses),
            "verdicts": dict(sorted(self.verdicts.items())),
        }

    def _of(self, sort: str, counts: dict[str, list[int]]) -> dict[str, Any]:
        given, right = (sum(pair[at] for pair in counts.values()) for at in (0, 1))
        return {
            "truth": self.truth[sort],
            "recall": _share(self.truth[f"{sort} found"], self.truth[sort]),
            "recall_bound": _share(self.truth[f"{sort} bound"], self.truth[sort]),
            "precision": _share(right, given),
            **{one: {"given": pair[0], "precision": _share(pair[1], pair[0])} for one, pair in counts.items()},
        }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _is_of(symbol: Drawn, target: Any) -> bool:
    """Whether a use is one of this symbol, as far as we say."""
    return target is None or (target.path, target.qualified_name) == (symbol.path, symbol.qualified_name)


def symbols_of(folder: Path, language: str) -> list[Drawn]:
    """What may be drawn, in order of files and lines."""
    groups: dict[tuple[str, str], list[Drawn]] = defaultdict(list)
    for alike in ALIKE[language]:
        for path, _ in by_language([folder]).get(alike, ()):
            name = path.relative_to(folder).as_posix()
            if _LEFT_OUT.search(name):
                continue
            source = path.read_bytes()
            lines = source.decode("utf-8", "replace").split("\n")
            for one in parse_source(alike, source).symbols:
                if one.kind not in KINDS or one.name.startswith("__") or one.function_depth:
                    continue
                spot = _spot(name, one, lines, language)
                if spot is not None:
                    groups[name, one.qualified_name].append(
                        Drawn(name, one.qualified_name, one.name, one.kind, (spot,))
                    )
    return [
        Drawn(first.path, first.qualified_name, first.name, first.kind, tuple(one.spots[0] for one in group))
        for group in groups.values()
        for first in group[:1]
    ]


def _spot(path: str, symbol: Any, lines: Sequence[str], language: str) -> Spot | None:
    """Where the name of a definition stands."""
    pattern = re.compile(_BEFORE[language] + rf"(?P<name>{re.escape(symbol.name)})(?![\w$])")
    for number in range(symbol.start_line, symbol.end_line + 1):
        if match := pattern.search(lines[number - 1]):
            return Spot(path, number, match.start("name") + 1)
    return None


def seen_by(folder: Path, language: str) -> Callable[[str], bool]:
    """Whether the truth looks at a file: clangd at headers and at what is compiled for one platform."""
    if language != "c":
        return lambda _: True
    commands = json.loads((folder / "compile_commands.json").read_text())
    compiled = {Path(one["directory"], one["file"]).resolve() for one in commands}
    return lambda path: path.endswith((".h", ".hpp")) or folder / path in compiled


def truth_of(folder: Path, language: str, drawn: Sequence[Drawn], tools: Tools, kept: Path | None) -> References:
    """References by symbol; None where the tool knows none of its definitions."""
    file = None if kept is None else kept / f"{language}-{folder.name}-{len(drawn)}.json"
    if file is not None and file.exists():
        rows = json.loads(file.read_text())
        return [None if one is None else [Reference(*row) for row in one] for one in rows]
    spots = [spot for one in drawn for spot in one.spots]
    by_spot = dict(zip(spots, ASK[language](folder, spots, tools), strict=True))
    answers: References = []
    for one in drawn:
        parts = [part for spot in one.spots if (part := by_spot[spot]) is not None]
        answers.append(sorted({row for part in parts for row in part if row.spot not in one.spots}) if parts else None)
    if file is not None:
        file.write_text(json.dumps(answers))
    return answers


def compare(
    app: App, folder: Path, language: str, given: argparse.Namespace, tools: Tools
) -> Iterator[tuple[Any, ...]]:
    """(symbol, references of the truth, our report) for each drawn symbol."""
    is_seen = seen_by(folder, language)
    every = [one for one in symbols_of(folder, language) if is_seen(one.path)]
    drawn = random.Random(SEED).sample(every, min(given.symbols, len(every)))
    truths = truth_of(folder, language, drawn, tools, given.kept)
    app.index(folder, name=folder.name)
    record = app.catalog.find(folder.name)
    for symbol, truth in zip(drawn, truths, strict=True):
        if truth is None:
            print(f"unknown to the truth: {folder.name}/{symbol.path}#{symbol.qualified_name}", file=sys.stderr)
            continue
        asked = read_name(f"{symbol.path}#{symbol.qualified_name}")
        request = UsageRequest(symbol=asked, kinds=("call", "import", "type", "inherit", "read"), limit=MANY)
        report = app.graphs.find_references(request, record)
        yield symbol, truth, replace(report, usages=tuple(one for one in report.usages if is_seen(one.path)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--language", required=True, choices=sorted(ASK))
    parser.add_argument("--symbols", type=int, default=60, help="of each folder")
    parser.add_argument("--tools", type=json.loads, default={})
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--list", action="store_true", help="print all differences")
    parser.add_argument("--json", type=Path, help="the figures are put beside those of other languages there")
    given = parser.parse_args()
    total, by_folder = Compared(), {}
    with tempfile.TemporaryDirectory() as scratch, App(Settings(), Path(scratch)) as app:
        try:
            for folder in (one.resolve() for one in given.folders):
                own = Compared()
                for symbol, truth, report in compare(app, folder, given.language, given, Tools(**given.tools)):
                    own.add(symbol, truth, report, folder.name)
                    total.add(symbol, truth, report, folder.name)
                by_folder[folder.name] = own.figures()
                print(folder.name, json.dumps(by_folder[folder.name]), flush=True)
        finally:
            stop_server(app.database)
    if given.list:
        for sort in ("wrong", "missed", "unbound", "verdicts_wrong"):
            for line in getattr(total, sort):
                print(sort, line, file=sys.stderr)
    print("all", json.dumps(total.figures()))
    if given.json:
        known = json.loads(given.json.read_text()) if given.json.exists() else {}
        examples = {sort: getattr(total, sort)[:SHOWN] for sort in ("wrong", "missed", "verdicts_wrong")}
        known[given.language] = {
            "commit": product_commit(Path(__file__).parents[1]), **total.figures(), "folders": by_folder, **examples,
        }  # fmt: skip
        given.json.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
