"""Tools for indexes: list_workspace_members, restore_index, list_languages."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from cocosearch_py.model.answers import Count, Part
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answer import Arguments, Listed
from cocosearch_py.tools.declaration import About, Command, Flag, tool


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
