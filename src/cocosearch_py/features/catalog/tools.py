"""Tools for indexes: list, statistics, deletion and restoring, workspaces, languages."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.catalog.freshness import STALE_DAYS
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.answers import Count, Part
from cocosearch_py.model.indexes import Status
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments, Listed, plain
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, tool
from cocosearch_py.tools.sizes import GLOBS

MAX_LIMIT = 1_000
EXIT_FAILED = 1
NOT_FOUND = IndexNotFoundError.error_type


class ListArguments(Arguments):
    """Parameters of list_indexes; CocoSearch's has none."""

    pattern: Annotated[
        str | None,
        About("Glob of names: shop-*"),
        GLOBS,
        UNLISTED,
        Flag(metavar="[PATTERN]", help="Only indexes whose names match, such as 'shop-*'."),
    ] = None
    detailed: Annotated[
        bool,
        About("Add branch, commit, age, model, repository and other worktrees"),
        UNLISTED,
        Flag(names=("--detailed",), help="Also show branch, commit, age, model, repository and its other worktrees."),
    ] = False
    limit: Annotated[
        int | None,
        About("Maximum indexes"),
        UNLISTED,
        Flag(names=("-l", "--limit"), metavar="N", minimum=1, maximum=MAX_LIMIT, help="Maximum number of indexes."),
    ] = None
    cursor: Annotated[given.Cursor, UNLISTED] = None


class ListedIndex(Part):
    """An index. The fields from `workspace_id` on are given with `detailed`, or where they have a value.

    Attributes:
        rev, commit: of an index of a commit: its name when it was indexed, and the commit.
        repo: name of its repository.
        worktrees: the indexes of the other worktrees of the repository.
        files_pending: files that an interrupted run left.
    """

    name: str
    index_id: str
    table_name: str
    root_path: str
    files: Count
    chunks: Count
    status: Status
    updated_at: str
    rev: str | UnsetType | None = UNSET
    commit: str = ""
    workspace_id: str | UnsetType = UNSET
    created_at: str | UnsetType = UNSET
    git_branch: str | UnsetType | None = UNSET
    git_commit: str | UnsetType | None = UNSET
    repo: str | UnsetType | None = UNSET
    worktrees: tuple[str, ...] | UnsetType = UNSET
    is_stale: bool | UnsetType = UNSET
    staleness_days: Count | UnsetType = UNSET
    embedding_model: str | UnsetType = UNSET
    embedding_dimension: Count | UnsetType = UNSET
    chunking_strategy: str | UnsetType = UNSET
    files_pending: Count = 0


class More(Part):
    """The last item when there are more than were asked for."""

    type: Literal["truncated"]
    message: str
    returned: Count
    available: Count
    next_cursor: str


class Note(Part):
    """A value of the call that was not used as it was given."""

    type: Literal["warning"]
    message: str


class StatsArguments(Arguments):
    """Parameters of index_stats."""

    index_name: Annotated[
        str | None,
        About("Omit for all indexes"),
        Flag(metavar="[INDEX]", help="Index to show (default: the current folder's)."),
    ] = None
    include_failures: Annotated[
        bool,
        About("List files with parse errors"),
        Flag(names=("--show-failures",), help="List files with parse errors."),
    ] = False
    include_skipped: Annotated[
        bool,
        About("List files that are not indexed, and why"),
        Flag(names=("--show-skipped",), help="List files that are not indexed, with reason and rule."),
    ] = False
    every: Annotated[bool, Flag(names=("--all",), default=False, help="Show all indexes.")] = True
    stale_days: Annotated[
        int,
        Flag(
            names=("--staleness-threshold",),
            metavar="DAYS",
            minimum=0,
            help="Age in days at which an index counts as stale.",
        ),
    ] = STALE_DAYS


class LanguageFigures(Part):
    """Indexed code of a language."""

    language: str
    file_count: Count
    chunk_count: Count
    line_count: Count


class ContentClass(Part):
    """Files of a class of content; `not_indexed` counts those that are left out."""

    content_class: str | None
    file_count: Count
    not_indexed: Count
    chunk_count: Count
    line_count: Count


class ParseCounts(Part):
    """Files of a language by the result of parsing; `error_bytes` are bytes inside errors."""

    files: Count
    ok: Count
    partial: Count
    error: Count
    no_grammar: Count
    error_bytes: Count


