"""What searches keep until an index changes."""

from dataclasses import replace
from datetime import UTC, datetime

from cocosearch_py.graph.cache import Kept
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchRequest
from cocosearch_py.search.cache import LruCache, SearchCaches

AT = datetime.now(UTC)
RECORD = IndexRecord(
    *(1, "shop", "t", "/shop", "complete", 1, 7, {}, "m", 256, 0, 0, None, None, None, AT, AT, 0.0), ulid="A"
)


def test_an_index_of_another_database_is_another_one() -> None:
    """Numbers begin anew where a data folder was removed under a living server."""
    kept = Kept()
    assert kept.of(RECORD) is kept.of(replace(RECORD))
    assert kept.of(RECORD) is not kept.of(replace(RECORD, ulid="B"))


def test_answers_are_those_of_one_generation_under_its_weights() -> None:
    request = SearchRequest("retry")
    keys = [
        SearchCaches.answer_key(record, asked)
        for record, asked in [
            (RECORD, request),
            (replace(RECORD, ulid="B"), request),
            (replace(RECORD, generation=2), request),
            (replace(RECORD, weights={"definition": 2.0}), request),
            (RECORD, replace(request, limit=3)),
        ]
    ]
    assert len(set(keys)) == len(keys)
    assert SearchCaches.answer_key(replace(RECORD, weights={}), SearchRequest("retry")) == keys[0]


def test_the_value_that_was_not_used_for_longest_goes_first() -> None:
    cache = LruCache[str, int](2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    cache.put("a", 4)
    cache.put("d", 5)
    assert [cache.get(key) for key in "acd"] == [4, None, 5]
