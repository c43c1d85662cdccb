"""Retrieval: candidates by keywords and by vectors, definitions, and text that stands in the index as in the query."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache

from cocosearch_py.analysis.words import name_key, root, stem, terms_of
from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.search import BeyondEnd, QueryAnalysis, SearchFilters, UnknownName
from cocosearch_py.search.candidates import Evidence, fuse
from cocosearch_py.search.content_classes import DEMOTING, asked_classes
from cocosearch_py.search.exact_text import ExactText, Located, Vocabulary, find_exact_text, locate, words_in_order
from cocosearch_py.search.locations import names_file
from cocosearch_py.search.query import MEMBER_WEIGHT, concept_keys, find_whole_name, identifier_keys
from cocosearch_py.search.setting_answers import find_setting_answers
from cocosearch_py.search.unmatched import find_near_words, find_unknown_name, is_probably
from cocosearch_py.search.unrelated import LEAST_PART, is_unrelated
from cocosearch_py.search.verbatim import terms_within
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.candidates import (
    NO_WEIGHTS,
    KeywordQuery,
    inverse_document_frequency,
    keyword_query,
)
from cocosearch_py.storage.queries.passages import words_pattern
from cocosearch_py.storage.queries.target import Target

KEYWORD_CANDIDATES = 200  # more changes nothing measurable, 100 costs 0.007 NDCG@10
VECTOR_CANDIDATES = 50
OWN_FILES = 10  # candidates that are not demoted; with fewer, retrieval runs once more for these alone

Paths = dict[int, store.FileFacts]  # by file_id
Frequencies = Mapping[str, tuple[int, int]]  # term -> (position, chunks that hold it)
Embed = Callable[[], store.QueryVector | None]


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
class Source:
    """Inputs shared by keyword and vector retrieval."""

    conn: Connection
    target: Target
    embedder: Embedder
    clock: Clock
    narrow: Callable[[Target], Target]  # adds the files that the filters of a target let pass


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Everything that retrieval brought for one query."""

    evidence: Evidence
    weights: store.QueryWeights
    paths: Paths
    phrases_missing: bool = False  # nothing holds the quoted parts of the query
    is_name_unknown: bool = False  # the query is a name that nothing defines or mentions
    unknown_name: UnknownName | None = None  # this name with the nearest ones, where no filters leave names out
    lacks_names: bool = False  # the query names something, if only beside other words, that nothing defines or mentions
    is_quoted: bool = False  # everything found holds the quoted parts of the query
    unanswered: EmbeddingError | None = None  # why the query has no vector, so that words alone found it
    beyond_end: tuple[BeyondEnd, ...] = ()
    is_unrelated: bool = False  # the index has no word of the query, and nothing near in meaning; all else is empty


def retrieve(source: Source, analysis: QueryAnalysis, *, hybrid: bool, vector: bool = True) -> Retrieved:
    """Retrieve by keywords and vectors, or by one of them, with definitions and text that stands as in the query.

    Where demoted files crowd out the project's own, retrieve once more among the latter alone. If the model does not
    answer, words alone do it.

    Raises:
        EmbeddingError: the model does not answer, and words are not asked for.
    """
    failures: list[EmbeddingError] = []

    @cache
    def embed() -> store.QueryVector | None:
        if not vector:
            return None
        try:
            with source.clock.stage("embedding_ms"):
                return store.query_vector(source.embedder.embed_query(analysis.text).tolist())
        except EmbeddingError as error:
            if not hybrid:
                raise
            failures.append(error)
            return None

    found = _retrieve_once(source, analysis, embed, hybrid=hybrid)
    if failures:
        found = replace(found, unanswered=failures[0])
    if hybrid and is_unrelated(analysis, found.evidence, source.embedder) and not _has_roots(source, analysis):
        return _without_answer(source, analysis, found)
    demoted = tuple(one for one in DEMOTING if one not in found.evidence.asked)
    own = sum([file.content_class not in demoted for file in found.paths.values()])
    if own >= OWN_FILES or own == len(found.paths) or analysis.phrases or analysis.locations:
        return found
    filters = source.target.filters
    filters = replace(filters, excluded_content=(*filters.excluded_content, *demoted))
    inner = replace(source, target=source.narrow(source.target.asking(filters)))
    return _joined(found, _retrieve_once(inner, analysis, embed, hybrid=hybrid))


def _has_roots(source: Source, analysis: QueryAnalysis) -> bool:
    """Whether the index has another form of a word of the query: `serialize` for `serializer`."""
    roots = {root(word) for word in analysis.words if len(word) >= LEAST_PART}
    return bool(store.find_frequencies(source.conn, source.target, sorted(roots)))


