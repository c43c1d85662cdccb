"""Whether the right file comes first, on questions about whole large repositories outside the labelled benchmark.

    python benchmarks/goldens.py FOLDER --data FOLDER [--set twins] [--json OUT] [--misses] [--weights '{"test": -2}']

FOLDER holds the trees of the repositories under their names; `benchmarks/goldens/NAME.jsonl` has commit and half
in its first line, then a question a line with its class and every file that answers it. `--set twins` asks those of
`benchmarks/goldens/twins` instead, about versions side by side: the newest is meant, or the one that is named.
Questions and answers were written by reading the source, before any answer was seen. What is changed may be chosen on
the development half only, so `--misses` prints what came instead of the right files there, and nothing of the half that
is held out.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from figures import product_commit

from cocosearch_py.app import App
from cocosearch_py.config.settings import SearchSettings, Settings
from cocosearch_py.model.search import SearchRequest

HERE = Path(__file__).parent
DEPTH = 5
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

    @property
    def first(self) -> bool:
        return self.found[:1] != () and self.found[0] in self.files

    @property
    def in_five(self) -> bool:
        return not set(self.found).isdisjoint(self.files)


def ask(app: App, folder: Path, questions: Path) -> list[Asked]:
    """Index one tree and ask its questions."""
    head, *rows = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()]
    name = head["repository"]
    if missing := [path for row in rows for path in row["files"] if not (folder / path).is_file()]:
        sys.exit(f"{folder} is not {name} at {head['commit']}: it has no {missing[0]}")
    app.index(folder, name=name)
    asked = []
    for row in rows:
        request = SearchRequest(row["question"], limit=DEPTH, smart_context=False)
        hits = app.search(request, index_name=name)[1].hits
        found = tuple(dict.fromkeys(hit.file_path for hit in hits))
        asked.append(Asked(name, head["half"], row["class"], row["question"], tuple(row["files"]), found))
    return asked


def figures(asked: Iterable[Asked]) -> dict[str, dict[str, float]]:
    """Shares by half and class."""
    groups: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        for group in ("all", one.question_class, one.half, f"{one.half} {one.question_class}"):
            groups[group].append(one)
    return {group: shares(members) for group, members in sorted(groups.items())}


def shares(asked: Sequence[Asked]) -> dict[str, float]:
    return {
        "questions": len(asked),
        "first": round(sum(one.first for one in asked) / len(asked), 3),
        "in_five": round(sum(one.in_five for one in asked) / len(asked), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="keep the indexes in this folder")
    parser.add_argument("--set", default="", choices=("", "twins"), help="a folder of benchmarks/goldens")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--misses", action="store_true", help="print the misses of the development half")
    parser.add_argument("--weights", type=json.loads, default={}, help="ranking weights to try, as JSON")
    options = parser.parse_args()
    with App(Settings(search=SearchSettings(weights=options.weights)), options.data) as app:
        goldens = sorted((HERE / "goldens" / options.set).glob("*.jsonl"))
        asked = [one for file in goldens for one in ask(app, options.folder / file.stem, file)]
    for one in asked if options.misses else ():
        if one.half == DEVELOPMENT and not one.first:
            print(f"{one.repository}: {one.question} -> {', '.join(one.found)}", file=sys.stderr)
    found = {"commit": product_commit(HERE.parent), "groups": figures(asked)}
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for group, row in found["groups"].items():
        print(f"{group:24} {row['questions']:4}  first {row['first']:.3f}  in five {row['in_five']:.3f}")


if __name__ == "__main__":
    main()
