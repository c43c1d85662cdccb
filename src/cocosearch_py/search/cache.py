"""Cache answers until the index changes, and remember that a model did not answer."""

import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from copy import copy
from dataclasses import dataclass
from threading import Lock

from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.search import SearchReport, SearchRequest

MAX_ANSWERS = 100  # of about 50 kB each; an agent repeats its last few questions, not older ones
OUTAGE_S = 30.0  # for so long a model that did not answer is not asked: a silent one takes a minute to find out

Key = tuple[Hashable, int, tuple[tuple[str, float], ...], SearchRequest]


class AnswerCache:
    """Least-recently-used answers by index, generation, weights and the exact request; safe for threads.

    A run of the index raises its generation, so old answers are never found again and age out.
    """

    def __init__(self, max_answers: int = MAX_ANSWERS) -> None:
        self._max_answers = max_answers
        self._answers: OrderedDict[Key, SearchReport] = OrderedDict()
        self._lock = Lock()

    @staticmethod
    def key(index: Hashable, generation: int, weights: Mapping[str, float] | None, request: SearchRequest) -> Key:
        """Key of a request to one generation of an index."""
        return index, generation, tuple(sorted((weights or {}).items())), request

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
class Outage:
    """What a model said a moment ago instead of an answer."""

    error: EmbeddingError | None = None
    until_s: float = 0.0

    def now(self) -> EmbeddingError | None:
        """The same, as long as it is worth nothing to ask again."""
        return self.error if time.monotonic() < self.until_s else None

    def begin(self, error: EmbeddingError) -> None:
        """Remember that the model does not answer."""
        self.error = copy(error)  # without a traceback, which holds what the search had in hand
        self.until_s = time.monotonic() + OUTAGE_S
