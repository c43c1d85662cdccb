"""Answers, and what searches read of files, kept until the index changes."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import Lock

from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.search import FileFacts, passing_files
from cocosearch_py.storage.queries.target import PassingFiles, Target

MAX_INDEXES = 8  # whose files are kept
MAX_FILES = 20_000  # of one index; about 5 MB
MAX_FILTERS = 10  # of one index, whose files are kept; most an agent sets once and repeats. Up to 400 kB each
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

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, int], Known] = OrderedDict()
        self._lock = Lock()

    def of(self, index_id: int, generation: int) -> Known:
        """What is known of an index as it is in this generation; for the caller to add to."""
        key = index_id, generation
        with self._lock:
            known = self._known.pop(key, None)
            self._known[key] = known if known and len(known.files) < MAX_FILES else Known()
            while len(self._known) > MAX_INDEXES:
                self._known.popitem(last=False)
            return self._known[key]
