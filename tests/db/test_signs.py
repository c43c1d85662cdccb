"""The signs of vectors in memory: they find what the exact scan finds."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import psycopg
import pytest

from cocosearch_py.app import App
from cocosearch_py.model.search import SearchFilters, SearchRequest
from cocosearch_py.search import cache
from cocosearch_py.storage.queries import binary_vectors, candidates
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.binary_vectors import SignTable, ranking_by_signs, read_passing, read_signs
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.schema.tables import TABLES
from cocosearch_py.storage.write import partitions

WORDS = "server port load file parse user render page token cache queue retry open close read".split()
CHUNKS = 150
PASSING = {  # filters -> passages
    SearchFilters(): 200,
    SearchFilters(path_globs=("m??[02468].py",)): 100,
    SearchFilters(exclude_globs=("m00*.py",)): 190,
    SearchFilters(path_globs=("m00[1-3].py",)): 3,
    SearchFilters(path_globs=("nowhere/**",)): 0,
}


@pytest.fixture
def large(app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """An app with an index that counts as a large one, `big`."""
    for module in (store, cache):
        for name in ("HNSW_MIN_CHUNKS", "LARGE_MIN_CHUNKS"):
            monkeypatch.setattr(module, name, CHUNKS)  # the real ones need minutes of indexing
    monkeypatch.setattr(partitions, "OWN_LEAF_MIN_CHUNKS", CHUNKS)
    monkeypatch.setattr(store, "_COMPARED_CHUNKS", 0)
    hnsw = replace(TABLES["vectors"].indexes[0], min_chunks=CHUNKS)
    monkeypatch.setitem(TABLES, "vectors", replace(TABLES["vectors"], indexes=(hnsw,)))
    source = random.Random(5)
    for number in range(200):
        write(tmp_path / f"m{number:03}.py", source)
    app.index(tmp_path, name="big")
    for number in range(0, 200, 2):  # dead rows stay in the table
        write(tmp_path / f"m{number:03}.py", source)
    app.index(tmp_path, name="big")
    yield app


def write(path: Path, source: random.Random) -> None:
    path.write_text(f"def {path.stem}():\n    return '{' '.join(source.choices(WORDS, k=30))}'\n")


def target_of(app: App, filters: SearchFilters) -> Target:
    record = app.catalog.find("big")
    return Target(record.index_id, record.chunk_count, filters)


def test_signs_find_the_nearest_of_what_passes(large: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary_vectors, "_SIFTED", 150)
    monkeypatch.setattr(binary_vectors, "_COMPARED", 80)
    vector = store.query_vector(large.embedder.embed_query("open a file and read").tolist())
    assert vector is not None
    for pages in (1, 8_192):
        monkeypatch.setattr(binary_vectors, "_READ_PAGES", pages)
        with large.database.reading() as conn:
            table = read_signs(conn, target_of(large, SearchFilters()), vector.dimension)
            assert table is not None and table.signs.shape[1] == sum(table.lengths.tolist()) == 200
            for filters, count in PASSING.items():
                target = target_of(large, filters)
                passing = read_passing(conn, target, table) if filters != SearchFilters() else None
                if (files := store.passing_files(conn, target)) is not None and passing is not None:
                    assert np.array_equal(read_passing(conn, replace(target, passing=files), table), passing)
                with ranking_by_signs(conn, target, table.likely(vector, passing), vector, limit=20) as ranked:
                    found = ranked()
                exact = store.rank_by_vector(conn, replace(target, chunk_count=0), vector, limit=20)
                assert len(found) == len(exact) == min(count, 20)
                scores = {one[:2]: one.score for one in exact}
                same = [one.score for one in found if one[:2] in scores]
                assert same == sorted([scores[one[:2]] for one in found if one[:2] in scores], reverse=True)
                assert len(same) >= 0.9 * len(exact)
    with large.database.reading() as conn:
        target = target_of(large, SearchFilters())
        assert read_signs(conn, target, 64) is None
        assert read_signs(conn, target, 255) is None  # as many bytes
        assert read_signs(conn, replace(target, index_id=target.index_id + 100), 256) is None


@pytest.mark.parametrize("dimension", [5, 64, 100, 256])
def test_signs_of_any_length_are_compared(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The passages with the signs of the question, but for one, are the likely ones."""
    source = np.random.default_rng(dimension)
    asked = source.standard_normal(dimension)
    rows = source.standard_normal((3_000, dimension))
    rows[1_000] = asked
    rows[2_000] = asked
    rows[2_000, 3] *= -1
    words = binary_vectors._padded(np.packbits(rows > 0, axis=1)).T
    places = np.arange(len(rows))
    table = SignTable(dimension, 0, words, places.astype(np.uint32), places.astype(np.uint16), places, places * 0 + 1)
    vector = store.query_vector(asked.tolist())
    assert vector is not None
    differing = table._differing(binary_vectors._words_of(vector))
    assert differing.tolist() == ((rows > 0) != (asked > 0)).sum(axis=1).tolist()
    scores = table._scores(vector, places)
    assert scores == pytest.approx(((rows > 0) * asked).sum(axis=1), abs=1e-4)
    likely = table.likely(vector, None).places
    assert likely["page"].tolist() == likely["number"].tolist() == sorted(likely["page"].tolist())
    assert len(likely) == binary_vectors._COMPARED and {1_000, 2_000} <= set(likely["page"].tolist())
    odd = places % 2 == 1
    assert all(page % 2 == 1 for page in table.likely(vector, odd).places["page"])
    assert len(table.likely(vector, odd & False).places) == 0
    monkeypatch.setattr(binary_vectors, "_SIFTED", 1_100)
    monkeypatch.setattr(binary_vectors, "_JUDGED", 300)  # every tenth
    likely = table.likely(vector, None).places
    assert len(likely) == binary_vectors._COMPARED and {1_000, 2_000} <= set(likely["page"].tolist())


