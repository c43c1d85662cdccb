"""Exact parts of the query in the index: quoted phrases, pasted messages, files at a line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cocosearch_py.analysis.words import terms_of
from cocosearch_py.model.search import BeyondEnd, FileLocation, QueryAnalysis
from cocosearch_py.search.locations import best_matches, file_names
from cocosearch_py.search.verbatim import (
    MIN_WORDS,
    WORD,
    Runs,
    has_placeholders,
    is_folded,
    is_in_string,
    is_message,
    telling_runs,
    terms_within,
    without_values,
)
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import passages as store
from cocosearch_py.storage.queries.candidates import inverse_document_frequency, keyword_query
from cocosearch_py.storage.queries.search import IN_ORDER, NOT_ALL, ChunkKey, ScoredChunk, rank_by_keywords
from cocosearch_py.storage.queries.target import Target

MOST_HOLDING = 200  # passages with all quoted phrases
MOST_WORDS = 40  # of a query that may stand somewhere as it is; patterns of more take long
MOST_VERBATIM = 20  # passages with the words of the whole query in order; more say that it is a common turn
READ_PASSAGES = 40  # of the best by keywords, for parts of a message whose values are filled in
LEAST_SHARE = 0.6  # of the query in runs of its words
OUTSIDE_STRINGS = 0.1  # comments and documents describe what strings of the code say
STRENGTH_BY_WORDS = {3: 0.6, 4: 0.8}  # of a message; the fewer there are, the more easily they meet by chance
STRENGTH_OF_PASTED = {3: 0.75}
MANY_WORDS, STRENGTH_OF_MANY = 6, 1.3  # of what was pasted
MOST_RUNS = 2  # of neighbouring words that are looked up, if the first leads nowhere
RUN_ALONE = 0.7  # of passages that hold such a run in a string, and little else of the message
FOUND_MESSAGE = 0.5  # share from which a message is taken to come from a passage
BESIDE_MESSAGE = 0.2  # of passages with a quoted value of a message that comes from somewhere else
WITHOUT_VALUES = 0.9  # of passages with a message but for its values, where others hold it with them
MOST_FILES_PER_LOCATION = 3


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Statistics of the index about the query's terms."""

    known: Mapping[str, tuple[int, int]]  # term -> (position, chunks that hold it)
    idf: dict[int, float]  # position -> IDF, of the terms that rank
    whole: Sequence[str] = ()  # all terms of the words that may stand somewhere in order, if all are known

    def knows(self, terms: Sequence[str]) -> bool:
        """Whether all terms stand somewhere in the index."""
        return all(term in self.known for term in terms)


@dataclass(frozen=True, slots=True)
class ExactText:
    """Passages in which the query, or a part of it, stands.

    `shares`: how much of it, 0..1. `partial`: passages of them that hold a run of its words and little else of it.
    `is_required`: nothing else may answer, because it is most of the query, in quotes.
    """

    shares: Mapping[ChunkKey, float] = field(default_factory=dict)
    partial: frozenset[ChunkKey] = frozenset()
    chunks: Sequence[ScoredChunk] = ()
    is_required: bool = False
    phrases_missing: bool = False

    def chosen(self, keyword: list[ScoredChunk]) -> list[ScoredChunk]:
        """The ranking by keywords with these passages: they alone when the query quotes them."""
        if not self.chunks:
            return [] if self.is_required else keyword
        known = {chunk[:2]: chunk for chunk in keyword}
        held = [known.get(chunk[:2], chunk) for chunk in self.chunks]
        return held if self.is_required else [*keyword, *(chunk for chunk in held if chunk[:2] not in known)]


def words_in_order(analysis: QueryAnalysis) -> list[str]:
    """The words of a query that may stand somewhere as it is; none if they are too few or too many for that."""
    words = WORD.findall(analysis.text)
    return words if MIN_WORDS <= len(words) <= MOST_WORDS else []


