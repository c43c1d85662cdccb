"""Statements that find uses of names, and what imports say about them."""

from collections.abc import Collection, Iterable, Sequence
from typing import LiteralString, NamedTuple

import psycopg

from cocosearch_py.model.files import FileVersion
from cocosearch_py.model.references import COMPUTED, DEFAULT_EXPORT, EXPORTED, TELLS, WHOLE_EXPORT, WILDCARD
from cocosearch_py.storage.queries.symbols import like_escaped
from cocosearch_py.storage.queries.target import Target, int_array, parameters, statement, text_array
from cocosearch_py.storage.statements import run

_MOST_DEFINITIONS = 2_000  # of the names of one request
_MOST_MENTIONS = 200  # passages
_MOST_COMPUTED = 10_000  # names made at run time, those of a file that are spelled alike as one
_MOST_TOLD = 2_000  # functions and attributes of the names of one request
_MOST_PATTERNS = 4
_MOST_IN_LISTS = 40  # of a statement that is planned once
OUTSIDE = -1  # of all definitions

# Whether a use may be of a member of the class around it, which is asked for only then: looking it up costs more than
# all else.
_IS_OWN: LiteralString = (
    "CASE WHEN k.qualifier = '' THEN k.file_id = ANY(%(owning)s::bigint[]) "
    "ELSE k.qualifier = ANY(%(selves)s::text[]) END"
)
# OFFSET 0 keeps the planner from sorting all uses for the sake of the order of the groups.
_USES: LiteralString = """
SELECT file_id, kind, name, qualifier, receiver, inside, told_no, uses, line, 1 FROM (
    SELECT k.file_id, k.kind, k.name, k.qualifier, k.receiver, CASE WHEN {is_own} THEN coalesce((
        SELECT s.qualified_name FROM {symbols} s
        WHERE s.index_id = %(index_id)s AND s.file_id = k.file_id AND s.symbol_no = k.told_no
    ), '') ELSE '' END AS inside, k.told_no, count(*) AS uses, min(k.line) AS line, min(k.ref_no) AS first
    FROM (
        SELECT k.file_id, k.ref_no, k.line, k.kind, k.name, k.qualifier, coalesce(k.receiver, '') AS receiver,
            CASE WHEN %(by_definition)s::boolean OR {is_own} THEN coalesce(k.symbol_no, {outside}) END AS told_no
        FROM {refs} k
        WHERE k.name = ANY(%(names)s::text[]) AND k.kind = ANY(%(kinds_of_uses)s::text[]) {restriction_by_row}
    ) k
    GROUP BY k.file_id, k.kind, k.name, k.qualifier, k.receiver, k.told_no OFFSET 0
) g ORDER BY file_id, first LIMIT %(most)s""".replace("{is_own}", _IS_OWN).replace("{outside}", "-1")
_PLACES: LiteralString = """
SELECT k.file_id, k.kind, k.name, k.qualifier, coalesce(k.receiver, ''), k.line, k.col, k.symbol_no FROM {refs} k
WHERE k.index_id = %(index_id)s AND k.file_id = ANY(%(files)s::bigint[]) AND k.name = ANY(%(names)s::text[])
    AND k.kind = ANY(%(kinds_of_uses)s::text[])
ORDER BY k.file_id, k.ref_no"""
# With the number of the index, a key, which begins with it, is entered once for each row, not three times.
_INSIDE: LiteralString = """
SELECT k.file_id, k.kind, k.name, k.qualifier, coalesce(k.receiver, ''), coalesce(s.qualified_name, ''), k.symbol_no, 1,
    k.line, k.col
FROM {refs} k LEFT JOIN {symbols} s
    ON s.index_id = %(index_id)s AND s.file_id = k.file_id AND s.symbol_no = k.symbol_no
WHERE k.index_id = %(index_id)s AND k.file_id = %(file)s AND k.symbol_no >= %(symbol)s AND k.line <= %(last)s
    AND k.kind = ANY(%(kinds_of_uses)s::text[])
ORDER BY k.ref_no LIMIT %(most)s"""
_IMPORTS: LiteralString = """
SELECT k.file_id, k.line, k.module, k.name, k.alias, ARRAY(
    SELECT d.target_file_id FROM {dependencies} d
    WHERE d.index_id = %(index_id)s AND d.file_id = k.file_id AND d.import_no = k.import_no
), (
    SELECT ARRAY[s.start_line, s.end_line] FROM {symbols} s
    WHERE s.index_id = %(index_id)s AND s.file_id = k.file_id AND s.symbol_no = k.symbol_no
)
FROM {imports} k
WHERE k.index_id = %(index_id)s AND """
# Of modules the first and the last part count, as in `binding`, which looks at what is read here more closely. To take
# a module apart costs more than all else, and is left out where none of the names, if they are few, stands in it.
_OF_USES: LiteralString = """k.file_id = ANY(%(files)s::bigint[]) AND (
    coalesce(k.alias, k.name) = ANY(%(locals)s::text[])
    OR (k.name = %(wildcard)s AND k.file_id = ANY(%(open)s::bigint[]))
    OR (k.name IS NULL AND k.file_id = ANY(%(bringing)s::bigint[]))
    OR (k.name IS NULL AND k.alias IS NULL AND k.module LIKE ANY(%(holding)s::text[]) AND (
        split_part(btrim(translate(replace(k.module, '->', '.'), ':\\/?', '....'), '.'), '.', 1)
            = ANY(%(locals)s::text[])
        OR split_part(btrim(translate(replace(k.module, '->', '.'), ':\\/?', '....'), '.'), '.', -1)
            = ANY(%(locals)s::text[])
    ))
    OR ((k.name IS NULL OR k.name = %(wildcard)s) AND k.file_id = ANY(%(bare)s::bigint[])
        AND (k.file_id, k.import_no) IN (
            SELECT d.file_id, d.import_no FROM unnest(%(defining)s::bigint[]) AS t(id)
            JOIN {dependencies} d ON d.index_id = %(index_id)s AND d.target_file_id = t.id
        )
    )
)
ORDER BY k.file_id, k.import_no"""
_OF_EXPORTS: LiteralString = """(
    k.name = ANY(%(names)s::text[]) OR (%(whole)s::boolean AND k.name IS NULL AND k.alias IS NOT NULL)
) AND (k.file_id, k.import_no) IN (
    SELECT d.file_id, d.import_no FROM {dependencies} d
    WHERE d.index_id = %(index_id)s AND d.target_file_id = ANY(%(targets)s::bigint[])
) {restriction_by_row}
ORDER BY k.file_id, k.import_no LIMIT %(most)s"""
_IN_FUNCTIONS: LiteralString = """
SELECT DISTINCT k.file_id FROM {imports} k
WHERE k.index_id = %(index_id)s AND k.file_id = ANY(%(files)s::bigint[]) AND k.symbol_no IS NOT NULL
    AND (k.name IS NULL OR coalesce(k.alias, k.name) = ANY(%(locals)s::text[]))"""
