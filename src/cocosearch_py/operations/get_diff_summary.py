"""`get_diff_summary`, `cocosearch-py diff`: what changed in definitions since a commit or in a pull request."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired, TypedDict, cast

from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.common import parameters as given
from cocosearch_py.operations.common.answers import Json, quoted
from cocosearch_py.operations.common.call import Call, Found
from cocosearch_py.operations.common.declaration import About, Command, Flag, Operation
from cocosearch_py.operations.common.files import stored_prefixes
from cocosearch_py.operations.common.fitting import fit
from cocosearch_py.operations.common.members import inside
from cocosearch_py.operations.common.revisions import commit_meant
from cocosearch_py.operations.common.schema import Count

if TYPE_CHECKING:
    from cocosearch_py.model.quality import Change, ChangedFile, ChangeReport
    from cocosearch_py.quality.pull_requests import PullRequest

WORKTREE = "worktree"
_IMPACT_DEPTH = 3
_MOST_EDGES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
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
    path: Annotated[
        str | None,
        About("Only this file or folder"),
        Flag(metavar="[PATH]", help="Only this file or folder."),
    ] = None
    include_impact: Annotated[
        bool,
        About("Also the tests that import the changed files"),
        Flag(names=("--impact",), help="Also list the tests that import changed files."),
    ] = False
    index_name: given.IndexName = None
    member: given.Member = None


class Declared(TypedDict):
    """A definition; `line` is that in the new file, of a removed one in the old file."""

    kind: str
    name: str
    signature: str
    line: Count
    old_signature: NotRequired[str]


class FileChanges(TypedDict):
    """The definitions of a file that differ."""

    file: str
    added: NotRequired[list[Declared]]
    removed: NotRequired[list[Declared]]
    signature_changed: NotRequired[list[Declared]]
    body_changed: NotRequired[list[Declared]]


class Pull(TypedDict):
    """A pull request, with its branches."""

    number: Count
    title: str
    base: str
    head: str


class Answer(TypedDict):
    """What differs; a renamed file is removed and added."""

    root: str
    since_ref: str
    to_ref: str
    pr: NotRequired[Pull]
    changes: list[FileChanges]
    files_added: list[str]
    files_removed: list[str]
    files_modified: list[str]
    impacted_tests: NotRequired[list[str]]
    truncated: NotRequired[bool]
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class Compared(NamedTuple):
    """What differs in the folder of an index, and what is to be known of it."""

    record: IndexRecord
    since: str
    to: str
    pull: Json | None
    report: "ChangeReport"
    tests: tuple[str, ...] | None
    warnings: tuple[str, ...]


class _Ends(NamedTuple):
    """Commits, the words for them, and the pull request that they are of; no `to` is what is on disk."""

    since: str
    to: str | None
    since_shown: str
    to_shown: str
    pull: Json | None = None
    notes: tuple[str, ...] = ()


def get_diff_summary(call: Call, asked: Arguments) -> Compared:
    """Summarize the changes since a commit or in a pull request, as functions and classes instead of diff lines."""
    from cocosearch_py.model.quality import ChangeRequest

    if asked.since_ref is not None and asked.pr is not None:
        raise ValidationError(
            "both a commit and a pull request are given, but only one can be compared",
            hint="provide either pr=12 or since_ref=main, not both",
            details={"parameters": ["since_ref", "pr"]},
        )
    if asked.since_ref is None and asked.pr is None:
        raise ValidationError(
            "nothing to compare with: neither a commit nor a pull request is given",
            hint="give since_ref=main, or pr=12",
        )
    found = call.find()
    record = found.records[0]
    folder = Path(record.root_path)
    ends = _of_pull_request(folder, asked) if asked.pr is not None else _of_refs(record, asked)
    request = ChangeRequest(
        since=ends.since,
        to=ends.to,
        paths=stored_prefixes(call, record, asked.path, inside(found, asked.member)),
        max_file_bytes=found.app.settings.indexing.max_file_size_kb * 1024,
    )
    report = found.app.quality.find_changes(request, record)
    notes = list(ends.notes)
    if not report.is_compared:
        notes.append("the definitions in these files could not be read; only the file names are shown")
    if report.uncompared:
        notes.append(f"{report.uncompared:,} more files changed; their definitions are not compared: narrow with path")
    if not report.files:
        where = f" at or below {asked.path[:200]}" if asked.path else ""
        notes.append(f"no file{where} differs between {ends.since_shown} and {ends.to_shown}")
    tests = _impacted(found, report) if asked.include_impact else None
    return Compared(record, ends.since_shown, ends.to_shown, ends.pull, report, tests, tuple(notes))


def _of_refs(record: IndexRecord, asked: Arguments) -> _Ends:
    folder, since = Path(record.root_path), asked.since_ref or ""
    if asked.to_ref == WORKTREE:
        return _Ends(commit_meant(folder, since), record.commit, since, record.commit or WORKTREE)
    return _Ends(commit_meant(folder, since), commit_meant(folder, asked.to_ref), since, asked.to_ref)


def _of_pull_request(folder: Path, asked: Arguments) -> _Ends:
    """What GitHub says of a pull request of the folder's repository."""
    from cocosearch_py.config.process import github_token
    from cocosearch_py.discovery.revisions import github_repository
    from cocosearch_py.quality.pull_requests import ask_pull_request

    repository = github_repository(folder)
    if repository is None:
        raise NotFoundError(
            f"the remote 'origin' of {folder} is not a repository on github.com", hint="pass since_ref instead"
        )
    return _ends_of(ask_pull_request(*repository, asked.pr or 0, github_token()), folder, asked)


