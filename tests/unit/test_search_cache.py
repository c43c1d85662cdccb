"""What searches keep until an index changes."""

import pytest

from cocosearch_py.search import cache
from cocosearch_py.search.cache import MAX_INDEXES, KnownFiles
from cocosearch_py.storage.queries.search import FileFacts

FACTS = FileFacts("a.py", "python")


def test_files_are_known_until_their_index_changes() -> None:
    known = KnownFiles()
    known.of(1, 1)[7] = FACTS
    assert known.of(1, 1) == {7: FACTS}
    assert known.of(1, 2) == {} and known.of(2, 1) == {}


def test_only_some_indexes_and_files_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownFiles()
    known.of(0, 1)[7] = FACTS
    for number in range(1, MAX_INDEXES):
        known.of(number, 1)
    assert known.of(0, 1)  # and is now the newest
    known.of(MAX_INDEXES, 1)
    known.of(MAX_INDEXES + 1, 1)
    assert known.of(0, 1)
    monkeypatch.setattr(cache, "MAX_FILES", 1)
    assert known.of(0, 1) == {}
