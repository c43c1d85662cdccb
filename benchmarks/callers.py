"""Uses of definitions beside those that language servers find.

The truth is basedpyright for Python, npm's language service for TypeScript, and clangd for C, which needs a
compile_commands.json in the folder. Functions, methods and classes are drawn at random from files that are no tests.
Compared are places. A call of ours is right where the truth has a reference to the definition; a call of the truth is
found where we have one, at any confidence, and bound if ours is resolved or scoped. The name in the definition itself
and imports do not count. A verdict `complete` is wrong if the truth has a reference in a line where we have none. Not
compared are files that clangd does not compile, files whose imports TypeScript cannot follow, and calls of which the
truth itself does not know what they call.
"""

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from benchmarks.definitions import by_language
from benchmarks.frame import Folders, benchmark, note
from benchmarks.language_servers import ASK, Reference, References, Spot, Tools
from benchmarks.product import Product, Server
from benchmarks.rows import Figures
from benchmarks.timing import ratio
from cocosearch_py.parsing import parse_source

KINDS = frozenset({"function", "method", "class", "struct"})
USES = ("call", "type", "inherit", "read", "import")
CONFIDENCES = ("resolved", "scoped", "name_only")
ALIKE = {"typescript": ("typescript", "tsx", "javascript"), "c": ("c", "cpp"), "python": ("python",)}
SEED = 7
_LEFT_OUT = re.compile(
    r"(^|/)(\.git|node_modules|dist|docs?|docs_src|docs-src|www|examples?|\w*tests?|testing|__tests__|specs?|e2e)/"
    r"|(^|/)test_|[._](test|spec)\."
)
_BEFORE = {"python": r"(?:def|class)\s+", "typescript": r"(?:^|[\s.*#])", "c": r"(?:^|[\s*])"}


@dataclass(frozen=True, slots=True)
class Drawn:
    """A symbol with the places of its name in its definitions: several if it is overloaded."""

    path: str
    qualified_name: str
    name: str
    kind: str
    spots: tuple[Spot, ...]

    @property
    def address(self) -> str:
        return f"{self.path}#{self.qualified_name}"


@dataclass(frozen=True, slots=True)
class Use:
    """A use as our answer has it."""

    spot: Spot
    kind: str
    confidence: str


@dataclass(slots=True)
class Compared:
    """Counts over symbols. `given` and `right` are of our calls by confidence, `truth` of the other program's."""

    symbols: int = 0
    given: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    truth: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, symbol: Drawn, truth: Sequence[Reference], uses: Sequence[Use], level: str) -> None:
        self.symbols += 1
        blind = {reference.path for reference in truth if not reference.line}
        truth = [reference for reference in truth if reference.line and not reference.is_untold]
        passed_on = {reference.spot for reference in truth if reference.is_import}
        ours = {
            use.spot: use
            for use in uses
            if use.spot not in passed_on and use.spot.path not in blind and use.kind != "import"
        }
        theirs = {reference.spot: reference for reference in truth if not reference.is_import}
        self._judge_ours(symbol, ours, set(theirs))
        for spot, reference in theirs.items():
            use = ours.get(spot)
            if reference.is_call:
                self.truth["calls"] += 1
                self.truth["found"] += use is not None
                self.truth["bound"] += use is not None and use.confidence != "name_only"
            if use is None:
                self.differences.append(f"missed {symbol.address}: {spot.path}:{spot.line}:{spot.column}")
        lines = {(use.spot.path, use.spot.line) for use in uses}
        hidden = [reference for reference in truth if (reference.path, reference.line) not in lines]
        self.verdicts[level] += 1
        if level == "complete" and hidden:
            self.verdicts["complete and wrong"] += 1
            self.differences += [f"incomplete {symbol.address}: {row.path}:{row.line}" for row in hidden]

    def _judge_ours(self, symbol: Drawn, ours: dict[Spot, Use], theirs: set[Spot]) -> None:
        for spot, use in ours.items():
            if spot in symbol.spots or use.kind != "call":
                continue
            self.given[use.confidence] += 1
            self.right[use.confidence] += spot in theirs
            if spot not in theirs and use.confidence != "name_only":
                self.differences.append(
                    f"wrong {symbol.address}: {use.confidence} {spot.path}:{spot.line}:{spot.column}"
                )

    def figures(self) -> Figures:
        return {
            "symbols": self.symbols,
            "calls": self.truth["calls"],
            "calls recall": ratio(self.truth["found"], self.truth["calls"]),
            "calls recall, bound": ratio(self.truth["bound"], self.truth["calls"]),
            "calls precision": ratio(self.right.total(), self.given.total()),
            **{f"precision {level}": ratio(self.right[level], self.given[level]) for level in CONFIDENCES},
            "verdicts complete": self.verdicts["complete"],
            "complete and wrong": self.verdicts["complete and wrong"],
        }


