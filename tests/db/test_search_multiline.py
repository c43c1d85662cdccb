"""Matches that span lines: the lines of every match, as an engine that goes by alternatives and by greed finds them."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cocosearch_py.app import App
from cocosearch_py.model.texts import TextReport, TextRequest
from cocosearch_py.search import multiline
from cocosearch_py.search.patterns import text_pattern

FUNCTIONS = "".join(
    f"def price_{number}(\n    item,\n    count={number},\n):\n    return {{\n        item * count\n    }}\n\n\n"
    for number in range(30)
)
FILES = {
    "src/cart.py": 'class Cart:\n    """A cart.\n\n    It holds items.\n    """\n\n' + FUNCTIONS,
    "src/shop.go": "package shop\r\n\r\ntype Item struct {\r\n\tPrice int\r\n}\r\n",
    "src/open.txt": "alpha\nbeta {\n\n}\n\n\ngamma",
    "tests/test_cart.py": "from cart import Cart\n\n\ndef test_add():\n    Cart(\n        1\n    )\n",
    "a.md": "# Äpfel\n\nEin\nApfel.\n\n",
}
PATTERNS = [
    r"def \w+\([^)]*\):",
    r"(?s)def price_7.*?return",
    r"(?s)alpha.*",
    r"\{\s+item",
    r"\w+\s*\{[\s\S]*?\}",
    r"(?s)def.*?\{.*?\}\n",
    r"beta \{\n*|\n\n\ngamma",
    r"a|alpha\nbeta",
    r"^\s*$",
    r"x*",
    r"\n{3,}",
    r"[^a]+\bitem\b",
    r"(?i)äPFEL\s+ein",
    r"}\r\n",
    r"^(?:.*\n){2}type",
    r"(?:item|count)(?:,\s*|\W)+count",
    r"gamma$",
]
Find = Callable[..., TextReport]


@pytest.fixture
def find(app: App, tmp_path: Path) -> Iterator[Find]:
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    app.index(tmp_path / "project", name="project")
    record = app.catalog.find("project")

    def run(query: str, *, regex: bool = True, word: bool = False, **options: object) -> TextReport:
        pattern = text_pattern(query, regex=regex, case_sensitive=True, word=word, multiline=True)
        return app.searches.search_text(TextRequest(pattern=pattern, **options), record)  # type: ignore[arg-type]

    yield run


def expected(pattern: str) -> set[tuple[str, int]]:
    """Path and number of each line of a match."""
    found = set()
    for path, text in FILES.items():
        for match in re.compile(pattern, re.MULTILINE).finditer(text):
            if match.start() < len(text) or not text.endswith("\n"):
                first = text.count("\n", 0, match.start()) + 1
                last = text.count("\n", 0, max(match.start(), match.end() - 1)) + 1
                found |= {(path, number) for number in range(first, last + 1)}
    return found


def lines_of(report: TextReport) -> set[tuple[str, int]]:
    return {(one.path, number) for one in report.matches for number in range(one.line, (one.end_line or one.line) + 1)}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_lines_are_those_of_every_match(find: Find, pattern: str) -> None:
    report = find(pattern, limit=10_000, timeout_ms=60_000)
    assert lines_of(report) == expected(pattern)
    assert report.total == len(report.matches) == find(pattern, count_only=True, timeout_ms=60_000).total
    assert report.files_matched == len({one.path for one in report.matches})
    paths = find(pattern, paths_only=True, limit=10).paths
    assert list(paths) == list(dict.fromkeys(one.path for one in report.matches))


def test_pages_join_to_the_whole(find: Find) -> None:
    for pattern in (r"def \w+\([^)]*\):", r"\n\n", "a"):
        whole = find(pattern, limit=10_000).matches
        joined, after = [], None
        while True:
            page = find(pattern, limit=7, after=after)
            joined += page.matches
            assert len(page.matches) <= 7
            if (after := page.next) is None:
                break
        assert tuple(joined) == whole, pattern


def test_a_text_of_two_lines_is_taken_as_it_is(find: Find) -> None:
    (found,) = find("beta {\n\n}", regex=False, context=1).matches
    assert (found.path, found.line, found.column, found.end_line) == ("src/open.txt", 2, 1, 4)
    assert (found.text, found.before, found.after) == ("beta {\n\n}", ("alpha",), ("",))
    (within,) = find("lass Cart", regex=False).matches
    assert (within.line, within.column, within.end_line, within.text) == (1, 2, 1, "class Cart:")
    assert not find("eta {\n", regex=False, word=True).matches


def test_a_match_has_its_function_and_is_cut(find: Find) -> None:
    first, *_ = find(r"count=3,\n\):").matches
    assert first.scope is not None
    assert first.scope.name == "price_3"
    (whole,) = find(r"(?s)class Cart.*").matches
    assert whole.end_line == FILES["src/cart.py"].count("\n")
    assert whole.text.endswith("\n…")
    assert whole.text.count("\n") < 50


def test_time_is_bounded(find: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiline.time, "monotonic", iter(range(1000)).__next__)  # a second each time it is asked
    report = find("e", timeout_ms=2_500)
    assert report.incomplete is not None
    assert report.total is None
