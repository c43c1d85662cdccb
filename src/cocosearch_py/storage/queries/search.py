"""Statements of the search: document frequencies, rankings by keywords and by vectors, definitions, files.

All read the rows of one index directly (`places.rows_of`), inside the caller's snapshot. Scores are computed by
PostgreSQL; what they mean together is decided in `search`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain, repeat
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.lexemes import LEXEME_SPACE
from cocosearch_py.storage.queries.candidates import Condition, KeywordQuery, all_of, any_of
from cocosearch_py.storage.queries.globs import glob_pattern
from cocosearch_py.storage.queries.target import (
    PassingFiles,
    Target,
    asks_for_files,
    int_array,
    parameters,
    statement,
    text_array,
)
from cocosearch_py.storage.schema.partitions import leaf
from cocosearch_py.storage.schema.registry import part_condition
from cocosearch_py.storage.statements import Rows, run

MAX_DEFINITIONS = 300  # a name that more places define says little about which one is meant
READ_CHUNKS = 50  # of the keyword ranking: a chunk with all words of a query leads it
# Rows that each part of HNSW yields for a row wanted; the dead ones of replaced files are among them. With filters:
# enough where a tenth of the chunks passes. An exact scan of fewer takes as long as a wider HNSW search.
_VISITED, _VISITED_FILTERED = 6, 12
_MAX_VISITED = 1_000  # pgvector's limit on hnsw.ef_search
# Share of the limit that is enough of HNSW with filters. Those that fewer pass are so few that all are compared.
_ENOUGH_FILTERED = 0.5
_MOST_PASSING = 20_000  # files; more are told apart row by row

ChunkKey = tuple[int, int]  # (file_id, chunk_no)


NOT_ALL, ALL, IN_ORDER = 0, 1, 2  # values of `ScoredChunk.words_held`


# Named tuples where a search makes hundreds: a frozen dataclass takes five times as long to fill.
class ScoredChunk(NamedTuple):
    """A candidate of one ranking; `holds` has a digit for each wanted identifier, 1 if the chunk has it.

    `words_held`: of the query's words not all, all, or all in order; None where that was not looked at.
    """

    file_id: int
    chunk_no: int
    score: float
    holds: str = ""
    words_held: int | None = None


_as_chunk = partial(tuple.__new__, ScoredChunk)  # of a row with all its columns; a fifth of the time of the class


class FileFacts(NamedTuple):
    """Columns of a file's row that the ranking reads; `content_class` is empty until a run has set it."""

    path: str
    language_id: str
    content_class: str = ""


