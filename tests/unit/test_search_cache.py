"""What searches keep until an index changes."""

import pytest

from cocosearch_py.search import cache
from cocosearch_py.search.cache import MAX_INDEXES, KnownIndexes
from cocosearch_py.storage.queries.search import FileFacts

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
