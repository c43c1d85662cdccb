"""What the two legs of the search, and the definitions, bring for one analysed query."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field

from cocosearch_py.analysis.words import name_key, stem, terms_of
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.search import QueryAnalysis
from cocosearch_py.search.query import concept_keys, identifier_keys
from cocosearch_py.search.ranking import Evidence
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.candidates import KeywordQuery, QueryTerm, candidate_queries
from cocosearch_py.storage.queries.target import Target

KEYWORD_CANDIDATES = 200  # more changes nothing measurable, 100 costs .007 NDCG@10
VECTOR_CANDIDATES = 50

Paths = dict[int, tuple[str, str]]  # file_id -> (path, language)
Chunks = list[store.ScoredChunk]
Beside = Callable[[], AbstractContextManager[Connection | None]]  # lends a second connection, if there is one


@dataclass(slots=True)
class Clock:
    """Milliseconds by stage."""

    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.timings[name] = self.timings.get(name, 0.0) + (time.perf_counter() - start) * 1000


@dataclass(frozen=True, slots=True)
class Legs:
    """What the two legs run on."""

    conn: Connection
    beside: Beside | None
    target: Target
    embedder: Embedder
    clock: Clock

    @contextmanager
    def ranking_by_vector(self, vector: store.QueryVector | None) -> Iterator[Callable[[], Chunks]]:
        """Begin the vector leg, beside what is done inside if there is a second connection; the callable waits."""
        if vector is None:
            yield list
            return
        with self.beside() if self.beside else nullcontext() as second:
            if second is None:
                yield lambda: store.rank_by_vector(self.conn, self.target, vector, limit=VECTOR_CANDIDATES)
                return
            with store.ranking_by_vector(second, self.target, vector, limit=VECTOR_CANDIDATES) as ranked:
                yield ranked


@dataclass(frozen=True, slots=True)
class Found:
    """What the legs brought."""

    evidence: Evidence
    legs: store.LegVectors
    paths: Paths


def run_legs(legs: Legs, analysis: QueryAnalysis, *, hybrid: bool) -> Found:
    conn, target, clock = legs.conn, legs.target, legs.clock
    with clock.stage("embedding_ms"):
        vector = store.query_vector(legs.embedder.embed_query(analysis.text).tolist())
    keyword: Chunks = []
    definitions: list[store.Definition] = []
    with legs.ranking_by_vector(vector) as ranked:
        with clock.stage("keyword_search_ms"):
            known = store.document_frequencies(conn, target, analysis.terms)
            keywords = _keyword_query(known, target.chunk_count, analysis)
            if hybrid and keywords.idf:
                keyword = store.rank_by_keywords(conn, target, keywords, limit=KEYWORD_CANDIDATES)
        if hybrid:
            with clock.stage("definitions_ms"):
                whole = analysis.whole_name.keys if analysis.whole_name else ()
                named = list(dict.fromkeys([*identifier_keys(analysis), *(key for key, _ in whole)]))
                concepts = [key for key in concept_keys(analysis) if key not in named]
                # A chunk that defines a name made of the question's words holds these words: the leg has its file.
                files = list({chunk.file_id for chunk in keyword})
                definitions = store.find_definitions(conn, target, named, concepts, files)
                if whole:
                    definitions += store.find_dotted_definitions(conn, target, whole[-1][0], files)
        with clock.stage("vector_search_ms"):
            vectors = ranked()
    with clock.stage("files_ms"):
        found = {chunk.file_id for chunk in keyword} | {chunk.file_id for chunk in vectors}
        found |= {definition.file_id for definition in definitions}
        paths = store.file_paths(conn, target, list(found))
    idf_by_word = {word: _word_idf(word, known, target.chunk_count) for word in analysis.words}
    evidence = Evidence(keyword, vectors, definitions, idf_by_word)
    return Found(evidence, store.LegVectors(vector, keywords.idf), paths)


def inverse_document_frequency(chunks: int, df: int) -> float:
    """BM25's IDF in the form that is never negative."""
    return math.log(1 + (chunks - df + 0.5) / (df + 0.5))


def _word_idf(word: str, known: Mapping[str, tuple[int, int]], chunks: int) -> float:
    return inverse_document_frequency(chunks, known.get(stem(word), (0, 0))[1])


def _keyword_query(known: Mapping[str, tuple[int, int]], chunks: int, analysis: QueryAnalysis) -> KeywordQuery:
    """IDFs of the known terms, and which chunks are worth scoring."""
    terms = [QueryTerm(term, df, inverse_document_frequency(chunks, df)) for term, (_, df) in known.items()]
    idf: dict[int, float] = {}
    for term in terms:
        place = known[term.lexeme][0]
        idf[place] = idf.get(place, 0.0) + term.idf
    identifiers = tuple(terms_of(name)[0] if terms_of(name) else name_key(name) for name, _ in analysis.identifiers)
    return KeywordQuery(idf, candidate_queries(terms, chunks), identifiers)
