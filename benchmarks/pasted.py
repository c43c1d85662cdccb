"""Error messages, paths, stack traces, names and phrases, pasted into a search."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from benchmarks.frame import Folders, benchmark, note
from benchmarks.pastes import CLASSES, Case, Repository, Symbol, draw
from benchmarks.product import Product
from benchmarks.relevance import hits
from benchmarks.rows import Figures
from benchmarks.timing import middle, ratio, timed

DEPTH = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """Answer of a case. `place` is that of the first result from a right file, from 1."""

    case: Case
    place: int | None
    covered: bool  # whether the first result is of a right file and has the right line
    milliseconds: float

    @property
    def is_right(self) -> bool:
        return self.place == 1 and (self.covered or not self.case.lines)


def read_repository(connection: Any, folder: Path, name: str) -> Repository:
    """Folder with the languages and definitions that its index has."""
    languages = connection.execute(
        "SELECT path, language_id FROM cocosearch_py.files f JOIN cocosearch_py.indexes i USING (index_id) "
        "WHERE i.name = %s AND f.status = 'indexed'",
        [name],
    )
    symbols = connection.execute(
        "SELECT f.path, s.name, qualified_name, kind, function_depth, start_line, end_line "
        "FROM cocosearch_py.symbols s JOIN cocosearch_py.files f USING (index_id, file_id) "
        "JOIN cocosearch_py.indexes i USING (index_id) WHERE i.name = %s ORDER BY f.path, symbol_no",
        [name],
    )
    return Repository(folder, dict(languages.fetchall()), [Symbol(*row) for row in symbols])


def judge(case: Case, results: Sequence[Mapping[str, Any]], milliseconds: float) -> Outcome:
    """Judge results, whose paths are relative to the repository."""
    place = next((place for place, hit in enumerate(results, 1) if hit["path"] in case.wanted), None)
    covered = any(
        hit["path"] == path and hit["start_line"] <= line <= hit["end_line"]
        for hit in results[:1]
        for path, line in case.lines
    )
    return Outcome(case, place, covered, milliseconds)


def figures(outcomes: Iterable[Outcome]) -> Figures:
    """Shares by class: right file first, among five, and its line shown."""
    by_class: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_class[outcome.case.kind].append(outcome)
    result: Figures = {}
    for kind in (kind for kind in CLASSES if by_class[kind]):
        answered = by_class[kind]
        with_lines = [outcome for outcome in answered if outcome.case.lines]
        result |= {
            f"{kind} cases": len(answered),
            f"{kind} first": ratio(sum(outcome.place == 1 for outcome in answered), len(answered)),
            f"{kind} in five": ratio(sum((outcome.place or 99) <= DEPTH for outcome in answered), len(answered)),
            f"{kind} line shown": ratio(sum(outcome.covered for outcome in with_lines), len(with_lines)),
        }
    return result


@benchmark
def pasted(
    product: Product, folders: Folders, *,
    per: Annotated[int, "cases of a class in a repository"] = 4,
    failures: Annotated[bool, "print what was answered wrongly"] = False,
) -> Figures:  # fmt: skip
    """Share of pasted error messages, paths, stack traces, names and phrases whose file comes first.

    The cases are drawn from the repositories' own files.
    """
    outcomes = []
    for folder in (path.resolve() for path in folders):
        product.index(folder, folder.name)
        with product.connect() as connection:
            cases = draw(read_repository(connection, folder, folder.name), per)
        with product.server(folder) as server:
            for case in cases:
                milliseconds, results = timed(lambda: hits(server, case.query, index_name=folder.name))  # noqa: B023
                relative = [{**hit, "path": hit["path"].removeprefix(f"{folder}/")} for hit in results]
                outcomes.append(judge(case, relative, milliseconds))
                if failures and not outcomes[-1].is_right:
                    note(f"{case.kind} {folder.name}: {case.query!r}: right file at {outcomes[-1].place or 'no place'}")
    return figures(outcomes) | middle("search", [outcome.milliseconds for outcome in outcomes])
