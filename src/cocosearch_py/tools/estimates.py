"""The answer of index_codebase's mode estimate: dry runs of workspaces, and what they come to in time. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.forecasts import forecast_item

if TYPE_CHECKING:
    from cocosearch_py.indexing.forecast import Forecast

# From how many seconds on a run is worth a warning: most clients give up on a call after a minute or so.
LEVELS = ((300.0, "high"), (60.0, "medium"), (20.0, "low"))


def warning_level(seconds: float) -> str:
    """none, low (longer than an answer waits), medium (than most clients do) or high."""
    return next((level for least, level in LEVELS if seconds >= least), "none")


def estimated(forecasts: "Sequence[Forecast]") -> Json:
    """The estimates of all workspaces, each with what a dry run tells of it."""
    seconds = sum(told.seconds for told in forecasts)
    level = warning_level(seconds)
    roots = [told.root_path for told in forecasts]
    return {
        "total_estimated_time_seconds": round(seconds, 1),
        "warning_level": level,
        "workspaces_analyzed": len(forecasts),
        "cli_alternative": None if level == "none" else "; ".join(f"cocosearch-py index {root}" for root in roots),
        "workspace_estimations": [
            {
                "workspace_path": told.root_path,
                "index_name": told.index_name,
                "estimated_time_seconds": round(told.seconds, 1),
                "warning_level": warning_level(told.seconds),
                "files": told.files_added + told.files_updated,
                "bytes": told.read_bytes + told.copied_bytes,
                "storage_size": told.index_bytes,
                "measured": told.measured,
            }
            for told in forecasts
        ],
    }


def estimate_item(told: "Forecast") -> Json:
    """A dry run with its estimate."""
    return {**forecast_item(told), **estimated([told])}
