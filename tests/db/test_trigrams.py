"""Exact text in large indexes: the same lines are found with pg_trgm as without, and a page of very many matches."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.model.texts import TextReport, TextRequest
from cocosearch_py.search.patterns import text_pattern
from cocosearch_py.search.text import search_text
from cocosearch_py.storage.schema.partitions import is_shared
from cocosearch_py.storage.schema.registry import GIN_MIN_CHUNKS, TRIGRAM_MIN_CHUNKS
from cocosearch_py.storage.server.administration import database_facts
from cocosearch_py.storage.write import partitions

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa Alpha BETA naïve Größe".split()
QUERIES = [
    ("alpha", {}),
    ("Alpha", {}),
    ("alpha beta", {}),
    ("größe", {}),
    ("GRÖßE", {"case_sensitive": False}),
    ("eta", {"word": True}),
    ("z", {}),
    ("nowhere", {}),
    ("only_once", {}),
    ("50%_\\", {}),
    (r"alpha|iota", {"regex": True}),
    (r"(gamma|delta) (eta|zeta) 7\d", {"regex": True}),
    (r"^\w+ kappa", {"regex": True}),
    (r"\d\d$", {"regex": True}),
    (r"[Bb]eta.*theta 5", {"regex": True}),
]
OVER_LINES = [r"alpha.*\n.*only_once", r"(?s)only_once.*", r"gamma\s+7\d\n(alpha|iota)", r"größe \w+ \d+\n"]


def write(folder: Path, count: int = 80) -> Path:
    """Files of code, tests, documents and other people's code, with more passages than small indexes have."""
    chosen = random.Random(1)
    for number in range(count):
        kind = ("src/{}.py", "tests/test_{}.py", "docs/{}.md", "vendor/{}.py")[number % 4]
        path = folder / kind.format(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(chosen.choices(WORDS, k=12)) + f" {number}" for _ in range(300)]
        path.write_text("\n".join([*lines, "only_once 50%_\\" if number == 5 else ""]), encoding="utf-8")
    return folder


@pytest.fixture
def record(app: App, tmp_path: Path) -> IndexRecord:
    app.index(write(tmp_path / "project"), name="project")
    found = app.catalog.find("project")
    assert found.chunk_count > GIN_MIN_CHUNKS
    return found


def make_trigrams(url: str, record: IndexRecord) -> None:
    """Give an index what a large one has."""
    with psycopg.connect(url) as conn:
        partitions.add_indexes(conn, record.index_id, TRIGRAM_MIN_CHUNKS)


@contextmanager
def reading(app: App, *, by_index: bool) -> Iterator[psycopg.Connection]:
    """A connection whose plans use search indexes wherever they can, or nowhere."""
    with app.database.reading() as conn:
        kind = "seqscan" if by_index else "bitmapscan"
        conn.execute(f"SET LOCAL enable_{kind} = off")  # type: ignore[call-overload]
        yield conn


def reports(conn: psycopg.Connection, record: IndexRecord) -> list[TextReport]:
    answers = []
    for query, options in QUERIES:
        for filters in (SearchFilters(), SearchFilters(path_globs=("src/**",))):
            request = TextRequest(pattern=text_pattern(query, **options), filters=filters, scope=False, limit=7)
            for changed in ({}, {"paths_only": True}, {"count_only": True}):
                answers.append(search_text(replace(request, **changed), record, conn))
    for query in OVER_LINES:
        pattern = text_pattern(query, regex=True, multiline=True)
        answers.append(search_text(TextRequest(pattern=pattern, limit=7), record, conn))
    return answers


def trigram_indexes(url: str) -> int:
    with psycopg.connect(url) as conn:
        query = "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%gin_trgm_ops%'"
        return int(conn.execute(query).fetchall()[0][0])


def test_answers_are_the_same_with_trigrams_and_without(app: App, database_url: str, record: IndexRecord) -> None:
    with reading(app, by_index=False) as conn:
        expected = reports(conn, record)
    assert trigram_indexes(database_url) == 0
    make_trigrams(database_url, record)
    assert trigram_indexes(database_url) == 1
    with reading(app, by_index=True) as conn:
        leaf = f"cocosearch_py.chunks_{record.index_id}"
        plan = conn.execute(f"EXPLAIN SELECT FROM {leaf} WHERE content LIKE '%alpha%'")  # type: ignore[call-overload]
        assert f"Bitmap Index Scan on chunks_{record.index_id}_content_idx" in str(plan.fetchall())
        assert reports(conn, record) == expected
    assert sum(bool(answer.matches or answer.paths) for answer in expected) > 40


def test_an_update_is_found(app: App, database_url: str, record: IndexRecord) -> None:
    make_trigrams(database_url, record)
    folder = Path(record.root_path)
    (folder / "src/0.py").write_text("alpha beta\nnewly_written\n")
    (folder / "docs/2.md").unlink()
    app.index(folder, name="project")
    record = app.catalog.find("project")
    with reading(app, by_index=True) as conn:
        (match,) = search_text(TextRequest(pattern=text_pattern("newly_written")), record, conn).matches
        assert (match.path, match.line) == ("src/0.py", 2)
        by_index = reports(conn, record)
    with reading(app, by_index=False) as conn:
        assert by_index == reports(conn, record)


@pytest.mark.parametrize("filters", [SearchFilters(), SearchFilters(path_globs=("docs/**", "vendor/**"))])
def test_a_page_of_very_many_matches_is_that_of_all(app: App, record: IndexRecord, filters: SearchFilters) -> None:
    large = replace(record, chunk_count=TRIGRAM_MIN_CHUNKS)  # where not all are compared for a page
    with app.database.reading() as conn:
        for query in ("alpha", "beta", r"\w+ \w+"):
            request = TextRequest(pattern=text_pattern(query, regex=True), filters=filters, scope=False, limit=50)
            expected = search_text(request, record, conn)
            page = search_text(request, large, conn)
            assert (page.matches, page.next) == (expected.matches, expected.next)
            assert page.files_matched <= expected.files_matched
            assert page.at_least == min(expected.at_least, 1_000)
            paths = replace(request, paths_only=True, limit=10)
            for changed in (
                replace(request, after=expected.next),
                replace(request, count_only=True),
                replace(paths, limit=200),
            ):
                assert search_text(changed, large, conn).matches == search_text(changed, record, conn).matches
                assert search_text(changed, large, conn).total == search_text(changed, record, conn).total
            assert search_text(paths, large, conn).paths == search_text(paths, record, conn).paths
            assert expected.next is not None


def test_a_small_index_has_no_trigrams(app: App, database_url: str, sample_repo: Path) -> None:
    app.index(sample_repo, name="shop")
    assert is_shared(app.catalog.find("shop").index_id)
    assert trigram_indexes(database_url) == 0


def test_a_server_without_pg_trgm_answers_too(app: App, database_url: str, record: IndexRecord) -> None:
    with reading(app, by_index=False) as conn:
        expected = reports(conn, record)
    make_trigrams(database_url, record)
    assert database_facts(app.database).pg_trgm_version
    with psycopg.connect(database_url) as conn:
        conn.execute("DROP EXTENSION pg_trgm CASCADE")
    assert database_facts(app.database).pg_trgm_version is None
    make_trigrams(database_url, record)  # does nothing
    assert trigram_indexes(database_url) == 0
    with app.database.reading() as conn:
        assert reports(conn, record) == expected
