"""How far an index may be trusted: its age, how the checkout moved since, and whether it holds all files. Pure."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from cocosearch_py.model.indexes import FORMAT_VERSION, IndexRecord

if TYPE_CHECKING:
    from cocosearch_py.discovery.git import GitState

STALE_DAYS = 7  # CocoSearch's threshold
_COMMIT_CHARS = 12
_RUN = "run `cocosearch-py index`, or the tool index_codebase"
_OUTDATED = f"The index was built by an earlier version and may miss some words; to rebuild it, {_RUN}"


def age_days(record: IndexRecord) -> int:
    """Whole days since the last run that finished."""
    return (datetime.now(UTC) - record.updated_at).days


def staleness(record: IndexRecord, stale_days: int = STALE_DAYS) -> str | None:
    """Describe the age of an index that is old; None for others."""
    days = age_days(record)
    if record.commit is not None:  # which never changes
        return None
    return f"Index is stale ({days} days since last update)" if days > stale_days else None


def drift(record: IndexRecord, state: "GitState | None") -> str | None:
    """How the checkout moved since an index was made, in words; None when it did not, or without git."""
    if record.git_commit is None or record.commit is not None or state is None:
        return None
    if (state.branch, state.commit) == (record.git_branch, record.git_commit):
        return None
    then = f"{record.git_branch or 'a detached commit'} at {record.git_commit[:_COMMIT_CHARS]}"
    now = f"{state.branch or 'a detached commit'} at {(state.commit or 'no commit')[:_COMMIT_CHARS]}"
    return f"the index was built on {then}, the checkout is now on {now}"


def incompleteness(record: IndexRecord) -> str | None:
    """Describe missing files or words of an index; None if it is complete."""
    if record.status == "complete":
        return _OUTDATED if record.format_version < FORMAT_VERSION else None
    counts = ""
    if record.pending_file_count:
        total = record.file_count + record.pending_file_count
        counts = f": {record.file_count:,} of {total:,} files are in the index"
    return f"The last run was interrupted{counts}; to complete it, {_RUN}"


def doubts(record: IndexRecord, state: "GitState | None", stale_days: int = STALE_DAYS) -> tuple[str, ...]:
    """Everything that a reader of an answer should know of its index, in words."""
    told = (staleness(record, stale_days), incompleteness(record), drift(record, state))
    return tuple(text for text in told if text)
