"""The search of one database, under one folder's settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from cocosearch_py.embedding.none import NoEmbedder, Unanswering
from cocosearch_py.errors import EmbeddingError, RefusedTextsError, SchemaOutdatedError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.search import SearchFilters, SearchReport, SearchRequest
from cocosearch_py.model.texts import TextReport, TextRequest
from cocosearch_py.search.cache import SearchCaches
from cocosearch_py.search.explain import explain_path
from cocosearch_py.search.pipeline import run_search
from cocosearch_py.search.text import search_text
from cocosearch_py.search.unmatched import explain_filters
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import require, require_same
from cocosearch_py.storage.queries.target import DEFAULT_LIMITS, SearchLimits, Target
from cocosearch_py.storage.server.database import Database


@dataclass(frozen=True, slots=True)
class SearchService:
    """Answers requests; safe for threads.

    `embedder` is called when the first question is asked. `weights` lie over those of an index.
    """

    database: Database
    embedder: Callable[[], Embedder]
    weights: Mapping[str, float] = field(default_factory=dict)
    caches: SearchCaches = field(default_factory=SearchCaches)
    limits: SearchLimits = DEFAULT_LIMITS

    def search(
        self, request: SearchRequest, index_name: str, *, use_cache: bool = False
    ) -> tuple[IndexRecord, SearchReport]:
        """Search one index; with `use_cache` the report may be that of an equal request since the index changed.

        Where the model does not answer, words alone do, unless the request wants meaning alone.

        Raises:
            IndexNotFoundError, ValidationError, EmbeddingError.
        """
        try:
            return self.database.read(lambda conn: self._search(conn, request, index_name, use_cache=use_cache))
        except SchemaOutdatedError:
            self.database.read(lambda conn: self.searchable(conn, index_name))  # raises if it was deleted meanwhile
            raise

    def search_text(self, request: TextRequest, record: IndexRecord) -> TextReport:
        """The lines of an index that match; raises IndexNotFoundError, also when another folder has the name now."""
        return self.database.read(lambda conn: self._search_text(conn, request, record))

    def explain_path(self, record: IndexRecord, report: SearchReport, path: str) -> dict[str, object]:
        """Why a file is, or is not, among the answers of a search; see `search.explain`."""
        return self.database.read(lambda conn: explain_path(conn, require(conn, record.name), report, path))

    def explain_filters(self, filters: SearchFilters, record: IndexRecord) -> tuple[str, ...]:
        """Sentences that say which filters let nothing of an index pass; none if something does."""

        def look(conn: Connection) -> tuple[str, ...]:
            current = require_same(conn, record)
            return explain_filters(conn, Target(current.index_id, current.chunk_count, filters))

        return self.database.read(look)

    def searchable(self, conn: Connection, name: str) -> IndexRecord:
        """The index with the weights of the settings; raises IndexNotFoundError."""
        record = require(conn, name)
        if self.weights:
            record = replace(record, weights={**(record.weights or {}), **self.weights})
        return record

    def model_of(self, record: IndexRecord) -> tuple[Embedder, str | None]:
        """Return the model for questions to an index, and why it finds nothing by meaning, if it cannot."""
        if not record.has_vectors:
            return NoEmbedder(), "has no vectors (features.vector)"
        if (model := self.embedder()).name != record.embedding_model:
            return NoEmbedder(), f"was built with model {record.embedding_model}, not {model.name}"
        if model.dimension != record.embedding_dimension:
            told = f"has vectors of {record.embedding_dimension} values, but {model.name} makes {model.dimension}"
            return NoEmbedder(), told
        return model, None

    def _model_now(self, record: IndexRecord) -> tuple[Embedder, str | None]:
        """Return what `model_of` does, with a substitute for a model that does not answer."""
        if record.has_vectors and (error := self.caches.outage.now()) is not None:
            return Unanswering(error), None
        try:
            return self.model_of(record)
        except EmbeddingError as error:
            self.caches.outage.begin(error)
            return Unanswering(error), None

    def _remember(self, model: Embedder, error: EmbeddingError) -> None:
        """Begin an outage, unless one goes on, or the question alone was refused: that error may quote it."""
        if not isinstance(model, Unanswering) and not isinstance(error, RefusedTextsError):
            self.caches.outage.begin(error)

    def _search_text(self, conn: Connection, request: TextRequest, record: IndexRecord) -> TextReport:
        return search_text(request, require_same(conn, record), conn)

    def _search(
        self, conn: Connection, request: SearchRequest, index_name: str, *, use_cache: bool
    ) -> tuple[IndexRecord, SearchReport]:
        record = self.searchable(conn, index_name)
        key = self.caches.answer_key(record, request)
        if use_cache and (known := self.caches.answers.get(key)) is not None:
            return record, known
        model, why = self._model_now(record)
        if why:  # words alone answer, also where the request wants meaning alone
            request = replace(request, use_hybrid=None, vector=False, min_score=0.0)
        try:
            report = run_search(request, record, conn, model, self.limits, self.caches)
        except EmbeddingError as error:
            self._remember(model, error)
            raise
        if why:
            report = replace(report, mode_reason=f"The index {why}", words_only=why)
        if report.unanswered is not None:
            self._remember(model, report.unanswered)
        if use_cache and report.unanswered is None:
            self.caches.answers.put(key, report)
        return record, report
