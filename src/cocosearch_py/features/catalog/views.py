"""Indexes, workspaces and languages on a terminal."""

import os
from collections.abc import Sequence

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json

_MAX_LANGUAGES = 4
_MAX_EXTENSIONS = 6  # keeps a language on one line of most terminals


def show_restored(screen: Screen, answer: Json) -> None:
    """Show the restored index, or the indexes that can be restored."""
    if "restorable" not in answer:
        contents = f"{counted(answer['files'], 'file')}, {counted(answer['chunks'], 'chunk')}"
        folder = _folder(answer["path"])
        screen.say(f"restored index '{answer['index_name']}': {contents}{f' of {folder}' if folder else ''}")
        return
    if not answer["restorable"]:
        screen.say("nothing to restore: no index was cleared within the last 24 hours")
        return
    rows = Table("index", "chunks", "cleared", "kept until", "folder", right=("chunks",))
    for index in answer["restorable"]:
        rows.add_row(
            f"[bold green]{shown(index['name'])}[/]",
            f"{index['chunks']:,}",
            local_time(index["cleared_at"]),
            local_time(index["restorable_until"]),
            shown(_folder(index["root_path"])),
        )
    rows.print_to(screen.console)
    screen.note("`cocosearch-py restore INDEX` restores one")


def _folder(root_path: str) -> str:
    """Return the folder of an index; empty if it is not on this machine."""
    return root_path if os.path.isabs(root_path) else ""


def show_members(screen: Screen, answer: Json) -> None:
    """Show one line for each member of a workspace."""
    rows = Table("member", "folder", "files", "languages", right=("files",))
    for member in answer["members"]:
        languages = shown(", ".join(member["languages"][:_MAX_LANGUAGES]))
        folder = shown(local_path(answer["root"], member["path"]))
        rows.add_row(f"[bold green]{shown(member['name'])}[/]", folder, f"{member['files']:,}", languages)
    rows.print_to(screen.console)
    screen.note(f"{answer['workspace_type']}: {counted(len(answer['members']), 'member')}")


def show_languages(screen: Screen, languages: Sequence[Json]) -> None:
    """Show one line for each language."""
    rows = Table("language", "parsed", "definitions", "extensions", "also called")
    for language in languages:
        extensions = [*language["extensions"], *language["filenames"]]
        more = " ..." if len(extensions) > _MAX_EXTENSIONS else ""
        rows.add_row(
            f"[bold]{language['id']}[/]",
            _tick(language["grammar"]),
            _tick(language["definitions"]),
            shown(" ".join(extensions[:_MAX_EXTENSIONS]) + more),
            f"[dim]{shown(', '.join(language['aliases']))}[/]",
        )
    rows.print_to(screen.console)


def _tick(yes: bool) -> str:
    return "[green]yes[/]" if yes else "[dim]-[/]"
