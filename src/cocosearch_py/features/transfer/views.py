"""Exported files and imported indexes on a terminal."""

from cocosearch_py.model.counts import counted
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json, pretty_bytes


def show_exported(screen: Screen, answer: Json) -> None:
    """Show the file of an export, or a bundle that was checked."""
    held = f"{counted(answer['files'], 'file')}, {counted(answer['chunks'], 'chunk')}, {pretty_bytes(answer['bytes'])}"
    screen.say(f"{answer['path']}: index '{answer['index_name']}' as {answer['format']}, {held}")
    if answer["format"] == "bundle":
        screen.note("`cocosearch-py import FILE` loads it into another database")


def show_imported(screen: Screen, answer: Json) -> None:
    """Show the index of an imported bundle."""
    held = f"{counted(answer['files'], 'file')}, {counted(answer['chunks'], 'chunk')}"
    screen.say(f"imported index '{answer['index_name']}': {held}")
    if answer["root_path"] is None:
        screen.note("it has no folder here, so its answers are not compared with the disk (--root DIR names one)")
    if "job_id" in answer:
        screen.note(f"searches get faster once `cocosearch-py status {answer['job_id']}` reports completed")
