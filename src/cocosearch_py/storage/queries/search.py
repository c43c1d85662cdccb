"""Statements of the search: document frequencies, the two legs, definitions, files, and the text of hits.

All read the rows of one index directly (`places.rows_of`), inside the caller's snapshot. Scores are computed by
PostgreSQL; what they mean together is decided in `search`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.lexemes import LEXEME_SPACE
from cocosearch_py.storage.queries.candidates import KeywordQuery, any_of
from cocosearch_py.storage.queries.globs import alternatives, glob_pattern, name_pattern
from cocosearch_py.storage.schema.places import FIRST_SHARED_ID, is_shared, rows_of
from cocosearch_py.storage.schema.registry import HNSW_MIN_CHUNKS
from cocosearch_py.storage.schema.tables import TABLES

_MAX_DEFINITIONS = 300  # a name that more places define says little about which one is meant
_CACHED_STATEMENTS = 500  # nine for each index and combination of filters; composing one costs as much as its rows
_EF_SEARCH_FACTOR = 3  # HNSW yields at most ef_search rows, and counts the dead ones of replaced files among them
# With filters: enough where a tenth of the chunks passes. An exact scan of fewer takes as long as a wider HNSW search.
_EF_SEARCH_FACTOR_FILTERED = 12
_MAX_EF_SEARCH = 1_000  # pgvector's limit

ChunkKey = tuple[int, int]  # (file_id, chunk_no)


@dataclass(frozen=True, slots=True)
class Target:
    """Which index is read, and what of it may answer."""

    index_id: int
    chunk_count: int
    filters: SearchFilters


# Named tuples where a search makes hundreds: a frozen dataclass takes five times as long to fill.
class ScoredChunk(NamedTuple):
    """A candidate of one leg; `holds` has a digit for each wanted identifier, 1 if the chunk has it."""

    file_id: int
    chunk_no: int
    score: float
    holds: str = ""


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
class WantedHit:
    """A chunk to show, and the definition it is shown for, if a definition is why."""

    file_id: int
    chunk_no: int
    symbol_no: int | None = None


@dataclass(frozen=True, slots=True)
class QueryVector:
    """An embedding as pgvector reads it."""

    text: str
    dimension: int


@dataclass(frozen=True, slots=True)
class LegVectors:
    """The query as the two legs see it: an embedding, and position -> inverse document frequency."""

    vector: QueryVector | None
    idf: dict[int, float]


@dataclass(frozen=True, slots=True)
class HitText:
    """A chunk with what is shown of it."""

    file_id: int
    chunk_no: int
    start_line: int
    end_line: int
    content: str
    block_type: str
    hierarchy: str
    symbol_type: str | None
    symbol_name: str | None
    symbol_signature: str | None
    vector_score: float | None
    keyword_score: float | None
    scope_start: int | None  # lines of the definition the chunk is about
    scope_end: int | None


def query_vector(values: Sequence[float]) -> QueryVector | None:
    """The embedding of a query; None for zeros, which are like nothing."""
    if not any(values):
        return None
    # Nine digits tell all 32-bit floats apart, and are found three times as fast as those of a 64-bit one.
    return QueryVector("[" + ",".join(["%.9g"] * len(values)) % tuple(values) + "]", len(values))


def _array(numbers: Iterable[int | None]) -> str:
    """Numbers as PostgreSQL reads an array; psycopg takes longer over a list than the server over the statement."""
    return "{" + ",".join(["NULL" if number is None else str(number) for number in numbers]) + "}"


def document_frequencies(conn: psycopg.Connection, target: Target, terms: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Known terms -> (position in the weight vectors, chunks that hold the term)."""
    query = _statement("SELECT lexeme, position, df FROM {lexemes} l WHERE lexeme = ANY(%(terms)s)", target)
    return {
        lexeme: (position, df)
        for lexeme, position, df in conn.execute(query, {"terms": list(terms), **_values(target)}).fetchall()
    }


def sparse_literal(weights: dict[int, float]) -> str:
    """Text form of a sparse vector for pgvector; its positions count from 1."""
    inside = ",".join(f"{position + 1}:{weights[position]:.6g}" for position in sorted(weights))
    return f"{{{inside}}}/{LEXEME_SPACE}"


