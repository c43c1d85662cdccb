"""Parameters that several operations share, with the words for agents and for people."""

from typing import Annotated, Any

from cocosearch_py.tools.declaration import UNLISTED, About, Flag
from cocosearch_py.tools.sizes import GLOBS

Texts = list[str] | None


def joined(words: list[str] | None) -> str:
    """Words of a command line as one text; bytes that are not text become question marks, as no index holds them."""
    return " ".join(words or ()).encode("utf-8", "replace").decode("utf-8")


def number(help: str, minimum: int, maximum: int, *names: str) -> Flag:
    """Make the flag of a whole number in a range."""
    return Flag(names=names, metavar="N", minimum=minimum, maximum=maximum, help=help)


QUERY = Flag(
    metavar="QUERY",
    type=Texts,
    default=None,
    read=joined,
    piped=True,
    help="Text to search for; several words need no quotes. @FILE reads a file, - reads standard input.",
)
_ABOUT_INDEX = About("Index to use; null: the current project's")


def _index(help: str) -> Flag:
    return Flag(
        names=("-n", "--index"),
        hidden_names=("--indexes", "--index-name"),
        metavar="NAME",
        type=Texts,
        filled=True,
        several="index_names",
        help=help,
    )


IndexName = Annotated[str | None, _ABOUT_INDEX, _index("Index to use (default: the current folder's).")]
FirstIndexName = Annotated[  # beside IndexNames
    str | None,
    _ABOUT_INDEX,
    _index("Index to use (default: the current folder's). For several, repeat the option or write a,b."),
]
PlacedIndex = Annotated[
    str | None,
    Flag(
        metavar="[INDEX]",
        stands_for="index_name",
        filled=True,
        help="Index to use, like --index (default: the current folder's).",
    ),
]
LEAST_TOKENS, MOST_TOKENS = 200, 20_000  # of a whole answer
MaxTokens = Annotated[
    int,
    About("200-20000"),
    UNLISTED,
    number("Maximum tokens of the JSON answer (200–20000).", LEAST_TOKENS, MOST_TOKENS, "--max-tokens"),
]
ListedMaxTokens = Annotated[
    int,
    About("200-20000"),
    number("Maximum tokens of the answer (200–20000).", LEAST_TOKENS, MOST_TOKENS, "--max-tokens"),
]
Kinds = Annotated[
    str | list[str] | None,
    About("function, class, ..."),
    Flag(names=("--kind",), metavar="KIND", type=Texts, help="function, class, method, ...; can be repeated."),
]
Below = Annotated[
    str | None, About("Only this file or folder"), Flag(metavar="[PATH]", help="Only this file or folder.")
]
Member = Annotated[
    str | None,
    About("Only this workspace member, by name or folder"),
    UNLISTED,
    Flag(names=("--member",), metavar="NAME", help="Only this workspace member, by name or folder."),
]
Rev = Annotated[
    str | None,
    About("Answer from the index of this branch, tag or commit, without a checkout; HEAD: the files on disk"),
    UNLISTED,
    Flag(
        names=("--rev",),
        metavar="REV",
        filled=True,
        help="Answer from the index of this branch, tag or commit, without a checkout. HEAD means the files on disk.",
    ),
]
Language = Annotated[
    str | None,
    About("e.g. python, typescript, hcl (=terraform), bash (=shell, sh); comma-separated for several"),
    Flag(
        names=("--lang",),
        hidden_names=("--language",),
        metavar="LANG",
        help="Language or alias; separate several with commas.",
    ),
]
IndexNames = Annotated[list[str] | None, About("Several indexes"), UNLISTED]
Languages = Annotated[
    str | None,
    About("python,go"),
    Flag(
        names=("--lang",),
        hidden_names=("--language",),
        metavar="LANG",
        help="Language or alias; separate several with commas.",
    ),
]
UseHybrid = Annotated[
    bool | None,
    About("null: auto, true: words and meaning, false: meaning only"),
    Flag(
        names=("--hybrid/--no-hybrid",),
        help="Search by words and meaning, or by meaning alone. [default: depends on the query]",
    ),
]
SymbolType = Annotated[
    str | list[str] | None,
    About("function, class, method, interface ...; a list means any of them"),
    Flag(names=("--symbol-type",), metavar="KIND", type=Texts, help="function, class, method, ...; can be repeated."),
]
SymbolName = Annotated[
    str | None,
    About("Glob, case-insensitive: get*, User*Service"),
    GLOBS,
    Flag(names=("--symbol-name",), metavar="GLOB", help="Only symbols whose names match, such as 'get*'."),
]
Limit = Annotated[
    int,
    About("Results, 1-100"),
    Flag(
        names=("-l", "--limit"),
        metavar="N",
        type=int | None,
        default=None,
        minimum=1,
        maximum=100,
        setting="search.resultLimit",
        help="Maximum number of results (1–100; default: 10).",
    ),
]
PathGlob = Annotated[
    str | list[str] | None,
    About("Only these paths: src/**/*.py"),
    GLOBS,
    Flag(
        names=("--path",), metavar="GLOB", type=Texts, help="Only files that match this path or glob; can be repeated."
    ),
]
Exclude = Annotated[
    list[str] | None,
    About("Leave out these paths"),
    GLOBS,
    Flag(names=("--exclude",), metavar="GLOB", help="Leave out files that match; can be repeated."),
]
Tests = Annotated[
    bool,
    About("false: leave out tests"),
    UNLISTED,
    Flag(names=("--tests/--no-tests",), help="Include or leave out tests. [default: include]"),
]
Cursor = Annotated[str | None, About("next_cursor of the previous answer")]
Compact = Annotated[bool, About("Columns and rows instead of objects"), UNLISTED]
Since = Annotated[
    str | None,
    About("Or files changed since this branch, tag or commit"),
    UNLISTED,
    Flag(names=("--since",), metavar="REF", help="Use the files changed since this branch, tag or commit."),
]
Content = Annotated[
    str | None,
    Flag(
        names=("--content",),
        metavar="CLASS",
        help="Only files with this kind of content: code, tests, docs, config, data, vendored, generated, lock, "
        "snapshot, issue_template. Separate several with commas.",
    ),
]
MinScore = Annotated[
    float,
    About("Minimum vector similarity, 0-1"),
    Flag(
        names=("--min-score",),
        metavar="S",
        type=float | None,
        default=None,
        minimum=0,
        maximum=1,
        setting="search.minScore",
        help="Minimum vector similarity (0–1; default: 0).",
    ),
]
Weights = Annotated[
    dict[str, Any] | None,
    About(
        'Rank factors 0-10, <1 demotes: {"ext":{"md":0.5},"path":[{"pattern":"src/**","weight":2}],"language":{"go":2}}'
    ),
]
_IGNORED = "Accepted for compatibility with CocoSearch; has no effect."
NoCache = Annotated[bool, Flag(names=("--no-cache",), hidden=True, help=_IGNORED)]
NoRewrite = Annotated[bool, Flag(names=("--no-rewrite",), hidden=True, help=_IGNORED)]


def kinds_of_indxr(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments as indxr documents them; `fn` means function."""
    return {**arguments, "kind": ["function", "method"]} if arguments.get("kind") == "fn" else arguments
