"""The weights of words in memory: the keyword leg without the server, where many questions are asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import psycopg

from cocosearch_py.storage.queries.candidates import KeywordQuery
from cocosearch_py.storage.queries.contents import Contents
from cocosearch_py.storage.queries.passages import Pattern
from cocosearch_py.storage.queries.search import (
    ALL,
    IN_ORDER,
    NOT_ALL,
    READ_CHUNKS,
    ChunkKey,
    ScoredChunk,
    as_chunk,
    chosen_candidates,
    enough_candidates,
)
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement
from cocosearch_py.storage.queries.vectors import AskedVectors, rows_of
from cocosearch_py.storage.statements import run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEAD = 3  # numbers of 32 bits that pgvector sends before the positions and the values of a sparse vector
_POSITION_BITS = 32  # of a number that has a position above and a place below
MOST_LEXEMES = 50_000  # whose frequencies are kept; an index of 11,000 passages has 20,000
LEXEME_BYTES = 150  # of a lexeme with its frequency, about


@dataclass(frozen=True, slots=True, eq=False)
class WordTable:
    """Which passages hold which words with which weights, as one snapshot has them; nothing changes it.

    Passages are in the order of file and number, those of a word in the same order.
    """

    file_ids: "NDArray[np.int64]"
    chunk_nos: "NDArray[np.int64]"
    positions: "NDArray[np.int64]"  # of the words in the sparse vectors, ascending
    starts: "NDArray[np.int64]"  # words + 1: where the passages of each begin in the two that follow
    rows: "NDArray[np.int32]"
    weights: "NDArray[np.float32]"
    shared: frozenset[int]  # positions that several words have, which alone do not tell what a passage holds

    @property
    def size_bytes(self) -> int:
        arrays = (self.file_ids, self.chunk_nos, self.positions, self.starts, self.rows, self.weights)
        return sum(int(one.nbytes) for one in arrays)

    def tells(self, query: KeywordQuery) -> bool:
        """Whether the positions of a query's words say which passages hold them, and each counts."""
        return self.shared.isdisjoint(query.positions.values()) and all(idf > 0 for idf in query.idf.values())

    def postings(self, position: int) -> slice:
        """Where `rows` and `weights` have the passages with a word."""
        place = int(self.positions.searchsorted(position))
        if place == len(self.positions) or self.positions[place] != position:
            return slice(0, 0)
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    def scores(self, query: KeywordQuery) -> "NDArray[np.float32]":
        """The BM25F score of each passage, summed up in the order of the server and rounded as its processor does."""
        import numpy as np

        scores = np.zeros(len(self.file_ids), np.float32)
        for position in sorted(query.idf):
            found = self.postings(position)
            rows, idf = self.rows[found], float(np.float32(f"{query.idf[position]:.6g}"))
            scores[rows] = scores[rows] + self.weights[found] * np.float64(idf)  # multiplied, added, then rounded
        return scores

    def reaching(self, query: KeywordQuery, sums: Sequence[float]) -> "list[NDArray[np.bool_]]":
        """For each sum of IDFs whether each passage reaches it with the leading terms that it holds.

        One that holds none of the walked ones has 0.
        """
        import numpy as np

        if not sums:
            return []
        held = np.zeros(len(self.file_ids), np.uint8)
        totals = [0.0]  # by which of the terms are held
        for number, term in enumerate(query.leading):
            held[self.rows[self.postings(query.positions[term.lexeme])]] |= np.uint8(1 << number)
            totals += [total + term.idf for total in totals]
        walked = np.arange(len(totals)) & ((1 << query.walked) - 1)
        reached = np.where(walked, totals, 0.0)
        return [(reached >= least)[held] for least in sums]

    def holding(self, lexeme: str, query: KeywordQuery, rows: "NDArray[np.int64]") -> "NDArray[np.bool_]":
        """Whether each of some passages holds a word."""
        import numpy as np

        having = self.rows[self.postings(query.positions[lexeme])] if lexeme in query.positions else self.rows[:0]
        if not len(having):
            return np.zeros(len(rows), np.bool_)
        places = having.searchsorted(rows)
        places[places == len(having)] = 0
        found: NDArray[np.bool_] = having[places] == rows
        return found


