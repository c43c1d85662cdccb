"""Answers, and what the ranking reads of files, kept until the index changes."""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock

from cocosearch_py.model.search import SearchReport, SearchRequest
from cocosearch_py.storage.queries.search import FileFacts

MAX_INDEXES = 8  # whose files are kept
MAX_FILES = 20_000  # of one index; about 5 MB
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


class KnownFiles:
    """What the ranking reads of files, by index and generation; safe for threads."""

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[int, int], dict[int, FileFacts]] = OrderedDict()
        self._lock = Lock()

    def of(self, index_id: int, generation: int) -> dict[int, FileFacts]:
        """By file_id what is known of an index as it is in this generation; for the caller to add to."""
        key = index_id, generation
        with self._lock:
            files = self._files.pop(key, {})
            self._files[key] = files if len(files) < MAX_FILES else {}
            while len(self._files) > MAX_INDEXES:
                self._files.popitem(last=False)
            return self._files[key]
