"""Answers about the quality of code: complex functions, health, changed definitions."""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET

from cocosearch_py.comparison.changes import find_changes
from cocosearch_py.comparison.report import ChangeReport, ChangeRequest
from cocosearch_py.config.process import github_token
from cocosearch_py.discovery.git import count_changes
from cocosearch_py.discovery.revisions import commit_of, github_repository, merge_base
from cocosearch_py.errors import NotFoundError, ValidationError
from cocosearch_py.features.quality import queries
from cocosearch_py.features.quality.pull_requests import GitHubPullRequest, ask_pull_request
from cocosearch_py.features.quality.tools import (
    MAX_LIMIT,
    WORKTREE,
    DiffArguments,
    DiffSummary,
    Health,
    HealthArguments,
    HotspotArguments,
    Hotspots,
    PullRequest,
    SortKey,
)
from cocosearch_py.model.graph import WalkRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import file_id_of, storable_path
from cocosearch_py.tools.answers import QUOTED
from cocosearch_py.tools.bounds import Bounded, choice
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.index import Index
from cocosearch_py.tools.revisions import commit_meant

_MAX_COMPLEXITY = 1_000_000
_IMPACT_DEPTH = 3
_MAX_IMPACT_EDGES = 1_000
_NO_FUNCTIONS = "no functions found there; vendored and generated files are excluded"


def get_hotspots(call: Call, asked: HotspotArguments) -> Hotspots:
    """Find the functions of a project's own code that are hardest to understand, largest first.

    Raises:
        ValidationError: unknown sort key.
        NotFoundError: no indexed file is at or below the path.
    """
    sort = choice("sort_by", asked.sort_by, SortKey)
    index = Index.of(call, asked.member)
    bounded = Bounded()
    commits = count_changes(index.folder, index.record.commit)
    selected = queries.Selected(
        paths=index.paths(asked.path),
        sort=sort,
        min_complexity=bounded.value("min_complexity", asked.min_complexity, 1, _MAX_COMPLEXITY),
        limit=bounded.value("limit", asked.limit, 1, MAX_LIMIT),
        churn={file_id_of(storable_path(path)): count for path, count in (commits or {}).items()},
    )
    report = index.read(lambda conn, record: queries.find_hotspots(conn, record, selected))
    warnings = [*bounded.notes, *index.warnings(report)]
    if sort == "churn" and commits is None:
        warnings.append("git does not report how often files changed, so churn is 0 for all")
    if not report.total:
        warnings.append(_NO_FUNCTIONS)
    return Hotspots(
        root=index.root,
        total=report.total,
        hotspots=report.items,
        note=QUOTED if report.items else "",  # names of tests are sentences in some languages
        warnings=tuple(warnings),
    )


def get_health(call: Call, asked: HealthArguments) -> Health:
    """Measure the functions of a project's own code.

    Raises:
        NotFoundError: no indexed file is at or below the path.
    """
    index = Index.of(call, asked.member)
    paths = index.paths(asked.path)
    report = index.read(lambda conn, record: queries.measure_health(conn, record, paths))
    warnings = index.warnings(report)
    if not report.totals["total_functions"]:
        warnings.append(_NO_FUNCTIONS)
    return Health(root=index.root, hottest_files=report.items, warnings=tuple(warnings), **report.totals)