def rank_by_keywords(
    conn: psycopg.Connection, target: Target, keywords: KeywordQuery, *, limit: int
) -> list[ScoredChunk]:
    """Best chunks by BM25F among the candidates, best first."""
    # What stands outside the inner query is computed for its few rows, not for every candidate.
    query = _statement(
        "SELECT file_id, chunk_no, -distance, (SELECT coalesce(string_agg((terms @@ q)::int::text, ''), '') "
        "FROM unnest(%(identifiers)s::tsquery[]) q) FROM ("
        "SELECT file_id, chunk_no, terms, weights <#> %(idf)s::sparsevec AS distance FROM {keywords} k "
        "WHERE terms @@ %(candidates)s::tsquery {restriction} "
        "ORDER BY distance, file_id, chunk_no LIMIT %(limit)s) best",
        target,
    )
    values = {
        "idf": sparse_literal(keywords.idf),
        "identifiers": [any_of([term]) for term in keywords.identifiers],
        "limit": limit,
        **_values(target),
    }
    rows: list[tuple[Any, ...]] = []
    enough = limit // 4  # the best decide; what a wider query adds scores lower and takes long
    for candidates in keywords.candidates:
        rows = conn.execute(query, {**values, "candidates": candidates}, binary=True).fetchall()  # faster to read
        if len(rows) >= enough:
            break
        enough = 1
    return list(map(ScoredChunk._make, rows))


def rank_by_vector(conn: psycopg.Connection, target: Target, vector: QueryVector, *, limit: int) -> list[ScoredChunk]:
    """Nearest chunks by cosine similarity, best first: exact, or by HNSW in a large index that can fill the limit."""
    with ranking_by_vector(conn, target, vector, limit=limit) as ranked:
        return ranked()


@contextmanager
def ranking_by_vector(
    conn: psycopg.Connection, target: Target, vector: QueryVector, *, limit: int
) -> Iterator[Callable[[], list[ScoredChunk]]]:
    """Let the server begin `rank_by_vector`; the callable waits for its rows. The connection is busy inside."""
    values = {"vector": vector.text, "limit": limit, **_values(target)}
    exact = _statement(
        "SELECT file_id, chunk_no, -distance FROM ("
        "SELECT file_id, chunk_no, embedding <#> %(vector)s::halfvec AS distance FROM {vectors} k "
        "WHERE true {restriction} ORDER BY distance LIMIT %(limit)s) best",
        target,
    )
    hnsw = target.chunk_count >= HNSW_MIN_CHUNKS
    with ExitStack() as sending:
        sending.enter_context(conn.pipeline())
        cursor = _search_hnsw(conn, target, vector.dimension, values) if hnsw else conn.execute(exact, values)

        def rows() -> list[ScoredChunk]:
            sending.close()  # the end of a pipeline brings its results
            near = cursor.fetchall()
            if hnsw and len(near) < limit:  # the filters keep too few of what HNSW visits
                near = conn.execute(exact, values).fetchall()
            return [ScoredChunk(*row) for row in near]

        yield rows


def _search_hnsw(
    conn: psycopg.Connection, target: Target, dimension: int, values: Mapping[str, Any]
) -> psycopg.Cursor[Any]:
    """Those of the nearest chunks that pass the filters; fewer than the limit when many do not."""
    factor = _EF_SEARCH_FACTOR_FILTERED if target.filters != SearchFilters() else _EF_SEARCH_FACTOR
    visited = min(values["limit"] * factor, _MAX_EF_SEARCH)
    query = _statement(
        "SELECT file_id, chunk_no, -distance FROM (SELECT file_id, chunk_no, "
        "(embedding::halfvec({dimension})) <#> %(vector)s::halfvec({dimension}) AS distance FROM {vectors} v "
        "ORDER BY distance LIMIT %(visited)s) k WHERE true {restriction} ORDER BY distance LIMIT %(limit)s",
        target,
        dimension,
    )
    conn.execute("SELECT set_config('hnsw.ef_search', %s, false)", [str(visited)])
    return conn.execute(query, {**values, "visited": visited})


