"""What searches keep until an index changes."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from cocosearch_py.graph.cache import Kept
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters
from cocosearch_py.search import cache
from cocosearch_py.search.cache import MAX_INDEXES, InMemory, Known, KnownIndexes
from cocosearch_py.storage.queries.search import FileFacts
from cocosearch_py.storage.queries.target import PassingFiles, Target
from cocosearch_py.storage.queries.vectors import VectorTable

FACTS = FileFacts("a.py", "python")


def test_an_index_of_another_database_is_another_one() -> None:
    """Numbers begin anew where a data folder was removed under a living server."""
    at = datetime.now(UTC)
    first = IndexRecord(
        *(1, "shop", "t", "/shop", "complete", 1, 7, {}, "m", 256, 0, 0, None, None, None, at, at, 0.0), ulid="A"
    )
    kept = Kept()
    assert kept.of(first) is kept.of(replace(first))
    assert kept.of(first) is not kept.of(replace(first, ulid="B"))
    known = KnownIndexes()
    known.of(*first.version).files[7] = FACTS
    assert known.of(*replace(first, ulid="B").version).files == {}


def test_files_are_known_until_their_index_changes() -> None:
    known = KnownIndexes()
    known.of(1, 1).files[7] = FACTS
    assert known.of(1, 1).files == {7: FACTS}
    assert known.of(1, 2).files == {} and known.of(2, 1).files == {}


def test_only_some_indexes_and_files_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownIndexes()
    known.of(0, 1).files[7] = FACTS
    for number in range(1, MAX_INDEXES):
        known.of(number, 1)
    assert known.of(0, 1).files  # and is now the newest
    known.of(MAX_INDEXES, 1)
    known.of(MAX_INDEXES + 1, 1)
    assert known.of(0, 1).files
    monkeypatch.setattr(cache, "MAX_FILES", 1)
    assert known.of(0, 1).files == {}


def keep(known: KnownIndexes, index_id: int, size_bytes: int) -> None:
    none = np.zeros(0, np.int64)
    table = VectorTable(none, none, np.zeros((size_bytes // 4, 1), np.float32))
    known.of(index_id, 1).memory[SearchFilters()] = InMemory(vectors=table)


def are_kept(known: KnownIndexes, index_id: int, generation: int = 1) -> bool:
    return known.of(index_id, generation).of(SearchFilters()).vectors is not None


def test_vectors_are_kept_of_the_latest_generation_and_within_a_limit() -> None:
    known = KnownIndexes(max_bytes=1_000)
    keep(known, 1, 400)
    assert are_kept(known, 1)
    assert not are_kept(known, 1, generation=2)
    assert not are_kept(known, 1)  # whoever still reads that generation does without
    keep(known, 2, 400)
    keep(known, 3, 400)
    known.of(2, 1)
    assert are_kept(known, 2) and are_kept(known, 3)
    keep(known, 4, 400)
    assert [are_kept(known, number) for number in (4, 3, 2)] == [True, True, False]


def test_files_of_the_filters_asked_for_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_FILTERS", 2)
    asked: list[str | None] = []

    def look(_: object, target: Target) -> PassingFiles:
        asked.append(target.filters.folder)
        return PassingFiles("{}", 0)

    monkeypatch.setattr(cache, "passing_files", look)
    known = Known()
    no_connection: Any = None
    for folder in "abacab":
        filters = SearchFilters(folder=folder)
        known.narrowed(no_connection, Target(1, 100_000, filters))
        known.count_all_scored(filters)
    assert asked == ["a", "b", "c", "b"]
    assert {filters.folder: kept.word_searches for filters, kept in known.memory.items()} == {"a": 3, "b": 1}


def test_what_filters_let_pass_gives_way_to_what_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "READ_FILTERED_AFTER", 2)
    monkeypatch.setattr(cache, "compares_all", lambda _: True)
    none = np.zeros(0, np.int64)
    size = 4 * cache.MIN_CHUNKS * 8
    monkeypatch.setattr(cache, "read_vectors", lambda *_: VectorTable(none, none, np.zeros((size // 4, 1), np.float32)))
    known = Known(most_bytes=int(1.5 * size))
    one, other = (
        Target(1, 100_000, SearchFilters(folder=folder), PassingFiles("{}", cache.MIN_CHUNKS)) for folder in "ab"
    )
    no_connection: Any = None

    def asked(target: Target) -> list[bool]:
        known.keep(no_connection, target, 8, words=False)
        return [known.of(one.filters).vectors is not None for one in (one, other)]

    assert [asked(one), asked(one), asked(one)] == [[False, False], [True, False], [True, False]]
    assert [asked(other), asked(other)] == [[True, False], [False, True]]
    for _ in range(cache.READ_VECTORS_AFTER):  # what has no room at all takes that of nobody
        known.keep(no_connection, replace(one, filters=SearchFilters(), passing=None), 8, words=False)
    assert known.of(other.filters).vectors is not None
    few = replace(one, filters=SearchFilters(folder="c"), passing=PassingFiles("{}", cache.MIN_CHUNKS - 1))
    known.keep(no_connection, few, 8, words=True)
    assert few.filters not in known.memory
