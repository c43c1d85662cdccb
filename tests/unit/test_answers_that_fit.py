"""Lists of answers are shortened until the answer fits."""

from cocosearch_py.model.answers import Part
from cocosearch_py.tools.answer import Listed, shortened

WORDS = "a line of some words that takes a few tokens"


class Answer(Part):
    """An answer with a list and a text."""

    items: tuple[str, ...] = ()
    text: str = ""
    hint: str = ""
    warnings: tuple[str, ...] = ()


ITEMS = tuple(f"{WORDS} {number}" for number in range(100))


def test_the_advice_is_the_last_warning_or_the_hint() -> None:
    warned = shortened(Answer(items=ITEMS, warnings=("old",)), Listed("items", "{shown} of {available}"), 300)
    kept = len(warned["items"])
    assert 0 < kept < 100
    assert warned["warnings"] == ["old", f"{kept} of 100"]
    hinted = shortened(Answer(items=ITEMS), Listed("items", "{shown} of {available}", said_in="hint"), 300)
    assert hinted["hint"] == f"{len(hinted['items'])} of 100"
    assert hinted["truncated"] and "warnings" not in hinted


def test_only_a_bound_shortens_an_answer_without_a_list() -> None:
    long = Answer(text="\n".join(ITEMS * 100))
    assert shortened(long, None, None) == {"text": long.text}
    assert len(shortened(long, None, 300)["text"]) < len(long.text)
