"""Remarks on runs, beside every output."""

from cocosearch_py.model.counts import counted
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answer import Json


def remark_on_runs(screen: Screen, answer: Json) -> None:
    """Print how to continue an interrupted run, or to confirm a large one."""
    for item in answer.get("results", (answer,)):
        stats = item.get("stats", {})
        if item.get("needs_confirmation"):
            screen.note("a run asks for confirmation before it indexes this much: `index --yes` confirms")
        if item.get("interrupted") and (stats["files_added"] or not item["warnings"]):
            done = counted(stats["files_added"] + stats["files_updated"], "file")
            left = f"{stats['files_pending']:,} left"
            screen.note(f"interrupted: {done} kept and searchable, {left}; run the same command again to continue")
