"""Definitions compared with what other programs find in the same files.

    python benchmarks/definitions.py FOLDER... [--language ID]... [--list] [--json OUT]

Asked are the parsers of the languages themselves (Python's `ast`, TypeScript, javac, go/parser, Ruby, nikic/php-parser,
luaparse, Elixir, scalameta, shfmt, syn, libclang, GHC, Kotlin's, NRefactory for C#, Zig's; NODE_PATH says where npm's
are); `truths.py` calls them. One that is not on the machine leaves its languages out, which is said. Compared are file,
name, kind (function, type, value), line and, where the other one knows it, the last line. A definition of theirs is
found when one of ours with its name and kind covers its line; quotes around names do not count. What they cannot know
is no fault of ours, and counted as `not_known`: branches of `#if` that were not read, and functions whose name stands
in brackets behind a macro (`TEST_IMPL(name) {`). --list prints all differences. Prints one JSON object.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figures import product_commit
from truths import ASK, Answer, Truth

from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing import parse_source

HEAD_BYTES = 4_096
MAX_BYTES = 400_000
SHOWN = 12  # differences of each sort in the JSON
_FUNCTION = frozenset({"function", "method", "constructor", "macro"})
_TYPE = frozenset(
    {"class", "struct", "enum", "interface", "trait", "object", "module", "namespace", "protocol", "type"}
)
_VALUE = frozenset({"field", "property", "constant", "variable"})

Kinds = frozenset[str]


def coarse(kind: str) -> str | None:
    """What a kind of ours is to the others; None is not compared (tests, exports, implementations)."""
    return "function" if kind in _FUNCTION else "type" if kind in _TYPE else "value" if kind in _VALUE else None


@dataclass(slots=True)
class Compared:
    """The differences of one language. `missing` are theirs, `extra` ours, `ends` both with different last lines."""

    files: int = 0
    parsed_whole: int = 0
    theirs: int = 0
    ours: int = 0
    found: int = 0
    with_end: int = 0
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    not_known: int = 0
    ends: list[str] = field(default_factory=list)
    by_kind: dict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))

    def add(
        self,
        path: str,
        language: str,
        truths: Sequence[Truth],
        symbols: Iterable[Symbol],
        kinds: Kinds,
        unread: Sequence[tuple[int, int]] = (),
    ) -> None:
        clauses = LANGUAGES[language].has_clauses  # several definitions of theirs are one of ours
        taken: dict[tuple[str, str], list[Symbol]] = defaultdict(list)
        waiting: dict[tuple[str, str], list[Symbol]] = defaultdict(list)
        for one in symbols:
            kind = coarse(one.kind)
            if kind in kinds:
                waiting[kind, plain(one.name)].append(one)
                self.ours += 1
        self.files += 1
        for truth in truths:
            self.theirs += 1
            self.by_kind[truth.kind][1] += 1
            place = f"{path}:{truth.line} {truth.kind} {truth.name}"
            name = plain(truth.name)
            candidates = waiting[truth.kind, name]
            around = [one for one in candidates if one.start_line <= truth.line <= one.end_line]
            again = any(one.start_line <= truth.line <= one.end_line for one in taken[truth.kind, name])
            if not around and not (clauses and again):
                self.missing.append(place)
                continue
            self.found += 1
            if not around:
                self.by_kind[truth.kind][0] += 1
                continue
            nearest = max(around, key=lambda one: (one.start_line, -one.end_line))
            candidates.remove(nearest)
            taken[truth.kind, name].append(nearest)
            self.by_kind[truth.kind][0] += 1
            if truth.end is not None:
                self.with_end += 1
                if truth.end != nearest.end_line:
                    self.ends.append(f"{place}: {nearest.end_line} for {truth.end}")
        for (kind, _), left in waiting.items():
            for one in left:
                if any(first <= one.start_line <= last for first, last in unread) or _is_of_macro(language, one):
                    self.not_known += 1
                    self.ours -= 1
                else:
                    self.extra.append(f"{path}:{one.start_line} {kind} {one.name}")

    def figures(self, tool: str, shown: int) -> dict[str, Any]:
        return {
            "truth": tool,
            "files": self.files,
            "files_parsed_whole": self.parsed_whole,
            "definitions": self.theirs,
            "recall": _share(self.found, self.theirs),
            "recall_by_kind": {kind: _share(*counts) for kind, counts in sorted(self.by_kind.items())},
            "precision": _share(self.ours - len(self.extra), self.ours),
            "not_known": self.not_known,
            "same_end": _share(self.with_end - len(self.ends), self.with_end),
            "missing": self.missing[:shown],
            "extra": self.extra[:shown],
            "other_ends": self.ends[:shown],
        }


def plain(name: str) -> str:
    """A name without the quotes of Scala, the marks of raw identifiers and the `::` in front."""
    return name.replace("`", "").removeprefix("r#").removeprefix("::")


def _is_of_macro(language: str, one: Symbol) -> bool:
    return language in ("c", "cpp") and re.search(rf"\b[A-Z]\w+\({re.escape(one.name)}\b", one.signature) is not None


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def by_language(folders: Sequence[Path]) -> dict[str, list[tuple[Path, str]]]:
    """Files with a truth, by language; a path is told from the folder above the given one."""
    files: dict[str, list[tuple[Path, str]]] = defaultdict(list)
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_BYTES:
                with path.open("rb") as opened:
                    language = detect_language(path.name, opened.read(HEAD_BYTES))
                if language in ASK:
                    files[language].append((path, str(path.relative_to(folder.parent))))
    return files


def compare(language: str, files: Sequence[tuple[Path, str]], answer: Answer) -> Compared:
    compared = Compared()
    for path, name in files:
        truths = answer.definitions.get(path)
        if truths is not None:
            parsed = parse_source(language, path.read_bytes())
            compared.parsed_whole += parsed.status.value == "ok"
            compared.add(name, language, truths, parsed.symbols, answer.kinds, answer.unread.get(path, ()))
    return compared


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--language", action="append", help="only this one; may be repeated")
    parser.add_argument("--list", action="store_true", help="print all differences")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    folders = [folder.resolve() for folder in asked.folders]
    report: dict[str, Any] = {
        "commit": product_commit(Path(__file__).parents[1]),
        "folders": sorted(one.name for one in folders),
    }
    languages, left_out = report.setdefault("languages", {}), report.setdefault("left_out", [])
    for language, files in sorted(by_language(folders).items()):
        if asked.language and language not in asked.language:
            continue
        answer = ASK[language]([path for path, _ in files])
        if answer is None:
            left_out.append(language)
            continue
        compared = compare(language, files, answer)
        languages[language] = compared.figures(answer.tool, SHOWN)
        if asked.list:
            for sort in ("missing", "extra", "ends"):
                for line in getattr(compared, sort):
                    print(f"{sort} {line}", file=sys.stderr)
    text = json.dumps(report, indent=1) + "\n"
    if asked.json:
        asked.json.write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
