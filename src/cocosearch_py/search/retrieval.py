"""What the two legs of the search, and the definitions, bring for one analysed query."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, partial

from cocosearch_py.analysis.words import name_key, root, stem, terms_of
from cocosearch_py.errors import EmbeddingError
from cocosearch_py.model.ports import Embedder
from cocosearch_py.model.search import BeyondEnd, QueryAnalysis, SearchFilters, UnknownName
from cocosearch_py.search.cache import Known
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
from cocosearch_py.storage.lexemes import position
from cocosearch_py.storage.queries import search as store
from cocosearch_py.storage.queries.binary_vectors import ranking_by_signs
from cocosearch_py.storage.queries.candidates import (
    NO_WEIGHTS,
    KeywordQuery,
    inverse_document_frequency,
    keyword_query,
)
from cocosearch_py.storage.queries.contents import Contents
from cocosearch_py.storage.queries.passages import words_pattern
from cocosearch_py.storage.queries.target import Target
from cocosearch_py.storage.queries.vectors import AskedVectors, VectorTable
from cocosearch_py.storage.queries.words import AskedWords, rank_by_words, scores_of

KEYWORD_CANDIDATES = 200  # more changes nothing measurable, 100 costs .007 NDCG@10
VECTOR_CANDIDATES = 50
OWN_FILES = 10  # candidates that are not demoted; with fewer, the legs run once more for these alone

Paths = dict[int, store.FileFacts]  # by file_id
Chunks = list[store.ScoredChunk]
Beside = Callable[[], AbstractContextManager[Connection | None]]  # lends a second connection, if there is one
_scans: ThreadPoolExecutor  # numpy lets others work meanwhile


def _make_threads() -> None:
    global _scans
    _scans = ThreadPoolExecutor(2, thread_name_prefix="vectors")


_make_threads()
if hasattr(os, "register_at_fork"):  # not on Windows; a copy of this process has none of its threads
    os.register_at_fork(after_in_child=_make_threads)


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
    known: Known  # read so far of the index as it is

    @contextmanager
    def ranking_by_vector(
        self, vector: store.QueryVector | None, asked: AskedVectors | None
    ) -> Iterator[tuple[Callable[[], Chunks], bool]]:
        """Begin the vector leg, beside what is done inside if there is a second connection; the callable waits.

        Without one, as the flag says, the callable uses the first, which must not be at work.
        """
        if vector is None:
            yield list, True
            return
        if asked and asked.begun:
            yield partial(asked.nearest, limit=VECTOR_CANDIDATES), True
            return
        if asked:
            near = asked.nearest(limit=VECTOR_CANDIDATES)
            yield lambda: near, True
            return
        ranking = partial(store.ranking_by_vector, target=self.target, vector=vector, limit=VECTOR_CANDIDATES)
        if likely := self.known.likely(self.target, vector):
            ranking = partial(
                ranking_by_signs, target=self.target, likely=likely, vector=vector, limit=VECTOR_CANDIDATES
            )
        with self.beside() if self.beside else nullcontext() as second:
            if second is None:
                yield partial(_waiting, ranking(self.conn)), False
                return
            with ranking(second) as ranked:
                yield ranked, True

    def ranking_by_keywords(
        self, keywords: KeywordQuery, asked: AskedWords | None
    ) -> AbstractContextManager[Callable[[], Chunks]]:
        """Begin the keyword leg; the callable waits. Where the words are in memory, all is done in the callable."""
        conn, target = self.conn, self.target
        if not keywords.idf:
            return nullcontext(list)
        if asked:
            return nullcontext(lambda: rank_by_words(conn, target, asked, limit=KEYWORD_CANDIDATES))
        scores_all = partial(self.known.count_all_scored, target.filters)
        return store.ranking_by_keywords(conn, target, keywords, limit=KEYWORD_CANDIDATES, scores_all=scores_all)


def _waiting(ranking: AbstractContextManager[Callable[[], Chunks]]) -> Chunks:
    with ranking as ranked:
        return ranked()


@dataclass(frozen=True, slots=True)
class Found:
    """What the legs brought."""

    evidence: Evidence
    legs: store.LegVectors
    paths: Paths
    contents: Contents | None  # in memory, of all that may be found
    phrases_missing: bool = False  # nothing holds the quoted parts of the query
    is_name_unknown: bool = False  # the query is a name that nothing defines or mentions
    unknown_name: UnknownName | None = None  # this name with the nearest ones, where no filters leave names out
    lacks_names: bool = False  # the query names something, if only beside other words, that nothing defines or mentions
    is_quoted: bool = False  # everything found holds the quoted parts of the query
    unanswered: EmbeddingError | None = None  # why the query has no vector, so that words alone found it
    beyond_end: tuple[BeyondEnd, ...] = ()
    is_unrelated: bool = False  # the index has no word of the query, and nothing near in meaning; all else is empty


def run_legs(legs: Legs, analysis: QueryAnalysis, *, hybrid: bool, vector: bool = True) -> Found:
    """Both legs, or one, the definitions, and what stands in the code as it stands in the query.

    Where demoted files crowd out the project's own, also what the legs bring of these alone. Without an answer of the
    model, words alone do it.

    Raises:
        EmbeddingError: the model does not answer, and words are not asked for.
    """
    failures: list[EmbeddingError] = []

    @cache
    def embed() -> store.QueryVector | None:
        if not vector:
            return None
        try:
            with legs.clock.stage("embedding_ms"):
                return store.query_vector(legs.embedder.embed_query(analysis.text).tolist())
        except EmbeddingError as error:
            if not hybrid:
                raise
            failures.append(error)
            return None

    found = _run_once(legs, analysis, embed, hybrid=hybrid)
    if failures:
        found = replace(found, unanswered=failures[0])
    if hybrid and is_unrelated(analysis, found.evidence, legs.embedder) and not _has_roots(legs, analysis):
        return _without_answer(legs, analysis, found)
    demoted = tuple(one for one in DEMOTING if one not in found.evidence.asked)
    own = sum([file.content_class not in demoted for file in found.paths.values()])
    if own >= OWN_FILES or own == len(found.paths) or analysis.phrases or analysis.locations:
        return found
    filters = legs.target.filters
    filters = replace(filters, excluded_content=(*filters.excluded_content, *demoted))
    inner = replace(legs, target=legs.known.narrowed(legs.conn, legs.target.asking(filters)))
    return _joined(found, _run_once(inner, analysis, embed, hybrid=hybrid))


def _has_roots(legs: Legs, analysis: QueryAnalysis) -> bool:
    """Whether the index has another form of a word of the query: `serialize` for `serializer`."""
    roots = {root(word) for word in analysis.words if len(word) >= LEAST_PART}
    with _finding_frequencies(legs, sorted(roots)) as found:
        return bool(found())


def _without_answer(legs: Legs, analysis: QueryAnalysis, found: Found) -> Found:
    near = found.unknown_name
    if near is None and legs.target.filters == SearchFilters():
        near = find_near_words(legs.conn, legs.target, analysis, legs.known.contents)
    evidence = replace(found.evidence, keyword=[], vector=[], fused=[])
    return replace(found, evidence=evidence, paths={}, unknown_name=near, lacks_names=True, is_unrelated=True)


def _joined(found: Found, more: Found) -> Found:
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


def _best_first(old: Sequence[store.ScoredChunk], new: Sequence[store.ScoredChunk]) -> Chunks:
    return sorted({chunk[:2]: chunk for chunk in (*old, *new)}.values(), key=lambda chunk: -chunk.score)


def _run_once(
    legs: Legs, analysis: QueryAnalysis, embed: Callable[[], store.QueryVector | None], *, hybrid: bool
) -> Found:
    conn, target, clock, kept = legs.conn, legs.target, legs.clock, legs.known.of(legs.target.filters)
    exact = ExactText()
    with _finding_keywords(legs, analysis, hybrid=hybrid) as looked_up:
        near = _scanning(kept.vectors, embed()) if kept.words else None
        with clock.stage("keyword_search_ms"):
            known, keywords = looked_up()
    contents = legs.known.contents_of(target)
    asked = AskedWords(kept.words, keywords, contents) if kept.words and kept.words.tells(keywords) else None
    # The query is embedded, and the vector leg begun, while the server is at work on the keywords.
    with (
        legs.ranking_by_keywords(keywords, asked) if hybrid else nullcontext(list) as best,
        legs.ranking_by_vector(vector := embed(), near := near or _asked(kept.vectors, vector)) as by_vector,
    ):
        nearest, is_beside = by_vector
        with clock.stage("keyword_search_ms"):
            keyword = best()
        if hybrid:
            with clock.stage("verbatim_ms"):
                vocabulary = Vocabulary(known, keywords.idf, keywords.whole, asked)
                exact = find_exact_text(conn, target, analysis, vocabulary, keyword)
                keyword = exact.chosen(keyword)
        with clock.stage("vector_search_ms"):
            vectors = None if is_beside else nearest()
        # Vectors from beside are read, and the legs fused, while the server looks for definitions.
        with _finding_definitions(legs, analysis, keyword) if hybrid else nullcontext(list) as defined:
            with clock.stage("vector_search_ms"):
                vectors = nearest() if vectors is None else vectors
                if exact.is_required:
                    vectors = [chunk for chunk in vectors if chunk[:2] in exact.shares]
            with clock.stage("rrf_fusion_ms"):
                fused = fuse(keyword, vectors)
            with clock.stage("definitions_ms"):
                definitions = defined()
    definitions = [one for one in definitions if not exact.is_required or one[:2] in exact.shares]
    unknown = hybrid and _is_name_unknown(analysis, known, definitions)
    alike, alike_definitions = _find_nearest(legs, analysis) if unknown else (None, [])
    definitions = [*definitions, *alike_definitions]
    with clock.stage("settings_ms"):
        placed = {chunk[:2]: chunk.score for chunk in keyword}
        answers = find_setting_answers(conn, target, analysis, legs.known, placed) if hybrid else {}
    with clock.stage("files_ms"):
        located, beyond_end = locate(conn, target, analysis.locations) if analysis.locations else Located()
        found = {chunk[0] for leg in (keyword, vectors, definitions, located) for chunk in leg} | answers.keys()
        paths = _paths_of(legs, found)
    # What a report says and the code does not tells no files apart; of a question it is what matters.
    words = [word for word in analysis.words if analysis.distilled is None or _frequency(word, known)]
    idf_by_word = {word: inverse_document_frequency(target.chunk_count, _frequency(word, known)) for word in words}
    asked_for = asked_classes(analysis.words, target.filters)
    evidence = Evidence(
        keyword, vectors, definitions, idf_by_word, inverse_document_frequency(target.chunk_count, 0), exact.shares,
        exact.partial, located, asked_for, fused, answers,
        find_whole_name(alike.nearest[0]) if alike and alike_definitions else None,
    )  # fmt: skip
    vectors_of_legs = store.LegVectors(vector, keywords.idf, _scoring(asked, near, vector))
    lacks = unknown or (hybrid and _lacks_names(analysis, known, definitions, is_located=bool(located)))
    doubts = exact.phrases_missing, unknown, alike, lacks
    return Found(evidence, vectors_of_legs, paths, contents, *doubts, exact.is_required, beyond_end=beyond_end)


def _paths_of(legs: Legs, file_ids: set[int]) -> Paths:
    files = legs.known.files
    if unread := [file_id for file_id in file_ids if file_id not in files]:
        files.update(store.file_paths(legs.conn, legs.target, unread))
    return {file_id: files[file_id] for file_id in file_ids if file_id in files}


@contextmanager
def _finding_keywords(
    legs: Legs, analysis: QueryAnalysis, *, hybrid: bool
) -> Iterator[Callable[[], tuple[dict[str, tuple[int, int]], KeywordQuery]]]:
    """Let the server look the query's terms up; the callable waits for these, and adds the keyword leg's view of it.

    Where their frequencies are in memory, the server is not asked.
    """
    in_order = words_in_order(analysis) if hybrid else []
    whole = terms_within(" ".join(in_order))
    asked = dict.fromkeys([*analysis.terms, *whole])
    with _finding_frequencies(legs, list(asked)) as found:

        def keywords() -> tuple[dict[str, tuple[int, int]], KeywordQuery]:
            known = found()
            return known, _keyword_query(analysis, legs.target, known, in_order, whole)

        yield keywords


def _finding_frequencies(
    legs: Legs, terms: Sequence[str]
) -> AbstractContextManager[Callable[[], dict[str, tuple[int, int]]]]:
    frequencies = legs.known.frequencies
    if frequencies is None:
        return store.finding_frequencies(legs.conn, legs.target, terms)
    known = {term: (position(term), frequencies[term]) for term in terms if term in frequencies}
    return nullcontext(lambda: known)


def _asked(table: VectorTable | None, vector: store.QueryVector | None) -> AskedVectors | None:
    """What the vectors in memory tell of a question; None where there are none, or it has none."""
    return AskedVectors(table, vector) if table and vector else None


def _scanning(table: VectorTable | None, vector: store.QueryVector | None) -> AskedVectors | None:
    """The same, scored by a thread meanwhile: the server will not be at work on words that are in memory."""
    if (near := _asked(table, vector)) is None:
        return None
    scan = _scans.submit(near.score)
    time.sleep(0)  # else it would not begin before this thread waits for something
    return replace(near, begun=scan.result)


def _scoring(
    asked: AskedWords | None, near: AskedVectors | None, vector: store.QueryVector | None
) -> Callable[[Sequence[store.ChunkKey]], list[store.LegScores] | None] | None:
    """What `LegVectors` calls `scores`; None where the server has to tell."""
    if asked is None or (vector and near is None):
        return None

    def scores(keys: Sequence[store.ChunkKey]) -> list[store.LegScores] | None:
        told = scores_of(asked, keys)
        if None in told:
            return None
        return list(map(store.LegScores, scores_of(near, keys) if near else [None] * len(keys), told))

    return scores


def _keyword_query(
    analysis: QueryAnalysis,
    target: Target,
    known: Mapping[str, tuple[int, int]],
    in_order: Sequence[str],
    whole: tuple[str, ...],
) -> KeywordQuery:
    names = tuple((terms_of(name) or (name_key(name),))[0] for name, _ in analysis.identifiers)
    asked_known = {term: known[term] for term in analysis.terms if term in known}
    weights = analysis.distilled.weights if analysis.distilled else NO_WEIGHTS
    keywords = keyword_query(asked_known, target.chunk_count, names, weights)
    may_stand = in_order and all([term in known for term in whole])
    return replace(
        keywords,
        positions={term: place for term, (place, _) in known.items()},
        whole=whole if may_stand else (),
        words=words_pattern(in_order).text if may_stand else "",
    )


def _is_name_unknown(
    analysis: QueryAnalysis, known: Mapping[str, tuple[int, int]], definitions: Sequence[store.Definition]
) -> bool:
    """Whether the query is a name that nothing defines, and that no text holds as one word."""
    if analysis.whole_name is None or analysis.locations:
        return False
    defined = {definition.name_key for definition in definitions}
    terms = terms_of(analysis.whole_name.spelled)
    return not defined & {key for key, _ in analysis.whole_name.keys} and bool(terms) and terms[0] not in known


def _lacks_names(
    analysis: QueryAnalysis,
    known: Mapping[str, tuple[int, int]],
    definitions: Sequence[store.Definition],
    *,
    is_located: bool,
) -> bool:
    """The same of any word of a question that is written like a name, or of all the files that it names.

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