def get_diff_summary(call: Call, asked: DiffArguments) -> DiffSummary:
    """Compare the definitions of two commits, or of a commit and the files on disk.

    Raises:
        ValidationError: not exactly one of a commit and a pull request is given, or it is not a revision.
        NotFoundError: git or GitHub has no such commit or pull request.
        ServiceError: git or GitHub does not answer.
    """
    _check_compared(asked)
    index = Index.of(call, asked.member)
    ends = _of_commits(index.record, asked) if asked.pr is None else _of_pull_request(index.folder, asked)
    request = ChangeRequest(
        since=ends.since,
        to=ends.to or index.record.commit,
        paths=index.paths(asked.path),
        max_file_bytes=index.app.settings.indexing.max_file_size_kb * 1024,
    )
    report = find_changes(request, index.folder)
    paths = [file.path for file in report.files]
    changes = tuple(file.by_status() for file in report.files if file.changes)
    return DiffSummary(
        root=index.root,
        since_ref=ends.since_shown,
        to_ref=ends.to_shown,
        pr=ends.pull_request or UNSET,
        changes=changes,
        files_added=_paths(report, "added"),
        files_removed=_paths(report, "removed"),
        files_modified=_paths(report, "modified"),
        impacted_tests=_impacted_tests(index, paths) if asked.include_impact else UNSET,
        note=QUOTED if changes else "",
        warnings=(*ends.warnings, *_gaps(report, ends, asked.path)),
    )


class _Ends(NamedTuple):
    """The two versions that are compared, and their names; `to` is None for the files on disk."""

    since: str
    to: str | None
    since_shown: str
    to_shown: str
    pull_request: PullRequest | None = None
    warnings: tuple[str, ...] = ()


def _check_compared(asked: DiffArguments) -> None:
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


def _of_commits(record: IndexRecord, asked: DiffArguments) -> _Ends:
    folder, since = Path(record.root_path), asked.since_ref or ""
    if asked.to_ref == WORKTREE:
        return _Ends(commit_meant(folder, since), None, since, record.commit or WORKTREE)
    return _Ends(commit_meant(folder, since), commit_meant(folder, asked.to_ref), since, asked.to_ref)


def _of_pull_request(folder: Path, asked: DiffArguments) -> _Ends:
    """Ask GitHub for a pull request of the folder's repository."""
    repository = github_repository(folder)
    if repository is None:
        raise NotFoundError(
            f"the remote 'origin' of {folder} is not a repository on github.com", hint="pass since_ref instead"
        )
    return ends_of_pull_request(ask_pull_request(*repository, asked.pr or 0, github_token()), folder, asked.to_ref)


def ends_of_pull_request(pull: GitHubPullRequest, folder: Path, to_ref: str) -> _Ends:
    """Return the merge base and the head of a pull request, or the files on disk if its head is not in the clone.

    Raises:
        NotFoundError: the base branch is not in the clone.
    """
    base = commit_of(folder, f"origin/{pull.base}") or commit_of(folder, pull.base)
    if base is None:
        raise NotFoundError(
            f"the branch '{pull.base[:100]}' is not in this clone", hint="`git fetch origin` fetches it"
        )
    head = commit_of(folder, pull.head_commit) if to_ref == WORKTREE else commit_meant(folder, to_ref)
    since = merge_base(folder, base, head or "HEAD") or base
    warning = "the pull request's commits are not in this clone: it is compared with the files on disk"
    shown = PullRequest(number=pull.number, title=pull.title, base=pull.base, head=pull.head)
    return _Ends(since, head, since, head or to_ref, shown, () if head else (warning,))


def _paths(report: ChangeReport, status: str) -> tuple[str, ...]:
    return tuple(file.path for file in report.files if file.status == status)


def _impacted_tests(index: Index, changed: Collection[str]) -> tuple[str, ...]:
    """Return the files of tests that changed, or that import a changed file."""
    request = WalkRequest(files=tuple(changed), direction="dependents", depth=_IMPACT_DEPTH, limit=_MAX_IMPACT_EDGES)
    return tuple(sorted(index.app.graphs.walk(request, index.record).tests)) if changed else ()


def _gaps(report: ChangeReport, ends: _Ends, path: str | None) -> list[str]:
    warnings = []
    if not report.is_compared:
        warnings.append("the definitions in these files could not be read; only the file names are shown")
    if report.uncompared:
        warnings.append(
            f"{report.uncompared:,} more files changed; their definitions are not compared: narrow with path"
        )
    if not report.files:
        where = f" at or below {path[:200]}" if path else ""
        warnings.append(f"no file{where} differs between {ends.since_shown} and {ends.to_shown}")
    return warnings