_DEFINITIONS: LiteralString = """
SELECT k.file_id, k.symbol_no, k.name, k.kind, k.qualified_name,
    k.nested AND coalesce(p.kind, '') NOT IN ('namespace', 'module') AS nested, k.start_line, k.end_line, f.path,
    f.language_id, k.visibility = 'private'
FROM {symbols} k JOIN {files} f ON f.index_id = %(index_id)s AND f.file_id = k.file_id
LEFT JOIN {symbols} p ON p.index_id = %(index_id)s AND p.file_id = k.file_id AND p.symbol_no = k.parent_no
WHERE k.name_key = ANY(%(keys)s::text[]) AND k.name = ANY(%(names)s::text[])
ORDER BY f.path, k.symbol_no LIMIT %(most)s"""
_FILES: LiteralString = """
SELECT file_id, path, language_id, coalesce(content_class, ''), size_bytes, mtime_ns, content_hash
FROM {files} f WHERE f.index_id = %(index_id)s AND file_id = ANY(%(files)s::bigint[])"""
_AROUND: LiteralString = """
SELECT s.file_id, s.symbol_no, s.name, s.kind, s.qualified_name, s.nested, s.start_line, s.end_line
FROM unnest(%(files)s::bigint[], %(numbers)s::int[]) AS w(file_id, symbol_no)
JOIN {symbols} s ON s.index_id = %(index_id)s AND s.file_id = w.file_id AND s.symbol_no = w.symbol_no"""
_GAPS: LiteralString = """
SELECT language_id, count(*) FILTER (WHERE status = 'indexed'),
    count(*) FILTER (WHERE status = 'failed' OR parse_status IN ('partial', 'error'))
FROM {files} f WHERE status <> 'skipped' GROUP BY 1"""
# Imports of a name are few. OFFSET 0 keeps the planner from beginning with all that lead nowhere.
_LOOSE: LiteralString = """
SELECT count(*) FROM {imports} i WHERE i.name = ANY(%(names)s::text[]) AND EXISTS (
    SELECT FROM {dependencies} d
    WHERE d.index_id = %(index_id)s AND d.file_id = i.file_id AND d.import_no = i.import_no AND d.target_file_id = 0
    OFFSET 0
)"""
_LOOSE_WILDCARDS: LiteralString = """
SELECT count(*) FROM {dependencies} d JOIN {imports} i USING (file_id, import_no)
WHERE d.target_file_id = 0 AND i.name = %(wildcard)s"""
_HEIRS: LiteralString = """
SELECT DISTINCT k.name, s.name
FROM {refs} k JOIN {symbols} s
    ON s.index_id = %(index_id)s AND s.file_id = k.file_id AND s.symbol_no = k.symbol_no
WHERE k.name = ANY(%(names)s::text[]) AND k.kind = 'inherit' LIMIT %(most)s"""
_TOLD: LiteralString = """
SELECT k.file_id, k.name, k.kind = 'gives', k.qualifier, k.receiver FROM {refs} k
WHERE k.name = ANY(%(names)s::text[]) AND k.kind IN ('gives', 'holds')
ORDER BY k.file_id, k.ref_no LIMIT %(most)s"""
_EXPORTS: LiteralString = """
SELECT k.file_id, k.qualifier, k.receiver FROM {refs} k
WHERE k.name = %(exported)s AND k.kind = 'exports' AND k.file_id = ANY(%(files)s::bigint[])
ORDER BY k.file_id, k.ref_no"""
_COMPUTED: LiteralString = """
SELECT k.file_id, f.path, f.language_id, k.qualifier, coalesce(k.receiver, ''), coalesce(p.qualified_name, ''),
    min(k.line), count(*)
FROM {refs} k JOIN {files} f ON f.index_id = %(index_id)s AND f.file_id = k.file_id
LEFT JOIN {symbols} s ON k.qualifier = ANY(%(selves)s::text[]) AND s.index_id = %(index_id)s AND s.file_id = k.file_id
    AND s.symbol_no = k.symbol_no
LEFT JOIN {symbols} p ON p.index_id = %(index_id)s AND p.file_id = k.file_id AND p.symbol_no = s.parent_no
    AND p.kind IN ('class', 'struct', 'trait', 'module')
WHERE k.name = %(computed)s AND k.kind = 'computed' GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 2, 7 LIMIT %(most)s"""
_RENAMED: LiteralString = """
SELECT DISTINCT i.file_id, i.line FROM {dependencies} d JOIN {imports} i USING (file_id, import_no)
WHERE d.target_file_id = ANY(%(files)s::bigint[]) AND i.alias <> ALL(%(names)s::text[])
    AND (i.name = %(default)s OR (i.name IS NULL AND EXISTS (
        SELECT FROM {refs} r WHERE r.file_id = i.file_id AND r.name = i.alias COLLATE "C" AND r.qualifier = '')))"""