def _without_answer(source: Source, analysis: QueryAnalysis, found: Retrieved) -> Retrieved:
    near = found.unknown_name
    if near is None and source.target.filters == SearchFilters():
        near = find_near_words(source.conn, source.target, analysis)
    evidence = replace(found.evidence, keyword=[], vector=[], fused=[])
    return replace(found, evidence=evidence, paths={}, unknown_name=near, lacks_names=True, is_unrelated=True)


def _joined(found: Retrieved, more: Retrieved) -> Retrieved:
    old, new = found.evidence, more.evidence
    keyword, vector = _best_first(old.keyword, new.keyword), _best_first(old.vector, new.vector)
    evidence = replace(
        old,
        keyword=keyword,
        vector=vector,
        fused=fuse(keyword, vector),
        definitions=list(dict.fromkeys([*old.definitions, *new.definitions])),
        verbatim={**new.verbatim, **old.verbatim},
        partial=old.partial | (new.partial - old.verbatim.keys()),
    )
    return replace(found, evidence=evidence, paths=found.paths | more.paths)


def _best_first(old: Sequence[store.ScoredChunk], new: Sequence[store.ScoredChunk]) -> list[store.ScoredChunk]:
    return sorted({chunk[:2]: chunk for chunk in (*old, *new)}.values(), key=lambda chunk: -chunk.score)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Passages by keywords and by vectors, and what the index knows of the query's terms."""

    known: Frequencies
    weights: store.QueryWeights
    keyword: list[store.ScoredChunk]
    vector: list[store.ScoredChunk]
    exact: ExactText


def _rank_passages(source: Source, analysis: QueryAnalysis, embed: Embed, *, hybrid: bool) -> _Ranked:
    conn, target, clock = source.conn, source.target, source.clock
    keyword: list[store.ScoredChunk] = []
    exact = ExactText()
    with clock.stage("keyword_search_ms"):
        known, keywords = _find_keywords(source, analysis, hybrid=hybrid)
    vector = embed()
    if hybrid:
        with clock.stage("keyword_search_ms"):
            if keywords.idf:
                keyword = store.rank_by_keywords(conn, target, keywords, limit=KEYWORD_CANDIDATES)
        with clock.stage("verbatim_ms"):
            vocabulary = Vocabulary(known, keywords.idf, keywords.whole)
            exact = find_exact_text(conn, target, analysis, vocabulary, keyword)
            keyword = exact.chosen(keyword)
    with clock.stage("vector_search_ms"):
        nearest = store.rank_by_vector(conn, target, vector, limit=VECTOR_CANDIDATES) if vector else []
        if exact.is_required:
            nearest = [chunk for chunk in nearest if chunk[:2] in exact.shares]
    return _Ranked(known, store.QueryWeights(vector, keywords.idf), keyword, nearest, exact)


def _retrieve_once(source: Source, analysis: QueryAnalysis, embed: Embed, *, hybrid: bool) -> Retrieved:
    conn, target, clock = source.conn, source.target, source.clock
    ranked = _rank_passages(source, analysis, embed, hybrid=hybrid)
    known, exact = ranked.known, ranked.exact
    with clock.stage("rrf_fusion_ms"):
        fused = fuse(ranked.keyword, ranked.vector)
    with clock.stage("definitions_ms"):
        definitions = _find_definitions(source, analysis, ranked.keyword) if hybrid else []
        definitions = [one for one in definitions if not exact.is_required or one[:2] in exact.shares]
    unknown = hybrid and _is_name_unknown(analysis, known, definitions)
    alike, alike_definitions = _find_nearest(source, analysis) if unknown else (None, [])
    definitions = [*definitions, *alike_definitions]
    with clock.stage("settings_ms"):
        placed = {chunk[:2]: chunk.score for chunk in ranked.keyword}
        answers = find_setting_answers(conn, target, analysis, placed) if hybrid else {}
    with clock.stage("files_ms"):
        located, beyond_end = locate(conn, target, analysis.locations) if analysis.locations else Located()
        named = (ranked.keyword, ranked.vector, definitions, located)
        file_ids = {item[0] for items in named for item in items} | answers.keys()
        paths = store.file_paths(conn, target, file_ids) if file_ids else {}
    # What a report says and the code does not tells no files apart; of a question it is what matters.
    words = [word for word in analysis.words if analysis.distilled is None or _frequency(word, known)]
    evidence = Evidence(
        keyword=ranked.keyword,
        vector=ranked.vector,
        definitions=definitions,
        idf_by_word={word: inverse_document_frequency(target.chunk_count, _frequency(word, known)) for word in words},
        largest_idf=inverse_document_frequency(target.chunk_count, 0),
        verbatim=exact.shares,
        partial=exact.partial,
        located=located,
        asked=asked_classes(analysis.words, target.filters),
        fused=fused,
        answers=answers,
        nearest_name=find_whole_name(alike.nearest[0]) if alike and alike_definitions else None,
    )
    return Retrieved(
        evidence,
        ranked.weights,
        paths,
        phrases_missing=exact.phrases_missing,
        is_name_unknown=unknown,
        unknown_name=alike,
        lacks_names=unknown or (hybrid and _lacks_names(analysis, known, definitions, is_located=bool(located))),
        is_quoted=exact.is_required,
        beyond_end=beyond_end,
    )


