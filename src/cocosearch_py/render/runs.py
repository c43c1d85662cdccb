"""Runs of indexing on a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from cocosearch_py.render.layout import Table, shown
from cocosearch_py.render.screen import Screen

STYLES = {"failed": "red", "cancelled": "yellow", "interrupted": "yellow", "running": "green", "queued": "green"}


def show_runs(screen: Screen, runs: Sequence[Mapping[str, Any]]) -> None:
    """Show one line for each run, newest first."""
    if not runs:
        screen.say("nothing has been indexed yet: run `cocosearch-py index FOLDER`")
        return
    table = Table("index", "state", "files", "seconds", "job", "error", right=("files", "seconds"))
    for run in runs:
        state = f"[{STYLES.get(run['state'], 'default')}]{run['state']}[/]"
        if run["state"] == "running":
            state += f" ({run['progress']} %)"
        table.add_row(
            f"[bold green]{shown(run['index_name'])}[/]",
            state,
            f"{run['files_done']:,}",
            f"{run['seconds']:.1f}",
            shown(run["job_id"]),
            shown(error_text(run)),
        )
    table.print_to(screen.console)


def error_text(answer: Mapping[str, Any]) -> str:
    """Return the error of a run. Tools give it as text, or as true beside a message."""
    error = answer.get("error")
    return error if isinstance(error, str) else str(answer.get("message", "")) if error else ""
