"""Input of the step that finds dependencies: files, pages of their imports, texts of manifests."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import LiteralString, NamedTuple

import psycopg
from psycopg import sql

from cocosearch_py.model.paths import file_id_of
from cocosearch_py.model.references import WILDCARD, Import, Offer
from cocosearch_py.storage.queries.target import int_array, text_array
from cocosearch_py.storage.schema.partitions import rows_of

_PAGE = 20_000  # imports, in about 10 MB
_TEXTS = 500  # files whose texts are read at once
_NAME = re.compile(r"\w+")
_CAPITAL = re.compile(r"\b[A-Z]\w*")


class StoredImport(NamedTuple):
    """A row of table `imports`."""

    file_id: int
    import_no: int
    what: Import


def indexed_files(conn: psycopg.Connection, index_id: int) -> list[tuple[int, str, str]]:
    """File id, path and language id of every file that can be imported: an empty one is a module, too."""
    query = sql.SQL(
        "SELECT file_id, path, coalesce(language_id, '') FROM {} f WHERE status = 'indexed' OR reason = 'empty'"
    ).format(rows_of("files", index_id))
    return conn.cursor(binary=True).execute(query, {"index_id": index_id}).fetchall()


def packages_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int], word: str) -> list[tuple[int, str]]:
    """(file, package) of each line of these files that says in which package they are, after a word."""
    query = sql.SQL(
        "SELECT c.file_id, (regexp_matches(c.content, %(line)s, 'gn'))[1] FROM {} c "
        "WHERE c.index_id = %(index_id)s AND c.file_id = ANY(%(files)s::bigint[]) AND strpos(c.content, %(word)s) > 0"
    ).format(rows_of("chunks", index_id))
    line = rf"^[ \t]*{word}[ \t]+([\w.`]+)"
    values = {"index_id": index_id, "files": int_array(file_ids), "line": line, "word": f"{word} "}
    return conn.execute(query, values).fetchall()


def imports_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int] | None) -> Iterator[list[StoredImport]]:
    """All imports of these files, or of all, in pages that the table's key gives, by file and place."""
    among: LiteralString = "" if file_ids is None else "AND file_id = ANY(%(files)s) "
    query = sql.SQL(
        "SELECT file_id, import_no, module, name, alias, line FROM {} i "
        "WHERE (file_id, import_no) > (%(file)s, %(number)s) {} ORDER BY file_id, import_no LIMIT %(page)s"
    ).format(rows_of("imports", index_id), sql.SQL(among))
    values = {"index_id": index_id, "files": None if file_ids is None else list(file_ids), "page": _PAGE}
    file, number = -1, -1
    while True:
        found = conn.cursor(binary=True).execute(query, {**values, "file": file, "number": number}).fetchall()
        if found:
            yield [StoredImport(row[0], row[1], Import(*row[2:])) for row in found]
        if len(found) < _PAGE:
            return
        file, number = found[-1][:2]


def names_from_outside(conn: psycopg.Connection, index_id: int, paths: Collection[str]) -> dict[str, set[str]]:
    """By file, the local names of what it imports by name from no file of the index."""
    query = sql.SQL(
        "SELECT file_id, coalesce(alias, name) FROM {} i WHERE file_id = ANY(%(files)s::bigint[]) AND name IS NOT NULL "
        "AND name <> %(wildcard)s AND NOT EXISTS (SELECT FROM {} d "
        "WHERE d.file_id = i.file_id AND d.import_no = i.import_no)"
    ).format(rows_of("imports", index_id), rows_of("dependencies", index_id))
    by_id = {file_id_of(path): path for path in paths}
    values = {"index_id": index_id, "files": int_array(by_id), "wildcard": WILDCARD}
    found: dict[str, set[str]] = {}
    for file_id, name in conn.execute(query, values):
        found.setdefault(by_id[file_id], set()).add(name)
    return found


