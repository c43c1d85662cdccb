"""Tables: indexes, languages, settings, checks."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console

from cocosearch_py.cli.doctor import Check
from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.times import local_time

_DETAILS = (
    *("index_id", "workspace_id", "created_at", "git_branch", "git_commit", "repo", "worktrees", "staleness_days"),
    *("embedding_model", "embedding_dimension", "chunking_strategy"),
)


def show_indexes(session: Session, items: Sequence[dict[str, Any]]) -> None:
    """The objects of `list_indexes`."""
    console = session.console
    if not items:
        session.say("no index yet: `cocosearch-py index FOLDER` creates one")
        return
    rows = Table("index", "files", "chunks", "updated", "status", "folder", right=("files", "chunks"))
    for item in (one for one in items if "name" in one):
        rows.add_row(
            f"[bold green]{shown(item['name'])}[/]",
            f"{item['files']:,}",
            f"{item['chunks']:,}",
            local_time(item["updated_at"]),
            _status(item),
            shown(item["root_path"] + (f" at {item['rev']}" if "rev" in item else "")),
        )
    rows.print_to(console)
    for note in (one for one in items if "name" not in one):
        console.print(note["message"], markup=False, soft_wrap=True)
    for item in (one for one in items if "workspace_id" in one):
        print_pairs(console, ((f"[dim]{name}[/]", _detail(item[name])) for name in ("name", *_DETAILS)))


def _detail(value: Any) -> str:
    return shown(", ".join(value) if isinstance(value, list) else str(value)) if value not in (None, []) else "-"


def _status(item: dict[str, Any]) -> str:
    left = f", {counted(item['files_pending'], 'file')} left" if "files_pending" in item else ""
    return item["status"] if item["status"] == "complete" else f"[yellow]{item['status']}{left}[/]"


def show_settings(console: Console, settings: Iterable[tuple[str, object, str]]) -> None:
    """(key, value, origin) of every setting; those that somebody set stand out."""
    rows = Table("setting", "value", "set by")
    for key, value, origin in settings:
        style = "dim" if origin == "default" else "bold"
        rows.add_row(f"[{style}]{key}[/]", shown(json.dumps(value, ensure_ascii=False)), f"[dim]{shown(origin)}[/]")
    rows.print_to(console)


def show_checks(console: Console, checks: Iterable[Check]) -> None:
    """Outcome of each check, with its remedy below when it failed or warns."""
    rows = Table("", "check", "found")
    for check in checks:
        outcome = "[bold red]FAIL[/]" if not check.ok else "[yellow]warn[/]" if check.remedy else "[green]ok[/]"
        rows.add_row(outcome, check.name, shown(check.detail))
        if check.remedy:
            rows.add_row("", "", f"[yellow]{shown(check.remedy)}[/]")
    rows.print_to(console)