class ParseStats(Part):
    """Parse health: percentages of files without an error, and of bytes outside errors."""

    parse_health_pct: float
    parse_health_bytes_pct: float
    total_files: Count
    total_ok: Count
    by_language: dict[str, ParseCounts]


class LedgerRow(Part):
    """Number of files on disk with the same status and reason."""

    status: str
    reason: str | None
    files: Count


class ParseFailure(Part):
    """A file that was parsed with errors."""

    file_path: str
    language: str
    parse_status: str
    error_message: str | None


class SkippedFile(Part):
    """A file or folder that is not indexed, and the rule that decided."""

    file_path: str
    status: str
    reason: str | None
    rule: str | None
    file_count: Count


class IndexConfig(Part):
    """Settings that an index was made with; `chunk_size` is the target in bytes."""

    embedding_model: str
    embedding_dimension: Count
    chunking_strategy: str
    chunk_size: Count | None


class Stats(Part):
    """Figures of an index.

    Attributes:
        edge_count: imports that lead to a file of the index.
        indexing_seconds: duration of the last run that changed the index.
        parse_failures, skipped_files: given if asked for.
    """

    name: str
    index_id: str
    file_count: Count
    chunk_count: Count
    storage_size: Count
    storage_size_pretty: str
    created_at: str
    updated_at: str
    is_stale: bool
    staleness_days: Count
    languages: tuple[LanguageFigures, ...]
    content: tuple[ContentClass, ...]
    symbols: dict[str, Count]
    parse_stats: ParseStats
    warnings: tuple[str, ...]
    root_path: str
    status: Status
    git_branch: str | None
    git_commit: str | None
    embedding_model: str
    line_count: Count
    symbol_count: Count
    edge_count: Count
    vector_count: Count
    indexing_seconds: float
    config: IndexConfig
    ledger: tuple[LedgerRow, ...]
    parse_failures: tuple[ParseFailure, ...] | UnsetType = UNSET
    note: str = ""
    skipped_files: tuple[SkippedFile, ...] | UnsetType = UNSET


class ClearArguments(Arguments):
    """Parameters of clear_index."""

    index_name: Annotated[str | None, About("Index to delete, without confirm")] = None
    index_names: Annotated[
        list[str] | None, About("Several; needs confirm"), Flag(metavar="[INDEX]...", help="Indexes to delete.")
    ] = None
    older_than_days: Annotated[
        int | None,
        About("Indexes not updated for this long; needs confirm"),
        Flag(
            names=("--older-than",),
            metavar="DAYS",
            minimum=0,
            help="Delete indexes that were not updated for this many days.",
        ),
    ] = None
    all: Annotated[bool, About("Every index; needs confirm"), Flag(names=("--all",), help="Delete all indexes.")] = (
        False
    )
    confirm: Annotated[
        bool,
        About("Confirm deleting more than one"),
        Flag(names=("-y", "--force", "--yes"), help="Do not ask for confirmation."),
    ] = False
    dry_run: Annotated[
        bool,
        About("Only report what would be deleted"),
        Flag(names=("--dry-run",), help="Show what would be deleted; delete nothing."),
    ] = False
    purge: Annotated[
        bool,
        About("Delete for good, with indexes cleared before; cannot be restored"),
        UNLISTED,
        Flag(
            names=("--purge",),
            help="Delete for good and free the space now, also of indexes cleared before. They cannot be restored.",
        ),
    ] = False
    ignore_missing: Annotated[
        bool, Flag(names=("--ignore-missing",), default=False, help="Ignore names that have no index.")
    ] = True


class PruneArguments(Arguments):
    """Parameters of prune; agents call clear_index."""

    older_than_days: Annotated[
        int,
        Flag(
            names=("--older-than",),
            metavar="DAYS",
            minimum=0,
            help="Delete indexes that were not updated for this many days.",
        ),
    ] = 30
    confirm: Annotated[bool, Flag(names=("-y", "--force", "--yes"), help="Do not ask for confirmation.")] = False
    dry_run: Annotated[bool, Flag(names=("--dry-run",), help="Show what would be deleted; delete nothing.")] = False
    purge: Annotated[
        bool, Flag(names=("--purge",), help="Delete for good and free the space now; they cannot be restored.")
    ] = False


