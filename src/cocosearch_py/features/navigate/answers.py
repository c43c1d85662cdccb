"""Answers about definitions and files."""

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Match, Part, Share


class Defined(Part):
    """A definition; `score` is 1 for a name just as it was asked for. `doc` is there if it was matched."""

    file_path: str
    start_line: Count
    end_line: Count
    kind: str
    name: str
    qualified_name: str
    signature: str
    visibility: str
    score: Share
    parent: str = ""
    doc: str | UnsetType = UNSET
    index_name: str = ""


class Definitions(Part):
    """Definitions, best first; without a `next_cursor` there are no more. `match` says how they were found."""

    match: Match
    total: Count
    definitions: tuple[Defined, ...] | UnsetType = UNSET
    columns: tuple[str, ...] | UnsetType = UNSET
    rows: tuple[tuple[str | float | None, ...], ...] | UnsetType = UNSET
    next_cursor: str = ""
    did_you_mean: tuple[str, ...] = ()
    note: str = ""
    warnings: tuple[str, ...] = ()


class Inner(Part):
    """A definition in its file, without the definitions around it."""

    kind: str
    name: str
    signature: str
    start_line: Count
    end_line: Count
    visibility: str


class Relationships(Part):
    """Types that a definition inherits from, as written, and those that inherit from something of its name."""

    inherits: tuple[str, ...]
    inherited_by: tuple[str, ...]


class Explained(Part):
    """A definition; `children_summary` counts the definitions directly inside it, by kind.

    `callers_count` counts calls that imports and scopes say mean it, `callers_by_name_count` further calls of
    its name, `tests_count` those calls of the first kind that are in tests. find_references lists them.
    """

    file_path: str
    start_line: Count
    end_line: Count
    body_lines: Count
    kind: str
    name: str
    qualified_name: str
    language_id: str
    signature: str
    doc_comment: str
    visibility: str
    is_async: bool
    is_test: bool
    is_deprecated: bool
    parent: str | None
    callers_count: Count
    callers_by_name_count: Count
    tests_count: Count
    relationships: Relationships
    children_summary: dict[str, Count]
    children: tuple[Inner, ...]
    index_name: str = ""


class Explanations(Part):
    """Definitions of a name, best first; `total` counts all of them."""

    symbols: tuple[Explained, ...]
    total: Count
    did_you_mean: tuple[str, ...] = ()
    note: str = ""
    warnings: tuple[str, ...] = ()


class Entry(Inner):
    """A definition; `children` are entries of the definitions inside it."""

    doc: str = ""
    children: tuple[Any, ...] = ()


class Imported(Part):
    """An import of a line; `files` of the index that it leads to, relative to the root of the index."""

    line: Count
    module: str
    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class FileOutline(Part):
    """A file; `symbol_count` counts all of its definitions, also those that are not shown."""

    path: str
    language: str
    line_count: Count
    byte_size: Count
    parse_status: str
    symbol_count: Count
    parse_error: str | UnsetType = UNSET
    imports: tuple[Imported, ...] | UnsetType = UNSET
    unresolved_imports: tuple[Imported, ...] | UnsetType = UNSET
    symbols: tuple[Entry, ...] | UnsetType = UNSET
    columns: tuple[str, ...] | UnsetType = UNSET
    rows: tuple[tuple[str | float | None, ...], ...] | UnsetType = UNSET
    truncated: bool = False
    note: str = ""
    warnings: tuple[str, ...] = ()


class Declaration(Inner):
    """An outermost definition; `members` are the names directly in it."""

    members: tuple[str, ...] = ()
    more_members: Count = 0


class SummarizedFile(Part):
    """A file; `has_tests` says whether find_tests finds any.

    `about` is the first sentence of its docstring or header comment.
    """

    path: str
    language: str
    line_count: Count
    byte_size: Count
    symbol_count: Count
    public_count: Count
    kinds: dict[str, Count]
    has_tests: bool
    imported_by: Count
    imports: tuple[str, ...] = ()
    importers: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()
    about: str = ""


class OneFile(SummarizedFile, kw_only=True):
    """A file alone, with its declarations; other files are relative to `root`."""

    type: Literal["file"]
    root: str
    modified: str
    content_class: str | UnsetType = UNSET
    parse_status: str | UnsetType = UNSET
    declarations: tuple[Declaration, ...] | UnsetType = UNSET
    columns: tuple[str, ...] | UnsetType = UNSET
    rows: tuple[tuple[str | float | list[str] | None, ...], ...] | UnsetType = UNSET
    truncated: bool = False
    note: str = ""
    warnings: tuple[str, ...] = ()


class OneOfSeveral(SummarizedFile, kw_only=True):
    """A file among others, with its definitions as `kind name:first-last`, or public signatures behind lines."""

    defines: tuple[str, ...]


class Absent(Part):
    """A path that no index has."""

    path: str
    reason: str


class SeveralFiles(Part):
    """Several files; paths are relative to `root`."""

    type: Literal["files"]
    root: str
    files: tuple[OneOfSeveral, ...]
    count: Count
    total_matched: Count
    not_found: tuple[Absent, ...] = ()
    truncated: bool = False
    note: str = ""
    warnings: tuple[str, ...] = ()


class FolderEntry(Part):
    """A file or a folder; the name of a folder ends with '/'."""

    name: str
    line_count: Count
    files: Count | UnsetType = UNSET


class OneFolder(Part):
    """A folder with all below it; files are relative to `root`.

    `about` is the first sentence of its manifest's description or README. `entry_points` are files in which programs
    begin, and what manifests install as `name = where`; `test_commands` run all tests.
    """

    type: Literal["directory"]
    root: str
    path: str
    files: Count
    line_count: Count
    byte_size: Count
    left_out: Count
    languages: dict[str, Count]
    content: dict[str, Count]
    symbol_count: Count
    public_count: Count
    kinds: dict[str, Count]
    most_imported: dict[str, Count]
    entries: tuple[FolderEntry, ...]
    more_entries: Count = 0
    about: str = ""
    entry_points: tuple[str, ...] = ()
    test_commands: tuple[str, ...] = ()
    note: str = ""
    warnings: tuple[str, ...] = ()


class OneSymbol(Explanations, kw_only=True):
    """Definitions of a name, as explain_symbol tells of them."""

    type: Literal["symbol"]


class CodePart(Part):
    """Lines of a file; `source` holds those from `start_line` to `end_line`, or `status` is `unchanged:<hash>`."""

    file_path: str
    hash: str
    language: str = ""
    start_line: Count | UnsetType = UNSET
    end_line: Count | UnsetType = UNSET
    line_count: Count | UnsetType = UNSET
    kind: str = ""
    name: str = ""
    stale: str = ""
    read_from: str = ""
    status: str = ""
    source: str | UnsetType = UNSET


class Missing(Part):
    """A target that is not there."""

    target: str
    reason: str
    did_you_mean: tuple[str, ...] = ()


class OnePart(CodePart):
    """A part; what did not fit is read with `next_targets`."""

    rev: str = ""
    truncated: bool = False
    line_limit: Count = 0
    next_targets: tuple[str, ...] = ()
    note: str = ""
    warnings: tuple[str, ...] = ()


class SeveralParts(Part):
    """Several parts."""

    symbols: tuple[CodePart, ...]
    not_found: tuple[Missing, ...]
    rev: str = ""
    truncated: bool = False
    line_limit: Count = 0
    next_targets: tuple[str, ...] = ()
    note: str = ""
    warnings: tuple[str, ...] = ()
