"""Parameters of the search tools."""

from typing import Annotated, Any

from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import UNLISTED, About, Flag
from cocosearch_py.tools.sizes import QUERY

MAX_MATCHES = 200
MAX_CONTEXT = 10
MIN_TIMEOUT_MS, MAX_TIMEOUT_MS = 100, 10_000
EXIT_NO_RESULTS = 10


class SearchCodeArguments(Arguments):
    """Parameters of search_code; those at the end shape what a terminal shows."""

    query: Annotated[
        str,
        About("Words or names to search for; accepts lang: path: kind: name: content:"),
        QUERY,
        given.QUERY,
    ]
    index_name: given.FirstIndexName = None
    limit: given.Limit = 10
    language: given.Language = None
    use_hybrid_search: given.UseHybrid = None
    symbol_type: given.SymbolType = None
    symbol_name: given.SymbolName = None
    context_before: Annotated[
        int | None,
        About("Lines before, 0-50; overrides smart_context"),
        Flag(
            names=("-B", "--before-context"),
            metavar="N",
            minimum=0,
            maximum=50,
            help="Lines to show before each result (0–50).",
        ),
    ] = None
    context_after: Annotated[
        int | None,
        About("Lines after, 0-50; overrides smart_context"),
        Flag(
            names=("-A", "--after-context"),
            metavar="N",
            minimum=0,
            maximum=50,
            help="Lines to show after each result (0–50).",
        ),
    ] = None
    smart_context: Annotated[
        bool,
        About("Add the rest of the enclosing function or class"),
        Flag(
            names=("--no-smart",),
            default=False,
            read=lambda off: False if off else None,
            setting="search.smartContext",
            help="Do not expand results to the enclosing definition.",
        ),
    ] = True
    index_names: Annotated[list[str] | None, About('Several indexes, at most 20; "*": all')] = None
    path_glob: given.PathGlob = None
    exclude: given.Exclude = None
    content: given.Content = None
    min_score: given.MinScore = 0.0
    offset: Annotated[int, About("Skip this many results (paging)")] = 0
    max_tokens: Annotated[int | None, About("Maximum tokens of the answer, 200-20000")] = None
    include_content: Annotated[bool, About("false: locations only")] = True
    compact: Annotated[bool, About("Columns and rows instead of objects")] = False
    context_lines: Annotated[
        int | None,
        About("Sets both contexts"),
        Flag(
            names=("-C", "--context"),
            metavar="N",
            minimum=0,
            maximum=50,
            help="Lines to show before and after each result (0–50).",
        ),
    ] = None
    snippet_chars: Annotated[int | None, About("Maximum content length")] = None
    weights: given.Weights = None
    no_cache: given.NoCache = False
    no_rewrite: given.NoRewrite = False
    rewrite_query: Annotated[bool | None, About("No effect: queries are searched as given"), UNLISTED] = None
    interactive: Annotated[
        bool, Flag(names=("-i", "--interactive"), help="Search interactively, one query after another.")
    ] = False
    files_only: Annotated[
        bool, Flag(names=("--files-only",), help="Print only paths, one per line; an array with --json.")
    ] = False
    full: Annotated[
        bool,
        About("All lines of every passage, with context"),
        UNLISTED,
        Flag(names=("--full",), help="Show all lines of each passage on a terminal; JSON always has them."),
    ] = False
    explain: Annotated[bool, Flag(names=("--explain",), help="Explain the rank of each result.")] = False
    exit_no_results: Annotated[
        bool, Flag(names=("--exit-no-results",), help=f"Exit with {EXIT_NO_RESULTS} when nothing is found.")
    ] = False
    member: given.Member = None
    rev: given.Rev = None
    include_deps: Annotated[
        bool,
        About("List the imports and importers of each result's file"),
        UNLISTED,
        Flag(names=("--deps",), help="List the imports and importers of each result's file, in the JSON."),
    ] = False
    features: Annotated[
        dict[str, bool] | None,
        About('{"graph": true}: add files that the results import; "vector" or "symbol": false turns it off'),
        UNLISTED,
        Flag(
            names=("--graph",),
            type=bool,
            default=False,
            read=lambda on: {"graph": True} if on else None,
            help="Add files that the results import or that import them.",
        ),
    ] = None
    details: Annotated[
        bool,
        About("Add keyword and vector scores, bytes, file size and a citation"),
        UNLISTED,
        Flag(names=("--details",), help="Add keyword and vector scores, bytes, file size and a citation, in the JSON."),
    ] = False