class ClearResult(Part):
    """Whether one index was deleted."""

    index_name: str
    success: bool
    error: str = ""
    error_type: str = ""


class Cleared(Part):
    """Deleted indexes, or with `dry_run` those that would be deleted.

    Attributes:
        restorable_until: null if none can be restored.
        results: one for each chosen index, unless one was named for deletion without confirmation.
    """

    success: bool
    message: str
    dry_run: bool = False
    would_delete: tuple[str, ...] | UnsetType = UNSET
    chunks: Count | UnsetType = UNSET
    deleted: tuple[str, ...] | UnsetType = UNSET
    total_deleted: Count | UnsetType = UNSET
    chunks_removed: Count | UnsetType = UNSET
    cache_cleared: bool | UnsetType = UNSET
    linked_index_warnings: tuple[str, ...] | UnsetType = UNSET
    restorable_until: str | UnsetType | None = UNSET
    results: tuple[ClearResult, ...] | UnsetType = UNSET


def _command_answer(cleared: Cleared, asked: "ClearArguments | PruneArguments") -> Any:
    """Return the JSON of the command: shorter than the tool's if all went well."""
    answer, results = plain(cleared), cleared.results
    if results is UNSET or _exit_code(cleared, asked):
        return answer
    more = {name: answer[name] for name in ("restorable_until", "linked_index_warnings") if answer[name]}
    if len(results) == 1 and cleared.success:
        message = f"Index '{results[0].index_name}' cleared successfully"
        return {"success": True, "message": message, **more}
    missing = [result.index_name for result in results if not result.success]
    brief = {"success": True, "message": cleared.message, "cleared": answer["deleted"], **more}
    return brief | ({"missing": missing} if missing else {})


def _exit_code(cleared: Cleared, asked: "ClearArguments | PruneArguments") -> int:
    """Return 1 if a chosen index is still there; names without an index were accepted before."""
    del asked
    failed = [result for result in cleared.results or () if not result.success]
    is_declined = cleared.deleted is UNSET and not cleared.success
    return EXIT_FAILED if is_declined or any(result.error_type != NOT_FOUND for result in failed) else 0


class MembersArguments(Arguments):
    """Parameters of list_workspace_members."""

    index_name: given.IndexName = None
    placed_index: given.PlacedIndex = None


class WorkspaceMember(Part):
    """A member with its indexed files, and their languages, most frequent first."""

    name: str
    path: str  # "." is the root
    files: Count
    languages: tuple[str, ...]


class WorkspaceMembers(Part):
    """The members by path."""

    root: str
    workspace_type: Literal["cargo", "npm", "pnpm", "yarn", "go", "uv", "maven", "gradle", "bazel", "vscode", "single"]
    members: tuple[WorkspaceMember, ...]
    truncated: bool = False
    warnings: tuple[str, ...] = ()


class RestoreArguments(Arguments):
    """Parameters of restore_index."""

    index_name: Annotated[
        str | None,
        About("Name or index_id of the cleared index; omit to list restorable indexes"),
        Flag(metavar="[INDEX]", help="Index name or ID. Without it, list the indexes that can be restored."),
    ] = None


class RestorableIndex(Part):
    """A cleared index."""

    name: str
    index_id: str
    root_path: str
    chunks: Count
    cleared_at: str
    restorable_until: str


class Restored(Part):
    """A restored index, or the indexes that can be restored, last cleared first."""

    success: bool
    index_name: str | UnsetType = UNSET
    index_id: str | UnsetType = UNSET
    path: str | UnsetType = UNSET
    files: Count | UnsetType = UNSET
    chunks: Count | UnsetType = UNSET
    message: str = ""
    restorable: tuple[RestorableIndex, ...] | UnsetType = UNSET


class LanguagesArguments(Arguments):
    """list_languages has no parameters."""


class Language(Part):
    """A language; `grammar` says whether its grammar loads on this system."""

    id: str
    name: str
    aliases: tuple[str, ...]
    extensions: tuple[str, ...]
    filenames: tuple[str, ...]
    kind: str
    grammar: bool
    definitions: bool


