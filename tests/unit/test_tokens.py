"""What an answer costs: the count compared with three published tokenizers, and answers that never exceed a bound."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cocosearch_py.tools.fitting import DEFAULT_MAX_TOKENS, bounded, cut, fit, fits, marked, room, table
from cocosearch_py.tools.jsontext import to_json
from cocosearch_py.tools.tokens import count_tokens, most_tokens

# Texts as they stand in answers, and what the tokenizers made of each.
COUNTED = json.loads((Path(__file__).parents[1] / "golden" / "tokens.json").read_text(encoding="utf-8"))
RANDOM_SHARE = 0.9  # of what random letters cost is counted at least

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=20), inner, max_size=30),
    max_leaves=60,
)


@pytest.mark.parametrize("row", COUNTED, ids=lambda row: row["text"][:40])
def test_no_tokenizer_counts_more(row: dict[str, Any]) -> None:
    dearest = max(row["claude"], row["o200k"], row["cl100k"])
    is_random = row["text"].startswith('"MIID')
    assert count_tokens(row["text"]) >= dearest * (RANDOM_SHARE if is_random else 1)


def test_the_count_is_no_wild_guess() -> None:
    real = [row for row in COUNTED if row["text"].startswith("{")]
    assert sum(count_tokens(row["text"]) for row in real) < 1.4 * sum(row["claude"] for row in real)


def test_empty_and_unpaired() -> None:
    assert count_tokens("") == 0
    assert count_tokens("\ud800") >= 1


DEAREST = st.sampled_from(["1", "a", "Z", "b1", "aB", "bcdfg", "BCDFGH", " ", "\n", "é", "語", "\ud800", "-", "_"])


@settings(max_examples=500, deadline=None)
@given(st.text() | st.lists(DEAREST, max_size=200).map("".join) | st.text("1aZ", max_size=100))
def test_the_cheap_count_is_never_the_lower_one(text: str) -> None:
    assert most_tokens(text) >= count_tokens(text)


@settings(max_examples=150, deadline=None)
@given(JSON, st.integers(200, 2_000))
def test_nothing_exceeds_its_bound(answer: Any, tokens: int) -> None:
    assert count_tokens(to_json(bounded(answer, tokens))) <= tokens


def test_what_an_answer_is_about_is_told_where_its_parts_do_not_fit() -> None:
    figures = {f"figure_of_{number}": number for number in range(40)}
    told = bounded({"path": "shop/cart.py", **figures, "lines": ["a"], "source": "price " * 900}, 200)
    assert (told["path"], told["truncated"], told["hint"]) == ("shop/cart.py", True, "cut: max_tokens is 200")
    assert told["figure_of_0"] == 0
    assert told.keys() & {"lines", "source"} == set()


def test_texts_that_are_left_out_name_the_bound_once() -> None:
    assert marked(["content", "before"], 200) == {"content": "…cut: max_tokens is 200", "before": "…"}
    assert marked([], 200) == {}


@settings(max_examples=100, deadline=None)
@example(["one word after the other " * 10] * 20, 500)  # of which several fit, and several do not
@given(st.lists(st.text(max_size=800), min_size=1, max_size=40), st.integers(200, 2_000))
def test_a_list_keeps_what_fits_and_says_where_it_goes_on(texts: list[str], tokens: int) -> None:
    items = [{"number": number, "text": text} for number, text in enumerate(texts)]

    def build(kept: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {"items": list(kept), **({"next_cursor": len(kept)} if len(kept) < len(items) else {})}

    answer = fit(items, build, tokens)
    kept = answer["items"]
    assert 1 <= len(kept) <= len(items)
    assert answer.get("next_cursor", len(items)) == len(kept)
    assert count_tokens(to_json(answer)) <= tokens
    assert kept == items[: len(kept)] or (len(kept) == 1 and kept[0]["text"].endswith("…"))
    if len(kept) < len(items) and kept == items[: len(kept)]:
        longer = count_tokens(to_json(build(items[: len(kept) + 1])))
        assert longer > tokens - 20, "one more would have fitted"


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=2, max_size=60), st.integers(200, 3_000))
def test_as_many_items_are_kept_as_fit(sizes: list[int], tokens: int) -> None:
    """However unevenly they are long."""
    items = ["a " * size for size in sizes]

    def build(kept: Sequence[str]) -> dict[str, Any]:
        return {"items": list(kept), "is_cut": len(kept) < len(items)}

    fitting = [count for count in range(1, len(items) + 1) if fits(build(items[:count]), tokens)]
    kept = fit(items, build, tokens)["items"]
    assert len(kept) == max(fitting, default=1)


def test_bounds() -> None:
    assert (room(None), room(1), room(300), room(10**9)) == (DEFAULT_MAX_TOKENS, 200, 300, DEFAULT_MAX_TOKENS)


def test_cut_texts_are_marked_and_short_ones_kept() -> None:
    answer = {"kind": "function", "lines": ["x" * 50, "short"]}
    assert cut(answer, 10) == {"kind": "function", "lines": ["x" * 10 + "…", "short"]}


def test_a_table_names_its_columns_once() -> None:
    assert table([{"a": 1}, {"a": 2, "b": 3}]) == {"columns": ["a", "b"], "rows": [[1, None], [2, 3]]}


def test_an_object_that_cannot_be_told_keeps_its_fields() -> None:
    """Its schema requires them: lists are emptied before all is left out."""
    item = {f"a_long_name_of_a_field_{number}": {"inner": [number]} for number in range(30)}
    answer = bounded({"items": [item, item], "total": 2}, 200)
    assert (answer["items"], answer["total"], answer["truncated"]) == ([], 2, True)
    assert fits(answer, 200)