def find_definitions(
    conn: psycopg.Connection, target: Target, named: Sequence[str], others: Sequence[str], file_ids: Sequence[int]
) -> list[Definition]:
    """Definitions with a name key of `named`, or one of `others` in one of the files.

    They come in the keys' order, and those that other files can reach first.
    """
    query = _statement(
        "SELECT file_id, chunk_no, symbol_no, name_key, name, kind, nested, function_depth, start_line, end_line, "
        "qualified_name FROM {symbols} k WHERE name_key = ANY(%(keys)s) "
        "AND (name_key = ANY(%(named)s) OR file_id = ANY(%(files)s::bigint[])) AND {of_symbol} {restriction} "
        "ORDER BY array_position(%(keys)s, name_key), function_depth, nested, file_id, symbol_no LIMIT %(limit)s",
        target,
    )
    values = {
        "keys": [*named, *others],
        "named": list(named),
        "files": _array(file_ids),
        "limit": _MAX_DEFINITIONS,
        **_values(target),
    }
    return [Definition(*row) for row in conn.execute(query, values).fetchall()]


def find_dotted_definitions(
    conn: psycopg.Connection, target: Target, key: str, file_ids: Sequence[int]
) -> list[Definition]:
    """Definitions in the files whose whole name has dots, such as a module's, and ends with a name key."""
    query = _statement(
        "SELECT file_id, chunk_no, symbol_no, name_key, name, kind, nested, function_depth, start_line, end_line, "
        "qualified_name FROM {symbols} k WHERE file_id = ANY(%(files)s::bigint[]) "
        "AND right(name_key, %(length)s) = %(end)s AND {of_symbol} {restriction} ORDER BY file_id, symbol_no",
        target,
    )
    values = {"files": _array(file_ids), "end": f".{key}", "length": len(key) + 1, **_values(target)}
    return [Definition(*row) for row in conn.execute(query, values).fetchall()]


