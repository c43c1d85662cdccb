"""What searches keep until an index changes."""

import numpy as np
import pytest

from cocosearch_py.search import cache
from cocosearch_py.search.cache import MAX_INDEXES, KnownIndexes
from cocosearch_py.storage.queries.search import FileFacts
from cocosearch_py.storage.queries.vectors import VectorTable

FACTS = FileFacts("a.py", "python")


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


def table(size_bytes: int) -> VectorTable:
    none = np.zeros(0, np.int64)
    return VectorTable(none, none, np.zeros((size_bytes // 4, 1), np.float32))


def test_vectors_are_kept_of_the_latest_generation_and_within_a_limit() -> None:
    known = KnownIndexes(max_vector_bytes=1_000)
    known.of(1, 1).vectors = table(400)
    assert known.of(1, 1).vectors is not None
    assert known.of(1, 2).vectors is None
    assert known.of(1, 1).vectors is None  # whoever still reads that generation does without
    known.of(2, 1).vectors = table(400)
    known.of(3, 1).vectors = table(400)
    known.of(2, 1)
    assert known.of(2, 1).vectors is not None and known.of(3, 1).vectors is not None
    known.of(4, 1).vectors = table(400)
    assert [known.of(number, 1).vectors is not None for number in (4, 3, 2)] == [True, True, False]
