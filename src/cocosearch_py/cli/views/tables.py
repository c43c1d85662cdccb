"""Tables of settings and checks."""

import json
from collections.abc import Iterable

from rich.console import Console

from cocosearch_py.cli.doctor import Check
from cocosearch_py.render.layout import Table, shown


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
