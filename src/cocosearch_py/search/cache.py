"""Answers, and what searches read of files, kept until the index changes; and that a model did not answer."""

import time
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING

from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.binary_vectors import SIGN_BYTES, Likely, SignTable, read_passing, read_signs
from cocosearch_py.storage.queries.contents import PASSAGE_BYTES, Contents, read_contents
from cocosearch_py.storage.queries.search import FileFacts, QueryVector, compares_all, passing_files
from cocosearch_py.storage.queries.target import LARGE_MIN_CHUNKS, PassingFiles, Target, asks_for_definitions
from cocosearch_py.storage.queries.vectors import VectorTable, read_vectors
from cocosearch_py.storage.queries.words import (
    LEXEME_BYTES,
    MOST_LEXEMES,
    WordTable,
    read_frequencies,
    read_shared_positions,
    read_words,
)
from cocosearch_py.storage.schema.registry import HNSW_MIN_CHUNKS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAX_INDEXES = 8  # whose files are kept
MAX_FILES = 20_000  # of one index; about 5 MB
MAX_FILTERS = 20  # of one index, whose files are kept; a search may need two. Up to 400 kB each
# What a leg compares is read when it was asked for so often since the index changed: that takes as long as so many
# searches by the server. Where filters let few pass the server takes three to five times as long for as many chunks,
# and those searches count that had it score all of them for words.
READ_VECTORS_AFTER = 20  # searches
READ_WORDS_AFTER = 50
READ_FILTERED_AFTER = 10
READ_FILTERED_WORDS_AFTER = 3
READ_SIGNS_AFTER = 20
READ_SIGNS_AFTER_EXACT = 5  # where there is no HNSW, and the server compares all vectors
READ_CONTENTS_AFTER = 70
MIN_CHUNKS = 3_000  # the server compares fewer in a millisecond
# Of what the legs compare, of all indexes; half of that of one. As much of signs, be they of one: 1.6 million passages;
# and of contents, be they of one: 25,000 passages.
MAX_BYTES = 64 * 2**20
_VALUE_BYTES = 4
_WORDS_BYTES = 500  # of a chunk, about
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
class InMemory:
    """What the legs compare of an index, or of the files that some filters let pass, once that was asked for often."""

    vector_searches: int = 0
    word_searches: int = 0
    vectors: VectorTable | None = None
    words: WordTable | None = None
    words_were_due: bool = False

    @property
    def size_bytes(self) -> int:
        return sum(table.size_bytes for table in (self.vectors, self.words) if table is not None)


