"""Statements of the search: document frequencies, the two legs, definitions, files, and the text of hits.

All read the leaves of one index directly, inside the caller's snapshot. Scores are computed by PostgreSQL; what they
mean together is decided in `search`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import psycopg
from psycopg import sql

from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.lexemes import LEXEME_SPACE
from cocosearch_py.storage.partitions import HNSW_MIN_CHUNKS, leaf

_MAX_DEFINITIONS = 300  # a name that more places define says little about which one is meant
_EF_SEARCH_FACTOR = 3  # HNSW yields at most ef_search rows, and counts the dead ones of replaced files among them

ChunkKey = tuple[int, int]  # (file_id, chunk_no)


@dataclass(frozen=True, slots=True)
class Target:
    """Which index is read, and what of it may answer."""

    table_name: str
    chunk_count: int
    filters: SearchFilters


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A candidate of one leg; `holds` tells for each wanted identifier whether the chunk has it."""

    file_id: int
    chunk_no: int
    score: float
    holds: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
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


@dataclass(frozen=True, slots=True)
class WantedHit:
    """A chunk to show, and the definition it is shown for, if a definition is why."""

    file_id: int
    chunk_no: int
    symbol_no: int | None = None


@dataclass(frozen=True, slots=True)
class LegVectors:
    """The query as the two legs see it: an embedding, and position -> inverse document frequency."""

    vector: Sequence[float] | None
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