def find_exact_text(
    conn: Connection, target: Target, analysis: QueryAnalysis, vocabulary: Vocabulary, keyword: Sequence[ScoredChunk]
) -> ExactText:
    """Passages with the quoted phrases of a query, and with runs of its words, unless it is mainly its phrases."""
    held = _holding(conn, target, analysis.phrases, vocabulary) if analysis.phrases else []
    quoted = ExactText({chunk[:2]: 1.0 for chunk in held}, chunks=held, is_required=bool(held) and analysis.quotes_most)
    if quoted.is_required:
        return quoted
    message = _find_message(conn, target, analysis, vocabulary, keyword)
    if not held:
        return replace(message, phrases_missing=bool(analysis.phrases))
    if max(message.shares.values(), default=0.0) < FOUND_MESSAGE:
        return quoted
    others = [chunk for chunk in held if chunk[:2] not in message.shares]
    shares = {**{chunk[:2]: BESIDE_MESSAGE for chunk in others}, **message.shares}
    return ExactText(shares, message.partial, [*message.chunks, *others])


def _find_message(
    conn: Connection, target: Target, analysis: QueryAnalysis, vocabulary: Vocabulary, keyword: Sequence[ScoredChunk]
) -> ExactText:
    """Passages with all words of the query in order; of a pasted message those it may come from, too.

    Where a message stands with its values filled in, as in a test, is not where it is made.
    """
    if not (words := words_in_order(analysis)):
        return ExactText()
    is_pasted = is_message(analysis.text)
    held = _verbatim(conn, target, words, vocabulary, keyword, is_pasted=is_pasted)
    shares = _shares(conn, target, analysis.text, vocabulary, held, is_pasted=is_pasted)
    message = without_values(analysis.text) if is_pasted else ""
    if len(WORD.findall(message)) < MIN_WORDS or (held and has_placeholders(analysis.text)):
        return ExactText(shares, chunks=held)
    near = [] if held else _near(conn, target, message, analysis, vocabulary, keyword)
    others = {chunk[:2]: chunk for chunk in near if chunk[:2] not in shares}
    most = WITHOUT_VALUES if shares else 1.0
    made = _shares(conn, target, message, vocabulary, list(others.values()))
    partial: set[ChunkKey] = set()
    for run in telling_runs(analysis.text, vocabulary.knows)[:MOST_RUNS]:
        # A run may be too common for the best by keywords; three words say less than what has been found.
        is_found = max([*shares.values(), *made.values()], default=0.0) >= FOUND_MESSAGE
        if len(run) == len(words) or (is_found and len(run) <= MIN_WORDS):
            break
        holding = [chunk for chunk in _holding_run(conn, target, run, vocabulary) if chunk[:2] not in shares]
        others |= {chunk[:2]: chunk for chunk in holding}
        whole = _shares(conn, target, message, vocabulary, holding)
        alone = _shares(conn, target, " ".join(run), vocabulary, holding)
        partial |= alone.keys() - whole.keys()
        for key, share in [*whole.items(), *((key, RUN_ALONE * share) for key, share in alone.items())]:
            made[key] = max(share, made.get(key, 0.0))
        if max(made.values(), default=0.0) >= FOUND_MESSAGE:
            break
    shares |= {key: most * share for key, share in made.items()}
    chunks = [*held, *(chunk for key, chunk in others.items() if key in shares)]
    return ExactText(shares, frozenset(partial), chunks)


def _holding_run(conn: Connection, target: Target, run: Sequence[str], vocabulary: Vocabulary) -> list[ScoredChunk]:
    """Passages that hold neighbouring words of a message in order."""
    return _find_words(conn, target, run, terms_within(" ".join(run)), vocabulary)


def _find_words(
    conn: Connection, target: Target, words: Sequence[str], terms: Sequence[str], vocabulary: Vocabulary
) -> list[ScoredChunk]:
    pattern = store.words_pattern(words)
    return store.find_holding(conn, target, [pattern], terms, vocabulary.idf, limit=MOST_VERBATIM)


def _verbatim(
    conn: Connection,
    target: Target,
    words: Sequence[str],
    vocabulary: Vocabulary,
    keyword: Sequence[ScoredChunk],
    *,
    is_pasted: bool,
) -> list[ScoredChunk]:
    """Passages that hold all words of the query in order, with nothing but punctuation between them.

    They have all its terms, so they lead the ranking by keywords. If all passages that were looked at have all terms,
    there may be more. Passages that repeat a few of them may come before, so pasted text is looked for in the whole
    index.
    """
    if not vocabulary.whole:
        return []
    looked_at = [chunk.words_held for chunk in keyword if chunk.words_held is not None]
    if IN_ORDER in looked_at or (NOT_ALL in looked_at and not is_pasted):
        return [chunk for chunk in keyword if chunk.words_held == IN_ORDER][:MOST_VERBATIM]
    return _find_words(conn, target, words, vocabulary.whole, vocabulary)