@dataclass(slots=True)
class Known:
    """What searches have read of one generation of an index, for the next ones; safe for threads."""

    files: dict[int, FileFacts] = field(default_factory=dict)  # by file_id
    # Settings files of well-known names, by kind and file_id, once a question asked for them.
    settings: dict[int, dict[int, FileFacts]] | None = None
    passing: dict[SearchFilters, PassingFiles | None] = field(default_factory=dict)
    most_bytes: int = 0  # of `memory`
    most_bytes_of_all: int = 0  # of `signs`, and of `contents`
    memory: dict[SearchFilters, InMemory] = field(default_factory=dict)
    frequencies: Mapping[str, int] | None = None  # lexeme of the index -> chunks that hold it, with the first words
    shared_positions: frozenset[int] | None = None  # of several lexemes, with the first words
    searches: int = 0  # without filters
    contents: Contents | None = None
    sign_searches: int = 0
    signs: SignTable | None = None
    passages: "dict[SearchFilters, NDArray[np.bool_]]" = field(default_factory=dict)  # of `signs`, that filters pass

    @property
    def size_bytes(self) -> int:
        """Of what is in memory of the legs."""
        return self._lexeme_bytes + sum(kept.size_bytes for kept in list(self.memory.values()))

    @property
    def _lexeme_bytes(self) -> int:
        return LEXEME_BYTES * len(self.frequencies or ())

    @property
    def sign_bytes(self) -> int:
        """Of the signs, and of what says which of these filters let pass."""
        if (signs := self.signs) is None:
            return 0
        return signs.size_bytes + sum(passing.nbytes for passing in list(self.passages.values()))

    def of(self, filters: SearchFilters) -> InMemory:
        """What is in memory of the files that filters let pass."""
        return self.memory.get(filters) or InMemory()

    def keep(self, conn: Connection, target: Target, dimension: int, *, words: bool) -> None:
        """Count a search, and read all that its legs compare when that is worth it.

        Args:
            dimension: of the vectors that it compares; 0 if it compares none.
            words: whether it looks for words.
        """
        uses_signs = not (compares_all(target) or asks_for_definitions(target))
        if dimension and target.chunk_count >= LARGE_MIN_CHUNKS and uses_signs:
            self.sign_searches = searches = self.sign_searches + 1
            after = READ_SIGNS_AFTER if target.chunk_count >= HNSW_MIN_CHUNKS else READ_SIGNS_AFTER_EXACT
            size = target.chunk_count * (dimension // 8 + SIGN_BYTES)
            if searches == after and size <= self.most_bytes_of_all:
                self.signs = read_signs(conn, target, dimension)
        is_filtered = target.filters != SearchFilters()
        chunks = target.passing.chunk_count if is_filtered and target.passing else target.chunk_count
        is_exact = not is_filtered or compares_all(target)
        # Of more than the legs compare at once words alone: too few of the index's candidates may pass.
        if chunks < MIN_CHUNKS or not (is_exact or (target.passing and chunks * _WORDS_BYTES <= self.most_bytes)):
            return
        kept = self.memory.setdefault(target.filters, InMemory())
        if dimension and is_exact:
            kept.vector_searches = searches = kept.vector_searches + 1  # each number comes up, whatever threads do
            after = READ_FILTERED_AFTER if is_filtered else READ_VECTORS_AFTER
            if searches == after and self._has_room(target.filters, kept, chunks * dimension * _VALUE_BYTES):
                kept.vectors = read_vectors(conn, target, dimension)
        if words and not kept.words_were_due:
            kept.word_searches += not is_filtered
            after = READ_FILTERED_WORDS_AFTER if is_filtered else READ_WORDS_AFTER
            kept.words_were_due = kept.word_searches >= after
            if kept.words_were_due and self._has_room(target.filters, kept, chunks * _WORDS_BYTES):
                self._keep_words(conn, target, kept)
        if not is_filtered:
            self.searches = searches = self.searches + 1
            if searches == READ_CONTENTS_AFTER and chunks * PASSAGE_BYTES <= self.most_bytes_of_all:
                self.contents = read_contents(conn, target)

    def _keep_words(self, conn: Connection, target: Target, kept: InMemory) -> None:
        if self.shared_positions is None:
            self.shared_positions = read_shared_positions(conn, target)
        kept.words = read_words(conn, target, self.shared_positions)
        has_room = self.size_bytes + LEXEME_BYTES * MOST_LEXEMES <= self.most_bytes
        if self.frequencies is None and has_room and target.chunk_count < LARGE_MIN_CHUNKS:
            self.frequencies = read_frequencies(conn, target)

    def contents_of(self, target: Target) -> Contents | None:
        """What is in memory of all passages, for a target without filters."""
        return self.contents if target.filters == SearchFilters() else None

    def count_all_scored(self, filters: SearchFilters) -> None:
        """Note that the server scored all that filters let pass for words."""
        if filters != SearchFilters():
            self.memory.setdefault(filters, InMemory()).word_searches += 1

    def _has_room(self, filters: SearchFilters, kept: InMemory, size: int) -> bool:
        """Whether so much more may be kept, be it in place of what other filters let pass."""
        if self.size_bytes + size > self.most_bytes >= self._lexeme_bytes + kept.size_bytes + size:
            self.memory = {filters: kept}
        return self.size_bytes + size <= self.most_bytes

    def narrowed(self, conn: Connection, target: Target) -> Target:
        """The target with the files that its filters let pass, if its statements had better know."""
        filters = target.filters
        try:
            passing = self.passing.pop(filters)
        except KeyError:
            passing = passing_files(conn, target)
        self.passing[filters] = passing  # the latest last
        for oldest in list(self.passing)[:-MAX_FILTERS]:
            for kept in (self.passing, self.memory, self.passages):
                kept.pop(oldest, None)
        narrowed = replace(target, passing=passing)
        signs = self.signs
        if signs and filters not in self.passages and filters != SearchFilters() and not _is_exact(narrowed):
            self.passages[filters] = read_passing(conn, narrowed, signs)
        return narrowed

    def likely(self, target: Target, vector: QueryVector) -> Likely | None:
        """Where the server has the passages that may be nearest; None if it has to find that out itself."""
        signs, filters = self.signs, target.filters
        if signs is None or signs.dimension != vector.dimension or _is_exact(target):
            return None
        passing = self.passages.get(filters)
        if passing is None and filters != SearchFilters():
            return None
        return signs.likely(vector, passing)

    def forget(self, *, tables: bool, signs: bool, contents: bool) -> None:
        """Let go of what is in memory."""
        if contents:
            self.contents = None
        if tables:
            self.memory, self.frequencies, self.shared_positions = {}, None, None
        if signs:
            self.signs, self.passages, self.sign_searches = None, {}, 0


class KnownIndexes:
    """What searches have read, by index and generation; safe for threads."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._known: OrderedDict[tuple[Hashable, int], Known] = OrderedDict()
        self._lock = Lock()

    def of(self, index: Hashable, generation: int) -> Known:
        """What is known of an index as it is in this generation; for the caller to add to."""
        key = index, generation
        with self._lock:
            known = self._known.pop(key, None)
            if known is None:
                known = Known(most_bytes=self._max_bytes // 2, most_bytes_of_all=self._max_bytes)
            if len(known.files) >= MAX_FILES:
                known.files = {}  # another one, for somebody may be reading this
            self._known[key] = known
            while len(self._known) > MAX_INDEXES:
                self._known.popitem(last=False)
            self._forget(key)
            return known

    def _forget(self, latest: tuple[Hashable, int]) -> None:
        """Let go of what is in memory of other generations of an index, and of what was not asked for longest."""
        left = left_of_signs = left_of_contents = self._max_bytes
        for key, known in reversed(self._known.items()):
            is_older = key[0] == latest[0] and key != latest
            left -= known.size_bytes
            left_of_signs -= known.sign_bytes
            left_of_contents -= known.contents.size_bytes if known.contents else 0
            known.forget(
                tables=left < 0 or is_older,
                signs=left_of_signs < 0 or is_older,
                contents=left_of_contents < 0 or is_older,
            )


def _is_exact(target: Target) -> bool:
    """Whether the vector leg compares all passages that the filters let pass, or has to look at definitions."""
    return compares_all(target) or asks_for_definitions(target)


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
