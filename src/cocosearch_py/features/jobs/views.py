"""Runs of indexing on a terminal."""

from collections.abc import Sequence

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, shown
from cocosearch_py.render.runs import show_runs
from cocosearch_py.render.screen import Screen
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json


def show_jobs(screen: Screen, jobs: Sequence[Json]) -> None:
    """Show one line for each run, newest first."""
    show_runs(screen, jobs)


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
