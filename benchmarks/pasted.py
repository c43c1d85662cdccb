"""What people paste into a code search: error messages, paths, stack traces, names, phrases. Is the file first?

    python benchmarks/pasted.py REPOSITORIES_FOLDER --data DATA_FOLDER [--only NAME,...] [--classes CLASS,...]
        [--per N] [--failures] [--json OUT]

REPOSITORIES_FOLDER holds repositories under their names. Each is indexed whole, under its name, into the database in
DATA_FOLDER, which stays, so that the next run only looks for changes; without --data all is made anew and removed. The
cases are drawn from the repositories' own files (pastes.py, literals.py, frames.py), `--per` of a class and repository.

`first`: the first answer's file is the right one; `in_five`: one of the first five's; `covered`: the first answer is of
the right file and its lines hold the place. `rg`, where it is on PATH, is asked for the same text as a fixed string and
is right if the first file that it lists, by path, is the right one; it is asked nothing that has no such text.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from figures import product_commit
from frames import draw_frames
from literals import draw_filled, draw_literals
from pastes import CLASSES, Case, Repository, Symbol, draw_names, draw_paths, draw_phrases

from cocosearch_py.app import App
from cocosearch_py.config.settings import Settings
from cocosearch_py.errors import CocosearchError
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.storage.queries.facts import read_languages
from cocosearch_py.storage.schema.partitions import rows_of
from cocosearch_py.storage.server.administration import stop_server

PER_CLASS = 4  # cases of a class in a repository
DEPTH = 5
PROCESSES = 2
PATHS = ("path", "tail", "line")
DRAWS = (draw_literals, draw_filled, draw_paths, draw_frames, draw_names, draw_phrases)

_app: App | None = None  # of a worker process


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case was answered. `answers` are path:first-last, best first, or what the product said instead."""

    repository: str
    case: Case
    answers: tuple[str, ...]
    place: int | None  # of the first answer from a right file, from 1
    covered: bool
    seconds: float
    rg: bool | None

    @property
    def is_right(self) -> bool:
        return self.place == 1 and (self.covered or not self.case.lines)


def read_repository(app: App, folder: Path) -> Repository:
    """The folder with what its index says of it."""
    index_id = app.catalog.find(folder.name).index_id
    with app.database.reading() as conn:
        query = f"""
            SELECT f.path, name, name_key, qualified_name, kind, function_depth, start_line, end_line
            FROM {rows_of("symbols", index_id).as_string(conn)} s
            JOIN {rows_of("files", index_id).as_string(conn)} f USING (file_id) ORDER BY f.path, symbol_no
        """
        symbols = [Symbol(*row) for row in conn.execute(query, {"index_id": index_id})]  # type: ignore[arg-type]
        return Repository(folder, read_languages(conn, index_id), symbols)


def draw(repository: Repository, per: int, classes: Sequence[str] = CLASSES) -> list[Case]:
    """The cases of a repository, the same in every run."""
    return [case for each in DRAWS for case in each(repository, per) if case.kind in classes]


def ask(app: App, name: str, case: Case, grep: "Grep | None" = None) -> Outcome:
    """Put a case to the index and say how it was answered."""
    started = time.perf_counter()
    try:
        hits = app.search(SearchRequest(case.query, smart_context=False), index_name=name)[1].hits
        answers = tuple(f"{hit.file_path}:{hit.start_line}-{hit.end_line}" for hit in hits)
    except CocosearchError as error:  # a query that is refused is answered wrongly
        hits, answers = (), (str(error),)
    seconds = time.perf_counter() - started
    place = next((place for place, hit in enumerate(hits, 1) if hit.file_path in case.wanted), None)
    covered = any(
        hit.file_path == path and hit.start_line <= line <= hit.end_line
        for hit in hits[:1]
        for path, line in case.lines
    )
    return Outcome(name, case, answers, place, covered, seconds, grep.finds(case) if grep else None)


