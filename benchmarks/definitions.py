"""Definitions beside those that other programs find in the same files.

The other programs are the parsers of the languages themselves (`truths.py` calls them); one that is not on the machine
leaves its languages out. Compared are file, name, kind (function, type, value), line and, where the other program knows
it, the last line. A definition of theirs counts as found if one of ours with its name and kind covers its line; quotes
around names do not count. Counted as `not_known`, and not as faults, are branches of `#if` that were not read, and
functions whose name stands in brackets behind a macro (`TEST_IMPL(name) {`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from benchmarks.frame import Folders, benchmark, note
from benchmarks.rows import Figures
from benchmarks.timing import ratio
from benchmarks.truths import ASK, Answer, Truth
from cocosearch_py.languages import LANGUAGES
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing import parse_source

HEAD_BYTES = 4_096
MAX_BYTES = 400_000
_FUNCTION = frozenset({"function", "method", "constructor", "macro"})
_TYPE = frozenset(
    {"class", "struct", "enum", "interface", "trait", "object", "module", "namespace", "protocol", "type"}
)
_VALUE = frozenset({"field", "property", "constant", "variable"})

Kinds = frozenset[str]


def coarse(kind: str) -> str | None:
    """Kind that the other programs have for one of ours; None is not compared (tests, exports, implementations)."""
    return "function" if kind in _FUNCTION else "type" if kind in _TYPE else "value" if kind in _VALUE else None


@dataclass(slots=True)
class Compared:
    """Differences of a language. `missing` are theirs, `extra` ours, `ends` both with different last lines."""

    files: int = 0
    theirs: int = 0
    ours: int = 0
    found: int = 0
    with_end: int = 0
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)
    not_known: int = 0
    ends: list[str] = field(default_factory=list)

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
        for symbol in symbols:
            kind = coarse(symbol.kind)
            if kind in kinds:
                waiting[kind, plain(symbol.name)].append(symbol)
                self.ours += 1
        self.files += 1
        for truth in truths:
            self.theirs += 1
            place = f"{path}:{truth.line} {truth.kind} {truth.name}"
            name = plain(truth.name)
            candidates = waiting[truth.kind, name]
            around = [symbol for symbol in candidates if symbol.start_line <= truth.line <= symbol.end_line]
            again = any(symbol.start_line <= truth.line <= symbol.end_line for symbol in taken[truth.kind, name])
            if not around and not (clauses and again):
                self.missing.append(place)
                continue
            self.found += 1
            if not around:
                continue
            nearest = max(around, key=lambda symbol: (symbol.start_line, -symbol.end_line))
            candidates.remove(nearest)
            taken[truth.kind, name].append(nearest)
            if truth.end is not None:
                self.with_end += 1
                if truth.end != nearest.end_line:
                    self.ends.append(f"{place}: {nearest.end_line} for {truth.end}")
        for (kind, _), left in waiting.items():
            self._add_extra(path, language, kind, left, unread)

    def _add_extra(
        self, path: str, language: str, kind: str, left: Iterable[Symbol], unread: Sequence[tuple[int, int]]
    ) -> None:
        """Count symbols of ours that the other program does not have."""
        for symbol in left:
            if any(first <= symbol.start_line <= last for first, last in unread) or _is_of_macro(language, symbol):
                self.not_known += 1
                self.ours -= 1
            else:
                self.extra.append(f"{path}:{symbol.start_line} {kind} {symbol.name}")

    def figures(self, language: str) -> Figures:
        return {
            f"{language} files": self.files,
            f"{language} definitions": self.theirs,
            f"{language} recall": ratio(self.found, self.theirs),
            f"{language} precision": ratio(self.ours - len(self.extra), self.ours),
            f"{language} same end": ratio(self.with_end - len(self.ends), self.with_end),
        }


def plain(name: str) -> str:
    """Name without the quotes of Scala, the marks of raw identifiers and the `::` in front."""
    return name.replace("`", "").removeprefix("r#").removeprefix("::")


def _is_of_macro(language: str, symbol: Symbol) -> bool:
    return (
        language in ("c", "cpp") and re.search(rf"\b[A-Z]\w+\({re.escape(symbol.name)}\b", symbol.signature) is not None
    )


def by_language(folders: Sequence[Path]) -> dict[str, list[tuple[Path, str]]]:
    """Files with a truth, by language; names are relative to the folder above the given one."""
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
            compared.add(name, language, truths, parsed.symbols, answer.kinds, answer.unread.get(path, ()))
    return compared


@benchmark
def definitions(
    folders: Folders, *,
    language: Annotated[str, "only this language"] = "",
    differences: Annotated[bool, "print all differences"] = False,
) -> Figures:  # fmt: skip
    """Recall and precision of definitions, beside the parsers of the languages themselves."""
    figures: Figures = {}
    for name, files in sorted(by_language([folder.resolve() for folder in folders]).items()):
        answer = ASK[name]([path for path, _ in files]) if language in ("", name) else None
        if answer is None:
            note(f"left out: {name}")
            continue
        compared = compare(name, files, answer)
        figures |= compared.figures(name)
        for sort in ("missing", "extra", "ends") if differences else ():
            note("\n".join(f"{sort} {line}" for line in getattr(compared, sort)))
    return figures
