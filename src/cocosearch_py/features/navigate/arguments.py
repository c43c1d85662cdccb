"""Parameters of the tools that find and read definitions and files."""

from typing import Annotated, Literal

from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import UNLISTED, About, Flag

Matching = Literal["auto", "exact", "substring", "fuzzy", "glob"]
OutlinePart = Literal["symbols", "imports", "docs", "locals"]
Scope = Literal["all", "public"]
SummaryExtra = Literal["context"]
MAX_DEFINITIONS = 200
MAX_EXPLAINED = 10
MAX_OUTLINE_DEPTH = 5
MAX_EXPAND = 50
DEFAULT_SUMMARY_TOKENS = 4_000
DEFAULT_CODE_TOKENS = 8_000


class FindSymbolArguments(Arguments):
    """Parameters of find_symbol."""

    name: Annotated[
        str,
        About("Name, Class.method, pkg::name, path#name or glob"),
        Flag(metavar="NAME", help="Name, Class.method, pkg::name or path#name; quote wildcards: 'get*'."),
    ]
    match: Annotated[
        Matching,
        About("auto: exact or wildcards, else substring"),
        UNLISTED,
        Flag(
            names=("-m", "--match"),
            metavar="HOW",
            type=str,
            help="exact, substring, fuzzy or glob (default: exact, then substring).",
        ),
    ] = "auto"
    kind: given.Kinds = None
    index_name: given.FirstIndexName = None
    index_names: given.IndexNames = None
    language: Annotated[given.Languages, UNLISTED] = None
    path_glob: given.PathGlob = None
    field: Annotated[
        Literal["name", "signature", "doc"],
        About("Text to match: name, signature or doc"),
        UNLISTED,
        Flag(names=("--field",), metavar="FIELD", type=str, help="Match the signature or doc instead of the name."),
    ] = "name"
    include_tests: given.Tests = True
    public_only: Annotated[
        bool,
        About("Only public definitions"),
        UNLISTED,
        Flag(names=("--public",), help="Only definitions that other code may use."),
    ] = False
    limit: Annotated[
        int,
        About("1-200"),
        Flag(names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_DEFINITIONS, help="Maximum results (1–200)."),
    ] = 20
    cursor: Annotated[str | None, About("next_cursor")] = None
    compact: given.Compact = False
    member: given.Member = None
    rev: given.Rev = None


class ReadCodeArguments(Arguments):
    """Parameters of read_code."""

    path: Annotated[str | None, About("File, file:10-40, file#Class.method, or a definition's name")] = None
    symbol: Annotated[str | None, About("Name of a definition"), UNLISTED] = None
    start_line: Annotated[int | None, About("First line")] = None
    end_line: Annotated[int | None, About("Last line, inclusive")] = None
    targets: Annotated[
        list[str] | None,
        About("Several, written like path"),
        Flag(
            metavar="TARGET...",
            type=given.Texts,
            default=None,
            help="FILE, FILE:10-40, FILE#Class.method, NAME, or N for result N of the last search. "
            "Write ./N for a file named N.",
        ),
    ] = None
    symbols: Annotated[list[str] | None, About("Several definitions"), UNLISTED] = None
    expand: Annotated[
        int,
        About("Extra lines around each, 0-50"),
        UNLISTED,
        Flag(
            names=("-C", "--expand"),
            metavar="N",
            minimum=0,
            maximum=MAX_EXPAND,
            help="Extra lines to show around each (0–50).",
        ),
    ] = 0
    collapse: Annotated[
        bool,
        About("Leave out function bodies"),
        Flag(names=("--collapse",), help="Leave out function bodies."),
    ] = False
    compact: Annotated[
        bool, About("Leave out empty lines"), UNLISTED, Flag(names=("--compact",), help="Leave out empty lines.")
    ] = False
    if_hash: Annotated[
        str | None,
        About("hash from an earlier answer; `unchanged:<hash>` is returned while the file has it"),
        UNLISTED,
        Flag(names=("--if-hash",), metavar="HASH", help="Print `unchanged` if the file still has this hash."),
    ] = None
    rev: Annotated[
        str | None,
        About("Branch, tag or commit to read, without a checkout; HEAD: the files on disk"),
        UNLISTED,
        Flag(
            names=("--rev",),
            metavar="REV",
            help="Read from this branch, tag or commit, without a checkout. HEAD means the files on disk.",
        ),
    ] = None
    max_tokens: given.MaxTokens = DEFAULT_CODE_TOKENS
    index_name: given.IndexName = None
    member: given.Member = None


class SummarizeArguments(Arguments):
    """Parameters of summarize."""

    path: Annotated[
        str,
        About("File, folder, glob or symbol; empty: all"),
        Flag(
            metavar="[WHAT...]",
            type=given.Texts,
            default=None,
            several="paths",
            help="File, folder, glob or symbol, or several files (default: the whole repository).",
        ),
    ] = ""
    paths: Annotated[list[str] | None, About("Several files, folders or globs"), UNLISTED] = None
    scope: Annotated[
        Scope,
        About("public: only public definitions"),
        UNLISTED,
        Flag(names=("--scope",), metavar="SCOPE", type=str, help="public: only definitions that other code may use."),
    ] = "all"
    include: Annotated[
        list[SummaryExtra] | None,
        About("context: importers, tests, neighbours"),
        Flag(
            names=("--include",), metavar="PART", type=given.Texts, help="context: add importers, tests and neighbours."
        ),
    ] = None
    max_tokens: given.MaxTokens = DEFAULT_SUMMARY_TOKENS
    compact: Annotated[bool, About("Declarations as columns and rows"), UNLISTED] = False
    index_name: given.IndexName = None
    member: given.Member = None


class ExplainSymbolArguments(Arguments):
    """Parameters of explain_symbol."""

    name: Annotated[
        str,
        About("Name, Class.method, pkg::name or path#name"),
        Flag(metavar="NAME", help="Name, Class.method, pkg::name or path#name."),
    ]
    index_name: given.IndexName = None
    limit: Annotated[
        int,
        About("Definitions, 1-10"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_EXPLAINED,
            help="Maximum number of definitions (1–10).",
        ),
    ] = 3
    member: given.Member = None


class OutlineFileArguments(Arguments):
    """Parameters of outline_file."""

    path: Annotated[
        str, About("File, or the end of its path"), Flag(metavar="FILE", help="File, or the end of its path.")
    ]
    kind: given.Kinds = None
    depth: Annotated[
        int,
        About("Levels, 1-5"),
        Flag(
            names=("-d", "--depth"),
            metavar="N",
            minimum=1,
            maximum=MAX_OUTLINE_DEPTH,
            help="Number of levels (1–5; default: 2).",
        ),
    ] = 2
    index_name: given.IndexName = None
    include: Annotated[
        list[OutlinePart] | None,
        About("symbols, imports, docs (comments), locals (inside functions); null: symbols and imports"),
        UNLISTED,
        Flag(
            names=("--include",),
            metavar="PART",
            type=given.Texts,
            help="symbols, imports, docs (comments) or locals (inside functions); can be repeated.",
        ),
    ] = None
    shallow: Annotated[bool, About("Only the outermost level"), UNLISTED] = False
    compact: Annotated[bool, About("Columns and rows instead of a tree"), UNLISTED] = False
    member: given.Member = None
    rev: given.Rev = None