@dataclass(frozen=True, eq=False)
class AskedWords:
    """The words in memory and a query of which they `tell`; passages are scored once, when that is first asked for.

    `contents`: the texts of all passages, if they are in memory, too.
    """

    table: WordTable
    query: KeywordQuery
    contents: Contents | None = None

    @cached_property
    def scores(self) -> "NDArray[np.float32]":
        return self.table.scores(self.query)


def scores_of(asked: AskedWords | AskedVectors, keys: Sequence[ChunkKey]) -> list[float | None]:
    """The score of each of some passages; None for one that is not there."""
    rows = rows_of(keys, asked.table.file_ids, asked.table.chunk_nos)
    scores = asked.scores[rows].tolist()
    return [None if row < 0 else score for row, score in zip(rows.tolist(), scores, strict=True)]


def rank_by_words(conn: psycopg.Connection, target: Target, asked: AskedWords, *, limit: int) -> list[ScoredChunk]:
    """What `rank_by_keywords` gives, of the same passages; the server is asked for the text of those with all words.

    Args:
        asked: the words of all passages, or of those of the files that the filters let pass.
    """
    table, query, scores = asked.table, asked.query, asked.scores
    *some, _ = chosen_candidates(target, (*query.sums, 0.0))
    chosen = [*table.reaching(query, some), scores > 0]
    for passages, enough in zip(chosen, enough_candidates(limit), strict=False):
        best = _first(scores, passages, limit)
        if len(best) >= enough:
            break
    told = [table.holding(lexeme, query, best).tolist() for lexeme in query.identifiers]
    holds = ["".join(["01"[one] for one in ones]) for ones in zip(*told, strict=True)] if told else [""] * len(best)
    files, numbers = table.file_ids[best].tolist(), table.chunk_nos[best].tolist()
    held = _words_held(conn, target, asked, best[:READ_CHUNKS], list(zip(files, numbers, strict=True)))
    held += [None] * (len(best) - len(held))
    return list(map(as_chunk, zip(files, numbers, scores[best].tolist(), holds, held, strict=True)))


def find_words(asked: AskedWords, words: Pattern, terms: Sequence[str], *, limit: int) -> list[ScoredChunk] | None:
    """What `passages.find_holding` gives for a `words_pattern`; None where the server has to tell."""
    table, query = asked.table, asked.query
    if asked.contents is None or not terms or not all([term in query.positions for term in terms]):
        return None
    rarest = min([table.postings(query.positions[term]) for term in terms], key=lambda found: found.stop - found.start)
    rows: NDArray[np.int64] = table.rows[rarest].astype("i8")
    for term in terms:
        rows = rows[table.holding(term, query, rows)]
    keys = list(zip(table.file_ids[rows].tolist(), table.chunk_nos[rows].tolist(), strict=True))
    if (matching := asked.contents.matching(keys, words.text)) is None:
        return None
    scores = dict(zip(keys, asked.scores[rows].tolist(), strict=True))
    found = [ScoredChunk(*key, scores[key]) for key in sorted(matching)]
    return sorted(found, key=lambda chunk: -chunk.score)[:limit]


def _first(scores: "NDArray[np.float32]", chosen: "NDArray[np.bool_]", limit: int) -> "NDArray[np.int64]":
    """The numbers of the chosen passages with the highest scores, the first of equal ones first."""
    import numpy as np

    rows = np.flatnonzero(chosen)
    falling = -scores[rows]
    if len(rows) > limit:
        kept = falling <= np.partition(falling, limit - 1)[limit - 1]
        rows, falling = rows[kept], falling[kept]
    return rows[np.argsort(falling, kind="stable")[:limit]]


def _words_held(
    conn: psycopg.Connection,
    target: Target,
    asked: AskedWords,
    rows: "NDArray[np.int64]",
    keys: Sequence[ChunkKey],
) -> list[int | None]:
    """`ScoredChunk.words_held` of the first passages."""
    table, query = asked.table, asked.query
    if not query.whole:
        return [None] * len(rows)
    left = rows
    for lexeme in query.whole:
        left = left[table.holding(lexeme, query, left)]
        if not len(left):
            return [NOT_ALL] * len(rows)
    has_all = set(left.tolist())
    with_all = {key for key, row in zip(keys, rows.tolist(), strict=False) if row in has_all}
    in_order = asked.contents.matching(sorted(with_all), query.words) if asked.contents else None
    if in_order is None:
        in_order = _matching(conn, target, sorted(with_all), query.words)
    return [(IN_ORDER if key in in_order else ALL) if key in with_all else NOT_ALL for key in keys[: len(rows)]]


