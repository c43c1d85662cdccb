"""The coverage ledger: whatever a folder holds, files on disk = indexed + skipped + failed, each with its reason."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.odd_trees import churn, files_below, odd_tree

from cocosearch_py.app import App
from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.indexing.progress import RunReport

ContentOf = Callable[[str], dict[str, list[tuple[Any, ...]]]]


def counted(report: RunReport) -> int:
    """All files that a run tells of."""
    kept = report.files_added + report.files_updated + report.files_unchanged
    return kept + report.files_skipped + report.files_failed + report.files_pending


def check_sum(root: Path, report: RunReport, rows: list[tuple[Any, ...]]) -> None:
    """Rows are those of `content_of`: path, status, reason, rule, error and file count are 1 to 6."""
    on_disk = files_below(root)
    assert sum(row[6] for row in rows) == on_disk
    assert counted(report) == on_disk
    for row in rows:
        reasoned = {"indexed": True, "skipped": row[3] and row[4], "failed": row[5]}
        assert reasoned[row[2]], row


@pytest.mark.parametrize("repository", [True, False], ids=["git", "no git"])
@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"respect_gitignore": False},
        {"include": ("src/**",)},
        {"exclude": ("*.py", "other/")},
        {"max_depth": 1},
        {"max_depth": 2, "submodules": False},
    ],
    ids=["plain", "no gitignore", "include", "exclude", "shallow", "no submodules"],
)
def test_every_run_accounts_for_every_file(
    app: App, tmp_path: Path, content_of: ContentOf, chosen: dict[str, Any], repository: bool
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    odd_tree(root, repository=repository)
    options = replace(app.indexing_options(), discovery=DiscoveryOptions(**chosen))
    for seed in range(3):
        report = app.index(root, name="odd", options=options)
        check_sum(root, report, content_of("odd")["files"])
        churn(root, seed)


def test_an_interrupted_run_accounts_for_what_it_left(app: App, tmp_path: Path, content_of: ContentOf) -> None:
    odd_tree(tmp_path, repository=False)
    calls = iter([False, True])
    report = app.index(tmp_path, name="odd", cancelled=lambda: next(calls, True))
    assert report.files_pending
    assert counted(report) == files_below(tmp_path)
    assert sum(row[6] for row in content_of("odd")["files"]) + report.files_pending == files_below(tmp_path)
    check_sum(tmp_path, app.index(tmp_path, name="odd"), content_of("odd")["files"])