def offers_of(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> list[Offer]:
    """Return definitions of these files that others may use."""
    query = sql.SQL(
        "SELECT s.file_id, s.name, s.signature, NOT s.nested OR p.kind IN ('namespace', 'module') FROM {symbols} s "
        "LEFT JOIN {symbols} p "
        "ON s.nested AND p.index_id = s.index_id AND p.file_id = s.file_id AND p.symbol_no = s.parent_no "
        "WHERE s.index_id = %(index_id)s AND s.file_id = ANY(%(files)s::bigint[]) AND s.function_depth = 0"
    ).format(symbols=rows_of("symbols", index_id))
    values = {"index_id": index_id, "files": int_array(file_ids)}
    return [Offer._make(row) for row in conn.cursor(binary=True).execute(query, values).fetchall()]


def names_used(conn: psycopg.Connection, index_id: int, file_ids: Sequence[int]) -> Iterator[tuple[int, set[str]]]:
    """Each of these files with all names that it refers to, also those before others, and its words with a capital.

    Of names that are only read, as objects and enumerations are, few are among the references; such words tell them.
    """
    query = sql.SQL(
        "SELECT file_id, (SELECT string_agg(name || ' ' || qualifier, ' ') FROM {refs} r "
        "WHERE r.index_id = %(index_id)s AND r.file_id = o.file_id AND r.kind NOT IN ('gives', 'holds', 'exports')), "
        "(SELECT string_agg(content, ' ') FROM {chunks} c "
        "WHERE c.index_id = %(index_id)s AND c.file_id = o.file_id) "
        "FROM unnest(%(files)s::bigint[]) AS o(file_id)"
    ).format(refs=rows_of("refs", index_id), chunks=rows_of("chunks", index_id))
    for at in range(0, len(file_ids), _TEXTS):
        values = {"index_id": index_id, "files": int_array(file_ids[at : at + _TEXTS])}
        for file_id, names, text in conn.cursor(binary=True).execute(query, values).fetchall():
            yield file_id, {*_NAME.findall(names or ""), *_CAPITAL.findall(text or "")}


def imports_bringing(
    conn: psycopg.Connection, index_id: int, names: Collection[str], *, or_all: bool
) -> list[StoredImport]:
    """All imports of these names; `or_all`: and those of whole modules, or of all names of one."""
    more: LiteralString = " OR name IS NULL OR name = %(wildcard)s" if or_all else ""
    query = sql.SQL(
        "SELECT file_id, import_no, module, name, alias, line FROM {} i WHERE (name = ANY(%(names)s::text[]){})"
    ).format(rows_of("imports", index_id), sql.SQL(more))
    values = {"index_id": index_id, "names": text_array(names), "wildcard": WILDCARD}
    rows = conn.cursor(binary=True).execute(query, values)
    return [StoredImport(row[0], row[1], Import(*row[2:])) for row in rows.fetchall()]


def files_importing(
    conn: psycopg.Connection, index_id: int, words: Collection[str], file_ids: Collection[int] | None = None
) -> set[int]:
    """Files, or those of these, with imports whose text has one of these words of ASCII, whatever their case.

    Underscores do not count. Texts that stand for others are among them: with `%41` for A, or `..` for a folder.
    """
    among: LiteralString = "" if file_ids is None else "file_id = ANY(%(files)s::bigint[]) AND "
    query = sql.SQL(
        "SELECT DISTINCT file_id FROM {} i WHERE {}(module ~ '%%|(^|/)\\.\\.?/*($|\\?)' "
        "OR lower(replace(concat(module, ' ', name), '_', '')) ~ %(words)s)"
    ).format(rows_of("imports", index_id), sql.SQL(among))
    pattern = "|".join(re.escape(word.replace("_", "").lower()) for word in words)
    values = {"index_id": index_id, "files": int_array(file_ids or ()), "words": pattern}
    return {row[0] for row in conn.execute(query, values)}


def files_leading_to(conn: psycopg.Connection, index_id: int, file_ids: Collection[int]) -> set[int]:
    """Files whose imports led to these when they were looked at."""
    query = sql.SQL("SELECT DISTINCT file_id FROM {} d WHERE target_file_id = ANY(%(files)s::bigint[])")
    values = {"index_id": index_id, "files": int_array(file_ids)}
    return {row[0] for row in conn.execute(query.format(rows_of("dependencies", index_id)), values)}


def is_in_manifest(conn: psycopg.Connection, index_id: int, words: Collection[str]) -> bool:
    """Whether a manifest may name a file of the project by one of these words, or by a part of its name."""
    query = sql.SQL(
        "SELECT EXISTS (SELECT FROM {files} f JOIN {chunks} c ON c.index_id = f.index_id AND c.file_id = f.file_id "
        "WHERE f.path ~ '(\\.json|(^|/)Cargo\\.toml)$' AND (c.content ~* %(names)s "
        "OR f.path ~ '(config|package)[^/]*\\.json$' AND c.content ~ %(parts)s))"
    ).format(files=rows_of("files", index_id), chunks=rows_of("chunks", index_id))
    part = r"([\w-]\*[^/\"\s]*\"|\*[\w-])"  # of a name, for which a `*` stands
    names = rf"[\"'/]({'|'.join(map(re.escape, words))})(\.|[\"'](?!\s*:))|/[^/\"\s]*{part}"
    values = {"index_id": index_id, "names": names, "parts": rf'"[^"/\s]*{part}'}
    row = conn.execute(query, values).fetchone()
    return bool(row and row[0])


def text_of(conn: psycopg.Connection, index_id: int, file_id: int) -> str:
    """The text of a file: its chunks are all of it."""
    query = sql.SQL("SELECT string_agg(content, '' ORDER BY chunk_no) FROM {} c WHERE file_id = %(file)s").format(
        rows_of("chunks", index_id)
    )
    row = conn.execute(query, {"index_id": index_id, "file": file_id}).fetchone()
    return (row and row[0]) or ""