_MENTIONS: LiteralString = """
SELECT k.file_id, c.start_line, c.content FROM {keywords} k JOIN {chunks} c USING (file_id, chunk_no)
WHERE k.terms @@ %(term)s::tsquery AND strpos(c.content, %(name)s) > 0 LIMIT %(most)s"""


Written = tuple[int, str, str, str, str]  # file, kind, name, qualifier and receiver of a use


class Use(NamedTuple):
    """Uses of a name in a file that are spelled alike, or a single one.

    `told_no` is the number of the definition around them, OUTSIDE for none, and `inside` its qualified name, where
    these were asked for; the line is that of the first, and the column that of a single one.
    """

    file_id: int
    kind: str
    name: str
    qualifier: str
    receiver: str
    inside: str
    told_no: int | None
    times: int
    line: int
    column: int

    @property
    def written(self) -> Written:
        return self[:5]

    @property
    def symbol_no(self) -> int | None:
        """Number of the definition around it, as far as it was asked for."""
        return None if self.told_no == OUTSIDE else self.told_no


class PlacedUse(NamedTuple):
    """A row of table `refs`."""

    written: Written
    line: int
    column: int
    symbol_no: int | None


class OfMembers(NamedTuple):
    """How members of the class around a use are called: behind one of `selves`, in the files `owning` bare, too."""

    selves: Collection[str]
    owning: Collection[int]


