"""Statements that look definitions up: by name, by signature, by what their comments say."""

import re
from collections.abc import Mapping, Sequence
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.model.definitions import Definition, DefinitionRequest, OutlineEntry
from cocosearch_py.model.files import ContentClass, FileVersion
from cocosearch_py.storage.queries.globs import name_pattern, signature_pattern
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement, text_array
from cocosearch_py.storage.statements import run

_TYPES = text_array("class interface struct enum trait type module namespace object protocol union record".split())
_FUNCTIONS = text_array("function method constructor macro".split())
_CLASSES = text_array(ContentClass)

_CLASS_NO: LiteralString = "coalesce(array_position(%(classes)s::text[], f.content_class), 0)"
_KIND_NO: LiteralString = (
    "CASE WHEN k.kind = ANY(%(types)s::text[]) THEN 0 WHEN k.kind = ANY(%(functions)s::text[]) THEN 1 ELSE 2 END"
)
# Types but for what adds to one, functions, what can be used from elsewhere, what is in no function; then by place.
_REST: LiteralString = f"{_KIND_NO}, k.visibility <> 'public', k.function_depth, f.path, k.symbol_no"
# What stands around a definition, as one name that ends in a dot: `src.shop.cart.py.Cart.`; and in any style.
_AROUND: LiteralString = "translate(f.path || '.' || left(k.qualified_name, -length(k.name)), '/', '.')"
_IN_ANY_STYLE: LiteralString = f"lower(replace({_AROUND}, '_', ''))"

_IN_NAME_ONLY: LiteralString = "replace(k.signature, k.name, ' ') NOT ILIKE %(part)s"

# How a definition is found -> the test of it, and what comes first of what is found.
_TESTS: Mapping[tuple[str, str], tuple[LiteralString, LiteralString]] = {
    ("name", "exact"): ("k.name_key = ANY(%(keys)s)", f"k.name <> %(spelled)s, {_CLASS_NO}, {_REST}"),
    ("name", "fuzzy"): (
        "k.name_key = ANY(%(keys)s)",
        f"array_position(%(keys)s::text[], k.name_key), k.name <> %(spelled)s, {_CLASS_NO}, {_REST}",
    ),
    ("name", "substring"): (
        "k.name_key LIKE ALL(%(parts)s)",
        f"{_CLASS_NO}, NOT starts_with(k.name_key, %(own_key)s), length(k.name_key), {_REST}",
    ),
    ("name", "glob"): ("k.name ~* %(glob)s", f"{_CLASS_NO}, {_REST}"),
    ("signature", "exact"): ("strpos(k.signature, %(text)s) > 0", f"{_CLASS_NO}, {_REST}"),
    ("signature", "substring"): (
        "k.signature ILIKE %(part)s",
        f"{_CLASS_NO}, {_IN_NAME_ONLY}, {_REST}",
    ),
    ("signature", "glob"): ("k.signature ~* %(glob)s", f"{_CLASS_NO}, {_REST}"),
    ("doc", "exact"): ("strpos(k.doc, %(text)s) > 0", f"{_CLASS_NO}, {_REST}"),
    ("doc", "substring"): ("k.doc ILIKE ALL(%(texts)s)", f"{_CLASS_NO}, {_REST}"),
    ("doc", "glob"): ("k.doc ~* %(glob)s", f"{_CLASS_NO}, {_REST}"),
}
_OF_KIND: LiteralString = " AND k.kind = ANY(%(wanted_kinds)s)"
_PUBLIC: LiteralString = " AND k.visibility = 'public'"
_NO_TEST: LiteralString = " AND NOT k.is_test"
_MEMBER: LiteralString = " AND (k.nested OR k.kind = 'method')"  # those of Go stand outside their types
_BELOW: LiteralString = " AND starts_with(f.path, %(below_folder)s || '/')"
# Directly in the owner, in the file or the type that has its name, or somewhere below it; as spelled, or in any style.
_NEARNESS: LiteralString = (
    f"CASE WHEN k.name_key = %(whole_key)s OR {_AROUND} ~ %(inside)s THEN 0 "
    f"WHEN {_AROUND} ~ %(beside)s THEN 1 WHEN {_AROUND} ~ %(below)s THEN 2 "
    f"WHEN {_IN_ANY_STYLE} ~ %(inside_key)s THEN 3 WHEN {_IN_ANY_STYLE} ~ %(beside_key)s THEN 4 "
    f"WHEN {_IN_ANY_STYLE} ~ %(below_key)s THEN 5 END"
)
_ANYWHERE: LiteralString = "0"

