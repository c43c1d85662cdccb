"""`list_workspace_members`, `cocosearch-py members`: the projects of a monorepo."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Command, Operation
from cocosearch_py.tools.fitting import fit
from cocosearch_py.tools.warnings import remarks_on

if TYPE_CHECKING:
    from cocosearch_py.catalog.members import Members


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of list_workspace_members."""

    index_name: given.IndexName = None
    placed_index: given.PlacedIndex = None


class MemberItem(TypedDict):
    """A member with its files that are indexed, and their languages, the most frequent first."""

    name: str
    path: str
    files: Count
    languages: list[str]


class Answer(TypedDict):
    """The members by path; "." is the root."""

    root: str
    workspace_type: Literal["cargo", "npm", "pnpm", "yarn", "go", "uv", "maven", "gradle", "bazel", "vscode", "single"]
    members: list[MemberItem]
    truncated: NotRequired[bool]
    warnings: NotRequired[list[str]]


class MembersFound(NamedTuple):
    """The members of an index's folder, and what is to be known of them."""

    record: IndexRecord
    members: "Members"
    warnings: tuple[str, ...]


def list_workspace_members(call: Call, _: Arguments) -> MembersFound:
    """List the projects of a monorepo, found by its manifests, with their files and languages."""
    found = call.find()
    members = found.app.catalog.members(found.records[0])
    told = remarks_on(call, found, ())
    if members.others:
        told.append(f"the folder is also the root of other workspaces: {', '.join(members.others)}")
    return MembersFound(found.records[0], members, tuple(told))


def _answer(found: MembersFound, _: Arguments) -> Json:
    items = [
        {"name": one.name, "path": one.path or ".", "files": one.files, "languages": list(one.languages)}
        for one in found.members.members
    ]

    def build(kept: Sequence[Json]) -> Json:
        answer: Json = {
            "root": found.record.root_path,
            "workspace_type": found.members.kind,
            "members": list(kept),
        }
        warnings = list(found.warnings)
        if len(kept) < len(items):
            answer["truncated"] = True
            warnings.append(f"{len(kept)} of {len(items)} members shown; list_files shows the folders")
        return {**answer, "warnings": warnings} if warnings else answer

    return cast("Json", fit(items, build))


OPERATION = Operation(
    name="list_workspace_members",
    title="Members of a workspace",
    arguments=Arguments,
    run=list_workspace_members,
    shape=_answer,
    answer=Answer,
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
)