class Unnamed(NamedTuple):
    """Imports of all names, or of whole modules: all of the one sort in `open`, all of the other in `bringing`.

    Elsewhere those in `bare` that lead to one of the files `defining`.
    """

    open: Collection[int]
    bringing: Collection[int]
    bare: Collection[int]
    defining: Collection[int]


class Imported(NamedTuple):
    """A row of table `imports` with the files that it leads to: none if out of the project, 0 if to a missing one.

    `scope` has the first and last line of the function that alone sees it; None is the whole file.
    """

    file_id: int
    line: int
    module: str
    name: str | None
    alias: str | None
    targets: frozenset[int]
    scope: tuple[int, int] | None = None

    def is_seen_at(self, line: int) -> bool:
        """Report whether code at a line sees it; 0 stands for a place that is not known."""
        return self.scope is None or not line or self.scope[0] <= line <= self.scope[1]


class Defined(NamedTuple):
    """A row of table `symbols` with its file; `is_private` is known of those that were looked up by name."""

    file_id: int
    symbol_no: int
    name: str
    kind: str
    qualified_name: str
    nested: bool
    start_line: int
    end_line: int
    path: str
    language_id: str
    is_private: bool = False

    @property
    def owner(self) -> str:
        """Name of the enclosing definition; empty without one."""
        return self.qualified_name[: -len(self.name)].rstrip(".").rpartition(".")[2]


class KnownFile(NamedTuple):
    """Facts about a file."""

    path: str
    language_id: str
    content_class: str
    version: FileVersion


class Computed(NamedTuple):
    """Names that a file makes at run time: what they are looked up on, what of them is written, the first line.

    `inside` is the class whose method they are in, where it was asked for; else empty.
    """

    file_id: int
    path: str
    language_id: str
    qualifier: str
    pattern: str
    inside: str
    line: int
    times: int


class ToldOf(NamedTuple):
    """Type that a function of a file returns, or that an attribute of class `owner` holds."""

    file_id: int
    name: str
    is_function: bool
    owner: str
    text: str


class LanguageGap(NamedTuple):
    """Files of a language, and how many of them could not be read or parsed as a whole."""

    language_id: str
    files: int
    broken: int


def _is_short(*lists: Collection[object]) -> bool:
    """Whether a statement with these lists may be prepared.

    A plan that is made for any values looks through a list for each row; one for these values makes a table of it.
    """
    return sum(map(len, lists)) <= _MOST_IN_LISTS


def uses_of(
    conn: psycopg.Connection,
    target: Target,
    names: Collection[str],
    kinds: Sequence[str],
    members: OfMembers,
    most: int,
    *,
    by_definition: bool,
) -> list[Use]:
    """Uses of these names, those of a file that are spelled alike as one, by file and place; at most `most`.

    Args:
        members: where the definition around a use is wanted; those in different definitions are then apart.
        by_definition: it is wanted everywhere.
    """
    values: dict[str, object] = {"names": text_array(names), "kinds_of_uses": text_array(kinds), "most": most}
    values |= {
        "selves": text_array(members.selves),
        "owning": int_array(members.owning),
        "by_definition": by_definition,
    }
    every = {**parameters(target), **values}
    rows = run(conn, statement(_USES, target), every, prepare=_is_short(members.owning))
    return list(map(Use._make, rows))


def places_of(conn: psycopg.Connection, target: Target, uses: Iterable[Use]) -> list[PlacedUse]:
    """Each of these uses by itself, by file and place, and others of the same names and files."""
    wanted = list(uses)
    values = {
        "files": int_array({one.file_id for one in wanted}),
        "names": text_array({one.name for one in wanted}),
        "kinds_of_uses": text_array({one.kind for one in wanted}),
    }
    few = sum(one.times for one in wanted) <= _MOST_IN_LISTS
    rows = run(conn, statement(_PLACES, target), {**parameters(target), **values}, prepare=few)
    return [PlacedUse(row[:5], *row[5:]) for row in rows]


