"""What an answer shows of its hits: the first whole, of the others what matched, no line twice, and the rest marked."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocosearch_py.features.search.packing import packed
from cocosearch_py.model.search import Hit
from cocosearch_py.tools.jsontext import to_json

WORDS = ("retry", "backoff")
LINE = "    call_something_else(with_an_argument)\n"


def hit(path: str, start: int, content: str, **more: Any) -> Hit:
    end = start + content.removesuffix("\n").count("\n")
    given = {
        "score": 0.5,
        "block_type": "function",
        "hierarchy": "f",
        "language_id": "python",
        "symbol_type": "function",
    }
    named = {"symbol_name": "f", "symbol_signature": "def f():", "match_type": "both", "vector_score": 0.5}
    return Hit(path, start, end, content=content, keyword_score=0.5, **{**given, **named, **more})


def item(one: Hit) -> dict[str, Any]:
    texts = ("file_path", "start_line", "content", "context_before", "context_after", "symbol_signature", "score")
    return {name: getattr(one, name) for name in texts}


def pack(*hits: Hit) -> tuple[list[dict[str, Any]], int]:
    return packed([item(one) for one in hits], hits, WORDS)


def shown(one: dict[str, Any]) -> dict[int, str]:
    """Number of each line of a content that is shown -> the line."""
    number, lines = one["start_line"], {}
    for line in one["content"].removesuffix("\n").split("\n"):
        if mark := re.fullmatch(r"\.\.\. line (\d+):", line):
            number = int(mark[1])
        elif line != "...":
            lines[number] = line
            number += 1
    return lines


def long(number: int) -> Hit:
    return hit(f"/r/{number}.py", 10, "def f():\n" + LINE * 12 + "    retry(backoff)\n" + LINE * 8)


def test_what_fits_is_as_it_was() -> None:
    hits = [hit(f"/r/{number}.py", 1, "def f():\n    retry()\n", context_after="    end()") for number in range(10)]
    assert pack(*hits) == ([item(one) for one in hits], 0)


def test_the_first_is_whole_and_the_others_show_what_matched() -> None:
    hits = [long(number) for number in range(20)]
    kept, shortened = pack(*hits)
    assert kept[0] == item(hits[0])
    whole = [one["content"] == given.content for one, given in zip(kept, hits, strict=True)]
    assert shortened == whole.count(False) > 5
    assert shown(kept[2])[23] == "    retry(backoff)"
    assert kept[2]["content"].startswith("... line ")
    assert kept[-1]["content"] == "... line 23:\nretry(backoff)", "one line tells why it is there"
    assert len(to_json(kept)) < 6_000 < len(to_json([item(one) for one in hits]))


def test_lines_of_settings_that_answer_are_shown_before_those_with_words() -> None:
    content = "retry = 1\nbackoff = 1\n" + LINE * 20 + "attempts = 3\n" + LINE * 20
    hits = [hit(f"/r/{number}.toml", 1, content, symbol_signature=None, answering=(23,)) for number in range(20)]
    kept, _ = pack(*hits)
    assert all(shown(one)[23] == "attempts = 3" for one in kept[1:])


@pytest.mark.parametrize("signature", [None, "def f():"])
def test_a_line_of_every_hit_is_shown(signature: str | None) -> None:
    hits = [hit(f"/r/{number}.md", 1, LINE * 30, symbol_signature=signature) for number in range(30)]
    assert all(shown(one) for one in pack(*hits)[0])


def test_few_hits_are_whole() -> None:
    hits = [long(number) for number in range(3)]
    assert pack(*hits) == ([item(one) for one in hits], 0)


def test_no_line_of_a_file_is_shown_twice() -> None:
    first = hit("/r/a.py", 1, "one\ntwo\n", context_after="three\nfour")
    inside = hit("/r/a.py", 3, "three\nfour\nfive\n")
    across = hit("/r/a.py", 2, "two\nthree\nfour\nfive\nsix\n")
    kept, shortened = pack(first, inside, across)
    assert shortened == 2
    assert kept[0]["context_after"] == "", "it is the second hit"
    assert kept[1]["content"] == inside.content
    assert kept[2]["content"] == "... line 6:\nsix"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 40), st.integers(1, 60)), max_size=14))
def test_what_is_shown_stands_there(places: list[tuple[str, int, int]]) -> None:
    files = {name: [f"line {number} of {name}, retry {number}" for number in range(1, 101)] for name in "abc"}
    hits = [
        hit(f"/r/{name}", start, "\n".join(files[name][start - 1 : start - 1 + count]) + "\n")
        for name, start, count in places
    ]
    kept, _ = pack(*hits)
    seen: set[tuple[str, int]] = set()
    for one, given_hit in zip(kept, hits, strict=True):
        for number, line in shown(one).items():
            assert given_hit.start_line <= number <= given_hit.end_line
            assert files[one["file_path"][-1]][number - 1] == line
            assert (one["file_path"], number) not in seen
            seen.add((one["file_path"], number))
