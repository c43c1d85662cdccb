"""Notes of a search: how sure it is, what is stale, what is missing."""

import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

from cocosearch_py.catalog.freshness import age_days, incompleteness, staleness
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.search.unmatched import explain_doubts, explain_words_only
from cocosearch_py.search.verify import explain_stale
from cocosearch_py.tools.answers import Json, timestamp, warned
from cocosearch_py.tools.call import Found

if TYPE_CHECKING:
    from cocosearch_py.model.search import SearchReport


def context_header(found: Found, searched: IndexRecord) -> tuple[Json, ...]:
    if found.place is None:
        return ()
    header: Json = {
        "type": "search_context",
        "index_name": searched.name,
        "root_path": searched.root_path,
        "last_indexed_at": timestamp(searched.updated_at),
        "detected_by": found.place.source,
    }
    if len(found.records) > 1:
        header["linked_indexes"] = [record.name for record in found.records[1:]]
    return (header,)


def sureness(reports: "list[tuple[IndexRecord, SearchReport]]") -> Json:
    """Return the confidence of the surest answer."""
    surest = min(
        [report.confidence for _, report in reports], key=lambda one: ("high", "medium", "low").index(one.level)
    )
    return {"type": "confidence", "level": surest.level, "message": surest.reason}


def common_doubts(reports: "list[tuple[IndexRecord, SearchReport]]") -> list[str]:
    """Return the gaps that all of the answers have."""
    told = [explain_doubts(report) for _, report in reports]
    return list(dict.fromkeys(text for texts in told for text in texts)) if all(told) else []


def index_doubts(reports: "list[tuple[IndexRecord, SearchReport]]") -> list[Json]:
    notes: list[Json] = []
    for record, report in reports:
        about = {"index_name": record.name, "remedy": _remedy(record)}
        if (old := staleness(record)) is not None:
            days, last = age_days(record), timestamp(record.updated_at)
            told = {"type": "staleness_warning", "message": old, "staleness_days": days, "last_indexed_at": last}
            notes.append({**told, **about})
        if report.words_only:
            remedy = f"; {_remedy(record)} to embed it again, or set that model" if record.has_vectors else ""
            message = f"index '{record.name}' {report.words_only}: searched by keywords only, not by meaning{remedy}"
            notes.append(warned(message))
        elif (why := explain_words_only(report)) is not None:
            notes.append(warned(f"index '{record.name}' was {why}"))
        if (half := incompleteness(record)) is not None:
            counts = {"files_indexed": record.file_count, "files_pending": record.pending_file_count}
            notes.append({"type": "incomplete_index", "message": half, **counts, **about})
    return notes


def stale_results(reports: "list[tuple[IndexRecord, SearchReport]]") -> list[Json]:
    return [
        {
            "type": "stale_results",
            "message": told,
            "index_name": record.name,
            "files": [
                {"file_path": posixpath.join(record.root_path, one.path), "reason": one.reason} for one in report.stale
            ],
            "remedy": _remedy(record),
        }
        for record, report in reports
        if (told := explain_stale(report)) is not None
    ]


def branch_notes(records: tuple[IndexRecord, ...], drifts: list[str | None]) -> list[Json]:
    return [
        {
            "type": "branch_staleness_warning",
            "message": drift,
            "index_name": record.name,
            "indexed_branch": record.git_branch,
            "indexed_commit": record.git_commit,
            "remedy": _remedy(record),
        }
        for record, drift in zip(records, drifts, strict=True)
        if drift
    ]


def _remedy(record: IndexRecord) -> str:
    if not (record.is_detached or Path(record.root_path).is_dir()):
        return f"put the folder back, or call clear_index with index_name {record.name}"
    rev = f" and rev {record.commit}" if record.commit else ""
    return f"call index_codebase with path {record.root_path}{rev}"