def _ends_of(pull: "PullRequest", folder: Path, asked: Arguments) -> _Ends:
    """Where a pull request parted from its base, and its head, or what is on disk where that commit is not here."""
    from cocosearch_py.discovery.revisions import commit_of, merge_base

    base = commit_of(folder, f"origin/{pull.base}") or commit_of(folder, pull.base)
    if base is None:
        raise NotFoundError(
            f"the branch '{pull.base[:100]}' is not in this clone", hint="`git fetch origin` fetches it"
        )
    head = commit_of(folder, pull.head_commit) if asked.to_ref == WORKTREE else commit_meant(folder, asked.to_ref)
    notes = () if head else ("the pull request's commits are not in this clone: it is compared with the files on disk",)
    since = merge_base(folder, base, head or "HEAD") or base
    shown: Json = {"number": pull.number, "title": pull.title, "base": pull.base, "head": pull.head}
    return _Ends(since, head, since, asked.to_ref if head is None else head, shown, notes)


def _impacted(found: Found, report: "ChangeReport") -> tuple[str, ...]:
    """Files of tests that changed, or that import what did."""
    from cocosearch_py.model.graph import WalkRequest

    files = tuple(one.path for one in report.files)
    request = WalkRequest(files=files, direction="dependents", depth=_IMPACT_DEPTH, limit=_MOST_EDGES)
    return tuple(sorted(found.app.graphs.walk(request, found.records[0]).tests)) if files else ()


def _answer(compared: Compared, _: Arguments) -> Json:
    items = [(file, change) for file in compared.report.files for change in file.changes]
    return cast("Json", fit(items, lambda kept: _built(compared, kept, len(items))))


def _built(compared: Compared, kept: "Sequence[tuple[ChangedFile, Change]]", wanted: int) -> Json:
    changes: dict[str, Json] = {}
    for file, change in kept:
        at = changes.setdefault(file.path, {"file": file.path})
        at.setdefault(change.status, []).append(declared(change))
    answer: Json = {
        "root": compared.record.root_path,
        "since_ref": compared.since,
        "to_ref": compared.to,
        **({"pr": compared.pull} if compared.pull else {}),
        "changes": list(changes.values()),
    }
    for status in ("added", "removed", "modified"):
        answer[f"files_{status}"] = [file.path for file in compared.report.files if file.status == status]
    if compared.tests is not None:
        answer["impacted_tests"] = list(compared.tests)
    answer |= quoted(kept)
    warnings = list(compared.warnings)
    if len(kept) < wanted:
        answer["truncated"] = True
        warnings.append(f"{len(kept)} of {wanted} changed definitions shown: narrow with path")
    return {**answer, "warnings": warnings} if warnings else answer


def declared(change: "Change") -> dict[str, Any]:
    """A definition that differs, as a `Declared`."""
    item = {"kind": change.kind, "name": change.name, "signature": change.signature, "line": change.line}
    return item if change.old_signature is None else {**item, "old_signature": change.old_signature}


OPERATION = Operation(
    name="get_diff_summary",
    title="Summary of changes",
    arguments=Arguments,
    run=get_diff_summary,
    shape=_answer,
    answer=Answer,
    toolset="quality",
    order=3,
    listed=False,
    about_indexes=True,
    command=Command(
        name="diff",
        help="""Show which functions and classes changed since a commit or in a pull request.

        The comparison includes files on disk that git does not track yet. Nothing is fetched or checked out. --pr asks
        GitHub, with the token in GITHUB_TOKEN or GH_TOKEN.
        """,
    ),
)
