"""Runs of indexing on a terminal."""

from collections.abc import Sequence

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, shown
from cocosearch_py.render.screen import Screen
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json

STYLES = {"failed": "red", "cancelled": "yellow", "interrupted": "yellow", "running": "green", "queued": "green"}


def show_jobs(screen: Screen, jobs: Sequence[Json]) -> None:
    """Show one line for each run, newest first."""
    if not jobs:
        screen.say("nothing has been indexed yet: run `cocosearch-py index FOLDER`")
        return
    rows = Table("index", "state", "files", "seconds", "job", "error", right=("files", "seconds"))
    for job in jobs:
        state = f"[{STYLES.get(job['state'], 'default')}]{job['state']}[/]"
        if job["state"] == "running":
            state += f" ({job['progress']} %)"
        rows.add_row(
            f"[bold green]{shown(job['index_name'])}[/]",
            state,
            f"{job['files_done']:,}",
            f"{job['seconds']:.1f}",
            shown(job["job_id"]),
            shown(error_text(job)),
        )
    rows.print_to(screen.console)


def error_text(answer: Json) -> str:
    """Return the error of a run. Tools give it as text, or as true beside a message."""
    error = answer.get("error")
    return error if isinstance(error, str) else str(answer.get("message", "")) if error else ""


def show_log(screen: Screen, events: Sequence[Json]) -> None:
    """Show the events of a run, one a line."""
    rows = Table("at", "kind", "message", headed=False)
    for event in events:
        rows.add_row(f"[dim]{local_time(event['at'], '%Y-%m-%d %H:%M:%S')}[/]", event["kind"], shown(event["message"]))
    rows.print_to(screen.console)


def show_cancelled(screen: Screen, answer: Json) -> None:
    """Show the state of a run after a request to stop it."""
    screen.say(f"the run for index '{answer['index_name']}' is {answer['state']}")
    if kept := answer.get("kept"):
        screen.say(f"{counted(kept['files_added'] + kept['files_updated'], 'file')} kept")