def document_frequencies(conn: psycopg.Connection, target: Target, terms: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Known terms -> (position in the weight vectors, chunks that hold the term)."""
    query = sql.SQL("SELECT lexeme, position, df FROM {} WHERE lexeme = ANY(%s)").format(
        leaf("lexemes", target.table_name)
    )
    return {lexeme: (position, df) for lexeme, position, df in conn.execute(query, [list(terms)])}


def sparse_literal(weights: dict[int, float]) -> str:
    """Text form of a sparse vector for pgvector; its positions count from 1."""
    inside = ",".join(f"{position + 1}:{weights[position]:.6g}" for position in sorted(weights))
    return f"{{{inside}}}/{LEXEME_SPACE}"


def any_of(terms: Sequence[str]) -> str:
    """A tsquery that matches chunks with any of the lexemes."""
    quoted = (term.replace("\\", "\\\\").replace("'", "''") for term in terms)
    return " | ".join(f"'{term}'" for term in quoted)


@dataclass(frozen=True, slots=True)
class KeywordQuery:
    """The keyword leg's view of a query.

    `idf`: position -> inverse document frequency of each query term. `candidates`: lexemes that open the index, the
    rare ones suffice. `identifiers`: lexemes to report in `ScoredChunk.holds`.
    """

    idf: dict[int, float]
    candidates: tuple[str, ...]
    identifiers: tuple[str, ...]


def rank_by_keywords(
    conn: psycopg.Connection, target: Target, keywords: KeywordQuery, *, limit: int
) -> list[ScoredChunk]:
    """Best chunks by BM25F among those that hold one of the candidate lexemes, best first."""
    # What stands outside the inner query is computed for its few rows, not for every candidate.
    query = sql.SQL(
        "SELECT file_id, chunk_no, -distance, "
        "(SELECT string_agg((terms @@ q)::int::text, '') FROM unnest(%(identifiers)s::tsquery[]) q) FROM ("
        "SELECT file_id, chunk_no, terms, weights <#> %(idf)s::sparsevec AS distance FROM {} k "
        "WHERE terms @@ %(any)s::tsquery {} ORDER BY distance, file_id, chunk_no LIMIT %(limit)s) best"
    ).format(leaf("keywords", target.table_name), _restriction(target, "k"))
    values = {
        "idf": sparse_literal(keywords.idf),
        "any": any_of(keywords.candidates),
        "identifiers": [any_of([term]) for term in keywords.identifiers],
        "limit": limit,
        **_filter_values(target.filters),
    }
    return [
        ScoredChunk(file_id, chunk_no, score, tuple(flag == "1" for flag in holds) if holds else ())
        for file_id, chunk_no, score, holds in conn.execute(query, values)
    ]


def rank_by_vector(
    conn: psycopg.Connection, target: Target, vector: Sequence[float], *, limit: int
) -> list[ScoredChunk]:
    """Nearest chunks by cosine similarity, best first: exact, or by HNSW in a large index without filters."""
    dimension = sql.SQL(str(len(vector)))
    if target.chunk_count >= HNSW_MIN_CHUNKS and not _is_filtered(target.filters):
        conn.execute("SELECT set_config('hnsw.ef_search', %s, true)", [str(min(limit * _EF_SEARCH_FACTOR, 1000))])
        column = sql.SQL("(embedding::halfvec({}))").format(dimension)
        order = sql.SQL("{} <#> %(vector)s::halfvec({})").format(column, dimension)
    else:
        order = sql.SQL("embedding <#> %(vector)s::halfvec").format()
    query = sql.SQL(
        "SELECT file_id, chunk_no, -distance FROM ("
        "SELECT file_id, chunk_no, {order} AS distance FROM {vectors} k WHERE true {restriction} "
        "ORDER BY distance LIMIT %(limit)s) best"
    ).format(order=order, vectors=leaf("vectors", target.table_name), restriction=_restriction(target, "k"))
    values = {"vector": _dense_literal(vector), "limit": limit, **_filter_values(target.filters)}
    return [ScoredChunk(*row) for row in conn.execute(query, values)]


def find_definitions(conn: psycopg.Connection, target: Target, name_keys: Sequence[str]) -> list[Definition]:
    """Definitions with one of these name keys, in the keys' order, then those that other files can reach first."""
    query = sql.SQL(
        "SELECT file_id, chunk_no, symbol_no, name_key, name, kind, nested, function_depth, start_line, end_line "
        "FROM {} k WHERE name_key = ANY(%(keys)s) {} "
        "ORDER BY array_position(%(keys)s, name_key), function_depth, nested, file_id, symbol_no LIMIT %(limit)s"
    ).format(leaf("symbols", target.table_name), _restriction(target, "k"))
    values = {"keys": list(name_keys), "limit": _MAX_DEFINITIONS, **_filter_values(target.filters)}
    return [Definition(*row) for row in conn.execute(query, values)]


def file_paths(conn: psycopg.Connection, target: Target, file_ids: Sequence[int]) -> dict[int, tuple[str, str]]:
    """file_id -> (path, language)."""
    query = sql.SQL("SELECT file_id, path, language_id FROM {} WHERE file_id = ANY(%s)").format(
        leaf("files", target.table_name)
    )
    return {row[0]: (row[1], row[2]) for row in conn.execute(query, [list(file_ids)])}


def hit_texts(
    conn: psycopg.Connection, target: Target, wanted: Sequence[WantedHit], legs: LegVectors
) -> dict[ChunkKey, HitText]:
    """Text and exact scores of the chunks to show, each with the definition it is shown for.

    That is the wanted one, else the first that passes the symbol filters, else the one the chunk is about.
    """
    of_symbol = _symbol_conditions(target.filters)
    default = "s.chunk_no = c.chunk_no AND " + " AND ".join(of_symbol) if of_symbol else "s.symbol_no = c.symbol_no"
    query = sql.SQL(
        "SELECT c.file_id, c.chunk_no, c.start_line, c.end_line, c.content, coalesce(s.kind, c.block_type), "
        "coalesce(s.qualified_name, c.hierarchy), s.kind, s.name, s.signature, "
        "-(v.embedding <#> %(vector)s::halfvec), -(k.weights <#> %(idf)s::sparsevec), s.start_line, s.end_line "
        "FROM unnest(%(files)s::bigint[], %(numbers)s::int[], %(symbols)s::int[]) AS w(file_id, chunk_no, symbol_no) "
        "JOIN {chunks} c USING (file_id, chunk_no) JOIN {keywords} k USING (file_id, chunk_no) "
        "LEFT JOIN {vectors} v USING (file_id, chunk_no) LEFT JOIN LATERAL ("
        "SELECT * FROM {symbols_of} s WHERE s.file_id = c.file_id AND CASE WHEN w.symbol_no IS NULL THEN {default} "
        "ELSE s.symbol_no = w.symbol_no END ORDER BY s.symbol_no LIMIT 1) s ON true"
    ).format(
        **{name: leaf(name, target.table_name) for name in ("chunks", "keywords", "vectors")},
        symbols_of=leaf("symbols", target.table_name),
        default=sql.SQL(default),
    )
    values = {
        "vector": _dense_literal(legs.vector) if legs.vector is not None else None,
        "idf": sparse_literal(legs.idf),
        "files": [item.file_id for item in wanted],
        "numbers": [item.chunk_no for item in wanted],
        **_filter_values(target.filters),
        "symbols": [item.symbol_no for item in wanted],
    }
    return {(row[0], row[1]): HitText(*row) for row in conn.execute(query, values)}


def lines_of(
    conn: psycopg.Connection, target: Target, ranges: Sequence[tuple[int, int, int]]
) -> dict[tuple[int, int, int], list[tuple[int, str]]]:
    """(file_id, first line, last line) -> chunks that touch these lines as (start line, text), in order."""
    query = sql.SQL(
        "SELECT w.file_id, w.first, w.last, c.start_line, c.content "
        "FROM unnest(%s::bigint[], %s::int[], %s::int[]) AS w(file_id, first, last) "
        "JOIN {} c ON c.file_id = w.file_id AND c.start_line <= w.last AND c.end_line >= w.first ORDER BY c.chunk_no"
    ).format(leaf("chunks", target.table_name))
    found: dict[tuple[int, int, int], list[tuple[int, str]]] = {}
    columns = [[item[place] for item in ranges] for place in range(3)]
    for file_id, first, last, start_line, content in conn.execute(query, columns):
        found.setdefault((file_id, first, last), []).append((start_line, content))
    return found


def matches_filters(conn: psycopg.Connection, target: Target, file_id: int) -> bool:
    """Whether any chunk of a file passes the filters."""
    query = sql.SQL("SELECT 1 FROM {} k WHERE k.file_id = %(file)s {} LIMIT 1").format(
        leaf("chunks", target.table_name), _restriction(target, "k")
    )
    return conn.execute(query, {"file": file_id, **_filter_values(target.filters)}).fetchone() is not None


def glob_pattern(glob: str) -> str:
    """PostgreSQL regular expression of a path glob: `*` and `?` stay in a folder, `**` crosses, `{a,b}` alternates.

    A glob without a slash matches file names anywhere; a trailing slash means everything below that folder.
    Every text is a glob: brackets and braces that are not closed stand for themselves.
    """
    text = glob + "**" if glob.endswith("/") else glob
    parts = []
    index = depth = 0
    while index < len(text):
        character = text[index]
        if text.startswith("**/", index):
            parts.append("(.*/)?")
            index += 3
        elif text.startswith("**", index):
            parts.append(".*")
            index += 2
        elif found := _BRACKET.match(text, index):
            parts.append(_bracket(found[1] == "!", found[2]))
            index = found.end()
        elif (character == "{" and "}" in text[index:]) or (character in "}," and depth):
            depth += {"{": 1, "}": -1, ",": 0}[character]
            parts.append({"{": "(", "}": ")", ",": "|"}[character])
            index += 1
        else:
            parts.append(_GLOB_CHARACTERS.get(character) or _escaped(character))
            index += 1
    prefix = "^" if "/" in text.rstrip("/") or text != glob else "(^|/)"
    return prefix + "".join(parts).removeprefix("/") + ")" * depth + "$"


_GLOB_CHARACTERS = {"*": "[^/]*", "?": "[^/]"}
_BRACKET = re.compile(r"\[(!?)(-?(?:[^]/-](?:-[^]/-])?)+-?)\]")


def _bracket(negated: bool, inside: str) -> str:
    """A bracket expression; ranges that run backwards match nothing, as in a shell."""
    ends = re.findall(r"([^-])-([^-])", inside)
    if any(first > last for first, last in ends):
        return "[^/]" if negated else "(?!)"
    escaped = "".join(char if char.isalnum() or char == "-" else "\\" + char for char in inside)
    return f"[^/{escaped}]" if negated else f"[{escaped}]"


def _escaped(character: str) -> str:
    return character if character.isalnum() or character in "_/- " else "\\" + character


def name_pattern(glob: str) -> str:
    """PostgreSQL regular expression of a symbol name glob."""
    return "^" + "".join({"*": ".*", "?": "."}.get(char) or _escaped(char) for char in glob) + "$"


def _is_filtered(filters: SearchFilters) -> bool:
    return filters != SearchFilters()


def _restriction(target: Target, alias: str) -> sql.Composed:
    """AND-conditions on a row with file_id and chunk_no; its values come from `_filter_values`."""
    filters = target.filters
    of_file = [
        *(["language_id = ANY(%(languages)s)"] if filters.languages else []),
        *(["path ~* ANY(%(paths)s)"] if filters.path_globs else []),
        *(["NOT path ~* ANY(%(excluded)s)"] if filters.exclude_globs else []),
    ]
    of_symbol = _symbol_conditions(filters)
    parts = [sql.SQL("").format()]
    if of_file:
        condition = sql.SQL(" AND ".join(of_file))
        files = leaf("files", target.table_name)
        parts.append(
            sql.SQL("AND {}.file_id IN (SELECT file_id FROM {} WHERE {})").format(sql.SQL(alias), files, condition)
        )
    if of_symbol:
        condition = sql.SQL(" AND ".join(of_symbol))
        symbols = leaf("symbols", target.table_name)
        inner = sql.SQL("SELECT file_id, chunk_no FROM {} WHERE {}").format(symbols, condition)
        parts.append(sql.SQL("AND ({0}.file_id, {0}.chunk_no) IN ({1})").format(sql.SQL(alias), inner))
    return sql.SQL(" ").join(parts)


def _symbol_conditions(filters: SearchFilters) -> list[str]:
    return [
        *(["kind = ANY(%(kinds)s)"] if filters.symbol_types else []),
        *(["name ~* %(symbol)s"] if filters.symbol_name else []),
    ]


def _filter_values(filters: SearchFilters) -> dict[str, object]:
    return {
        "languages": list(filters.languages),
        "paths": [glob_pattern(glob) for glob in filters.path_globs],
        "excluded": [glob_pattern(glob) for glob in filters.exclude_globs],
        "kinds": list(filters.symbol_types),
        "symbol": name_pattern(filters.symbol_name) if filters.symbol_name else None,
    }


def _dense_literal(vector: Sequence[float]) -> str:
    return "[" + ",".join(map(str, vector)) + "]"