@dataclass(frozen=True, slots=True)
class Grep:
    """`rg`, asked for fixed strings."""

    program: str
    folder: Path

    def finds(self, case: Case) -> bool | None:
        if case.plain is None:
            return None
        if case.kind in PATHS:
            listed = self._run("--files")
            return next((path for path in listed if f"/{path}".endswith(f"/{case.plain}")), None) in case.wanted
        return self._run("--fixed-strings", "--smart-case", "--files-with-matches", "-e", case.plain)[0] in case.wanted

    def _run(self, *arguments: str) -> list[str]:
        command = [self.program, "--sort", "path", *arguments, "./"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        return [path.removeprefix("./") for path in done.stdout.split("\n")]


def _start(data: Path) -> None:
    global _app  # noqa: PLW0603 - one per process
    _app = App(Settings(), data)


def _answer(folder: Path, per: int, classes: Sequence[str]) -> list[Outcome]:
    assert _app
    repository = read_repository(_app, folder)
    cases = draw(repository, per, classes)
    program = shutil.which("rg")
    grep = Grep(program, folder) if program else None
    _app.search(SearchRequest("warm up"), index_name=folder.name)
    outcomes = [ask(_app, folder.name, case, grep) for case in cases]
    print(f"{folder.name}: {len(cases)} cases", file=sys.stderr)
    return outcomes


def index_all(app: App, folders: Iterable[Path]) -> list[Path]:
    """Bring the indexes up to date; the folders, those with most chunks first."""
    chunks = {}
    for folder in folders:
        started = time.perf_counter()
        app.index(folder, name=folder.name)
        chunks[folder] = app.catalog.find(folder.name).chunk_count
        print(f"{folder.name}: {chunks[folder]} chunks, {time.perf_counter() - started:.1f} s", file=sys.stderr)
    return sorted(chunks, key=lambda folder: -chunks[folder])


def figures(outcomes: Iterable[Outcome]) -> dict[str, dict[str, Any]]:
    """Class -> asked, shares and median milliseconds; None where a figure has no cases."""
    by_class: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        by_class[one.case.kind].append(one)

    def share(values: Iterable[bool]) -> float | None:
        known = list(values)
        return round(sum(known) / len(known), 3) if known else None

    return {
        kind: {
            "asked": len(found),
            "first": share(one.place == 1 for one in found),
            "in_five": share(one.place is not None and one.place <= DEPTH for one in found),
            "covered": share(one.covered for one in found if one.case.lines),
            "p50_ms": round(statistics.median(one.seconds for one in found) * 1_000, 1),
            "rg": share(one.rg for one in found if one.rg is not None),
        }
        for kind in CLASSES
        if (found := by_class[kind])
    }


def table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [f"{'class':18}{'asked':>6}{'first':>8}{'in five':>9}{'covered':>9}{'p50 ms':>8}{'rg':>7}"]
    for kind, row in rows.items():
        first, in_five, covered, rg = (
            "-" if row[key] is None else f"{row[key]:.3f}" for key in ("first", "in_five", "covered", "rg")
        )
        lines.append(f"{kind:18}{row['asked']:6}{first:>8}{in_five:>9}{covered:>9}{row['p50_ms']:8.1f}{rg:>7}")
    return "\n".join(lines)


def failures(outcomes: Iterable[Outcome]) -> str:
    """Each wrong answer: class, repository, query, what was wanted, what came and at which place the right file."""
    lines = []
    for one in sorted(outcomes, key=lambda one: (CLASSES.index(one.case.kind), one.repository)):
        if not one.is_right:
            places = [f"{path}:{line}" for path, line in one.case.lines] or sorted(one.case.wanted)
            lines += [
                f"{one.case.kind} {one.repository}: {json.dumps(one.case.query, ensure_ascii=False)}",
                f"    wanted {', '.join(places[:DEPTH])}",
                f"    got    {one.answers[0] if one.answers else 'nothing'}; right file at {one.place or 'no place'}",
            ]
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--data", type=Path, help="keep the indexes in this folder")
    parser.add_argument("--only", default="", help="only these repositories, with commas")
    parser.add_argument("--classes", default=",".join(CLASSES), help="only these, with commas; `name1` is all three")
    parser.add_argument("--per", type=int, default=PER_CLASS, help="cases of a class in a repository")
    parser.add_argument("--failures", action="store_true", help="list what was answered wrongly")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    given = options.classes.split(",")
    options.classes = [kind for kind in CLASSES if any(kind == one or kind.startswith(f"{one}_") for one in given)]
    options.only = list(filter(None, options.only.split(",")))
    if not options.classes:
        parser.error(f"no such class; there are {', '.join(CLASSES)}")
    return options


def run(folders: Sequence[Path], data: Path, options: argparse.Namespace) -> list[Outcome]:
    """Index, then draw and ask in processes of their own."""
    with App(Settings(), data) as app:
        ordered = index_all(app, folders)
        started = time.perf_counter()
        with ProcessPoolExecutor(PROCESSES, get_context("spawn"), _start, (data,)) as pool:
            asked = [pool.submit(_answer, folder, options.per, options.classes) for folder in ordered]
            outcomes = [outcome for each in asked for outcome in each.result()]
        print(f"drawn and asked in {time.perf_counter() - started:.0f} s", file=sys.stderr)
        if not options.data:
            stop_server(app.database)
    return outcomes


def main() -> None:
    options = parse()
    folders = [folder.resolve() for folder in sorted(options.repositories.iterdir()) if folder.is_dir()]
    if options.only:
        folders = [folder for folder in folders if folder.name in options.only]
        if missing := set(options.only) - {folder.name for folder in folders}:
            sys.exit("not there: " + ", ".join(sorted(missing)))
    if not shutil.which("rg"):
        print("rg is not on PATH: its column stays empty", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        outcomes = run(folders, options.data or Path(scratch), options)
    rows = figures(outcomes)
    if options.failures:
        print(failures(outcomes))
    print(table(rows))
    if options.json:
        commit, day = product_commit(Path(__file__).parents[1])
        report = {"commit": commit, "date": day, "repositories": len(folders), "per": options.per, "classes": rows}
        options.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
