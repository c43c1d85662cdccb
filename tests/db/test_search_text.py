"""Lines by what stands in them: every one, in order, with the definition around it."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cocosearch_py.app import App
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.texts import TextMatch, TextReport, TextRequest
from cocosearch_py.search.line_excerpt import MOST_CHARS
from cocosearch_py.search.patterns import text_pattern

FILES = {
    "src/cart.py": "class Cart:\n    def add(self, item):\n        # add an item\n        self.items.append(item)\n\n\n"
    + "".join(f"def price_{number}(item):\n    return {number} * item\n\n\n" for number in range(60)),
    "src/shop.go": "package shop\r\n\r\n// Item is what a cart holds.\r\ntype Item struct{ Price int }\r\n",
    "tests/test_cart.py": "from cart import Cart\n\n\ndef test_add():\n    Cart().add(item=1)\n",
    "vendor/lib/item.go": "package lib\n\nvar item = 1\n",
    "a.md": "# Items\n\nAn item is \u00c4pfel, äpfel or Item.\n",
    "data.txt": "x" * 500 + " needle " + "y" * 500 + "\n",
}
Find = Callable[..., TextReport]


@pytest.fixture
def find(app: App, tmp_path: Path) -> Iterator[Find]:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    app.index(tmp_path / "project", name="project")
    record = app.catalog.find("project")

    def run(
        query: str, *, regex: bool = False, case: bool | None = None, word: bool = False, **options: object
    ) -> TextReport:
        pattern = text_pattern(query, regex=regex, case_sensitive=case, word=word)
        return app.searches.search_text(TextRequest(pattern=pattern, **options), record)  # type: ignore[arg-type]

    yield run


def expected(pattern: str) -> set[tuple[str, int, int]]:
    return {
        (path, number, found.start() + 1)
        for path, text in FILES.items()
        for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1)
        if (found := re.search(pattern, line))
    }


def places(report: TextReport) -> set[tuple[str, int, int]]:
    return {(match.path, match.line, match.column) for match in report.matches}


@pytest.mark.parametrize(
    ("query", "options", "pattern"),
    [
        ("item", {}, "(?i)item"),
        ("item", {"case": True}, "item"),
        ("Item", {}, "Item"),
        ("Item", {"case": False}, "(?i)item"),
        ("item", {"word": True}, r"(?i)(?<!\w)item(?!\w)"),
        ("äpfel", {}, "(?i)äpfel"),
        (r"^def \w+\(", {"regex": True}, r"^def \w+\("),
        (r"price_1\d\b", {"regex": True}, r"price_1\d\b"),
        ("cart|shop", {"regex": True}, "(?i)cart|shop"),
        ("^$", {"regex": True}, "^$"),
        (r"\s$", {"regex": True}, r"\s$"),
        ("add(", {}, r"add\("),
        (r"%s\1", {}, r"%s\\1"),
    ],
)
def test_every_line_is_found_at_its_place(find: Find, query: str, options: dict[str, bool], pattern: str) -> None:
    report = find(query, limit=200, **options)
    assert places(report) == expected(pattern)
    assert (report.total, report.next) == (len(report.matches), None)
    assert report.files_matched == len({path for path, *_ in expected(pattern)})
    assert find(query, count_only=True, **options).total == len(report.matches)


def test_code_comes_first_and_what_others_wrote_last(find: Find) -> None:
    report = find("item", paths_only=True)
    assert report.paths == ("src/cart.py", "src/shop.go", "tests/test_cart.py", "a.md", "vendor/lib/item.go")
    assert list(dict.fromkeys(match.path for match in find("item", limit=200).matches)) == list(report.paths)


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_pages_follow_each_other_without_gap_or_overlap(find: Find, limit: int) -> None:
    whole = find("item", limit=200)
    found: list[TextMatch] = []
    after = None
    while True:
        page = find("item", limit=limit, after=after)
        found += page.matches
        assert page.files_matched == whole.files_matched
        if (after := page.next) is None:
            break
        assert len(page.matches) == limit
    assert tuple(found) == whole.matches


def test_pages_of_paths_follow_each_other(find: Find) -> None:
    first = find("item", paths_only=True, limit=2)
    rest = find("item", paths_only=True, limit=10, after=first.next)
    assert first.paths + rest.paths == find("item", paths_only=True).paths
    assert rest.next is None


def test_a_match_has_its_definition_and_its_neighbours(find: Find) -> None:
    (match,) = find("self.items", context=2).matches
    assert match.scope is not None
    assert (match.scope.kind, match.scope.name, match.scope.start_line) == ("method", "Cart.add", 2)
    assert match.before == ("    def add(self, item):", "        # add an item")
    assert match.after == ("", "")
    (match,) = find("package shop", context=3).matches
    assert (match.scope, match.before, match.after[-1], match.text) == (
        None,
        (),
        "type Item struct{ Price int }",
        "package shop",
    )


def test_a_long_line_is_cut_around_the_match(find: Find) -> None:
    (match,) = find("needle").matches
    assert " needle " in match.text and len(match.text) == MOST_CHARS + 2
    assert match.column == 502


def test_filters_choose_files(find: Find) -> None:
    only = find("item", filters=SearchFilters(languages=("go",), exclude_globs=("vendor/**",)))
    assert {match.path for match in only.matches} == {"src/shop.go"}


def test_a_search_that_takes_too_long_says_so(find: Find, app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(conn: psycopg.Connection, *_: object) -> tuple[int, int]:
        conn.execute("SELECT pg_sleep(20)")
        return 0, 0

    monkeypatch.setattr("cocosearch_py.storage.queries.lines.count_lines", slow)
    report = find("item", count_only=True, timeout_ms=100)
    assert report.incomplete is not None and "100 ms" in report.incomplete and report.total is None


def test_an_index_that_is_another_folders_now_is_not_read(app: App, find: Find) -> None:
    record = replace(app.catalog.find("project"), root_path="/elsewhere")
    with pytest.raises(IndexNotFoundError):
        app.searches.search_text(TextRequest(pattern=text_pattern("item")), record)


ATOMS = st.sampled_from(["a", "b", "_", "1", " ", ".", r"\w", r"\d", r"\s", r"\W", "[ab]", "[^a1]", r"\.", "ab"])
ANCHORS = st.sampled_from(["", "", "^", r"\b", "$"])  # not \B, of which `re` has an opinion of its own
REGEXES = st.recursive(
    st.tuples(ANCHORS, ATOMS, st.sampled_from(["", "", "?", "*", "+", "{2}", "*?"])).map("".join),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, st.sampled_from(["", "?", "+"])).map(lambda pair: f"({pair[0]}){pair[1]}"),
    ),
    max_leaves=6,
)
LINES = ["", *("".join(letters) for length in (1, 2, 3) for letters in product("ab_1 .", repeat=length))]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pattern=REGEXES)
def test_the_server_matches_what_the_pattern_means(app: App, pattern: str) -> None:
    """Beside `re`, which means the same by these few signs; a passage matches if one of its lines does."""
    compiled = re.compile(pattern)
    found = text_pattern(pattern, regex=True, case_sensitive=True)
    with app.database.reading() as conn:
        rows = conn.execute(
            "SELECT line, line ~ %(regex)s, regexp_instr(line, %(regex)s), "
            "(E'.x.\\n' || line || E'\\n.x.') ~ ('(?n)' || %(regex)s) FROM unnest(%(lines)s::text[]) line",
            {"regex": found.regex, "lines": LINES},
        ).fetchall()
    outside = compiled.search(".x.") is not None
    for line, matches, column, in_passage in rows:
        meant = compiled.search(line)
        assert (matches, column) == (meant is not None, meant.start() + 1 if meant else 0), (pattern, line)
        assert in_passage is (matches or outside), (pattern, line)
        assert not matches or found.literal in line