def uses_inside(conn: psycopg.Connection, target: Target, one: Defined, kinds: Sequence[str], most: int) -> list[Use]:
    """Return the uses in a definition and in those inside it, in order."""
    values = {"file": one.file_id, "symbol": one.symbol_no, "last": one.end_line, "kinds_of_uses": text_array(kinds)}
    rows = run(conn, statement(_INSIDE, target), {**parameters(target), **values, "most": most})
    return list(map(Use._make, rows))


def imports_named(conn: psycopg.Connection, target: Target, names: Collection[str], most: int) -> list[Imported]:
    """Imports of these names, under whatever local name, by file and place."""
    text: LiteralString = (
        _IMPORTS + "k.name = ANY(%(names)s::text[]) {restriction_by_row} ORDER BY k.file_id, k.import_no LIMIT %(most)s"
    )
    return _imports(conn, target, text, {"names": text_array(names), "most": most})


def imports_of_exports(
    conn: psycopg.Connection, target: Target, files: Collection[int], exported: Collection[str], most: int
) -> list[Imported]:
    """Imports of these exported names that lead to one of these files, by file and place."""
    values: dict[str, object] = {"names": text_array(exported), "targets": int_array(files), "most": most}
    values["whole"] = WHOLE_EXPORT in exported
    return _imports(conn, target, _IMPORTS + _OF_EXPORTS, values, prepare=_is_short(files))


def imports_of_files(
    conn: psycopg.Connection, target: Target, files: Collection[int], locals_: Collection[str]
) -> list[Imported]:
    """Imports of files that may bring one of these local names: under it, with all names, or as a whole module."""
    text: LiteralString = (
        _IMPORTS + "k.file_id = ANY(%(files)s::bigint[]) AND (k.name IS NULL OR k.name = %(wildcard)s "
        "OR k.name = ANY(%(locals)s::text[]) OR k.alias = ANY(%(locals)s::text[])) ORDER BY k.file_id, k.import_no"
    )
    values: dict[str, object] = {"files": int_array(files), "locals": text_array(locals_), "wildcard": WILDCARD}
    return _imports(conn, target, text, values, prepare=_is_short(locals_))


def imports_of_uses(
    conn: psycopg.Connection,
    target: Target,
    files: Collection[int],
    locals_: Collection[str],
    unnamed: Unnamed,
) -> list[Imported]:
    """Imports of files that may say what uses in them mean, by file and place.

    Those of whole modules and of all names are many, and few of them say anything.

    Args:
        locals_: what is used, and what stands before it: imports under one of these names, and of such modules.
        unnamed: which of those without a name are wanted besides.
    """
    values: dict[str, object] = {"files": int_array(files), "locals": text_array(locals_), "wildcard": WILDCARD}
    values |= {name: int_array(numbers) for name, numbers in unnamed._asdict().items()}
    holding = [f"%{like_escaped(name)}%" for name in locals_] if len(locals_) <= _MOST_PATTERNS else ["%"]
    values["holding"] = text_array(holding)
    return _imports(conn, target, _IMPORTS + _OF_USES, values, prepare=_is_short(files, locals_))


def _imports(
    conn: psycopg.Connection,
    target: Target,
    text: LiteralString,
    values: dict[str, object],
    *,
    prepare: bool = True,
) -> list[Imported]:
    rows = run(conn, statement(text, target), {**parameters(target), **values}, prepare=prepare)
    return [Imported._make((*row[:-2], frozenset(row[-2]), row[-1] and tuple(row[-1]))) for row in rows]


def files_importing_in_functions(
    conn: psycopg.Connection, target: Target, files: Collection[int], locals_: Collection[str]
) -> set[int]:
    """Those of these files that have imports inside functions, of whole modules or under one of these local names."""
    values = {"files": int_array(files), "locals": text_array(locals_)}
    rows = run(conn, statement(_IN_FUNCTIONS, target), {**parameters(target), **values}, prepare=_is_short(files))
    return {file_id for (file_id,) in rows}


def definitions_named(
    conn: psycopg.Connection, target: Target, names: Collection[str], keys: Collection[str]
) -> list[Defined]:
    """Definitions with just these names, by path and place; `keys` are those under which names are looked up."""
    values = {"keys": text_array(keys), "names": text_array(names), "most": _MOST_DEFINITIONS}
    return list(map(Defined._make, run(conn, statement(_DEFINITIONS, target), {**parameters(target), **values})))


