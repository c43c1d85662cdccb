"""Bug reports as queries, on a real index."""

from pathlib import Path

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.catalog.freshness import incompleteness
from cocosearch_py.model.search import MAX_QUERY_CHARS, SearchReport, SearchRequest

FILES = {
    "shop/discounts.py": "def apply_discount(price, percent):\n    '''Reduce the amount of a basket.'''\n"
    "    return price * (100 - percent) / 100\n",
    "shop/summary.py": "def render_summary(basket):\n    '''Show the basket with its totals.'''\n"
    "    return str(basket.totals)\n",
    "shop/environment.py": "def read_environment():\n    '''Version of the system, browser, platform.'''\n"
    "    return system, version, browser, platform, environment\n",
    "shop/tracker.py": "def search_tracker(duplicates):\n    '''Checklist: I have searched the tracker.'''\n"
    "    return search(duplicates, tracker, checklist)\n",
    "tests/test_discounts.py": "def test_apply_discount():\n    '''Basket totals, discount, percent.'''\n"
    "    assert apply_discount(200, 50) == 100\n",
    ".github/bug_report.md": "Checklist: I have searched the tracker for duplicates.\n\nEnvironment: version.\n",
}
REPORT = """Bug: totals of the basket are not reduced

### Checklist
- [x] I have searched the tracker for duplicates
- [x] I have searched the checklist of the tracker

### What happened?
`apply_discount` leaves the amount as it was. The tests do not see it.

### Environment
Operating system, platform and browser, version of the environment:
platform: linux
browser version: 12.1
"""


@pytest.fixture
def shop(app: App, tmp_path: Path) -> App:
    """An app with an index, `shop`."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    app.index(tmp_path, name="shop")
    return app


def ask(app: App, query: str) -> SearchReport:
    return app.search(SearchRequest(query), index_name="shop")[1]


def test_a_report_finds_what_it_is_about(shop: App) -> None:
    found = ask(shop, REPORT)
    assert {hit.file_path for hit in found.hits[:2]} == {"shop/discounts.py", "shop/summary.py"}
    assert found.analysis.distilled is not None


def test_the_tests_that_a_report_mentions_come_last(shop: App) -> None:
    paths = [hit.file_path for hit in ask(shop, REPORT).hits]
    assert paths.index("tests/test_discounts.py") > paths.index("shop/summary.py")


def test_a_report_may_be_long(shop: App) -> None:
    log = "12:00:01 DEBUG environment tracker checklist\n" * 300
    assert len(log) > MAX_QUERY_CHARS // 2
    found = ask(shop, f"{REPORT}\n{log}")
    assert [hit.file_path for hit in found.hits] == [hit.file_path for hit in ask(shop, REPORT).hits]


def test_words_that_look_like_filters_do_not_filter_a_report(shop: App) -> None:
    found = ask(shop, REPORT + "\nI set lang:go and path:nowhere in the file.\n")
    assert found.hits
    assert not found.filters.languages
    assert ask(shop, f"lang:markdown {REPORT}").filters.languages == ("markdown",)


def test_acronyms_in_the_plural_are_found_by_their_singular(app: App, tmp_path: Path) -> None:
    (tmp_path / "links.py").write_text("def collect(page):\n    '''All URLs of a page.'''\n    return parse(page)\n")
    (tmp_path / "other.py").write_text("def other(page):\n    '''All lines of a page.'''\n    return parse(page)\n")
    app.index(tmp_path, name="shop")
    found = ask(app, "where is a url")
    assert [hit.file_path for hit in found.hits if hit.match_type in {"both", "keyword"}] == ["links.py"]


def test_an_index_of_an_older_format_is_told_of_and_rebuilt(shop: App, database_url: str, tmp_path: Path) -> None:
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("UPDATE cocosearch_py.indexes SET format_version = format_version - 1")
    record, _ = shop.search(SearchRequest("basket"), index_name="shop")
    assert "earlier version" in (incompleteness(record) or "")
    assert shop.index(tmp_path, name="shop").rebuilt
    assert not shop.index(tmp_path, name="shop").rebuilt


def test_a_report_is_never_sure_but_a_trace_is(shop: App) -> None:
    assert ask(shop, f"{REPORT}\nSee shop/discounts.py, line 1.").confidence.level == "medium"
    trace = (
        'Traceback (most recent call last):\n  File "/x/shop/discounts.py", line 1, in apply_discount\nTypeError: no\n'
    )
    found = ask(shop, trace)
    assert found.hits[0].file_path == "shop/discounts.py"
    assert found.confidence.level == "high"


def test_a_name_in_the_title_that_the_code_does_not_have_is_no_doubt(shop: App) -> None:
    found = ask(shop, REPORT.replace("totals of the basket", "totals of the basket in WebShop"))
    assert "nowhere" not in found.confidence.reason
    assert found.hits[0].file_path in {"shop/discounts.py", "shop/summary.py"}
