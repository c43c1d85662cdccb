"""The answer about a run that was only tried: what it would do and cost. Pure."""

from typing import TYPE_CHECKING

from cocosearch_py.tools.answers import Json, pretty_bytes

if TYPE_CHECKING:
    from cocosearch_py.indexing.forecast import Forecast

MOST_RULES = 50  # of those that leave files out, by the number of files


def forecast_item(told: "Forecast") -> Json:
    """Counts as those of a run, what decided about files that would be left out, and the estimates."""
    reasons: dict[str, int] = {}
    for (reason, _), files in told.left_out.items():
        reasons[reason] = reasons.get(reason, 0) + files
    return {
        "success": True,
        "dry_run": True,
        "index_name": told.index_name,
        "path": told.root_path,
        "index_exists": told.record is not None,
        "rebuild_reason": told.rebuilt,
        "stats": {
            "files_added": told.files_added,
            "files_updated": told.files_updated,
            "files_removed": told.files_removed,
            "files_unchanged": told.files_unchanged,
            "files_skipped": told.files_skipped,
            "files_failed": told.files_failed,
            "folders_skipped": told.folders_skipped,
            "files_reused": told.files_reused,
        },
        "estimate": {
            "seconds": round(told.seconds, 1),
            "measured": told.measured,
            "source_bytes": told.held_bytes,
            "read_bytes": told.read_bytes,
            "copied_bytes": told.copied_bytes,
            "storage_size": told.index_bytes,
            "storage_size_pretty": pretty_bytes(told.index_bytes),
        },
        "folders": [
            {"folder": f"{share.name}/" if share.name else "./", "files": share.files, "bytes": share.size_bytes}
            for share in told.folders
        ],
        "not_indexed": dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        "rules": [
            {"reason": reason, "rule": rule, "files": files}
            for (reason, rule), files in sorted(told.left_out.items(), key=lambda item: (-item[1], item[0]))[
                :MOST_RULES
            ]
        ],
        "needs_confirmation": told.asks,
        "warnings": list(told.warnings),
    }