def files_by_id(conn: psycopg.Connection, target: Target, ids: Collection[int]) -> dict[int, KnownFile]:
    values = {**parameters(target), "files": int_array(ids)}
    rows = run(conn, statement(_FILES, target), values)
    return {row[0]: KnownFile(row[1], row[2] or "", row[3], FileVersion(*row[4:])) for row in rows}


def definitions_around(
    conn: psycopg.Connection, target: Target, places: Collection[tuple[int, int]], files: dict[int, KnownFile]
) -> dict[tuple[int, int], Defined]:
    """(file_id, symbol_no) -> the definition."""
    if not places:
        return {}
    ids, numbers = zip(*places, strict=True)
    values = {**parameters(target), "files": int_array(ids), "numbers": int_array(numbers)}
    rows = run(conn, statement(_AROUND, target), values)
    return {row[:2]: Defined._make((*row, files[row[0]].path, files[row[0]].language_id, False)) for row in rows}


def gaps(conn: psycopg.Connection, target: Target) -> list[LanguageGap]:
    """Every language of the index."""
    rows = run(conn, statement(_GAPS, target), parameters(target))
    return [LanguageGap(row[0] or "", row[1], row[2]) for row in rows]


def count_loose(conn: psycopg.Connection, target: Target, names: Collection[str]) -> int:
    """Imports of these names that lead to no file, although they should."""
    return int(run(conn, statement(_LOOSE, target), {**parameters(target), "names": text_array(names)})[0][0])


def count_loose_wildcards(conn: psycopg.Connection, target: Target) -> int:
    """Imports of all names that lead to no file, although they should."""
    values = {**parameters(target), "wildcard": WILDCARD}
    return int(run(conn, statement(_LOOSE_WILDCARDS, target), values)[0][0])


def heirs_of(conn: psycopg.Connection, target: Target, names: Collection[str], most: int) -> list[tuple[str, str]]:
    """(class, one that inherits from a class of that name), at most `most`."""
    values = {**parameters(target), "names": text_array(names), "most": most}
    return [(base, heir) for base, heir in run(conn, statement(_HEIRS, target), values)]


def told_of(conn: psycopg.Connection, target: Target, names: Collection[str]) -> list[ToldOf]:
    """Return statements of files about functions, attributes and variables of these names, by file and place."""
    values = {"names": text_array(f"{TELLS}{name}" for name in names), "most": _MOST_TOLD}
    rows = run(conn, statement(_TOLD, target), {**parameters(target), **values}, prepare=_is_short(names))
    return [ToldOf(file_id, name[len(TELLS) :], is_function, *rest) for file_id, name, is_function, *rest in rows]


def exports_of(conn: psycopg.Connection, target: Target, files: Collection[int]) -> list[tuple[int, str, str]]:
    """(file, exported name, name in the file) of definitions exported as the default or under another name."""
    values = {"exported": EXPORTED, "files": int_array(files)}
    rows = run(conn, statement(_EXPORTS, target), {**parameters(target), **values}, prepare=_is_short(files))
    return [(file_id, exported, name) for file_id, exported, name in rows]


def computed(conn: psycopg.Connection, target: Target, selves: Collection[str]) -> list[Computed]:
    """Where names are made at run time, by path and line; the class around those that are looked up on `selves`."""
    values = {**parameters(target), "computed": COMPUTED, "selves": text_array(selves)}
    values["most"] = _MOST_COMPUTED
    return list(map(Computed._make, run(conn, statement(_COMPUTED, target), values)))


def places_renaming(
    conn: psycopg.Connection, target: Target, files: Collection[int], names: Collection[str]
) -> set[tuple[int, int]]:
    """(file, line) of imports that give another name to a file's default export, or to the file itself if it is used.

    The names are those that are known.
    """
    values = {"files": int_array(files), "names": text_array(names), "default": DEFAULT_EXPORT}
    return set(run(conn, statement(_RENAMED, target), {**parameters(target), **values}))


def mentions(conn: psycopg.Connection, target: Target, name: str, term: str) -> list[tuple[int, int, str]] | None:
    """Passages that have a name in them: file, first line, text; None if there are very many.

    Args:
        term: under which the vocabulary has it.
    """
    quoted = "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
    values = {**parameters(target), "name": name, "term": quoted, "most": _MOST_MENTIONS + 1}
    rows: list[tuple[int, int, str]] = run(conn, statement(_MENTIONS, target), values)
    return rows if len(rows) <= _MOST_MENTIONS else None