def symbols_of(folder: Path, language: str) -> list[Drawn]:
    """Symbols that may be drawn, in order of files and lines."""
    groups: dict[tuple[str, str], list[Drawn]] = defaultdict(list)
    for alike in ALIKE[language]:
        for path, _ in by_language([folder]).get(alike, ()):
            name = path.relative_to(folder).as_posix()
            if _LEFT_OUT.search(name):
                continue
            source = path.read_bytes()
            lines = source.decode("utf-8", "replace").split("\n")
            for symbol in parse_source(alike, source).symbols:
                if symbol.kind not in KINDS or symbol.name.startswith("__") or symbol.function_depth:
                    continue
                if (spot := _spot(name, symbol, lines, language)) is not None:
                    drawn = Drawn(name, symbol.qualified_name, symbol.name, symbol.kind, (spot,))
                    groups[name, symbol.qualified_name].append(drawn)
    return [
        Drawn(first.path, first.qualified_name, first.name, first.kind, tuple(drawn.spots[0] for drawn in group))
        for group in groups.values()
        for first in group[:1]
    ]


def _spot(path: str, symbol: Any, lines: Sequence[str], language: str) -> Spot | None:
    """Place of the name in a definition."""
    pattern = re.compile(_BEFORE[language] + rf"(?P<name>{re.escape(symbol.name)})(?![\w$])")
    for number in range(symbol.start_line, symbol.end_line + 1):
        if match := pattern.search(lines[number - 1]):
            return Spot(path, number, match.start("name") + 1)
    return None


def seen_by(folder: Path, language: str) -> Callable[[str], bool]:
    """Whether the truth looks at a file: clangd at headers and at files that are compiled for one platform."""
    if language != "c":
        return lambda _: True
    commands = json.loads((folder / "compile_commands.json").read_text())
    compiled = {Path(command["directory"], command["file"]).resolve() for command in commands}
    return lambda path: path.endswith((".h", ".hpp")) or folder / path in compiled


def truth_of(folder: Path, language: str, drawn: Sequence[Drawn], tools: Tools) -> References:
    """References by symbol; None where the tool knows none of its definitions."""
    spots = [spot for symbol in drawn for spot in symbol.spots]
    by_spot = dict(zip(spots, ASK[language](folder, spots, tools), strict=True))
    answers: References = []
    for symbol in drawn:
        parts = [part for spot in symbol.spots if (part := by_spot[spot]) is not None]
        rows = {row for part in parts for row in part if row.spot not in symbol.spots}
        answers.append(sorted(rows) if parts else None)
    return answers


def uses_of(server: Server, index: str, symbol: Drawn, root: Path) -> tuple[list[Use], str]:
    """All uses of a symbol, without those of another definition; and the verdict on their completeness."""
    asked: dict[str, Any] = {"symbol": symbol.address, "kinds": list(USES), "index_name": index, "limit": 200}
    level = server.call("find_references", **asked)["completeness"]["level"]
    uses = [
        Use(Spot(row["file_path"].removeprefix(f"{root}/"), row["line"], row["column"]), row["kind"], row["confidence"])
        for row in server.pages("find_references", "references", **asked)
        if row.get("target", symbol.address) == symbol.address
    ]
    return uses, level


@benchmark
def callers(
    product: Product, folders: Folders, *,
    language: Annotated[str, "python, typescript or c"] = "python",
    symbols: Annotated[int, "symbols to draw from each folder"] = 60,
    pyright: Annotated[str, "program of basedpyright's language server"] = "basedpyright-langserver",
    clangd: str = "clangd",
    node_modules: Annotated[str, "folder with npm's typescript"] = "",
    python: Annotated[str, "interpreter with the libraries that the folders import"] = "",
    differences: Annotated[bool, "print all differences"] = False,
) -> Figures:  # fmt: skip
    """Recall and precision of callers, and the worth of `complete`, beside language servers."""
    total = Compared()
    for folder in (path.resolve() for path in folders):
        for symbol, truth, (uses, level) in _compare(
            product, folder, language, symbols, Tools(pyright, clangd, node_modules, python)
        ):
            total.add(symbol, truth, uses, level)
        note(f"{folder.name}: {total.symbols} symbols so far")
    if differences:
        note("\n".join(total.differences))
    return total.figures()


def _compare(
    product: Product, folder: Path, language: str, number: int, tools: Tools
) -> Iterator[tuple[Drawn, Sequence[Reference], tuple[list[Use], str]]]:
    """Drawn symbols with the references of the truth and our uses."""
    is_seen = seen_by(folder, language)
    known = [symbol for symbol in symbols_of(folder, language) if is_seen(symbol.path)]
    drawn = random.Random(SEED).sample(known, min(number, len(known)))
    truths = truth_of(folder, language, drawn, tools)
    product.index(folder, folder.name)
    with product.server(folder) as server:
        for symbol, truth in zip(drawn, truths, strict=True):
            if truth is None:
                note(f"unknown to the truth: {folder.name}/{symbol.address}")
                continue
            uses, level = uses_of(server, folder.name, symbol, folder)
            yield symbol, truth, ([use for use in uses if is_seen(use.spot.path)], level)