class Definition(NamedTuple):
    """A definition whose name the query mentions."""

    file_id: int
    chunk_no: int
    symbol_no: int
    name_key: str
    name: str
    kind: str
    nested: bool
    function_depth: int
    start_line: int
    end_line: int
    qualified_name: str = ""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """An embedding."""

    values: tuple[float, ...]

    @property
    def text(self) -> str:
        """Return the vector in the form that pgvector reads."""
        # Nine digits tell all 32-bit floats apart, and are found three times as fast as those of a 64-bit one.
        return "[" + ",".join(["%.9g"] * len(self.values)) % self.values + "]"

    @property
    def dimension(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class QueryWeights:
    """The query as both rankings read it: an embedding, and position -> inverse document frequency."""

    vector: QueryVector | None
    idf: dict[int, float]


def query_vector(values: Sequence[float]) -> QueryVector | None:
    """The embedding of a query; None for zeros, which are like nothing."""
    return QueryVector(tuple(values)) if any(values) else None


def find_frequencies(conn: psycopg.Connection, target: Target, terms: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Terms that the index knows -> (position in the weight vectors, chunks that hold the term)."""
    query = statement("SELECT lexeme, position, df FROM {lexemes} l WHERE lexeme = ANY(%(terms)s::text[])", target)
    rows = run(conn, query, {"terms": text_array(terms), **parameters(target)})
    return {lexeme: (position, df) for lexeme, position, df in rows}


def sparse_literal(weights: dict[int, float]) -> str:
    """Text form of a sparse vector for pgvector; its positions count from 1."""
    inside = ",".join(f"{position + 1}:{weights[position]:.6g}" for position in sorted(weights))
    return f"{{{inside}}}/{LEXEME_SPACE}"


# What stands outside the inner query is computed for its few rows, not for every candidate. Their terms are looked up
# again by place: the sort would copy those of all candidates.
_BEST: LiteralString = (
    "SELECT file_id, chunk_no, -distance, CASE WHEN %(identifiers)s::tsquery[] = '{{}}' THEN '' ELSE "
    "(SELECT string_agg((terms @@ q)::int::text, '') FROM {keywords_leaf} w, unnest(%(identifiers)s::tsquery[]) q "
    "WHERE w.ctid = place) END, "
    "CASE WHEN %(whole)s::tsquery IS NULL OR row_number() OVER () > %(read)s THEN NULL ELSE "
    "(SELECT CASE WHEN NOT terms @@ %(whole)s::tsquery THEN 0 WHEN (SELECT content ~* %(words)s FROM {chunks} c "
    "WHERE c.file_id = best.file_id AND c.chunk_no = best.chunk_no) THEN 2 ELSE 1 END "
    "FROM {keywords_leaf} w WHERE w.ctid = place) END FROM ("
)
_SCORED: LiteralString = (
    "SELECT ctid AS place, index_id, file_id, chunk_no, weights <#> %(idf)s::sparsevec AS distance "
    "FROM {keywords_leaf} k WHERE index_id = %(index_id)s "
)
_CANDIDATES: LiteralString = "AND terms @@ ANY(%(candidates)s::tsquery[]) "
_IN_ORDER: LiteralString = " ORDER BY distance, file_id, chunk_no "
_BEST_FIRST: LiteralString = _IN_ORDER + "LIMIT %(limit)s) best"
# To look up a candidate's file takes four times as long as to score it: from the best on, until enough of them pass.
_AMONG: LiteralString = "SELECT * FROM ("
_PASSING_IN_TURN: LiteralString = "OFFSET 0) k WHERE true {restriction_by_row}"
_BEST_OF_SOME: LiteralString = _BEST + _AMONG + _SCORED + _CANDIDATES + _IN_ORDER + _PASSING_IN_TURN + _BEST_FIRST
_BEST_OF_ALL: LiteralString = _BEST + _SCORED + _CANDIDATES + "{restriction_of_all}" + _BEST_FIRST
# All chunks of the files: that one has none of the words is seen by its score, for less than by its terms. The planner
# cannot look through GIN, once for each file that it takes a pattern of paths to let pass: seconds.
_BEST_IN_FILES: LiteralString = _BEST + _SCORED + "{restriction}" + _BEST_FIRST + " WHERE distance < 0"


def _worth_preparing(target: Target) -> bool:
    """Not where the best plan depends on how many files the filters let pass: one for all would be bad for most."""
    return not (asks_for_files(target) and target.is_large)


def with_passing_files(conn: psycopg.Connection, target: Target) -> Target:
    """The target with the files that its filters let pass, if its statements had better know: not all or most."""
    if _worth_preparing(target):
        return target
    query = statement(
        "SELECT CASE WHEN count(*) <= %(most)s THEN coalesce(array_agg(file_id), '{{}}')::text END, "
        "coalesce(sum(chunk_count), 0)::bigint FROM {files} f WHERE chunk_count > 0 AND {of_file}",
        target,
    )
    values = {"most": _MOST_PASSING, **parameters(target)}
    [(ids, chunk_count)] = run(conn, query, values, prepare=False)
    return target if ids is None else replace(target, passing=PassingFiles(ids, chunk_count))


def compares_all(target: Target) -> bool:
    """Whether filters let so few chunks pass that both rankings compare all of these."""
    limits = target.limits
    most = max(limits.compared_chunks, limits.compared_share * target.chunk_count)
    return target.passing is not None and target.passing.chunk_count <= most


def _chosen_candidates(target: Target, candidates: Sequence[Condition]) -> list[Condition]:
    """The candidates of a keyword query to try in turn; the last are all with any of its terms."""
    *some, all_with_any = candidates
    if asks_for_files(target):
        # Filters that let too few of those pass let few pass of all: these are scored at once.
        del some[0 if compares_all(target) else 1 :]
    return [*some, all_with_any]


def _enough_candidates(limit: int) -> Iterator[int]:
    """Number of chunks that each of the candidates has to bring for the next ones not to be tried.

    The best decide; what a wider query adds scores lower and takes long.
    """
    return chain([limit // 4], repeat(1))


def _of_all(target: Target, keywords: KeywordQuery) -> LiteralString:
    """The statement for all chunks with any of the terms that the filters let pass."""
    if not asks_for_files(target):
        return _BEST_OF_ALL
    # Far fewer chunks may have a term than pass: a question of one word in a large index.
    passing = target.passing.chunk_count if target.passing else target.chunk_count
    held = sum([term.df for term in keywords.leading])
    knows_all = target.is_large and len(keywords.leading) == len(keywords.idf)
    return _BEST_OF_SOME if knows_all and target.limits.looked_up_cost * held < passing else _BEST_IN_FILES


def rank_by_keywords(
    conn: psycopg.Connection, target: Target, keywords: KeywordQuery, *, limit: int
) -> list[ScoredChunk]:
    """Best chunks by BM25F among the candidates, best first."""
    all_with_any = keywords.candidates[-1]
    values = {
        "idf": sparse_literal(keywords.idf),
        "identifiers": text_array([any_of([term]) for term in keywords.identifiers]),
        "whole": all_of(keywords.whole) if keywords.whole else None,
        "words": keywords.words,
        "read": READ_CHUNKS,
        "limit": limit,
        **parameters(target),
    }
    rows: Rows = []
    for candidates, enough in zip(
        _chosen_candidates(target, keywords.candidates), _enough_candidates(limit), strict=False
    ):
        text = _of_all(target, keywords) if candidates is all_with_any else _BEST_OF_SOME
        given = {**values, "candidates": text_array(candidates)}
        rows = _run(conn, statement(text, target), given, target)
        if len(rows) >= enough:
            break
    return list(map(_as_chunk, rows))


def rank_by_vector(conn: psycopg.Connection, target: Target, vector: QueryVector, *, limit: int) -> list[ScoredChunk]:
    """Nearest chunks by cosine similarity, best first: exact, or by HNSW in a large index that can fill the limit."""
    values = {"vector": vector.text, "limit": limit, **parameters(target)}
    rows: Rows = []
    if target.chunk_count >= target.limits.hnsw_min_chunks and not compares_all(target):
        rows = _search_hnsw(conn, target, vector.dimension, values, limit)
    enough = limit * _ENOUGH_FILTERED if asks_for_files(target) else limit
    if len(rows) < enough:  # a small index, or filters that keep too few of what HNSW visits
        rows = _run(conn, statement(_NEAREST_OF_ALL, target), values, target)
    return list(map(_as_chunk, rows))


_NEAREST_OF_ALL: LiteralString = (
    "SELECT file_id, chunk_no, -distance, '', NULL::int FROM ("
    "SELECT file_id, chunk_no, embedding <#> %(vector)s::halfvec AS distance FROM {vectors} k "
    "WHERE true {restriction_of_all} ORDER BY distance LIMIT %(limit)s) best"
)
_NEAREST: LiteralString = (
    "SELECT index_id, file_id, chunk_no, "
    "(embedding::halfvec({dimension})) <#> %(vector)s::halfvec({dimension}) AS distance FROM {vectors} v"
)
_NEAREST_FIRST: LiteralString = " ORDER BY distance LIMIT %(visited)s"
_AMONG_NEAREST: LiteralString = "SELECT file_id, chunk_no, -distance, '', NULL::int FROM ("
_PASSING: LiteralString = ") k WHERE true {restriction_by_row} ORDER BY distance LIMIT %(limit)s"


def _search_hnsw(
    conn: psycopg.Connection, target: Target, dimension: int, values: Mapping[str, object], limit: int
) -> Rows:
    """Those of the nearest chunks that pass the filters; fewer than the limit when many do not."""
    parts = _parts_of_hnsw(conn, target)
    factor = _VISITED if target.filters == SearchFilters() else _VISITED_FILTERED
    visited = min(factor * limit, _MAX_VISITED)
    run(conn, b"SELECT set_config('hnsw.ef_search', %(visited)s, false)", {"visited": str(visited)})
    return _run(conn, statement(_nearest(parts), target, dimension), {**values, "visited": visited}, target)


def _run(conn: psycopg.Connection, query: bytes, values: Mapping[str, object], target: Target) -> Rows:
    """Rows of a statement, which is not prepared if one plan would be bad for most filters."""
    return run(conn, query, values, prepare=None if _worth_preparing(target) else False)


def _parts_of_hnsw(conn: psycopg.Connection, target: Target) -> int:
    """Number of parts of an index's HNSW: as many as its size asked for when they were made."""
    if target.chunk_count < target.limits.parts_min_chunks:
        return 1
    query = (
        b"SELECT count(*)::integer FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        b"JOIN pg_am a ON a.oid = c.relam WHERE i.indrelid = to_regclass(%(leaf)s) AND a.amname = 'hnsw'"
    )
    [(parts,)] = run(conn, query, {"leaf": leaf("vectors", target.index_id).as_string()})
    return max(1, int(parts))


@cache
def _nearest(parts: int) -> LiteralString:
    """The statement that looks through an HNSW index of so many parts."""
    near = _NEAREST + _NEAREST_FIRST
    if parts > 1:
        conditions = [part_condition(part, parts) for part in range(parts)]
        near = " UNION ALL ".join(["(" + _NEAREST + " WHERE " + one + _NEAREST_FIRST + ")" for one in conditions])
    return _AMONG_NEAREST + near + _PASSING


def find_definitions(
    conn: psycopg.Connection, target: Target, named: Sequence[str], others: Sequence[str], file_ids: Sequence[int]
) -> list[Definition]:
    """Definitions with a name key of `named`, or one of `others` in one of the files.

    They come in the keys' order, and those that other files can reach first.
    """
    query = statement(
        "SELECT file_id, chunk_no, symbol_no, name_key, name, kind, nested, function_depth, start_line, end_line, "
        "qualified_name FROM {symbols} k WHERE name_key = ANY(%(keys)s::text[]) "
        "AND (name_key = ANY(%(named)s::text[]) OR file_id IN (SELECT unnest(%(files)s::bigint[]))) AND {of_symbol} "
        "{restriction_by_row} ORDER BY array_position(%(keys)s::text[], name_key), function_depth, nested, file_id, "
        "symbol_no LIMIT %(limit)s",
        target,
    )
    values = {
        "keys": text_array([*named, *others]),
        "named": text_array(named),
        "files": int_array(file_ids),
        "limit": MAX_DEFINITIONS,
        **parameters(target),
    }
    return list(map(Definition._make, run(conn, query, values)))


def find_dotted_definitions(
    conn: psycopg.Connection, target: Target, key: str, file_ids: Sequence[int]
) -> list[Definition]:
    """Definitions in the files whose whole name has dots, such as a module's, and ends with a name key."""
    query = statement(
        "SELECT file_id, chunk_no, symbol_no, name_key, name, kind, nested, function_depth, start_line, end_line, "
        "qualified_name FROM {symbols} k WHERE file_id = ANY(%(files)s::bigint[]) "
        "AND right(name_key, %(length)s) = %(end)s AND {of_symbol} {restriction_by_row} "
        "ORDER BY file_id, symbol_no",
        target,
    )
    values = {"files": int_array(file_ids), "end": f".{key}", "length": len(key) + 1, **parameters(target)}
    return list(map(Definition._make, run(conn, query, values)))


def file_paths(conn: psycopg.Connection, target: Target, file_ids: Iterable[int]) -> dict[int, FileFacts]:
    """file_id -> its path, language and class."""
    query = statement(
        "SELECT file_id, path, language_id, coalesce(content_class, '') FROM {files} f "
        "WHERE file_id = ANY(%(files)s::bigint[])",
        target,
    )
    rows = run(conn, query, {"files": int_array(file_ids), **parameters(target)})
    return {row[0]: FileFacts._make(row[1:]) for row in rows}


_END_CHARS = 4


def files_ending(
    conn: psycopg.Connection, target: Target, ends: Sequence[str], parts: Sequence[str]
) -> dict[int, FileFacts]:
    """file_id -> path, language and class of the indexed files that may have certain names, whatever filters say.

    Args:
        ends: last four characters of paths, in lower case; a regular expression would take ten times as long.
        parts: LIKE patterns of other paths.
    """
    query = statement(
        "SELECT file_id, path, language_id, coalesce(content_class, '') FROM {files} f "
        'WHERE chunk_count > 0 AND (lower(right(path, %(chars)s) COLLATE "C") = ANY(%(ends)s) '
        'OR lower(path COLLATE "C") LIKE ANY(%(parts)s))',
        target,
    )
    values = {**parameters(target), "chars": _END_CHARS, "ends": text_array(ends), "parts": text_array(parts)}
    rows = run(conn, query, values)
    return {row[0]: FileFacts._make(row[1:]) for row in rows}


def files_passing(conn: psycopg.Connection, target: Target, file_ids: Iterable[int]) -> set[int]:
    """Those of some files that the filters let pass, whatever they ask of definitions."""
    query = statement("SELECT file_id FROM {files} f WHERE file_id = ANY(%(files)s::bigint[]) AND {of_file}", target)
    return {file_id for (file_id,) in run(conn, query, {"files": int_array(file_ids), **parameters(target)})}


def matches_filters(conn: psycopg.Connection, target: Target, file_id: int) -> bool:
    """Whether any chunk of a file passes the filters."""
    query = statement("SELECT 1 FROM {chunks} k WHERE k.file_id = %(file)s {restriction} LIMIT 1", target)
    return conn.execute(query, {"file": file_id, **parameters(target)}).fetchone() is not None


def passes_any(conn: psycopg.Connection, target: Target) -> bool:
    """Whether any chunk of the index passes the filters."""
    query = statement("SELECT 1 FROM {chunks} k WHERE true {restriction} LIMIT 1", target)
    return conn.execute(query, parameters(target)).fetchone() is not None


def matching_globs(
    conn: psycopg.Connection, target: Target, globs: Sequence[str], file_ids: Sequence[int]
) -> list[tuple[int, int]]:
    """(file_id, position in `globs`) of each glob that the path of a file matches, in the dialect of the filters."""
    query = statement(
        "SELECT f.file_id, g.number FROM {files} f "
        "JOIN unnest(%(globs)s::text[]) WITH ORDINALITY AS g(pattern, number) ON f.path ~* g.pattern "
        "WHERE f.file_id = ANY(%(files)s::bigint[])",
        target,
    )
    values = {"globs": [glob_pattern(glob) for glob in globs], "files": int_array(file_ids), **parameters(target)}
    rows = conn.execute(query, values).fetchall()
    return [(file_id, number - 1) for file_id, number in rows]