def _find_keywords(source: Source, analysis: QueryAnalysis, *, hybrid: bool) -> tuple[Frequencies, KeywordQuery]:
    """The query's terms that the index knows, and the keyword query made of them."""
    in_order = words_in_order(analysis) if hybrid else []
    whole = terms_within(" ".join(in_order))
    asked = dict.fromkeys([*analysis.terms, *whole])
    known = store.find_frequencies(source.conn, source.target, list(asked))
    names = tuple((terms_of(name) or (name_key(name),))[0] for name, _ in analysis.identifiers)
    keywords = keyword_query(
        {term: known[term] for term in analysis.terms if term in known},
        source.target.chunk_count,
        names,
        analysis.distilled.weights if analysis.distilled else NO_WEIGHTS,
        source.target.limits.budget,
    )
    if in_order and all([term in known for term in whole]):
        keywords = replace(keywords, whole=whole, words=words_pattern(in_order).text)
    return known, keywords


def _is_name_unknown(analysis: QueryAnalysis, known: Frequencies, definitions: Sequence[store.Definition]) -> bool:
    """Whether the query is a name that nothing defines, and that no text holds as one word."""
    if analysis.whole_name is None or analysis.locations:
        return False
    defined = {definition.name_key for definition in definitions}
    terms = terms_of(analysis.whole_name.spelled)
    return not defined & {key for key, _ in analysis.whole_name.keys} and bool(terms) and terms[0] not in known


def _lacks_names(
    analysis: QueryAnalysis,
    known: Frequencies,
    definitions: Sequence[store.Definition],
    *,
    is_located: bool,
) -> bool:
    """Report whether the query names something, if only beside other words, that nothing defines or mentions.

    Of a dotted name each part counts. Reports, and questions about files that are there, name much that is elsewhere.
    """
    defined = {definition.name_key for definition in definitions}
    whole = analysis.whole_name
    is_defined = whole is not None and name_key(whole.spelled) in defined  # `list.h` may be a name
    if not is_located and not is_defined and any(map(names_file, analysis.locations)):
        return True
    if analysis.distilled or is_located:
        return False
    names = [name for name, weight in analysis.identifiers if whole or weight >= MEMBER_WEIGHT]
    wanted = {term for name in names if name_key(name) not in defined for term in terms_of(name)[:1]}
    return not wanted.intersection(analysis.terms) <= known.keys()


def _find_nearest(source: Source, analysis: QueryAnalysis) -> tuple[UnknownName | None, list[store.Definition]]:
    """The names nearest to the one that the query is, and the definitions of the first of them if it is like that."""
    if analysis.whole_name is None or source.target.filters != SearchFilters():
        return None, []
    near = find_unknown_name(source.conn, source.target, analysis.whole_name.spelled)
    if not near.nearest or not is_probably(near.name, near.nearest[0]):
        return near, []
    return near, store.find_definitions(source.conn, source.target, [name_key(near.nearest[0])], [], [])


def _find_definitions(
    source: Source, analysis: QueryAnalysis, keyword: Sequence[store.ScoredChunk]
) -> list[store.Definition]:
    """Definitions of the query's names."""
    whole = analysis.whole_name.keys if analysis.whole_name else ()
    named = list(dict.fromkeys([*identifier_keys(analysis), *(key for key, _ in whole)]))
    concepts = [key for key in concept_keys(analysis) if key not in named]
    # A chunk that defines a name made of the question's words holds these words: keyword retrieval has its file.
    files = list({chunk.file_id for chunk in keyword})
    found = store.find_definitions(source.conn, source.target, named, concepts, files)
    return found + (store.find_dotted_definitions(source.conn, source.target, whole[-1][0], files) if whole else [])


def _frequency(word: str, known: Frequencies) -> int:
    """Chunks that hold a word, or a name that is spelled so but for its case."""
    return (known.get(stem(word)) or known.get(word) or (0, 0))[1]