def _near(
    conn: Connection,
    target: Target,
    message: str,
    analysis: QueryAnalysis,
    vocabulary: Vocabulary,
    keyword: Sequence[ScoredChunk],
) -> list[ScoredChunk]:
    """Passages that a message may come from: the best by keywords, for the message without its values."""
    if message == analysis.text:
        return list(keyword[:READ_PASSAGES])
    known = {term: vocabulary.known[term] for term in terms_within(message) if term in vocabulary.known}
    known = {term: known[term] for term in analysis.terms if term in known}
    query = keyword_query(known, target.chunk_count, budget=target.limits.budget)
    return rank_by_keywords(conn, target, query, limit=READ_PASSAGES) if query.idf else []


def _holding(conn: Connection, target: Target, phrases: Sequence[str], vocabulary: Vocabulary) -> list[ScoredChunk]:
    """Passages with all phrases: first those whose tokens are whole, then those in which they are cut, then any."""
    patterns = [store.phrase_pattern(phrase, ignore_case=is_folded(phrase)) for phrase in phrases]
    tried: set[tuple[str, ...]] = set()
    for whole in (True, False):
        terms = tuple(dict.fromkeys(term for phrase in phrases for term in terms_within(phrase, whole=whole)))
        if terms in tried or (whole and not vocabulary.knows(terms)):
            continue
        tried.add(terms)
        if held := store.find_holding(conn, target, patterns, terms, vocabulary.idf, limit=MOST_HOLDING):
            return held
    return []


def _shares(
    conn: Connection,
    target: Target,
    message: str,
    vocabulary: Vocabulary,
    chunks: Sequence[ScoredChunk],
    *,
    is_pasted: bool = True,
) -> dict[ChunkKey, float]:
    """How much of a message stands in passages in runs of its words; more when it is in a string of the code."""
    weights: dict[str, float] = {}
    for word in WORD.findall(message.lower()):
        terms = terms_of(word)
        if terms and terms[0] in vocabulary.known:
            weights[word] = inverse_document_frequency(target.chunk_count, vocabulary.known[terms[0]][1])
    if not chunks or not weights:
        return {}
    runs = Runs(message, weights)
    shares = {}
    for file_id, chunk_no, text in store.contents_of(conn, target, [chunk[:2] for chunk in chunks]):
        found = runs.best_match(text)
        if found is not None and found.share >= LEAST_SHARE:
            strength = _strength(found.words, is_pasted=is_pasted)
            shares[file_id, chunk_no] = (
                found.share * strength * (1.0 if is_in_string(text, found.place) else OUTSIDE_STRINGS)
            )
    return shares


def _strength(words: int, *, is_pasted: bool) -> float:
    if not is_pasted:
        return STRENGTH_BY_WORDS.get(words, 1.0)
    return STRENGTH_OF_MANY if words >= MANY_WORDS else STRENGTH_OF_PASTED.get(words, 1.0)


class Located(NamedTuple):
    """The places that a query names, in its order."""

    passages: Sequence[store.Passage] = ()
    beyond_end: tuple[BeyondEnd, ...] = ()


def locate(conn: Connection, target: Target, locations: Sequence[FileLocation]) -> Located:
    """Find the passages at the places that a query names; the file's first passage if it has no such line."""
    ids = store.files_named(conn, target, list(file_names(locations)))
    places: dict[tuple[int, int | None], str] = {}
    for location in locations:
        for path in best_matches(location, list(ids))[:MOST_FILES_PER_LOCATION]:
            places[ids[path], location.line] = path
    if not places:
        return Located()
    found = store.passages_at(conn, target, list(places))
    beyond: list[BeyondEnd] = []
    if None in found:
        whole = store.passages_at(conn, target, [(file_id, None) for file_id, _ in places])
        lengths = store.line_counts(conn, target, [file_id for file_id, _ in places])
        beyond = [
            BeyondEnd(path, line, lengths[file_id])
            for (file_id, line), path in places.items()
            if line is not None and line > lengths.get(file_id, line)
        ]
        found = [exact or instead for exact, instead in zip(found, whole, strict=True)]
    return Located(list(dict.fromkeys(passage for passage in found if passage is not None)), tuple(beyond))