TOOLS = (
    tool(
        __package__,
        "list_indexes",
        title="List indexes",
        about="List all code indexes: names, tables, folders, sizes.",
        module="listing",
        arguments=ListArguments,
        answer=list[ListedIndex | More | Note],
        view="show_indexes",
        error_is_text=True,
        toolset="index",
        order=1,
        command=Command(name="list", help="List all indexes."),
        aliases=(
            Alias(
                name="collections", program="Code Index", chosen_by=("subcommand", "list"), dialect="code_index.LIST"
            ),
        ),
    ),
    tool(
        __package__,
        "index_stats",
        title="Index statistics",
        about="Show index statistics: files, chunks, size, languages, symbols, parse health, staleness.",
        module="listing",
        arguments=StatsArguments,
        answer=Stats | list[Stats],
        view="show_stats",
        error_is_text=True,
        toolset="index",
        order=2,
        command=Command(
            name="stats",
            help="""Show the contents of an index: files, chunks, languages, symbols, parse health.

            Without a name, and outside every indexed folder, all indexes are shown.
            """,
        ),
        aliases=(
            Alias(name="get_stats", program="indxr"),
            Alias(
                name="collections", program="Code Index", chosen_by=("subcommand", "info"), dialect="code_index.INFO"
            ),
        ),
    ),
    tool(
        __package__,
        "clear_index",
        title="Delete an index",
        about="Delete an index; restore_index can bring it back for 24 hours. The source files stay.",
        module="clearing",
        arguments=ClearArguments,
        answer=Cleared,
        view="show_cleared",
        error_is_text=True,
        toolset="index",
        order=3,
        writes=True,
        destroys=True,
        command=Command(
            name="clear",
            help="""Delete indexes; the indexed files stay.

            `restore` can bring them back for 24 hours; the next run after that frees their space.
            """,
            shape=_command_answer,
            exit_code=_exit_code,
        ),
        aliases=(
            Alias(name="clear_index", program="Lexa", dialect="lexa.CLEAR_INDEX"),
            *(
                Alias(
                    name="collections",
                    program="Code Index",
                    chosen_by=("subcommand", way),
                    dialect=f"code_index.{made}",
                )
                for way, made in (("delete", "DELETE"), ("prune", "PRUNE"), ("clear-all", "CLEAR_ALL"))
            ),
        ),
    ),
    tool(
        __package__,
        "prune_indexes",
        title="Delete old indexes",
        module="clearing",
        arguments=PruneArguments,
        answer=Cleared,
        view="show_cleared",
        writes=True,
        destroys=True,
        command=Command(
            name="prune",
            help="""Delete indexes that have not been updated for a long time.

            `restore` can bring them back for 24 hours; the next run after that frees their space.
            """,
            shape=_command_answer,
            exit_code=_exit_code,
        ),
    ),
    tool(
        __package__,
        "restore_index",
        title="Restore an index",
        about="Restore an index that clear_index deleted within the last 24 hours, as it was.",
        arguments=RestoreArguments,
        answer=Restored,
        view="show_restored",
        toolset="index",
        order=8,
        listed=False,
        writes=True,
        command=Command(name="restore", help="Restore an index that was cleared within the last 24 hours."),
    ),
    tool(
        __package__,
        "list_workspace_members",
        title="Members of a workspace",
        about="List the projects of a monorepo, found by its manifests, with their files and languages.",
        arguments=MembersArguments,
        answer=WorkspaceMembers,
        shortens=Listed("members", "{shown} of {available} members shown; list_files shows the folders"),
        view="show_members",
        toolset="index",
        order=9,
        listed=False,
        about_indexes=True,
        command=Command(
            name="members",
            help="""List the projects of a monorepo, found by its manifests.

            Workspaces of Cargo, npm, pnpm, Yarn, Go, uv, Maven, Gradle and Bazel are known, and the folders of a
            .code-workspace file. A folder without a workspace has one member: itself.
            """,
        ),
    ),
    tool(
        __package__,
        "list_languages",
        title="List languages",
        about="List languages: names, extensions, whether files are parsed and definitions found.",
        arguments=LanguagesArguments,
        answer=list[Language],
        view="show_languages",
        command=Command(
            name="languages",
            help="List languages: names, extensions, and whether files are parsed and definitions found.",
            hidden_names=("grammars",),
        ),
    ),
)
