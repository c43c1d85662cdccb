"""Bug reports: what of them is evidence, what is form, and how much each word counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.model.search import MAX_QUERY_CHARS, SearchFilters
from cocosearch_py.search.inline_filters import extract_filters
from cocosearch_py.search.issue_reports import analyze_query
from cocosearch_py.search.query import analyze_text
from cocosearch_py.search.report_lines import is_report, read_report

REPORT = """[Bug]: Totals of `CartView` ignore discounts

### Checks

- [x] I have searched the tracker for duplicates

### Describe the bug

The summary shows the wrong amount, see "grand total" and https://example.org/very/special/page.html.
It may come from `apply_discount`.

```python
from shop import Cart
Cart(currency="EUR").checkout()
```

Traceback (most recent call last):
  File "/home/u/.venv/shop/pricing.py", line 12, in round_half_even
DecimalError: cannot quantize the price

### Environment

- OS: Zorin 17
- shopkit 1.22.333
"""


def weights(text: str) -> dict[str, float]:
    found = analyze_query(text, text).distilled
    assert found is not None
    return dict(found.weights)


def test_the_better_a_line_the_more_its_words_count() -> None:
    found = weights(REPORT)
    title, marked, error, prose, code = (
        found[term] for term in ("ignor", "apply_discount", "decimalerror", "summari", "eur")
    )
    assert title > marked > error > prose > code > 0


@pytest.mark.parametrize(
    "term", ["search", "tracker", "duplic", "special", "html", "zorin", "shopkit", "333", "most", "recent", "wrong"]
)
def test_the_form_of_a_report_counts_nothing(term: str) -> None:
    assert term not in weights(REPORT)


def test_names_of_a_report() -> None:
    analysis = analyze_query(REPORT, REPORT)
    names = dict(analysis.identifiers)
    assert names["CartView"] >= names["apply_discount"] > names["round_half_even"] > names["checkout"]
    assert analysis.kind == "report"
    assert analysis.has_identifier
    assert analysis.whole_name is None
    assert analysis.distilled
    assert analysis.distilled.errors == ("DecimalError: cannot quantize the price",)


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("[Bug]: cart is empty", "cart is empty"),
        ("BUG - cart is empty", "cart is empty"),
        ("**Feature request**: cart is empty", "cart is empty"),
        ("# bug in the cart", "bug in the cart"),
        ("[facebook] ERROR: no video", "[facebook] ERROR: no video"),
        ("[Bug] [core] cart is empty", "[core] cart is empty"),
        ("Bug: ", "Bug:"),
    ],
)
def test_a_title_keeps_the_tags_that_say_what_is_meant(first: str, title: str) -> None:
    assert read_report(f"{first}\nIt is.\nAlways.").title == title


def test_a_title_in_brackets_after_the_kind() -> None:
    assert "duckdb" in weights("BUG(duckdb): structs lose names\n\nThey do.\n\nAlways.")


def test_the_error_is_the_title_of_a_trace() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1, in main\nKeyError: no such basket\n'
    assert read_report(trace).title == "KeyError: no such basket"


def test_a_guide_that_a_template_links_to_is_not_what_a_report_is_about() -> None:
    body = (
        "I have read [the guide](https://example.org/app/blob/main/CONTRIBUTING.md).\nIt fails in src/cart.py\n\nalways"
    )
    located = analyze_query("", f"Cart is lost\n{body}").locations
    assert [one.parts[-1] for one in located] == ["cart.py"]
    title = analyze_query("", f"docs/guide.md is wrong\n{body}").locations
    assert [one.parts[-1] for one in title] == ["guide.md", "cart.py"]


def test_one_long_paragraph_begins_with_its_title() -> None:
    text = "The basket is empty after login. " + "It was filled before that happened to me. " * 20
    assert read_report(text).title == "The basket is empty after login."


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("how are totals computed", False),
        ("totals are wrong\nsince yesterday", False),
        ("totals\n\nare\nwrong", True),
        ("word " * 30, False),
        ("word " * 31, True),
        ("long" * 250, False),
        ("long" * 251, True),
    ],
)
def test_what_is_a_report(text: str, yes: bool) -> None:
    assert is_report(text) is yes
    assert (analyze_query(text, text).distilled is not None) is yes


def test_only_the_title_asks_for_tests() -> None:
    body = "\n\nThe tests fail, see the documentation and tests/test_cart.py.\n\nPlease fix."
    assert not analyze_query("", f"Totals are wrong{body}").asks_for_tests
    assert analyze_query("", f"Flaky cart tests{body}").asks_for_tests
    assert not analyze_query("", f"Totals are wrong{body}").asks_for_documents


def test_filters_of_a_report_stand_before_it() -> None:
    body = "Totals are wrong\n\nI set type:class and lang:none in the file.\n\nThanks"
    assert extract_filters(body, SearchFilters()) == (body, SearchFilters())
    text, filters = extract_filters(f"lang:go -path:docs {body}", SearchFilters())
    assert text == body
    assert filters.languages == ("go",)
    assert filters.exclude_globs


@given(st.text(max_size=300))
def test_a_question_is_analysed_as_ever(text: str) -> None:
    if text.strip() and not is_report(text):
        assert analyze_query(text, text) == analyze_text(text, text)


_PIECES = ["```", "### Steps", "- [ ] x", "at f (a.js:1:2)", "Error: no", "v1.2.3", "`a_b`", '"x y"', "\n", " ", "word"]


@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=200))
def test_every_report_is_analysed(pieces: list[str]) -> None:
    text = "Title of it\n\n" + " ".join(pieces)
    analysis = analyze_query(text, text)
    assert analysis.words and analysis.terms
    assert all(0 < weight <= 1 for _, weight in analysis.identifiers)
    if analysis.distilled:
        assert set(analysis.terms) == set(analysis.distilled.weights)
        assert all(weight > 0 for weight in analysis.distilled.weights.values())


def test_the_title_of_a_single_long_line_is_its_beginning() -> None:
    analysis = analyze_query("", "a." * 9_000)
    assert len(analysis.text) <= 300
    assert analysis.whole_name is None


def test_a_report_of_the_greatest_length_is_analysed() -> None:
    for piece in ("a.b/", "'x", "at ", "1.", "#", "<a ", "x@", "Error:"):
        assert analyze_query("", f"Title\n{piece * MAX_QUERY_CHARS}"[:MAX_QUERY_CHARS] + "\nend").terms


def test_versions_count_nothing_in_a_title_either() -> None:
    found = analyze_query("", "Totals are wrong since shop 2.11.7\n\nSince June.\n\nAlways.")
    assert not {"2", "11", "7"} & {*found.terms, *found.words}
    assert found.distilled
    assert found.distilled.title == "Totals are wrong since shop 2.11.7"
    assert analyze_query("", "2.11.7\n\nwrong\n\nsince").terms


def test_names_in_a_title_may_be_names_of_files() -> None:
    assert "ctvnews" in analyze_query("", "[CTVNews] finds no video\n\nIt did.\n\nSince June.").words
