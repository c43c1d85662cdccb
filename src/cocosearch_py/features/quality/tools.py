"""Tools for the quality of code: complex functions, health of a code base, changed definitions."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.comparison.report import FileChanges
from cocosearch_py.model.answers import Count, Part, Percentage
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments, Listed
from cocosearch_py.tools.declaration import About, Command, Flag, tool

MAX_LIMIT = 100
WORKTREE = "worktree"
SortKey = Literal["score", "complexity", "nesting", "params", "body_lines", "churn"]


class HotspotArguments(Arguments):
    """Parameters of get_hotspots."""

    path: given.Below = None
    sort_by: Annotated[
        str,
        About("score, complexity, nesting, params, body_lines, or churn (commits that changed the file)"),
        Flag(
            names=("--sort",),
            metavar="KEY",
            help="score, complexity, nesting, params, body_lines or churn (commits that changed the file).",
        ),
    ] = "score"
    min_complexity: Annotated[
        int,
        About("Minimum cyclomatic complexity"),
        Flag(names=("--min-complexity",), metavar="N", minimum=1, help="Minimum cyclomatic complexity."),
    ] = 1
    limit: Annotated[
        int,
        About("Functions, 1-100"),
        Flag(
            names=("-l", "--limit"),
            metavar="N",
            minimum=1,
            maximum=MAX_LIMIT,
            help="Maximum number of functions (1–100).",
        ),
    ] = 20
    compact: given.Compact = False
    index_name: given.IndexName = None
    member: given.Member = None


class Hotspot(Part):
    """A function; `score` is cyclomatic + 2 max_nesting + param_count / 2 + body_lines / 20."""

    file: str
    name: str  # qualified
    kind: str
    line: Count
    cyclomatic: Count
    max_nesting: Count
    param_count: Count
    body_lines: Count
    score: float
    churn: Count  # commits that changed the file


class Hotspots(Part):
    """The first of `total` functions; with `compact` columns and rows."""

    root: str
    total: Count
    hotspots: tuple[Hotspot, ...] | UnsetType = UNSET
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str | float, ...], ...] = ()
    note: str = ""
    truncated: bool = False
    warnings: tuple[str, ...] = ()


class HealthArguments(Arguments):
    """Parameters of get_health."""

    path: given.Below = None
    index_name: given.IndexName = None
    member: given.Member = None


class Spread(Part):
    """Cyclomatic complexity of functions; nine of ten have at most `p90`."""

    avg: float
    median: float
    max: Count
    p90: Count


class Average(Part):
    """Mean of a figure of functions."""

    avg: float


class HotFile(Part):
    """A file with at least two functions."""

    file: str
    functions: Count
    avg_complexity: float
    max_complexity: Count


class Health(Part):
    """Figures of functions. All but the total are about the `analyzed` functions, whose branches are counted.

    A function with a cyclomatic complexity of 10 or more is complex. All averages are 0 if nothing was analyzed.
    """

    root: str
    total_functions: Count
    analyzed: Count
    complexity: Spread
    nesting: Average
    params: Average
    body_lines: Average
    high_complexity_count: Count
    high_complexity_pct: Percentage
    documented_pct: Percentage
    test_count: Count
    deprecated_count: Count
    public_api_count: Count
    hottest_files: tuple[HotFile, ...]
    parse_health_pct: Percentage
    warnings: tuple[str, ...] = ()


class DiffArguments(Arguments):
    """Parameters of get_diff_summary."""

    since_ref: Annotated[
        str | None,
        About("Branch, tag or commit: main, HEAD~3"),
        Flag(names=("--since",), metavar="REF", help="Branch, tag or commit, such as main or HEAD~3."),
    ] = None
    pr: Annotated[
        int | None,
        About("Or number of a GitHub pull request"),
        Flag(
            names=("--pr",),
            metavar="N",
            minimum=1,
            help="Number of a GitHub pull request; its base commit must be here.",
        ),
    ] = None
    to_ref: Annotated[
        str,
        About("worktree: the files on disk"),
        Flag(names=("--to",), metavar="REF", help="Compare with this commit instead of the files on disk."),
    ] = WORKTREE
    path: given.Below = None
    include_impact: Annotated[
        bool,
        About("Also the tests that import the changed files"),
        Flag(names=("--impact",), help="Also list the tests that import changed files."),
    ] = False
    index_name: given.IndexName = None
    member: given.Member = None


class PullRequest(Part):
    """A pull request and its branches."""

    number: Count
    title: str
    base: str
    head: str


class DiffSummary(Part):
    """Changed definitions. A renamed file is removed and added."""

    root: str
    since_ref: str
    to_ref: str
    changes: tuple[FileChanges, ...]
    files_added: tuple[str, ...]
    files_removed: tuple[str, ...]
    files_modified: tuple[str, ...]
    pr: PullRequest | UnsetType = UNSET
    impacted_tests: tuple[str, ...] | UnsetType = UNSET
    truncated: bool = False
    note: str = ""
    warnings: tuple[str, ...] = ()


TOOLS = (
    tool(
        __package__,
        "get_hotspots",
        title="Complex functions",
        about="Find the functions that are hardest to understand, by branches, nesting, parameters and length, "
        "or by changes.",
        arguments=HotspotArguments,
        answer=Hotspots,
        shortens=Listed("hotspots", "{shown} of {available} functions shown: compact=true shows more"),
        view="show_hotspots",
        toolset="quality",
        order=1,
        listed=False,
        about_indexes=True,
        needs="symbol",
        command=Command(
            name="hotspots",
            help="""Show the functions that are hardest to understand, by branches, nesting, parameters and length.

            Start with those that also change often: --sort churn.
            """,
        ),
    ),
    tool(
        __package__,
        "get_health",
        title="Health of the code",
        about="Measure the health of a code base: complexity, documentation, tests, deprecated and public functions, "
        "worst files.",
        arguments=HealthArguments,
        answer=Health,
        view="show_health",
        toolset="quality",
        order=2,
        listed=False,
        about_indexes=True,
        needs="symbol",
        command=Command(
            name="health",
            help="""Show figures on the complexity, documentation and tests of a code base, with the worst files.

            Vendored and generated files do not count.
            """,
        ),
    ),
    tool(
        __package__,
        "get_diff_summary",
        title="Summary of changes",
        about="Summarize the changes since a commit or in a pull request, as functions and classes instead of diff "
        "lines.",
        arguments=DiffArguments,
        answer=DiffSummary,
        shortens=Listed("changes", "{shown} of {available} changed files shown: narrow with path"),
        view="show_changes",
        toolset="quality",
        order=3,
        listed=False,
        about_indexes=True,
        command=Command(
            name="diff",
            help="""Show which functions and classes changed since a commit or in a pull request.

            The comparison includes files on disk that git does not track yet. Nothing is fetched or checked out. --pr
            asks GitHub, with the token in GITHUB_TOKEN or GH_TOKEN.
            """,
        ),
    ),
)