def file_paths(conn: psycopg.Connection, target: Target, file_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """file_id -> (path, language)."""
    query = _statement(
        "SELECT file_id, path, language_id FROM {files} f WHERE file_id = ANY(%(files)s::bigint[])", target
    )
    rows = conn.execute(query, {"files": _array(file_ids), **_values(target)}).fetchall()
    return {file_id: (path, language) for file_id, path, language in rows}


def hit_texts(
    conn: psycopg.Connection, target: Target, wanted: Sequence[WantedHit], legs: LegVectors
) -> dict[ChunkKey, HitText]:
    """Text and exact scores of the chunks to show, each with the definition it is shown for.

    That is the wanted one, else the first that passes the symbol filters, else the one the chunk is about.
    """
    query = _statement(
        "SELECT c.file_id, c.chunk_no, c.start_line, c.end_line, c.content, coalesce(s.kind, c.block_type), "
        "coalesce(s.qualified_name, c.hierarchy), s.kind, s.name, s.signature, "
        "-(v.embedding <#> %(vector)s::halfvec), -(k.weights <#> %(idf)s::sparsevec), s.start_line, s.end_line "
        "FROM unnest(%(files)s::bigint[], %(numbers)s::int[], %(symbols)s::int[]) AS w(file_id, chunk_no, symbol_no) "
        "JOIN {chunks} c USING (file_id, chunk_no) JOIN {keywords} k USING (file_id, chunk_no) "
        "LEFT JOIN {vectors} v USING (file_id, chunk_no) LEFT JOIN LATERAL ("
        "SELECT * FROM {symbols} s WHERE s.file_id = c.file_id AND {shown_for} ORDER BY s.symbol_no LIMIT 1) s ON true",
        target,
    )
    values = {
        "vector": legs.vector.text if legs.vector else None,
        "idf": sparse_literal(legs.idf),
        "files": _array([item.file_id for item in wanted]),
        "numbers": _array([item.chunk_no for item in wanted]),
        "symbols": _array([item.symbol_no for item in wanted]),
        **_values(target),
    }
    return {(row[0], row[1]): HitText(*row) for row in conn.execute(query, values).fetchall()}


def lines_of(
    conn: psycopg.Connection, target: Target, ranges: Sequence[tuple[int, int, int]]
) -> dict[tuple[int, int, int], list[tuple[int, str]]]:
    """(file_id, first line, last line) -> chunks that touch these lines as (start line, text), in order."""
    query = _statement(
        "SELECT w.file_id, w.first, w.last, c.start_line, c.content "
        "FROM unnest(%(files)s::bigint[], %(firsts)s::int[], %(lasts)s::int[]) AS w(file_id, first, last) "
        "JOIN {chunks} c ON c.file_id = w.file_id AND c.start_line <= w.last AND c.end_line >= w.first "
        "ORDER BY c.chunk_no",
        target,
    )
    found: dict[tuple[int, int, int], list[tuple[int, str]]] = {}
    columns = dict(zip(("files", "firsts", "lasts"), map(_array, zip(*ranges, strict=True)), strict=True))
    for file_id, first, last, start_line, content in conn.execute(query, {**columns, **_values(target)}).fetchall():
        found.setdefault((file_id, first, last), []).append((start_line, content))
    return found


def matches_filters(conn: psycopg.Connection, target: Target, file_id: int) -> bool:
    """Whether any chunk of a file passes the filters."""
    query = _statement("SELECT 1 FROM {chunks} k WHERE k.file_id = %(file)s {restriction} LIMIT 1", target)
    return conn.execute(query, {"file": file_id, **_values(target)}).fetchone() is not None


def passes_any(conn: psycopg.Connection, target: Target) -> bool:
    """Whether any chunk of the index passes the filters."""
    query = _statement("SELECT 1 FROM {chunks} k WHERE true {restriction} LIMIT 1", target)
    return conn.execute(query, _values(target)).fetchone() is not None


def matching_globs(
    conn: psycopg.Connection, target: Target, globs: Sequence[str], file_ids: Sequence[int]
) -> list[tuple[int, int]]:
    """(file_id, position in `globs`) of each glob that the path of a file matches, in the dialect of the filters."""
    query = _statement(
        "SELECT f.file_id, g.number FROM {files} f "
        "JOIN unnest(%(globs)s::text[]) WITH ORDINALITY AS g(pattern, number) ON f.path ~* g.pattern "
        "WHERE f.file_id = ANY(%(files)s::bigint[])",
        target,
    )
    values = {"globs": [glob_pattern(glob) for glob in globs], "files": _array(file_ids), **_values(target)}
    rows = conn.execute(query, values).fetchall()
    return [(file_id, number - 1) for file_id, number in rows]


class _Conditions(NamedTuple):
    """What filters ask of a file and of a definition, as SQL; the values come from `_filter_values`."""

    of_file: tuple[LiteralString, ...]
    of_symbol: tuple[LiteralString, ...]  # a passage needs a definition that meets all of these
    excluded: tuple[LiteralString, ...]  # and one that meets none of these, if it has any


def _conditions(filters: SearchFilters) -> _Conditions:
    of_file: list[LiteralString] = []
    of_symbol: list[LiteralString] = []
    excluded: list[LiteralString] = []
    if filters.languages:
        of_file.append("language_id = ANY(%(languages)s)")
    if filters.excluded_languages:
        of_file.append("language_id <> ALL(%(excluded_languages)s)")
    if filters.path_globs:
        of_file.append("path ~* ANY(%(paths)s)")
    if filters.exclude_globs:
        of_file.append("NOT path ~* ANY(%(excluded)s)")
    if filters.symbol_types:
        of_symbol.append("kind = ANY(%(kinds)s)")
    if filters.symbol_name:
        of_symbol.append("name ~* ANY(%(names)s)")
    if filters.excluded_symbol_types:
        excluded.append("kind = ANY(%(excluded_kinds)s)")
    if filters.excluded_symbol_names:
        excluded.append("name ~* ANY(%(excluded_names)s)")
    return _Conditions(tuple(of_file), tuple(of_symbol), tuple(excluded))


def _statement(text: LiteralString, target: Target, dimension: int = 0) -> bytes:
    """A statement over the rows of an index, which takes the parameters of `_values`.

    `{restriction}` becomes the AND-conditions of the filters on a row `k` with file_id and chunk_no, `{of_symbol}`
    those on a definition, and `{shown_for}` what a definition `s` must be for a chunk `c`, wanted as `w`, to be
    shown for it.
    """
    # All indexes in the shared leaves have the same statements; the smallest number stands for them.
    place = FIRST_SHARED_ID if is_shared(target.index_id) else target.index_id
    return _composed(text, place, _conditions(target.filters), dimension)


@lru_cache(maxsize=_CACHED_STATEMENTS)
def _composed(text: LiteralString, index_id: int, conditions: _Conditions, dimension: int) -> bytes:
    tables = {name: rows_of(name, index_id) for name in TABLES}
    restriction = []
    if conditions.of_file:
        inner = sql.SQL(" AND ").join(map(sql.SQL, conditions.of_file))
        restriction.append(
            sql.SQL("AND k.file_id IN (SELECT file_id FROM {} f WHERE {})").format(tables["files"], inner)
        )
    shown_for: sql.Composable = sql.SQL("s.symbol_no = coalesce(w.symbol_no, c.symbol_no)")  # the key finds it
    unless_wanted = sql.SQL("CASE WHEN w.symbol_no IS NULL THEN {} AND {} ELSE s.symbol_no = w.symbol_no END")
    of_symbol = _of_symbol(conditions)
    if conditions.of_symbol:
        wanted = sql.SQL("SELECT file_id, chunk_no FROM {} s WHERE {}").format(tables["symbols"], of_symbol)
        restriction.append(sql.SQL("AND (k.file_id, k.chunk_no) IN ({})").format(wanted))
        shown_for = unless_wanted.format(sql.SQL("s.chunk_no = c.chunk_no"), of_symbol)
    elif conditions.excluded:
        restriction.append(_none_but_excluded(tables, conditions))
        about = sql.SQL("(s.chunk_no = c.chunk_no OR s.symbol_no = c.symbol_no)")
        shown_for = unless_wanted.format(about, of_symbol)
    composed = sql.SQL(text).format(
        **tables,
        restriction=sql.SQL(" ").join(restriction),
        of_symbol=of_symbol,
        shown_for=shown_for,
        dimension=sql.Literal(dimension),
    )
    return composed.as_bytes()


def _of_symbol(conditions: _Conditions) -> sql.Composable:
    """What a definition must be for a filter to let it pass."""
    passing: list[sql.Composable] = [sql.SQL(condition) for condition in conditions.of_symbol]
    passing += [sql.SQL("NOT {}").format(sql.SQL(condition)) for condition in conditions.excluded]
    return sql.SQL(" AND ").join(passing) if passing else sql.SQL("true")


def _none_but_excluded(tables: Mapping[str, sql.Composable], conditions: _Conditions) -> sql.Composed:
    """Leaves out passages whose definitions, and those that they are parts of, are all excluded."""
    return sql.SQL(
        "AND (k.file_id, k.chunk_no) NOT IN (SELECT file_id, chunk_no FROM {symbols} s WHERE {excluded} UNION "
        "SELECT c.file_id, c.chunk_no FROM {chunks} c JOIN {symbols} s USING (file_id, symbol_no) WHERE {excluded} "
        "EXCEPT SELECT file_id, chunk_no FROM {symbols} s WHERE {passing})"
    ).format(
        symbols=tables["symbols"],
        chunks=tables["chunks"],
        excluded=sql.SQL(" OR ").join(map(sql.SQL, conditions.excluded)),
        passing=_of_symbol(conditions),
    )


def _values(target: Target) -> dict[str, object]:
    filters = target.filters
    return {
        "index_id": target.index_id,
        "languages": list(filters.languages),
        "paths": [glob_pattern(glob) for glob in filters.path_globs],
        "excluded": [glob_pattern(glob) for glob in filters.exclude_globs],
        "kinds": list(filters.symbol_types),
        "names": [name_pattern(glob) for glob in alternatives(filters.symbol_name or "")],
        "excluded_languages": list(filters.excluded_languages),
        "excluded_kinds": list(filters.excluded_symbol_types),
        "excluded_names": [name_pattern(glob) for glob in filters.excluded_symbol_names],
    }
