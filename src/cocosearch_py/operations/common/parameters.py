"""Parameters that several operations share, with the words for agents and for people."""

from typing import Annotated, Any

from cocosearch_py.operations.common.declaration import UNLISTED, About, Flag
from cocosearch_py.operations.common.sizes import GLOBS

Texts = list[str] | None


def joined(words: list[str] | None) -> str:
    """Words of a command line as one text; bytes that are not text become question marks, as no index holds them."""
    return " ".join(words or ()).encode("utf-8", "replace").decode("utf-8")


QUERY = Flag(
    metavar="QUERY",
    type=Texts,
    default=None,
    read=joined,
    piped=True,
    help="Text to search for; several words need no quotes. @FILE reads it from a file, - from standard input.",
)
_ABOUT_INDEX = About("Index to use; null: that of the current project")


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


IndexName = Annotated[str | None, _ABOUT_INDEX, _index("Index to use; by default that of the current folder.")]
FirstIndexName = Annotated[  # beside IndexNames
    str | None,
    _ABOUT_INDEX,
    _index("Index to use; by default that of the current folder. For several, repeat it or write a,b."),
]
PlacedIndex = Annotated[
    str | None,
    Flag(
        metavar="[INDEX]",
        stands_for="index_name",
        filled=True,
        help="Index to use, as with --index; by default that of the current folder.",
    ),
]
LEAST_TOKENS, MOST_TOKENS = 200, 20_000  # of a whole answer


def _tokens(help: str) -> Flag:
    return Flag(names=("--max-tokens",), metavar="N", minimum=LEAST_TOKENS, maximum=MOST_TOKENS, help=help)


MaxTokens = Annotated[int, About("200-20000"), UNLISTED, _tokens("Tokens of the JSON at most.")]
ListedMaxTokens = Annotated[int, About("200-20000"), _tokens("Tokens at most, 200 to 20000.")]
Kinds = Annotated[
    str | list[str] | None,
    About("function, class, ..."),
    Flag(names=("--kind",), metavar="KIND", type=Texts, help="function, class, method, ...; may be repeated."),
]
Member = Annotated[
    str | None,
    About("Only this member of the workspace, by its name or folder"),
    UNLISTED,
    Flag(names=("--member",), metavar="NAME", help="Only this member of the workspace, by its name or folder."),
]
Rev = Annotated[
    str | None,
    About("Branch, tag or commit: answer from an index of it; nothing is checked out. HEAD: what is on disk"),
    UNLISTED,
    Flag(
        names=("--rev",),
        metavar="REV",
        filled=True,
        help="Answer from an index of a branch, tag or commit; nothing is checked out. HEAD: what is on disk.",
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
IndexNames = Annotated[list[str] | None, About("Several"), UNLISTED]
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
    Flag(names=("--hybrid/--no-hybrid",), help="Words and meaning, or meaning alone. [default: by the query]"),
]
SymbolType = Annotated[
    str | list[str] | None,
    About("function, class, method, interface ...; a list means any of them"),
    Flag(names=("--symbol-type",), metavar="KIND", type=Texts, help="function, class, method, ...; may be repeated."),
]
SymbolName = Annotated[
    str | None,
    About("Glob, case-insensitive: get*, User*Service"),
    GLOBS,
    Flag(names=("--symbol-name",), metavar="GLOB", help="Only symbols with a matching name, such as 'get*'."),
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
        help="Maximum number of results, 1 to 100; 10 by default.",
    ),
]
PathGlob = Annotated[
    str | list[str] | None,
    About("Only these paths: src/**/*.py"),
    GLOBS,
    Flag(names=("--path",), metavar="GLOB", type=Texts, help="Only these files; may be repeated."),
]
Exclude = Annotated[
    list[str] | None,
    About("Not these paths"),
    GLOBS,
    Flag(names=("--exclude",), metavar="GLOB", help="Not these files; may be repeated."),
]
Tests = Annotated[
    bool,
    About("false: not those in tests"),
    UNLISTED,
    Flag(names=("--tests/--no-tests",), help="With those in tests, or without. [default: with]"),
]
Cursor = Annotated[str | None, About("next_cursor of the answer before")]
Compact = Annotated[bool, About("Columns and rows instead of objects"), UNLISTED]
File = Annotated[str | None, About("Path of a file")]
Files = Annotated[
    list[str] | None,
    About("Several, up to 50"),
    Flag(metavar="FILE...", type=Texts, default=None, help="Files of the index."),
]
Since = Annotated[
    str | None,
    About("Or the files that changed since this branch, tag or commit"),
    UNLISTED,
    Flag(names=("--since",), metavar="REF", help="The files that changed since this branch, tag or commit."),
]
Imports = Annotated[
    int,
    About("Imports in a row, 1-20"),
    Flag(names=("--depth",), metavar="N", minimum=1, maximum=20, help="Imports in a row, 1 to 20."),
]
ImportKind = Annotated[
    str | None,
    About("Only imports whose names are used so: call, reference, inherit; null: all imports"),
    Flag(names=("--type",), metavar="KIND", help="Only uses of this kind: import, call, reference or inherit."),
]
ImportLimit = Annotated[
    int,
    About("1-1000"),
    UNLISTED,
    Flag(names=("-l", "--limit"), metavar="N", minimum=1, maximum=1_000, help="Imports at most, 1 to 1000."),
]
Content = Annotated[
    str | None,
    Flag(
        names=("--content",),
        metavar="CLASS",
        help="Only files with such content: code, tests, docs, config, data, vendored, generated, lock, snapshot, "
        "issue_template; separate several with commas.",
    ),
]
MinScore = Annotated[
    float,
    About("Least vector similarity, 0-1"),
    Flag(
        names=("--min-score",),
        metavar="S",
        type=float | None,
        default=None,
        minimum=0,
        maximum=1,
        setting="search.minScore",
        help="Minimum similarity of meaning, 0 to 1; 0 by default.",
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


def levels(arguments: dict[str, Any]) -> dict[str, Any]:
    """`transitive`: true stands for the largest `depth`, false for 1."""
    from cocosearch_py.operations.common.walks import MAX_DEPTH

    rest = {name: value for name, value in arguments.items() if name != "transitive"}
    return {"depth": MAX_DEPTH if arguments.get("transitive") in (True, "true") else 1, **rest}
