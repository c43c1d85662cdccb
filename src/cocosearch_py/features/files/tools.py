"""The tools list_files and estimate_tokens: which files an index has, and the cost of reading them."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part, Share
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, tool
from cocosearch_py.tools.sizes import GLOBS

View = Literal["files", "paths", "children", "tree"]
Status = Literal["indexed", "skipped", "failed", "all"]
Sort = Literal["path", "modified", "lines", "size", "symbols"]
MAX_FILES = 200
MAX_DEPTH = 10


class ListFilesArguments(Arguments):
    """Parameters of list_files."""

    path: Annotated[
        str, About("Folder"), Flag(metavar="PATH", type=str | None, default=None, help="Folder (default: all).")
    ] = ""
    path_glob: given.PathGlob = None
    query: Annotated[
        str | None,
        About("Letters of a path, in order: usrctl"),
        Flag(names=("--query",), metavar="TEXT", help="Letters of a path, in order, such as usrctl; best match first."),
    ] = None
    view: Annotated[
        View,
        About("Form of the list"),
        Flag(names=("--view",), metavar="VIEW", type=str, help="files, paths, children or tree (default: files)."),
    ] = "files"
    tree: Annotated[
        bool,
        Flag(
            names=("--tree",),
            stands_for="view",
            read=lambda on: "tree" if on else None,
            help="Show a tree, like --view tree.",
        ),
    ] = False
    depth: Annotated[
        int,
        About("Levels of a tree, 1-10"),
        Flag(names=("--depth",), metavar="N", minimum=1, maximum=MAX_DEPTH, help="Number of levels of a tree (1–10)."),
    ] = 3
    language: given.Languages = None
    min_lines: Annotated[
        int | None,
        About("Minimum number of lines"),
        UNLISTED,
        Flag(names=("--min-lines",), metavar="N", help="Minimum number of lines."),
    ] = None
    max_lines: Annotated[
        int | None,
        About("Maximum number of lines"),
        UNLISTED,
        Flag(names=("--max-lines",), metavar="N", help="Maximum number of lines."),
    ] = None
    status: Annotated[
        Status,
        About("skipped, failed: with the reason"),
        Flag(names=("--status",), metavar="STATUS", type=str, help="indexed, skipped, failed or all."),
    ] = "indexed"
    sort: Annotated[
        Sort,
        About("All but path: largest first"),
        Flag(
            names=("--sort",), metavar="BY", type=str, help="path, or modified, lines, size or symbols (largest first)."
        ),
    ] = "path"
    limit: Annotated[
        int,
        About("1-200"),
        Flag(
            names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_FILES, help="Maximum number of files (1–200)."
        ),
    ] = 50
    cursor: given.Cursor = None
    index_name: given.IndexName = None
    member: given.Member = None
    rev: given.Rev = None


class ListedFile(Part):
    """A file; the path is relative to `root`. Of a skipped one the reason and rule, of a failed one the error."""

    path: str
    language: str | UnsetType | None = UNSET
    line_count: Count | UnsetType = UNSET
    byte_size: Count | UnsetType = UNSET
    symbol_count: Count | UnsetType = UNSET
    modified: str = ""
    status: str = ""
    skip_reason: str = ""
    rule: str = ""
    error: str = ""
    file_count: Count = 1


class FolderEntry(Part):
    """A file or a folder directly below the path; the name of a folder ends with '/'."""

    name: str
    line_count: Count
    byte_size: Count
    files: Count | UnsetType = UNSET


class ScoredPath(Part):
    """A path, and how well it fits the query."""

    path: str
    score: Share


class FileList(Part):
    """Files in one of the views; without a `next_cursor` there are no more."""

    root: str
    count: Count
    total: Count
    limit: Count
    truncated: bool
    path: str | UnsetType = UNSET
    query: str | UnsetType = UNSET
    pattern: str | UnsetType = UNSET
    filters: dict[str, str | int | list[str]] | UnsetType = UNSET
    files: tuple[ListedFile, ...] | UnsetType = UNSET
    paths: tuple[str, ...] | UnsetType = UNSET
    entries: tuple[FolderEntry, ...] | UnsetType = UNSET
    tree: str | UnsetType = UNSET
    results: tuple[ScoredPath, ...] | UnsetType = UNSET
    next_cursor: str = ""
    warnings: tuple[str, ...] = ()


class EstimateTokensArguments(Arguments):
    """Parameters of estimate_tokens."""

    path: Annotated[
        str | None,
        About("File"),
        Flag(metavar="PATH", type=str | None, default=None, help="Indexed file or folder."),
    ] = None
    symbol: Annotated[
        str | None,
        About("Definition in path"),
        Flag(names=("--symbol",), metavar="NAME", help="Count only this definition of the file."),
    ] = None
    directory: Annotated[
        str | None,
        About("Instead of path: all files in a folder"),
        Flag(names=("--directory",), metavar="FOLDER", help="Count all files in this folder."),
    ] = None
    glob: Annotated[
        str | None,
        About("Instead of path: all matching files"),
        GLOBS,
        Flag(names=("--glob",), metavar="GLOB", help="Count all files that match."),
    ] = None
    index_name: given.IndexName = None
    member: given.Member = None


class FileTokens(Part):
    """A file; the path is relative to `root`."""

    file: str
    tokens: Count
    lines: Count


class OneFile(Part):
    """A file, and the cost of its summary instead."""

    root: str
    file: str
    full_file_tokens: Count
    full_file_lines: Count
    summary_tokens: Count
    declaration_count: Count
    recommendation: str
    warnings: tuple[str, ...] = ()


class OneSymbol(Part):
    """A definition, and the tokens saved by reading it alone."""

    root: str
    file: str
    symbol: str
    symbol_tokens: Count
    symbol_lines: Count
    full_file_tokens: Count
    full_file_lines: Count
    savings: str
    warnings: tuple[str, ...] = ()


class SeveralFiles(Part):
    """Files, those with most tokens first; `is_estimate`: not all were counted, the total goes by their sizes."""

    root: str
    files: tuple[FileTokens, ...]
    file_count: Count
    total_tokens: Count
    total_lines: Count
    is_estimate: bool
    truncated: bool = False
    warnings: tuple[str, ...] = ()


TOOLS = (
    tool(
        __package__,
        "list_files",
        title="List files",
        about=(
            "List files as a list or tree, by glob, parts of names, size or time; also files that the index leaves "
            "out, and why."
        ),
        arguments=ListFilesArguments,
        answer=FileList,
        module="listing",
        view="show_files",
        lines="path_lines",
        lines_are_data=True,
        toolset="navigate",
        order=6,
        listed=False,
        about_indexes=True,
        command=Command(
            name="files",
            help="""List the files of an index as a table, as paths or as a tree.

            --status skipped or failed lists the files that are left out, with the reason and the rule.
            """,
        ),
        aliases=(
            Alias(name="get_tree", program="indxr", means={"view": "tree", "depth": MAX_DEPTH, "limit": MAX_FILES}),
            Alias(name="files", program="Lexa", parameters={"max": "max_results"}, dialect="lexa.FILES"),
            Alias(name="list", program="Lexa", dialect="lexa.LIST"),
            Alias(name="glob", program="Lexa", parameters={"max": "max_results"}, dialect="lexa.GLOB"),
            Alias(
                name="path_search",
                program="Lexa",
                parameters={"path": "query", "pattern": "query", "name": "query", "max": "max_results"},
                dialect="lexa.PATH_SEARCH",
            ),
            Alias(name="recent", program="Lexa", parameters={"max": "limit"}, dialect="lexa.RECENT"),
        ),
    ),
    tool(
        __package__,
        "estimate_tokens",
        title="Estimate tokens",
        about="Estimate the tokens needed to read a file, a definition or a folder, and suggest cheaper ways.",
        arguments=EstimateTokensArguments,
        answer=OneFile | OneSymbol | SeveralFiles,
        view="show_tokens",
        toolset="navigate",
        order=8,
        listed=False,
        about_indexes=True,
        command=Command(
            name="tokens", help="Estimate the tokens that an agent needs to read a file, a definition or a folder."
        ),
        aliases=(Alias(name="get_token_estimate", program="indxr"),),
    ),
)