class SearchTextArguments(Arguments):
    """Parameters of search_text."""

    query: Annotated[
        str,
        About("Exact text within one line of code"),
        Flag(
            metavar="QUERY",
            type=given.Texts,
            default=None,
            read=given.joined,
            help="Text to search for; several words need no quotes.",
        ),
    ]
    regex: Annotated[
        bool,
        About("query is a regex in ripgrep's syntax"),
        Flag(names=("-E", "--regex"), help="Treat the text as a regular expression in ripgrep's syntax."),
    ] = False
    case_sensitive: Annotated[
        bool | None,
        About("null: only if the query has a capital letter"),
        UNLISTED,
        Flag(
            names=("-s/-i", "--case-sensitive/--ignore-case"),
            help="Match or ignore case. [default: match case if the text has a capital letter]",
        ),
    ] = None
    word: Annotated[
        bool, About("Whole words only"), UNLISTED, Flag(names=("-w", "--word"), help="Match whole words only.")
    ] = False
    multiline: Annotated[
        bool,
        About("A match may span lines"),
        UNLISTED,
        Flag(names=("-U", "--multiline"), help="Let a match span lines; (?s) lets . match line ends."),
    ] = False
    index_name: given.FirstIndexName = None
    index_names: given.IndexNames = None
    language: Annotated[given.Languages, UNLISTED] = None
    path_glob: given.PathGlob = None
    exclude: Annotated[given.Exclude, UNLISTED] = None
    scope: Annotated[bool, About("Name the definition around each match"), UNLISTED] = True
    context: Annotated[
        int,
        About("Lines around each match, 0-10"),
        Flag(
            names=("-C", "--context"),
            metavar="N",
            minimum=0,
            maximum=MAX_CONTEXT,
            help="Lines to show around each match (0–10).",
        ),
    ] = 0
    paths_only: Annotated[
        bool, About("Return only paths"), Flag(names=("--files-only",), help="Print only paths, one per line.")
    ] = False
    count_only: Annotated[
        bool,
        About("Return only counts"),
        UNLISTED,
        Flag(names=("-c", "--count"), help="Print only the number of lines and files."),
    ] = False
    limit: Annotated[
        int,
        About("1-200"),
        Flag(
            names=("-l", "--limit"),
            hidden_names=("-m",),
            metavar="N",
            minimum=1,
            maximum=MAX_MATCHES,
            help="Maximum number of matches (1–200).",
        ),
    ] = 20
    cursor: Annotated[str | None, About("next_cursor")] = None
    compact: given.Compact = False
    max_tokens: Annotated[int | None, About("Maximum tokens of the answer, 200-20000"), UNLISTED] = None
    timeout_ms: Annotated[
        int,
        About("Time limit in milliseconds, 100-10000"),
        UNLISTED,
        Flag(
            names=("--timeout",),
            metavar="MS",
            minimum=MIN_TIMEOUT_MS,
            maximum=MAX_TIMEOUT_MS,
            help="Time limit in milliseconds (100–10000).",
        ),
    ] = 3_000
    member: given.Member = None
    rev: given.Rev = None


class AnalyzeQueryArguments(Arguments):
    """Parameters of analyze_query."""

    query: Annotated[str, About("Query to explain"), QUERY, given.QUERY]
    index_name: given.IndexName = None
    limit: given.Limit = 10
    language: given.Language = None
    use_hybrid_search: given.UseHybrid = None
    symbol_type: given.SymbolType = None
    symbol_name: given.SymbolName = None
    path_glob: given.PathGlob = None
    exclude: given.Exclude = None
    content: given.Content = None
    min_score: given.MinScore = 0.0
    explain_path: Annotated[str | None, About("Explain this file's rank or absence")] = None
    weights: Annotated[dict[str, Any] | None, About("As in search_code")] = None
    no_cache: given.NoCache = False
    no_rewrite: given.NoRewrite = False
    member: given.Member = None
