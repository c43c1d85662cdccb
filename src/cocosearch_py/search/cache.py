"""Answers, and what searches read of files, kept until the index changes."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.search import FileFacts, passing_files
from cocosearch_py.storage.queries.target import PassingFiles, Target
from cocosearch_py.storage.queries.vectors import VectorTable, read_vectors

MAX_INDEXES = 8  # whose files are kept
MAX_FILES = 20_000  # of one index; about 5 MB
MAX_FILTERS = 10  # of one index, whose files are kept; most an agent sets once and repeats. Up to 400 kB each
# Vectors of an index are read when it was asked so often since it changed: that takes as long as twenty exact scans.
READ_VECTORS_AFTER = 20  # searches
MIN_VECTORS = 3_000  # the server compares fewer in a millisecond
MAX_VECTOR_BYTES = 64 * 2**20  # of all indexes; half of that of one
_VALUE_BYTES = 4
MAX_ANSWERS = 100  # of about 50 kB each; an agent repeats its last few questions, not older ones

Key = tuple[int, int, tuple[tuple[str, float], ...], SearchRequest]


class AnswerCache:
    """Least-recently-used answers by index, generation, weights and the exact request; safe for threads.

    A run of the index raises its generation, so old answers are never found again and age out.
    """

    def __init__(self, max_answers: int = MAX_ANSWERS) -> None:
        self._max_answers = max_answers
        self._answers: OrderedDict[Key, SearchReport] = OrderedDict()
        self._lock = Lock()

    @staticmethod
    def key(index_id: int, generation: int, weights: Mapping[str, float] | None, request: SearchRequest) -> Key:
        """Key of a request to one generation of an index."""
        return index_id, generation, tuple(sorted((weights or {}).items())), request

    def get(self, key: Key) -> SearchReport | None:
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def put(self, key: Key, report: SearchReport) -> None:
        with self._lock:
            self._answers[key] = report
            self._answers.move_to_end(key)
            while len(self._answers) > self._max_answers:
                self._answers.popitem(last=False)


@dataclass(slots=True)
class Known:
    """What searches have read of one generation of an index, for the next ones; safe for threads."""

    files: dict[int, FileFacts] = field(default_factory=dict)  # by file_id
    passing: dict[SearchFilters, PassingFiles | None] = field(default_factory=dict)
    most_vector_bytes: int = 0
    vectors: VectorTable | None = None
    searches: int = 0  # by vectors

    def keep_vectors(self, conn: Connection, target: Target, dimension: int) -> None:
        """Count a search by vectors, and read all of them when that is worth it."""
        self.searches = searches = self.searches + 1  # each number comes up, whatever other threads do
        size = target.chunk_count * dimension * _VALUE_BYTES
        if searches == READ_VECTORS_AFTER and size <= self.most_vector_bytes and target.chunk_count >= MIN_VECTORS:
            self.vectors = read_vectors(conn, target, dimension)

    def narrowed(self, conn: Connection, target: Target) -> Target:
        """The target with the files that its filters let pass, if its statements had better know."""
        filters = target.filters
        if filters not in self.passing:
            if len(self.passing) >= MAX_FILTERS:
                self.passing = {}
            self.passing[filters] = passing_files(conn, target)
        return replace(target, passing=self.passing.get(filters))


class KnownIndexes:
    """What searches have read, by index and generation; safe for threads."""

    def __init__(self, max_vector_bytes: int = MAX_VECTOR_BYTES) -> None:
        self._max_vector_bytes = max_vector_bytes
        self._known: OrderedDict[tuple[int, int], Known] = OrderedDict()
        self._lock = Lock()

    def of(self, index_id: int, generation: int) -> Known:
        """What is known of an index as it is in this generation; for the caller to add to."""
        key = index_id, generation
        with self._lock:
            known = self._known.pop(key, None)
            if known is None or len(known.files) >= MAX_FILES:
                known = Known(most_vector_bytes=self._max_vector_bytes // 2)
            self._known[key] = known
            while len(self._known) > MAX_INDEXES:
                self._known.popitem(last=False)
            self._forget_vectors(key)
            return known

    def _forget_vectors(self, latest: tuple[int, int]) -> None:
        """Let go of those of other generations of an index, and of what was not asked for longest."""
        left = self._max_vector_bytes
        for key, known in reversed(self._known.items()):
            if known.vectors is not None:
                left -= known.vectors.size_bytes
                if left < 0 or (key[0] == latest[0] and key != latest):
                    known.vectors, known.searches = None, 0