def refuse(*_: object, **__: object) -> NoReturn:
    raise AssertionError("the server's index of vectors is asked")


@pytest.mark.parametrize("hnsw", [True, False])
@pytest.mark.parametrize("filters", [SearchFilters(), SearchFilters(languages=("python",))])
def test_signs_are_those_of_the_index_as_it_is(
    large: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filters: SearchFilters, hnsw: bool
) -> None:
    monkeypatch.setattr(cache, "READ_SIGNS_AFTER" if hnsw else "READ_SIGNS_AFTER_EXACT", 2)
    for module in (store, cache) if not hnsw else ():
        monkeypatch.setattr(module, "HNSW_MIN_CHUNKS", 10_000)
    question = SearchRequest("open a file and read", use_hybrid=False, filters=filters)

    def ask() -> tuple[str, bool]:
        record, report = large.search(question, index_name="big")
        known = large.searches.known.of(*record.version)
        return report.hits[0].file_path, known.signs is not None

    assert [ask()[1] for _ in range(3)] == [False, True, True]
    with monkeypatch.context() as patched:
        patched.setattr(store, "ranking_by_vector", refuse)
        best = ask()[0]
    (tmp_path / best).unlink()
    (tmp_path / "open.py").write_text("def open_a_file():\n    'open a file and read'\n")
    large.index(tmp_path, name="big")
    assert ask() == ("open.py", False)


def test_signs_of_a_table_that_was_written_anew_are_not_trusted(
    large: App, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "READ_SIGNS_AFTER", 1)
    question = SearchRequest("open a file and read", use_hybrid=False)
    by_server: list[bool] = []

    def rank_by_server(*given: Any, **named: Any) -> list[store.ScoredChunk]:
        by_server.append(True)
        return store.rank_by_vector(*given, **named)

    monkeypatch.setattr(binary_vectors, "rank_by_vector", rank_by_server)
    for _ in range(2):
        record, before = large.search(question, index_name="big")
    assert large.searches.known.of(*record.version).signs is not None and by_server == []
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(f"VACUUM FULL cocosearch_py.vectors_{record.index_id}".encode())
    _, after = large.search(question, index_name="big")
    assert by_server == [True]
    assert [hit.file_path for hit in after.hits] == [hit.file_path for hit in before.hits]


