"""Cache answers and filtered files until the index changes, and remember that a model did not answer."""

import time
from collections import OrderedDict
from collections.abc import Hashable
from copy import copy
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.search import with_passing_files
from cocosearch_py.storage.queries.target import Target

MAX_ANSWERS = 100  # of about 50 kB each; an agent repeats its last few questions, not older ones
MAX_TARGETS = 20  # combinations of filters, whose files take up to 400 kB each
OUTAGE_S = 30.0  # Seconds without a request to a model that did not answer: a silent one costs a minute each time.

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
AnswerKey = tuple[Hashable, int, tuple[tuple[str, float], ...], SearchRequest]


class LruCache(Generic[K, V]):
    """Cache that drops the least recently used values; safe for threads."""

    def __init__(self, max_values: int) -> None:
        self._max_values = max_values
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._max_values:
                self._values.popitem(last=False)


@dataclass(slots=True)
class Outage:
    """The error of a model that did not answer a moment ago."""

    error: EmbeddingError | None = None
    until_s: float = 0.0

    def now(self) -> EmbeddingError | None:
        """Return the error while the model is not to be asked again."""
        return self.error if time.monotonic() < self.until_s else None

    def begin(self, error: EmbeddingError) -> None:
        """Remember that the model does not answer."""
        self.error = copy(error)  # Without the traceback, which keeps the search's data alive.
        self.until_s = time.monotonic() + OUTAGE_S


@dataclass(frozen=True, slots=True)
class SearchCaches:
    """Caches that the searches of one database share.

    A run of an index raises its generation, so that older values are never found again and age out.
    """

    answers: LruCache[AnswerKey, SearchReport] = field(default_factory=lambda: LruCache(MAX_ANSWERS))
    targets: LruCache[tuple[Hashable, int, SearchFilters], Target] = field(
        default_factory=lambda: LruCache(MAX_TARGETS)
    )
    outage: Outage = field(default_factory=Outage)

    @staticmethod
    def answer_key(record: IndexRecord, request: SearchRequest) -> AnswerKey:
        """Return the key of a request to one generation of an index, under its weights."""
        return *record.version, tuple(sorted((record.weights or {}).items())), request

    def narrowed(self, conn: Connection, record: IndexRecord, target: Target) -> Target:
        """Return the target with the files that pass its filters, looked up once per generation of an index."""
        key = *record.version, target.filters
        if (known := self.targets.get(key)) is None:
            known = with_passing_files(conn, target)
            self.targets.put(key, known)
        return known
