"""Answers of tools as JSON: their list, or the lines of their text, are shortened until they fit."""

from cocosearch_py.model.answers import Part
from cocosearch_py.tools.answer import Lines, Listed, shortened, with_fitting_lines

WORDS = "a line of some words that takes a few tokens"


class Answer(Part):
    """An answer with a list and a text."""

    items: tuple[str, ...] = ()
    text: str = ""
    hint: str = ""
    next_line: int = 0
    warnings: tuple[str, ...] = ()


ITEMS = tuple(f"{WORDS} {number}" for number in range(100))
LINES = Lines("text", start="start_line", following="next_line")


def page(first: int) -> Answer:
    """The text from a line on, as a tool returns it."""
    return Answer(text="".join(f"{item}\n" for item in ITEMS[first - 1 :]))


def test_the_advice_is_the_last_warning_or_the_hint() -> None:
    warned = shortened(Answer(items=ITEMS, warnings=("old",)), Listed("items", "{shown} of {available}"), 300)
    kept = len(warned["items"])
    assert 0 < kept < 100
    assert warned["warnings"] == ["old", f"{kept} of 100"]
    hinted = shortened(Answer(items=ITEMS), Listed("items", "{shown} of {available}", said_in="hint"), 300)
    assert hinted["hint"] == f"{len(hinted['items'])} of 100"
    assert hinted["truncated"] and "warnings" not in hinted


def test_only_a_bound_shortens_an_answer_without_a_list() -> None:
    long = Answer(text="".join(page(1).text for _ in range(100)))
    assert shortened(long, None, None) == {"text": long.text}
    assert len(shortened(long, None, 300)["text"]) < len(long.text)


def test_lines_follow_each_other_until_the_text_ends() -> None:
    first, lines = 1, list[str]()
    while first:
        answer = with_fitting_lines(page(first), LINES, first, 400)
        lines += answer["text"].splitlines()
        assert answer.get("next_line", len(lines) + 1) == len(lines) + 1
        first = answer.get("next_line", 0)
    assert lines == list(ITEMS)
