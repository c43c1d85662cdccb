"""The order of answers in small repositories written for it: query -> ranked places, with the rank of the target.

`goldens/NAME.txt` belongs to `repositories/NAME.txt`. A query's entry begins with `query:` and `target:`, which people
write; the rest is what the search answers. After a change that is meant, look at what

    python -m pytest tests/golden --update-goldens

writes: a target whose rank grew is a loss, whatever else got better.
"""

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cocosearch_py.app import App
from cocosearch_py.model.search import SearchReport, SearchRequest

HERE = Path(__file__).parent
SHOWN = 5
LEAST_FIRST = 0.85  # share of the targets of each repository that come first
NAMES = sorted(path.stem for path in (HERE / "repositories").glob("*.txt"))


class Asked(NamedTuple):
    query: str
    target: str  # path that should be first


def lay_out(text: str, folder: Path) -> None:
    """Write the files of an archive, each after a line `-- path --`."""
    _, *parts = re.split(r"^-- (\S+) --\n", text, flags=re.MULTILINE)
    for name, content in zip(parts[::2], parts[1::2], strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


def read_asked(golden: str) -> list[Asked]:
    return [Asked(*found) for found in re.findall(r"^query: (.*)\ntarget: (.*)$", golden, flags=re.MULTILINE)]


def render(asked: Asked, report: SearchReport) -> Iterator[str]:
    yield f"query: {asked.query}"
    yield f"target: {asked.target}"
    ranked = list(report.ranked_paths)
    yield f"rank: {ranked.index(asked.target) + 1 if asked.target in ranked else 'none'} of {len(ranked)}"
    for number, hit in enumerate(report.hits[:SHOWN], start=1):
        shown_for = f" {hit.symbol_type} {hit.symbol_name}" if hit.symbol_name else ""
        yield f"{number}. {hit.file_path}:{hit.start_line}-{hit.end_line}{shown_for}"


@pytest.mark.parametrize("name", NAMES)
def test_ranking(name: str, app: App, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    golden = HERE / "goldens" / f"{name}.txt"
    before = golden.read_text(encoding="utf-8")
    lay_out((HERE / "repositories" / f"{name}.txt").read_text(encoding="utf-8"), tmp_path / name)
    app.index(tmp_path / name, name=name)
    entries, firsts, questions = [], [], read_asked(before)
    for asked in questions:
        assert (tmp_path / name / asked.target).is_file(), asked
        _, report = app.search(SearchRequest(asked.query), index_name=name)
        firsts.append(report.ranked_paths[:1] == (asked.target,))
        entries.append("\n".join(render(asked, report)) + "\n")
    after = "\n".join(entries)
    assert len(questions) >= 10
    assert firsts.count(True) / len(firsts) >= LEAST_FIRST
    if request.config.getoption("--update-goldens"):
        golden.write_text(after, encoding="utf-8")
        return
    changes = difflib.unified_diff(before.splitlines(), after.splitlines(), "golden", "now", lineterm="", n=4)
    difference = "\n".join(changes)
    assert not difference, f"the ranking of {name} changed (`--update-goldens` writes it down):\n{difference}"
