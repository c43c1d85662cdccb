"""docs/documented.md: every row has a test that exists, or says why it has none."""

import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "documented.md"
NUMBERED = {"CODEX": (77, 7), "MIMIR": (63, 5)}  # of the document, and of the program besides
BESIDE = {"COCO-R07", "COCO-R10", "COCO-R11", "COCO-R12", "COCO-R27", "X2", "X8", "X9", "X10"}
ROW = re.compile(r"\| ((?:CODEX|MIMIR|COCO|X)-?[R\d][^|]*) \| ([^|]*) \| ([^|]*) \|")


def ids(cell: str) -> list[str]:
    """The rows that a cell names: single ones and `A to B`."""
    found = []
    for part in cell.split(", "):
        if part in BESIDE:
            found.append(part)
            continue
        first, _, last = part.partition(" to ")
        program, number = first.split("-")
        letter, start = ("R", number[1:]) if number.startswith("R") else ("", number)
        end = last.split("-")[1].removeprefix("R") if last else start
        found += [f"{program}-{letter}{count:02}" for count in range(int(start), int(end) + 1)]
    return found


@cache
def names_in(path: str) -> set[str]:
    return set(re.findall(r"^def (test_\w+)", (TESTS / path).read_text(), re.MULTILINE))


def test_every_row_is_there_once_and_its_tests_exist() -> None:
    rows = ROW.findall(PAGE.read_text())
    named = [one for cell, _, _ in rows for one in ids(cell)]
    wanted = {
        f"{program}-{letter}{number:02}"
        for program, counts in NUMBERED.items()
        for letter, count in zip(("", "R"), counts, strict=True)
        for number in range(1, count + 1)
    }
    assert sorted(named) == sorted(wanted | BESIDE)
    for cell, _, tests in rows:
        found = re.findall(r"`([\w/]+\.py)::(\w+)`", tests)
        assert found or tests.startswith("declined"), cell
        for path, name in found:
            assert name in names_in(path), f"{cell}: {path} has no {name}"
