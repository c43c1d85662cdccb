"""Why a file is, or is not, among the answers."""

from pathlib import PurePath

from cocosearch_py.errors import NotFoundError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.model.search import SearchFilters, SearchReport
from cocosearch_py.search.content_classes import DEMOTING, asked_classes
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.search import matches_filters
from cocosearch_py.storage.queries.stats import LedgerRow, find_in_ledger
from cocosearch_py.storage.queries.target import Target


def explain_path(conn: Connection, record: IndexRecord, report: SearchReport, path: str) -> dict[str, object]:
    """Tell what became of a file in one search.

    Args:
        path: relative to the root, absolute, or the end of either.
    Returns:
        `verdict`: shown, below_cut, filtered, no_match, skipped, failed, ambiguous or unknown; `reason` in words;
        `rank` among the ranked files, from 1, where it has one.
    Raises:
        NotFoundError: a path that no file can have.
    """
    relative = _below_root(path, record.root_path)
    rows = find_in_ledger(conn, record.index_id, relative)
    if not rows:
        return _verdict(relative, "unknown", "the last index run did not find such a file")
    if len(rows) > 1 and rows[0].path != relative:
        return _verdict(relative, "ambiguous", "several files match: " + ", ".join(row.path for row in rows[:5]))
    return _explain_row(conn, record, report, rows[0])


def _below_root(path: str, root: str) -> str:
    """The path relative to the root, with slashes; raises NotFoundError for what is no text."""
    if not is_text(path):
        raise NotFoundError(
            "no indexed file has a null byte or broken UTF-8 in its name",
            hint="give the path as `search --files-only` prints it",
        )
    given = PurePath(path)
    if given.is_relative_to(root):
        return given.relative_to(root).as_posix()
    return path.strip("/").removeprefix("./")


def _explain_row(conn: Connection, record: IndexRecord, report: SearchReport, row: LedgerRow) -> dict[str, object]:
    if row.status != "indexed":
        return _verdict(
            row.path, row.status, f"not indexed: {row.reason or row.error} ({row.rule or 'see the ledger'})"
        )
    if row.path in report.ranked_paths:
        rank = report.ranked_paths.index(row.path) + 1
        place = f"it is number {rank} of {len(report.ranked_paths)}"
        if any(hit.file_path == row.path for hit in report.hits):
            return _verdict(row.path, "shown", f"{place} ranked files{_demotion(report, row)}", rank)
        return _verdict(row.path, "below_cut", f"{place}: raise the limit to see it{_demotion(report, row)}", rank)
    target = Target(record.index_id, record.chunk_count, report.filters)
    if report.filters != SearchFilters() and not matches_filters(conn, target, row.file_id):
        return _verdict(row.path, "filtered", "it is indexed, but the filters of this search exclude it")
    words = ", ".join(report.analysis.words)
    return _verdict(
        row.path, "no_match", f"it is indexed, but no passage in it is close to the words {words} or their meaning"
    )


def _demotion(report: SearchReport, row: LedgerRow) -> str:
    """The class of a file that is not asked for, in words."""
    told = row.content_class or ""
    if told not in DEMOTING or told in asked_classes(report.analysis.words, report.filters):
        return ""
    return f"; ranked lower, because it is {told.replace('_', ' ')} ({row.rule})"


def _verdict(path: str, verdict: str, reason: str, rank: int | None = None) -> dict[str, object]:
    return {"path": path, "verdict": verdict, "reason": reason, "rank": rank}