def _matching(conn: psycopg.Connection, target: Target, keys: Sequence[ChunkKey], pattern: str) -> list[ChunkKey]:
    """The passages whose text matches a regular expression, in any case."""
    query = statement(
        "SELECT file_id, chunk_no FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS w(file_id, chunk_no) "
        "JOIN {chunks} c USING (file_id, chunk_no) WHERE content ~* %(words)s",
        target,
    )
    files, numbers = zip(*keys, strict=True)
    values = {"files": int_array(files), "numbers": int_array(numbers), "words": pattern, **parameters(target)}
    return [(file_id, chunk_no) for file_id, chunk_no in run(conn, query, values)]


def read_words(conn: psycopg.Connection, target: Target, shared: frozenset[int]) -> WordTable | None:
    """The words of all passages that the filters let pass; None without any. `shared`: see `read_shared_positions`."""
    import numpy as np

    query = statement(
        "SELECT string_agg(int8send(file_id), ''::bytea), string_agg(int8send(chunk_no), ''::bytea), "
        "string_agg(int4send(octet_length(sent)), ''::bytea), string_agg(sent, ''::bytea) FROM ("
        "SELECT file_id, chunk_no, sparsevec_send(weights) AS sent FROM {keywords} k WHERE true {restriction} "
        "ORDER BY file_id, chunk_no) k",
        target,
    )
    [(file_ids, chunk_nos, lengths, sent)] = run(conn, query, parameters(target), prepare=False)
    if not file_ids:
        return None
    files, chunks = (np.frombuffer(part, ">i8").astype(np.int64) for part in (file_ids, chunk_nos))
    ends = np.cumsum(np.frombuffer(lengths, ">i4").astype(np.int64) // 4)
    numbers = np.frombuffer(sent, ">i4").astype(np.int32)
    begins = np.concatenate([[0], ends[:-1]])
    counts = numbers[begins + 1].astype(np.int64)
    held = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    places = np.arange(len(held)) + (begins + _HEAD - np.cumsum(counts) + counts)[held]
    # Sorted as one number each, which numpy does many times as fast as by two keys.
    keys = numbers[places].astype(np.int64) << _POSITION_BITS | np.arange(len(held))
    keys.sort()
    order = keys & (2**_POSITION_BITS - 1)
    rows = held[order]
    weights = numbers[places[order] + counts[rows]].view(np.float32)
    keys >>= _POSITION_BITS
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    starts = np.concatenate([firsts, [len(keys)]])
    return WordTable(files, chunks, keys[firsts], starts, rows, weights, shared)


def read_frequencies(conn: psycopg.Connection, target: Target) -> dict[str, int] | None:
    """How many chunks of an index hold each of its lexemes; None where it has very many of them."""
    import numpy as np

    query = statement(
        "SELECT string_agg(lexeme, chr(10)), string_agg(int4send(df), ''::bytea) FROM {lexemes} l "
        "HAVING count(*) BETWEEN 1 AND %(most)s",
        target,
    )
    for lexemes, sent in run(conn, query, {"most": MOST_LEXEMES, **parameters(target)}, prepare=False):
        return dict(zip(lexemes.split("\n"), np.frombuffer(sent, ">i4").tolist(), strict=True))
    return None


def read_shared_positions(conn: psycopg.Connection, target: Target) -> frozenset[int]:
    """The positions of several words of an index; numpy finds them in a tenth of the server's time."""
    import numpy as np

    query = statement("SELECT string_agg(int4send(position), ''::bytea) FROM {lexemes} l", target)
    [(sent,)] = run(conn, query, parameters(target), prepare=False)
    positions = np.sort(np.frombuffer(sent or b"", ">i4").astype(np.int32))
    return frozenset(positions[1:][positions[1:] == positions[:-1]].tolist())