def test_signs_that_had_to_go_are_read_again(large: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "READ_SIGNS_AFTER", 2)
    question = SearchRequest("open a file and read", use_hybrid=False)
    found = []
    for number in range(6):
        record, _ = large.search(question, index_name="big")
        known = large.searches.known.of(*record.version)
        found.append(known.signs is not None)
        if number == 2:
            known.forget(tables=False, signs=True, contents=False)
    assert found == [False, True, True, False, True, True]


def test_signs_of_definitions_filters_are_not_asked(large: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "READ_SIGNS_AFTER", 1)
    request = SearchRequest("open a file", filters=SearchFilters(symbol_name="m01*"))
    for _ in range(2):
        _, report = large.search(request, index_name="big")
        assert report.hits and all(hit.file_path.startswith("m01") for hit in report.hits)
    record = large.catalog.find("big")
    assert record is not None and large.searches.known.of(*record.version).signs is None


def test_words_of_more_than_the_legs_compare_are_kept(large: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the files pass: the server looks among the index's candidates, memory at what passes."""
    filters = SearchFilters(path_globs=("m??[02468].py",))
    request = SearchRequest("open file and read", filters=filters)
    (_, before), (record, _) = [large.search(request, index_name="big") for _ in range(2)]
    monkeypatch.setattr(cache, "MIN_CHUNKS", 1)
    monkeypatch.setattr(cache, "READ_FILTERED_WORDS_AFTER", 0)
    large.searches.known._known.clear()
    _, after = large.search(request, index_name="big")
    kept = large.searches.known.of(*record.version).of(filters)
    assert kept.words is not None and len(kept.words.file_ids) == 100 and kept.vectors is None
    assert [(hit.file_path, hit.score) for hit in after.hits] == [(hit.file_path, hit.score) for hit in before.hits]


def test_words_are_kept_of_what_the_server_had_to_score_wholly(large: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the files pass. Where enough of the candidates do, the server is faster than reading all that passes."""
    monkeypatch.setattr(cache, "MIN_CHUNKS", 1)
    monkeypatch.setattr(cache, "READ_FILTERED_WORDS_AFTER", 2)
    filters = SearchFilters(path_globs=("m??[02468].py",))
    read = []
    real = cache.read_words
    monkeypatch.setattr(cache, "read_words", lambda *given: read.append(True) or real(*given))

    def ask(enough: int) -> bool:
        monkeypatch.setattr(store, "enough_candidates", lambda _: iter([enough, enough]))
        record, _ = large.search(SearchRequest("open file and read", filters=filters), index_name="big")
        return large.searches.known.of(*record.version).of(filters).words is not None

    monkeypatch.setattr(candidates, "CANDIDATE_BUDGET", 20)
    monkeypatch.setattr(candidates, "_WIDE_BUDGET", 20)
    assert [ask(enough=1) for _ in range(4)] == [False] * 4
    assert [ask(enough=1_000) for _ in range(4)] == [False, False, True, True]
    assert read == [True]


@pytest.mark.parametrize("words", [("m013",), ("server", "port")])
def test_words_are_looked_up_or_all_that_passes_is_read(
    large: App, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    target = target_of(large, SearchFilters(path_globs=("m??[13579].py",)))
    found = []
    with large.database.reading() as conn, store.finding_frequencies(conn, target, words) as frequencies:
        query = candidates.keyword_query(frequencies(), target.chunk_count)
        for cost, statement in ((10**6, store._BEST_IN_FILES), (0, store._BEST_OF_SOME)):
            monkeypatch.setattr(store, "_LOOKED_UP_COST", cost)
            assert store._of_all(target, query) is statement
            found.append(store.rank_by_keywords(conn, target, query, limit=300))
    assert found[0] == found[1] != []
