"""Which later changes stand in the way of taking one back: just those that leave no merge."""

import random
import subprocess
from pathlib import Path

import pytest

from cocosearch_py.editing.overlaps import Overlapping, Step, in_the_way

BASE = [f"line {number}\n" for number in range(10)]


def text(**lines: str) -> bytes:
    """The ten lines with others in their places: `l3="new\\n"`; an empty text takes one away."""
    return "".join(lines.get(f"l{number}", line) for number, line in enumerate(BASE)).encode()


@pytest.mark.parametrize(
    ("later", "is_in_the_way"),
    [
        ({"l5": "another\n"}, True),  # the same line
        ({"l4": "another\n"}, True),  # nothing is between them
        ({"l6": "another\n"}, True),
        ({"l3": "another\n"}, False),
        ({"l7": "another\n"}, False),
        ({"l0": "", "l1": ""}, False),  # it only moves
        ({"l5": ""}, True),
    ],
)
def test_lines_and_their_neighbours(later: dict[str, str], is_in_the_way: bool) -> None:
    first = text(l5="changed\n")
    second = text(**{"l5": "changed\n", **later})
    found = in_the_way(text(), first, [Step((7,), first, second)])
    assert found == (Overlapping((7,), others=False) if is_in_the_way else Overlapping((), others=False))


def test_lines_are_followed_where_others_move_them() -> None:
    first = text(l5="changed\n")
    moved = b"new 1\nnew 2\n" + first
    at_its_place = moved.replace(b"changed", b"changed again")
    where_it_was = moved.replace(b"line 2\n", b"line two\n")
    assert in_the_way(text(), first, [Step((2,), first, moved), Step((3,), moved, at_its_place)]).by == (3,)
    assert in_the_way(text(), first, [Step((2,), first, moved), Step((3,), moved, where_it_was)]).by == ()


def test_neighbours_on_both_sides_belong_to_the_place_from_then_on() -> None:
    first = text(l5="changed\n")
    both = text(l5="changed\n", l4="four\n", l6="six\n")
    for later, by in (({"l3": "three\n"}, (2, 3)), ({"l7": "seven\n"}, (2, 3)), ({"l2": "two\n"}, (2,))):
        after = text(**{"l5": "changed\n", "l4": "four\n", "l6": "six\n", **later})
        assert in_the_way(text(), first, [Step((2,), first, both), Step((3,), both, after)]).by == by


def test_a_neighbour_that_grows_belongs_to_the_place_with_all_its_lines() -> None:
    first, grown = text(l5="changed\n"), {"l5": "changed\n", "l4": "a\nb\nc\n"}
    for later, by in (({"l3": "3\n"}, (2, 3)), ({"l6": "6\n"}, (2, 3)), ({"l7": "7\n"}, (2,)), ({"l2": "2\n"}, (2,))):
        steps = [Step((2,), first, text(**grown)), Step((3,), text(**grown), text(**grown | later))]
        assert in_the_way(text(), first, steps).by == by, later


def test_a_file_that_is_gone_and_other_programs() -> None:
    first = text(l5="changed\n")
    assert in_the_way(text(), first, [Step((4,), first, None)]) == Overlapping((4,), others=False)
    assert in_the_way(None, first, [Step((), first, text())]) == Overlapping((), others=True)
    assert in_the_way(text(), first, []) == Overlapping((), others=False)
    twice = text(l5="changed twice\n")
    steps = [Step((4, 5), first, twice), Step((), twice, text()), Step((5, 6), text(), twice)]
    assert in_the_way(text(), first, steps) == Overlapping((4, 5, 6), others=True)


def test_it_is_what_git_cannot_merge(tmp_path: Path) -> None:
    """For one later change: it is in the way if and only if the three contents conflict."""
    chance = random.Random(7)
    names = [tmp_path / name for name in ("now", "after", "before")]
    seen = set()
    for _ in range(120):
        mine, *theirs = chance.choices(range(10), k=3)
        ours = {f"l{mine}": chance.choice(["", "mine\n", "mine\nand more\n"])}
        after = text(**ours)
        now = text(**ours | {f"l{one}": chance.choice(["", "theirs\n"]) for one in theirs})
        for name, content in zip(names, (now, after, text()), strict=True):
            name.write_bytes(content)
        merged = subprocess.run(["git", "merge-file", "-p", *map(str, names)], capture_output=True, check=False)
        found = in_the_way(text(), after, [Step((9,), after, now)])
        assert bool(found.by) == (merged.returncode != 0), (after, now)
        seen.add(bool(found.by))
    assert seen == {True, False}
