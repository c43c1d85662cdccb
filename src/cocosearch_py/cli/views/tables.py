"""Tables: indexes, languages, settings, checks."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cocosearch_py.cli.doctor import Check

_EXTENSIONS_SHOWN = 6  # keeps a language on one line of most terminals


def table(*columns: str, right: Sequence[str] = ()) -> Table:
    """A table without borders; the columns named in `right` hold numbers."""
    made = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    for title in columns:
        made.add_column(title, justify="right" if title in right else "left", overflow="fold")
    return made


def show_indexes(console: Console, items: Sequence[dict[str, Any]]) -> None:
    """The objects of `list_indexes`."""
    if not items:
        console.print("no index yet; `cocosearch-py index PATH` makes one")
        return
    rows = table("index", "files", "chunks", "updated", "status", "folder", right=("files", "chunks"))
    for item in items:
        rows.add_row(
            f"[bold green]{escape(item['name'])}[/]",
            f"{item['files']:,}",
            f"{item['chunks']:,}",
            item["updated_at"].replace("T", " ").rstrip("Z"),
            item["status"] if item["status"] == "complete" else f"[yellow]{item['status']}[/]",
            escape(item["root_path"]),
        )
    console.print(rows)


def show_languages(console: Console, items: Iterable[dict[str, Any]]) -> None:
    """The objects of `languages`."""
    rows = table("language", "parsed", "definitions", "extensions", "also called")
    for item in items:
        extensions = [*item["extensions"], *item["filenames"]]
        shown = " ".join(extensions[:_EXTENSIONS_SHOWN]) + (" ..." if len(extensions) > _EXTENSIONS_SHOWN else "")
        rows.add_row(
            f"[bold]{item['id']}[/]",
            _tick(item["grammar"]),
            _tick(item["definitions"]),
            escape(shown),
            f"[dim]{escape(', '.join(item['aliases']))}[/]",
        )
    console.print(rows)


def show_settings(console: Console, settings: Iterable[tuple[str, object, str]]) -> None:
    """(key, value, origin) of every setting; those that somebody set stand out."""
    rows = table("setting", "value", "set by")
    for key, value, origin in settings:
        style = "dim" if origin == "default" else "bold"
        rows.add_row(f"[{style}]{key}[/]", escape(json.dumps(value, ensure_ascii=False)), f"[dim]{escape(origin)}[/]")
    console.print(rows)


def show_checks(console: Console, checks: Iterable[Check]) -> None:
    """Outcome of each check, with its remedy below when it failed or warns."""
    rows = table("", "check", "found")
    for check in checks:
        outcome = "[bold red]FAIL[/]" if not check.ok else "[yellow]warn[/]" if check.remedy else "[green]ok[/]"
        rows.add_row(outcome, check.name, escape(check.detail))
        if check.remedy:
            rows.add_row("", "", f"[yellow]{escape(check.remedy)}[/]")
    console.print(rows)


def _tick(yes: bool) -> str:
    return "[green]yes[/]" if yes else "[dim]-[/]"
