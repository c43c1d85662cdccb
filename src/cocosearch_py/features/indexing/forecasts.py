"""Answers about dry runs: their effect, and estimates of time and size."""

from collections.abc import Sequence

from cocosearch_py.indexing.forecast_report import Forecast
from cocosearch_py.tools.answers import Json, pretty_bytes

MOST_RULES = 50  # Maximum number of rules that leave files out.
# Seconds from which a run is worth a warning: most clients give up on a call after about a minute.
LEVELS = ((300.0, "high"), (60.0, "medium"), (20.0, "low"))


def forecast_item(forecast: Forecast) -> Json:
    """Return the counts of a dry run, the rules that would leave files out, and the estimates."""
    inside = forecast.files_in_skipped_folders
    reasons: dict[str, int] = {}
    for (reason, _), files in forecast.left_out.items():
        reasons[reason] = reasons.get(reason, 0) + files
    return {
        "success": True,
        "dry_run": True,
        "index_name": forecast.index_name,
        "path": forecast.root_path,
        "index_exists": forecast.record is not None,
        "rebuild_reason": forecast.rebuilt,
        "stats": {
            "files_added": forecast.files_added,
            "files_updated": forecast.files_updated,
            "files_removed": forecast.files_removed,
            "files_unchanged": forecast.files_unchanged,
            "files_skipped": forecast.files_skipped,
            "files_failed": forecast.files_failed,
            "folders_skipped": forecast.folders_skipped,
            "files_reused": forecast.files_reused,
            **({"files_in_skipped_folders": inside} if inside else {}),
        },
        "estimate": {
            "seconds": round(forecast.seconds, 1),
            "measured": forecast.measured,
            "source_bytes": forecast.held_bytes,
            "read_bytes": forecast.read_bytes,
            "copied_bytes": forecast.copied_bytes,
            "storage_size": forecast.index_bytes,
            "storage_size_pretty": pretty_bytes(forecast.index_bytes),
        },
        "folders": [
            {"folder": f"{share.name}/" if share.name else "./", "files": share.files, "bytes": share.size_bytes}
            for share in forecast.folders
        ],
        "not_indexed": dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        "rules": [
            {"reason": reason, "rule": rule, "files": files}
            for (reason, rule), files in sorted(forecast.left_out.items(), key=lambda item: (-item[1], item[0]))[
                :MOST_RULES
            ]
        ],
        "needs_confirmation": forecast.asks,
        "warnings": list(forecast.warnings),
    }


def warning_level(seconds: float) -> str:
    """Return none, low (longer than an answer waits), medium (longer than most clients wait) or high."""
    return next((level for least, level in LEVELS if seconds >= least), "none")


def estimated(forecasts: Sequence[Forecast]) -> Json:
    """Return the estimates of all workspaces, in sum and each by itself."""
    seconds = sum(forecast.seconds for forecast in forecasts)
    level = warning_level(seconds)
    roots = [forecast.root_path for forecast in forecasts]
    return {
        "total_estimated_time_seconds": round(seconds, 1),
        "warning_level": level,
        "workspaces_analyzed": len(forecasts),
        "cli_alternative": None if level == "none" else "; ".join(f"cocosearch-py index {root}" for root in roots),
        "workspace_estimations": [
            {
                "workspace_path": forecast.root_path,
                "index_name": forecast.index_name,
                "estimated_time_seconds": round(forecast.seconds, 1),
                "warning_level": warning_level(forecast.seconds),
                "files": forecast.files_added + forecast.files_updated,
                "bytes": forecast.read_bytes + forecast.copied_bytes,
                "storage_size": forecast.index_bytes,
                "measured": forecast.measured,
            }
            for forecast in forecasts
        ],
    }


def estimate_item(forecast: Forecast) -> Json:
    """Return a dry run with its estimate."""
    return {**forecast_item(forecast), **estimated([forecast])}
