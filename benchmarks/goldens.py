"""Questions whose answers were looked up in the source before any answer was seen.

`goldens/NAME.jsonl` has commit and half in its first line, then a question per line with its class, every file that
answers it and, for some, the lines. Changes may be chosen on the development half only, so that `--misses` prints
nothing of the half that is held out. Questions of `goldens/twins` are about versions side by side; those of
`goldens/developer` are short, half-remembered, mistyped, or error messages.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from benchmarks.frame import benchmark, note
from benchmarks.product import Product
from benchmarks.relevance import Only, hits
from benchmarks.rows import Figures
from benchmarks.timing import ratio

GOLDENS = Path(__file__).parent / "goldens"
DEPTH = 5
DEVELOPMENT = "development"
Span = tuple[int, int]  # first and last line


@dataclass(frozen=True, slots=True)
class Answered:
    """Question with the files of its answer, best first."""

    repository: str
    half: str
    question_class: str
    question: str
    right_files: frozenset[str]
    files: tuple[str, ...]
    right_lines: Mapping[str, Sequence[Span]]  # by file; empty where only the file was looked up
    shown: Mapping[str, Span]  # best passage of each file

    def within(self, most: int) -> bool:
        """Whether a right file is among the first ones."""
        return not self.right_files.isdisjoint(self.files[:most])

    @property
    def in_passage(self) -> bool | None:
        """Whether the best right file shows a line of the answer; None if that cannot be said."""
        path = next((path for path in self.files if path in self.right_lines), None)
        if path is None:
            return None
        first, last = self.shown[path]
        return any(start <= last and end >= first for start, end in self.right_lines[path])


@benchmark
def goldens(
    product: Product, folder: Annotated[Path, "folder of the repositories, by name"], *,
    questions: Annotated[str, "developer, twins, or the other ones by default"] = "", only: Only = (),
    misses: Annotated[bool, "print the misses of the development half"] = False,
) -> Figures:  # fmt: skip
    """Share of questions whose right file comes first, and whose answer shows the right lines."""
    answered: list[Answered] = []
    for file in sorted((GOLDENS / questions).glob("*.jsonl")):
        if (folder / file.stem).is_dir() and (not only or file.stem in only):
            answered += ask(product, folder / file.stem, file)
    for question in answered if misses else ():
        if question.half == DEVELOPMENT and not (question.within(1) and question.in_passage in {None, True}):
            note(f"{question.repository}: {question.question} -> {', '.join(question.files)}")
    figures: Figures = {"repositories": len({question.repository for question in answered})}
    groups: defaultdict[str, list[Answered]] = defaultdict(list)
    for question in answered:
        for group in ("all", question.half, question.question_class):
            groups[group].append(question)
    for group, members in groups.items():
        figures |= shares(group, members)
    return figures


def ask(product: Product, folder: Path, file: Path) -> list[Answered]:
    """Index a repository and ask its questions."""
    head, *rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    name = head["repository"]
    if missing := [path for row in rows for path in row["files"] if not (folder / path).is_file()]:
        raise SystemExit(f"{folder} is not {name} at {head['commit']}: it has no {missing[0]}")
    product.index(folder, name)
    root = f"{folder.resolve()}/"
    answered = []
    with product.server(folder) as server:
        for row in rows:
            results = hits(server, row["question"], index_name=name, limit=DEPTH, smart_context=True)
            places = [(hit["path"].removeprefix(root), (hit["start_line"], hit["end_line"])) for hit in results]
            files = tuple(dict.fromkeys(path for path, _ in places))
            question = Answered(
                repository=name,
                half=head["half"],
                question_class=row["class"],
                question=row["question"],
                right_files=frozenset(row["files"]),
                files=files,
                right_lines=row.get("lines", {}),
                shown=dict(reversed(places)),
            )
            answered.append(question)
    note(name)
    return answered


def shares(group: str, answered: Sequence[Answered]) -> Figures:
    """Shares of a group; of the questions with known lines, those that show them."""
    known = [question.in_passage for question in answered if question.in_passage is not None]
    return {
        f"{group}, questions": len(answered),
        f"{group}, first": ratio(sum(question.within(1) for question in answered), len(answered)),
        f"{group}, in five": ratio(sum(question.within(DEPTH) for question in answered), len(answered)),
        f"{group}, lines shown": ratio(sum(known), len(known)),
    }