def _find_nearest(legs: Legs, analysis: QueryAnalysis) -> tuple[UnknownName | None, list[store.Definition]]:
    """The names nearest to the one that the query is, and the definitions of the first of them if it is like that."""
    if analysis.whole_name is None or legs.target.filters != SearchFilters():
        return None, []
    contents = legs.known.contents
    near = find_unknown_name(legs.conn, legs.target, analysis.whole_name.spelled, contents)
    if not near.nearest or not is_probably(near.name, near.nearest[0]):
        return near, []
    with _finding_keys(legs, [name_key(near.nearest[0])], [], []) as found:
        return near, found()


@contextmanager
def _finding_definitions(
    legs: Legs, analysis: QueryAnalysis, keyword: Chunks
) -> Iterator[Callable[[], list[store.Definition]]]:
    """Let the server look for definitions of the query's names; the callable waits for them."""
    whole = analysis.whole_name.keys if analysis.whole_name else ()
    named = list(dict.fromkeys([*identifier_keys(analysis), *(key for key, _ in whole)]))
    concepts = [key for key in concept_keys(analysis) if key not in named]
    # A chunk that defines a name made of the question's words holds these words: the leg has its file.
    files = list({chunk.file_id for chunk in keyword})
    with _finding_keys(legs, named, concepts, files) as found:

        def definitions() -> list[store.Definition]:
            return found() + (_find_dotted(legs, whole[-1][0], files) if whole else [])

        yield definitions


def _finding_keys(
    legs: Legs, named: Sequence[str], others: Sequence[str], file_ids: Sequence[int]
) -> AbstractContextManager[Callable[[], list[store.Definition]]]:
    """Let the server look for definitions, unless they are in memory; see `store.finding_definitions`."""
    if contents := legs.known.contents_of(legs.target):
        with legs.clock.stage("definitions_ms"):
            found = contents.find_definitions(named, others, file_ids)  # while a thread scores vectors
        return nullcontext(lambda: found)
    return store.finding_definitions(legs.conn, legs.target, named, others, file_ids)


def _find_dotted(legs: Legs, key: str, file_ids: Sequence[int]) -> list[store.Definition]:
    if contents := legs.known.contents_of(legs.target):
        return contents.find_dotted_definitions(key, file_ids)
    return store.find_dotted_definitions(legs.conn, legs.target, key, file_ids)


def _frequency(word: str, known: Mapping[str, tuple[int, int]]) -> int:
    """Chunks that hold a word, or a name that is spelled so but for its case."""
    return (known.get(stem(word)) or known.get(word) or (0, 0))[1]
