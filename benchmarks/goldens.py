"""Whether the right file comes first, on questions about whole large repositories outside the labelled benchmark.

    python benchmarks/goldens.py FOLDER --data FOLDER [--set twins|developer] [--json OUT] [--misses] [--reasons]
        [--repo NAME ...] [--weights '{"test": -2}']

FOLDER holds the trees of the repositories under their names; `benchmarks/goldens/NAME.jsonl` has commit and half
in its first line, then a question a line with its class, every file that answers it and, of some, `lines`: by file the
first and last of the lines that hold the answer. `--set twins` asks those of `benchmarks/goldens/twins` instead, about
versions side by side: the newest is meant, or the one that is named. `--set developer` asks seven repositories as a
developer types: short questions, half-remembered names, typing errors, error messages. Questions and answers were
written by reading the source, before any answer was seen. What is changed may be chosen on the development half only,
so `--misses` prints what came instead of the right files and lines there, and nothing of the half that is held out.
`--reasons` prints the confidence of every answer with its reason.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from figures import product_commit

from cocosearch_py.app import App
from cocosearch_py.config.settings import SearchSettings, Settings
from cocosearch_py.model.search import Confidence, SearchRequest

HERE = Path(__file__).parent
DEPTH = 5
SHARES = {"first": "first", "in three": "in_three", "in five": "in_five"}  # as printed -> key of the figures
Span = tuple[int, int]  # first and last line
DEVELOPMENT = "development"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the files that came, best first."""

    repository: str
    half: str
    question_class: str
    question: str
    files: tuple[str, ...]  # any of them is right
    found: tuple[str, ...]
    lines: Mapping[str, Sequence[Span]]  # by file, any of them is right; empty where only the file was looked up
    shown: Mapping[str, Span]  # by file, the best passage
    confidence: Confidence

    def is_within(self, most: int) -> bool:
        """Whether a right file is among the first ones."""
        return not set(self.found[:most]).isdisjoint(self.files)

    @property
    def in_passage(self) -> bool | None:
        """Whether the best right file shows a line of the answer; None if there is none, or no lines are known."""
        path = next((path for path in self.found if path in self.lines), None)
        if path is None:
            return None
        first, last = self.shown[path]
        return any(start <= last and end >= first for start, end in self.lines[path])


def ask(app: App, folder: Path, questions: Path) -> list[Asked]:
    """Index one tree and ask its questions."""
    head, *rows = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()]
    name = head["repository"]
    if missing := [path for row in rows for path in row["files"] if not (folder / path).is_file()]:
        sys.exit(f"{folder} is not {name} at {head['commit']}: it has no {missing[0]}")
    app.index(folder, name=name)
    asked = []
    for row in rows:
        report = app.search(SearchRequest(row["question"], limit=DEPTH), index_name=name)[1]
        hits = report.hits
        shown = {hit.file_path: (hit.start_line, hit.end_line) for hit in reversed(hits)}
        found = tuple(dict.fromkeys(hit.file_path for hit in hits))
        lines, files = row.get("lines", {}), tuple(row["files"])
        of_row = name, head["half"], row["class"], row["question"], files
        asked.append(Asked(*of_row, found, lines, shown, report.confidence))
    return asked


def figures(asked: Iterable[Asked]) -> dict[str, dict[str, float]]:
    """Shares by half and class."""
    groups: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        for group in ("all", one.question_class, one.half, f"{one.half} {one.question_class}", one.repository):
            groups[group].append(one)
    return {group: shares(members) for group, members in sorted(groups.items())}


def shares(asked: Sequence[Asked]) -> dict[str, float]:
    """Of the questions with known lines, `in_passage` is the share of those with a right file among five."""
    told = [one.in_passage for one in asked if one.in_passage is not None]
    figures = {
        "questions": len(asked),
        "first": round(sum(one.is_within(1) for one in asked) / len(asked), 3),
        "in_three": round(sum(one.is_within(3) for one in asked) / len(asked), 3),
        "in_five": round(sum(one.is_within(DEPTH) for one in asked) / len(asked), 3),
    }
    return figures | ({"lines": len(told), "in_passage": round(sum(told) / len(told), 3)} if told else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="keep the indexes in this folder")
    parser.add_argument("--set", default="", choices=("", "twins", "developer"), help="a folder of benchmarks/goldens")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--misses", action="store_true", help="print the misses of the development half")
    parser.add_argument("--reasons", action="store_true", help="print the confidence of every answer")
    parser.add_argument("--repo", action="append", help="only these repositories")
    parser.add_argument("--weights", type=json.loads, default={}, help="ranking weights to try, as JSON")
    options = parser.parse_args()
    with App(Settings(search=SearchSettings(weights=options.weights)), options.data) as app:
        goldens = sorted((HERE / "goldens" / options.set).glob("*.jsonl"))
        goldens = [file for file in goldens if not options.repo or file.stem in options.repo]
        asked = [one for file in goldens for one in ask(app, options.folder / file.stem, file)]
    for one in asked if options.misses else ():
        if one.half == DEVELOPMENT and not (one.is_within(1) and one.in_passage in {None, True}):
            found = ", ".join(f"{path}:{one.shown[path][0]}-{one.shown[path][1]}" for path in one.found)
            print(f"{one.repository}: {one.question} -> {found}", file=sys.stderr)
    for one in asked if options.reasons else ():
        place = next((at for at in range(1, DEPTH + 1) if one.is_within(at)), 0)
        print(f"{one.repository}: {one.question} -> {place}, {one.confidence.level}: {one.confidence.reason}")
    found = {"commit": product_commit(HERE.parent), "groups": figures(asked)}
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for group, row in found["groups"].items():
        shares = "  ".join(f"{name} {row[key]:.3f}" for name, key in SHARES.items())
        passages = f"  in the passage {row['in_passage']:.3f} of {row['lines']}" if "lines" in row else ""
        print(f"{group:24} {row['questions']:4}  {shares}{passages}")


if __name__ == "__main__":
    main()
