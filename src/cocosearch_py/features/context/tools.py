"""The tool build_context: the code that a task needs, in one answer."""

from typing import Annotated, Any, Literal

from cocosearch_py.model.answers import Count, Level, Part
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments
from cocosearch_py.tools.declaration import About, Alias, Command, Flag, tool
from cocosearch_py.tools.sizes import QUERY

MAX_LIMIT = 50
DEFAULT_TOKENS = 6_000
Reason = Literal["named", "changed", "found"]


class BuildContextArguments(Arguments):
    """Parameters of build_context."""

    task: Annotated[
        str | None,
        About("Task in words"),
        QUERY,
        Flag(
            metavar="[TASK...]",
            type=given.Texts,
            default=None,
            read=given.joined,
            piped=True,
            help="Task in words. @FILE reads a file, - reads standard input.",
        ),
    ] = None
    paths: Annotated[
        list[str] | None,
        About("Files that the task is about"),
        Flag(names=("--file",), metavar="FILE", help="File that the task is about; can be repeated."),
    ] = None
    symbols: Annotated[
        list[str] | None,
        About("Names that the task is about"),
        Flag(names=("--symbol",), metavar="NAME", help="Definition that the task is about; can be repeated."),
    ] = None
    diff: Annotated[
        str | None,
        About("Changes since this branch, tag or commit"),
        Flag(names=("--diff",), metavar="REF", help="Changes since this branch, tag or commit."),
    ] = None
    stack_trace: Annotated[
        str | None,
        About("Error text with its frames"),
        QUERY,
        Flag(names=("--stack-trace",), metavar="TEXT", help='Error text with its frames, such as "$(cat error.txt)".'),
    ] = None
    path_prefix: Annotated[
        str | None,
        About("Search only this folder"),
        Flag(names=("--in",), metavar="FOLDER", help="Search only this folder."),
    ] = None
    path_glob: given.PathGlob = None
    language: given.Languages = None
    limit: Annotated[
        int,
        About("Passages, 1-50"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_LIMIT,
            help="Maximum number of passages (1–50).",
        ),
    ] = 10
    max_tokens: given.ListedMaxTokens = DEFAULT_TOKENS
    index_name: given.IndexName = None
    member: given.Member = None


class Snippet(Part):
    """Lines of a file: a named definition, a changed one, or a search result."""

    file_path: str
    start_line: Count
    end_line: Count
    because: Reason
    text: str
    kind: str = ""
    name: str = ""


class NearDefinition(Part):
    """A definition in a named file, or one that a snippet calls."""

    file_path: str
    line: Count
    kind: str
    name: str
    signature: str


class Neighbour(Part):
    """A file that imports files of the task, or that they import."""

    file_path: str
    imports: tuple[str, ...] = ()
    imported_by: tuple[str, ...] = ()


class Use(Neighbour):
    """A line that uses a definition, in the function with this signature; or a test that imports these files."""

    line: Count = 0
    uses: str = ""
    text: str = ""
    signature: str = ""


class SuggestedCall(Part):
    """A call of a tool that continues from this answer."""

    tool: str
    arguments: Any
    why: str


class Context(Part):
    """Context of a task, most relevant first in each list; paths are relative to `root`."""

    root: str
    confidence: Level
    reason: str
    note: str
    files: tuple[str, ...]
    snippets: tuple[Snippet, ...]
    symbols: tuple[NearDefinition, ...]
    callers: tuple[Use, ...]
    tests: tuple[Use, ...]
    imports: tuple[Neighbour, ...]
    suggested_next: tuple[SuggestedCall, ...]
    not_found: tuple[str, ...] = ()
    hint: str = ""
    truncated: bool = False
    warnings: tuple[str, ...] = ()


TOOLS = (
    tool(
        __package__,
        "build_context",
        title="Context for a task",
        about=(
            "Gather the context for a task in one call: passages, callees, callers, tests, imports, within "
            "max_tokens.\n\n"
            "Give the task in words, or by names, paths, a diff or a stack trace, or several of these."
        ),
        arguments=BuildContextArguments,
        answer=Context,
        view="show_context",
        toolset="search",
        order=5,
        listed=False,
        about_indexes=True,
        command=Command(
            name="context",
            help="""Gather the context for a task: passages, callees, callers, tests and imports, within a token limit.

            Give the task in words, or by names, files, a diff or a stack trace, or several of these.
            """,
            hidden_names=("brief",),
        ),
        aliases=(
            Alias(name="brief", program="Lexa", parameters={"query": "task", "path": "path_prefix"}),
            Alias(name="get_context_brief", program="Lexa", parameters={"query": "task", "path": "path_prefix"}),
        ),
    ),
)