# LIMIT keeps the planner from comparing the rows of all files, which it takes to be few before it has looked.
_PAGE: LiteralString = """
WITH found AS MATERIALIZED (
    SELECT {columns},
        {nearness} AS nearness, row_number() OVER (ORDER BY {order}) AS place
    FROM {symbols} k
    CROSS JOIN LATERAL (SELECT * FROM {files} f WHERE f.index_id = %(index_id)s AND f.file_id = k.file_id LIMIT 1) f
    WHERE {test} {more} {restriction}
), best AS (
    SELECT * FROM found WHERE nearness = (SELECT min(nearness) FROM found)
)
SELECT n.total, page.*
FROM (SELECT count(*) AS total FROM best) n
LEFT JOIN (SELECT * FROM best ORDER BY place LIMIT %(limit)s OFFSET %(offset)s) page ON true ORDER BY page.place"""
_LIKE: LiteralString = """
SELECT min(name) FROM {symbols} k, LATERAL (
    SELECT count(*) AS shared FROM unnest(%(grams)s::text[]) AS g(gram) WHERE strpos(k.name_key, gram) > 0
) g
WHERE g.shared >= %(least)s {restriction}
GROUP BY name_key, g.shared ORDER BY g.shared DESC, abs(length(name_key) - %(chars)s), name_key LIMIT %(limit)s"""
_ENTRY: LiteralString = (
    "k.symbol_no, k.parent_no, k.kind, k.name, k.qualified_name, k.signature, k.doc, k.visibility, "
    "k.start_line, k.end_line, k.function_depth"
)
_OUTLINE: LiteralString = """
SELECT {entry} FROM {symbols} k WHERE k.index_id = %(index_id)s AND k.file_id = %(file_id)s ORDER BY k.symbol_no"""
_MEMBERS: LiteralString = """
SELECT k.file_id, {entry} FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS o(file_id, symbol_no)
CROSS JOIN LATERAL (SELECT * FROM {symbols} k WHERE k.index_id = %(index_id)s AND k.file_id = o.file_id) k
WHERE k.parent_no = o.symbol_no ORDER BY k.file_id, k.symbol_no"""


_ALL_COLUMNS: LiteralString = (
    "f.path, k.symbol_no, k.kind, k.name, k.qualified_name, k.signature, k.doc, k.visibility, "
    "k.start_line, k.end_line, f.language_id, coalesce(f.content_class, '') AS content_class, "
    "k.is_test, k.is_deprecated, f.size_bytes, f.mtime_ns, f.content_hash"
)


class Wanted(NamedTuple):
    """A name to look for, as keys."""

    whole: str  # with all that stands before it
    own: str  # without
    keys: Sequence[str]  # any of which a definition may have; for a fuzzy search, the likest first
    owners: Sequence[str]
    words: Sequence[str]  # of which a name has to hold all


class Page(NamedTuple):
    """Definitions of a page, the number of all, and the files of the page."""

    definitions: list[Definition]
    total: int
    versions: dict[str, FileVersion]


def find_definitions(conn: psycopg.Connection, target: Target, request: DefinitionRequest, wanted: Wanted) -> Page:
    """A page of the definitions that are asked for, best first.

    Args:
        target: its filters are of files only; those of the request do not count here, but for its kinds.
        wanted: the name of the request.
    """
    rows = run(conn, _page_of(_ALL_COLUMNS, target, request, wanted), _values(target, request, wanted))
    found = [(Definition(*row[1:15]), FileVersion(*row[15:18])) for row in rows if row[1] is not None]
    versions = {one.path: version for one, version in found}
    return Page([one for one, _ in found], rows[0][0], versions)


def rank_definitions(
    conn: psycopg.Connection, target: Target, request: DefinitionRequest, wanted: Wanted
) -> list[tuple[int, int, str]]:
    """File id, number and name of each definition that `find_definitions` gives, in its order."""
    query = _page_of("k.file_id, k.symbol_no, k.name", target, request, wanted)
    return [row[1:4] for row in run(conn, query, _values(target, request, wanted)) if row[1] is not None]


