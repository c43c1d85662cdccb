"""Rows that a statement of the search reads: those of one index, and the filters as SQL."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import LiteralString, NamedTuple

from psycopg import sql

from cocosearch_py.model.search import SearchFilters
from cocosearch_py.storage.queries.candidates import DEFAULT_BUDGET, CandidateBudget
from cocosearch_py.storage.queries.globs import alternatives, like_pattern, names_pattern, paths_pattern
from cocosearch_py.storage.schema.partitions import FIRST_SHARED_ID, is_shared, leaf, rows_of
from cocosearch_py.storage.schema.registry import HNSW_MIN_CHUNKS, HNSW_PART_CHUNKS
from cocosearch_py.storage.schema.tables import TABLES

_CACHED_STATEMENTS = 500  # nine for each index and combination of filters; composing one costs as much as its rows


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """Sizes, in chunks, from which on a search takes another plan.

    `large_min_chunks`: of an index whose files are compared with the filters once, before both rankings.
    `hnsw_min_chunks`: of an index that has HNSW. `parts_min_chunks`: of one that may have it in several parts.
    `compared_chunks`, `compared_share`: let pass by filters, up to which both rankings compare all of them. Fewer take
    less than the candidates of the whole index, and where no larger share passes, too few of those would.
    `looked_up_cost`: of a chunk that GIN finds and whose file is looked up, in chunks of files that are read in turn.
    """

    large_min_chunks: int = 50_000
    hnsw_min_chunks: int = HNSW_MIN_CHUNKS
    parts_min_chunks: int = HNSW_PART_CHUNKS // 2
    compared_chunks: int = 15_000
    compared_share: float = 0.025
    looked_up_cost: int = 3
    budget: CandidateBudget = DEFAULT_BUDGET


DEFAULT_LIMITS = SearchLimits()


@dataclass(frozen=True, slots=True)
class PassingFiles:
    """The files that filters let pass."""

    ids: str  # as `int_array` writes them; those without chunks are left out
    chunk_count: int  # of all of them


@dataclass(frozen=True, slots=True)
class Target:
    """Which index is read, and what of it may answer.

    With `passing`, statements that look at all files go by these, and compare none with the filters.
    """

    index_id: int
    chunk_count: int
    filters: SearchFilters
    passing: PassingFiles | None = None
    limits: SearchLimits = DEFAULT_LIMITS

    @property
    def is_large(self) -> bool:
        """Whether files are compared with the filters before both rankings."""
        return self.chunk_count >= self.limits.large_min_chunks

    def asking(self, filters: SearchFilters) -> "Target":
        """Return this target with other filters."""
        return replace(self, filters=filters, passing=None)


_NO_FILTERS = SearchFilters()


def int_array(numbers: Iterable[int | None]) -> str:
    """Numbers as PostgreSQL reads an array; psycopg takes longer over a list than the server over the statement."""
    return "{" + ",".join(["NULL" if number is None else str(number) for number in numbers]) + "}"


def text_array(texts: Iterable[str]) -> str:
    """Texts as PostgreSQL reads an array; see `int_array`."""
    quoted = [text.replace("\\", "\\\\").replace('"', '\\"') for text in texts]
    return '{"' + '","'.join(quoted) + '"}' if quoted else "{}"


class _Conditions(NamedTuple):
    """Conditions of filters on a file and a definition, as SQL; the values come from `parameters`."""

    of_file: tuple[LiteralString, ...]
    of_symbol: tuple[LiteralString, ...]  # a passage needs a definition that meets all of these
    excluded: tuple[LiteralString, ...]  # and one that meets none of these, if it has any


# Field of SearchFilters -> what it asks of a file, of a definition, and of one that is excluded.
_OF_FILE: Mapping[str, LiteralString] = {
    "languages": "language_id = ANY(%(languages)s)",
    "excluded_languages": "language_id <> ALL(%(excluded_languages)s)",
    "folder": "starts_with(path, %(folder)s || '/')",
    # A pattern takes microseconds to compare with a path, a text that each match holds a third of one.
    "path_globs": "path ILIKE ANY(%(path_likes)s) AND path ~* %(paths)s",
    "exclude_globs": "NOT (path ILIKE ANY(%(excluded_likes)s) AND path ~* %(excluded)s)",
    "content": "content_class = ANY(%(content)s)",
    "excluded_content": "coalesce(content_class, '') <> ALL(%(excluded_content)s)",
}
_PATH_CONDITIONS = {_OF_FILE["folder"], _OF_FILE["path_globs"], _OF_FILE["exclude_globs"]}
_OF_SYMBOL: Mapping[str, LiteralString] = {
    "symbol_types": "kind = ANY(%(kinds)s)",
    "symbol_name": "name ~* %(names)s",
}
_EXCLUDED: Mapping[str, LiteralString] = {
    "excluded_symbol_types": "kind = ANY(%(excluded_kinds)s)",
    "excluded_symbol_names": "name ~* %(excluded_names)s",
}
# Unnested, for the planner asks of each value of an array what share of the rows has it.
_IS_PASSING: LiteralString = "file_id IN (SELECT unnest(%(passing)s::bigint[]))"


def _conditions(filters: SearchFilters) -> _Conditions:
    return _Conditions(
        *[
            tuple(condition for field, condition in kind.items() if getattr(filters, field))
            for kind in (_OF_FILE, _OF_SYMBOL, _EXCLUDED)
        ]
    )


def statement(text: LiteralString, target: Target, dimension: int = 0) -> bytes:
    """A statement over the rows of an index, which takes the parameters of `parameters`.

    `{keywords_leaf}` is the table that has the rows of `{keywords}` and, where indexes share it, others.
    `{restriction}` becomes the AND-conditions of the filters on a row `k` with index_id, file_id and chunk_no,
    `{restriction_of_all}` the same in a form for all rows that the filters let pass, and `{restriction_by_row}` in one
    for few rows, whatever the number of files; `{of_symbol}` becomes those on a definition, `{of_file}` those on a row
    of the files.
    """
    # All indexes in the shared leaves have the same statements; the smallest number stands for them.
    place = FIRST_SHARED_ID if is_shared(target.index_id) else target.index_id
    return _composed(text, place, _conditions(target.filters), target.passing is not None, dimension)


@lru_cache(maxsize=_CACHED_STATEMENTS)
def _composed(
    text: LiteralString,
    index_id: int,
    conditions: _Conditions,
    knows_passing: bool,
    dimension: int,
) -> bytes:
    tables = {name: rows_of(name, index_id) for name in TABLES} | {"keywords_leaf": leaf("keywords", index_id)}
    of_files = _of_files(tables, conditions, knows_passing=knows_passing)
    restriction: list[sql.Composable] = []
    of_all: list[sql.Composable] = []
    of_symbol = _of_symbol(conditions)
    if conditions.of_symbol:
        defining = sql.SQL("AND (k.file_id, k.chunk_no) IN ({})")
        wanted = sql.SQL("SELECT file_id, chunk_no FROM {} s WHERE {}").format(tables["symbols"], of_symbol)
        restriction.append(defining.format(wanted))
        if _OF_FILE["path_globs"] in conditions.of_file:
            # The planner takes a pattern to let few files pass, and each to have few definitions: it would look through
            # those of a file for each of its passages.
            wanted = sql.SQL("SELECT DISTINCT file_id, chunk_no FROM {} s WHERE {} AND file_id IN ({})").format(
                tables["symbols"], of_symbol, _files(tables, conditions)
            )
        of_all.append(defining.format(wanted))
    elif conditions.excluded:
        restriction.append(_none_but_excluded(tables, conditions))
        of_all = restriction
    composed = sql.SQL(text).format(
        **tables,
        restriction=sql.SQL(" ").join([of_files.all_files, *restriction]),
        restriction_of_all=sql.SQL(" ").join([of_files.all_files, *of_all]),
        restriction_by_row=sql.SQL(" ").join([of_files.by_row, *restriction]),
        of_symbol=of_symbol,
        of_file=sql.SQL(" AND ").join(map(sql.SQL, conditions.of_file or ("true",))),
        dimension=sql.Literal(dimension),
    )
    return composed.as_bytes()


class _OfFiles(NamedTuple):
    """Conditions of filters on a file, for a row `k`: all files are examined first, or those of each row."""

    all_files: sql.Composable
    by_row: sql.Composable


def _of_files(tables: Mapping[str, sql.Composable], conditions: _Conditions, *, knows_passing: bool) -> _OfFiles:
    if not conditions.of_file:
        return _OfFiles(sql.SQL(""), sql.SQL(""))
    inner = sql.SQL(" AND ").join(map(sql.SQL, conditions.of_file))
    # With its number, an index on index_id, file_id is entered once, not three times.
    among = sql.SQL("AND k.index_id = %(index_id)s AND k.file_id IN ({})").format(_files(tables, conditions))
    of_all = sql.SQL("AND k.index_id = %(index_id)s AND k.") + sql.SQL(_IS_PASSING) if knows_passing else among
    if _PATH_CONDITIONS.isdisjoint(conditions.of_file):
        return _OfFiles(of_all, among)
    # A path takes a microsecond to compare. OFFSET 0 keeps the planner from comparing those of all files.
    by_row = sql.SQL(
        "AND EXISTS (SELECT FROM {} f WHERE f.index_id = %(index_id)s AND f.file_id = k.file_id AND {} OFFSET 0)"
    ).format(tables["files"], inner)
    return _OfFiles(of_all, by_row)


def _files(tables: Mapping[str, sql.Composable], conditions: _Conditions) -> sql.Composed:
    """The numbers of the files that filters let pass."""
    inner = sql.SQL(" AND ").join(map(sql.SQL, conditions.of_file))
    return sql.SQL("SELECT file_id FROM {} f WHERE f.index_id = %(index_id)s AND {}").format(tables["files"], inner)


def _of_symbol(conditions: _Conditions) -> sql.Composable:
    """Return the condition of a filter on a definition."""
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


def asks_for_definitions(target: Target) -> bool:
    """Whether filters ask anything of definitions."""
    _, of_symbol, excluded = _conditions(target.filters)
    return bool(of_symbol or excluded)


def asks_for_files(target: Target) -> bool:
    """Whether filters name the files that are wanted, and ask nothing of definitions."""
    filters = target.filters
    names_files = filters.languages or filters.folder or filters.path_globs or filters.content
    return bool(names_files) and not asks_for_definitions(target)


def parameters(target: Target) -> dict[str, object]:
    """The parameters that `statement` leaves in a statement about these filters."""
    filters = target.filters
    if filters == _NO_FILTERS:
        return {"index_id": target.index_id}
    return {
        "index_id": target.index_id,
        "passing": target.passing.ids if target.passing else None,
        "languages": text_array(filters.languages),
        "folder": filters.folder,
        "paths": paths_pattern(filters.path_globs),
        "path_likes": text_array([like_pattern(glob) for glob in filters.path_globs]),
        "excluded": paths_pattern(filters.exclude_globs),
        "excluded_likes": text_array([like_pattern(glob) for glob in filters.exclude_globs]),
        "kinds": text_array(filters.symbol_types),
        "names": names_pattern(alternatives(filters.symbol_name or "")),
        "content": text_array(filters.content),
        "excluded_languages": text_array(filters.excluded_languages),
        "excluded_content": text_array(filters.excluded_content),
        "excluded_kinds": text_array(filters.excluded_symbol_types),
        "excluded_names": names_pattern(filters.excluded_symbol_names),
    }
