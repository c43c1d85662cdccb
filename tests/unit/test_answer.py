"""Answers that are made to fit, and their schemas."""

from collections.abc import Sequence

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.model.completeness import Completeness
from cocosearch_py.tools.answer import Listed, Shrinkable, plain, shortened, tabled
from cocosearch_py.tools.schema import schema_of

LINE = "a line of some length that takes several tokens of an answer"


class Lines(Part):
    """Lines of text."""

    total: Count
    lines: tuple[str, ...] = ()
    cursor: str = ""
    truncated: bool = False
    warnings: tuple[str, ...] = ()


def test_a_list_that_a_limit_cut_says_so() -> None:
    listed = Listed("lines", "{shown} of {available} lines shown", "total")
    assert shortened(Lines(total=2, lines=("a", "b")), listed, None) == {"total": 2, "lines": ["a", "b"]}
    cut = shortened(Lines(total=9, lines=("a", "b")), listed, None)
    assert (cut["truncated"], cut["warnings"]) == (True, ["2 of 9 lines shown"])
    short = shortened(Lines(total=99, lines=(LINE,) * 90), listed, 200)
    assert 0 < len(short["lines"]) < 90
    assert short["warnings"] == [f"{len(short['lines'])} of 99 lines shown"]


def test_plain_answers_have_lists() -> None:
    assert plain(Lines(total=1, lines=("a",))) == {"total": 1, "lines": ["a"]}
    assert plain([(Lines(total=1),)]) == [[{"total": 1}]]


def test_an_answer_is_built_from_the_items_that_fit() -> None:
    items = tuple(f"{LINE} {number}" for number in range(90))

    def build(lines: Sequence[str]) -> Lines:
        return Lines(total=90, lines=tuple(lines), cursor=str(len(lines)))

    answer = Shrinkable(items, build)
    assert len(answer.whole.lines) == 90
    short = shortened(answer, None, 200)
    assert 0 < len(short["lines"]) < 90
    assert short["cursor"] == str(len(short["lines"]))
    assert tuple(short["lines"]) == items[: len(short["lines"])]


def test_tables_have_the_fields_of_their_items() -> None:
    items = [Lines(total=1, cursor="a"), Lines(total=2)]
    assert tabled(items) == {"columns": ["total", "cursor"], "rows": [[1, "a"], [2, None]]}


def test_fields_that_are_always_there_are_required() -> None:
    assert schema_of(Lines)["required"] == ["total"]
    assert schema_of(Completeness)["required"] == ["level", "blind_spots"]