def _page_of(columns: LiteralString, target: Target, request: DefinitionRequest, wanted: Wanted) -> bytes:
    test, order = _TESTS[request.part, request.match]
    more: LiteralString = ""
    if request.filters.symbol_types:
        more += _OF_KIND
    if request.public_only:
        more += _PUBLIC
    if ContentClass.TESTS in request.filters.excluded_content:
        more += _NO_TEST  # some stand in files of code
    if request.symbol.member:
        more += _MEMBER
    if request.symbol.folder:
        more += _BELOW
    text = _PAGE
    nearness: LiteralString = _NEARNESS if wanted.owners else _ANYWHERE
    parts: Mapping[str, LiteralString] = {
        "{columns}": columns,
        "{nearness}": nearness,
        "{order}": order,
        "{test}": test,
        "{more}": more,
    }
    for place, part in parts.items():
        text = text.replace(place, part)
    return statement(text, target)


def outline_of(conn: psycopg.Connection, target: Target, file_id: int) -> list[OutlineEntry]:
    """All definitions of a file, in its order."""
    rows = conn.execute(
        statement(_OUTLINE.replace("{entry}", _ENTRY), target), {**parameters(target), "file_id": file_id}
    )
    return [OutlineEntry(*row) for row in rows.fetchall()]


def members_of(
    conn: psycopg.Connection, target: Target, owners: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], list[OutlineEntry]]:
    """(file_id, symbol_no) of each of these definitions -> those directly inside it, in their order."""
    values = {
        **parameters(target),
        "files": int_array(file_id for file_id, _ in owners),
        "numbers": int_array(number for _, number in owners),
    }
    found: dict[tuple[int, int], list[OutlineEntry]] = {owner: [] for owner in owners}
    for file_id, *entry in conn.execute(statement(_MEMBERS.replace("{entry}", _ENTRY), target), values).fetchall():
        found[file_id, entry[1]].append(OutlineEntry(*entry))
    return found


def names_sharing(conn: psycopg.Connection, target: Target, grams: Sequence[str], chars: int, most: int) -> list[str]:
    """Names that hold two in five of these texts, those with most of them first, then by length."""
    values = {"grams": text_array(grams), "least": max(1, len(grams) * 2 // 5), "chars": chars, "limit": most}
    rows = conn.execute(statement(_LIKE, target), {**parameters(target), **values})
    return [name for (name,) in rows.fetchall()]


def _values(target: Target, request: DefinitionRequest, wanted: Wanted) -> dict[str, object]:
    spelled = request.symbol.spelled
    return {
        **parameters(target),
        "classes": _CLASSES,
        "types": _TYPES,
        "functions": _FUNCTIONS,
        "wanted_kinds": text_array(request.filters.symbol_types),
        "keys": text_array(wanted.keys),
        "whole_key": wanted.whole,
        "own_key": wanted.own,
        "spelled": spelled,
        "below_folder": request.symbol.folder,
        "parts": text_array(f"%{like_escaped(word)}%" for word in wanted.words),
        "text": request.symbol.whole,
        "texts": text_array(f"%{like_escaped(word)}%" for word in request.symbol.whole.split()),
        "part": f"%{like_escaped(' '.join(request.symbol.whole.split()))}%",
        "glob": _pattern(request),
        **_owned(request.symbol.owners, ""),
        **_owned(wanted.owners, "_key"),
        "limit": request.limit,
        "offset": request.offset,
    }


def _pattern(request: DefinitionRequest) -> str:
    if request.part == "signature":
        return signature_pattern(request.symbol.whole)
    return name_pattern(request.symbol.spelled if request.part == "name" else request.symbol.whole)


def _owned(owners: Sequence[str], ending: LiteralString) -> dict[str, str]:
    """Patterns of what stands around a definition with these owners; see _NEARNESS."""
    escaped = [re.escape(owner) for owner in owners]
    inside = r"(^|\.)" + r"\.".join(escaped) + r"\."
    return {
        f"inside{ending}": inside + "$",
        f"beside{ending}": inside + r"([^.]*\.)?$",
        f"below{ending}": r"(^|\.)" + r"\.(.*\.)?".join(escaped) + r"\.(.*\.)?$",
    }


def like_escaped(text: str) -> str:
    """A text as a pattern of LIKE that means just that."""
    return re.sub(r"([\\%_])", r"\\\1", text)
