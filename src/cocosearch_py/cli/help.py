"""The help of the program: its commands in groups, its parameters without the types of the parser."""

from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

PANELS: Mapping[str, tuple[str, ...]] = {
    "Start here": ("index", "search", "ask", "grep", "read", "symbols", "refs", "status", "init", "doctor"),
    "Find and understand code": (
        "open", "context", "summarize", "explain", "files", "outline", "tests", "types", "tokens", "analyze",
        "pipeline",
    ),
    "Follow dependencies": ("deps", "impact", "callgraph", "graph", "map"),
    "Assess code": ("hotspots", "health", "diff", "audit"),
    "Manage indexes": (
        "list", "stats", "watch", "why", "members", "languages", "jobs", "log", "cancel", "clear", "restore", "prune",
        "export", "import", "eval",
    ),
    "Edit files and keep notes": ("patch", "create", "changes", "wiki"),
    "Serve and configure": ("mcp", "worker", "config", "db"),
}  # fmt: skip


class PlainCommand(TyperCommand):
    """Command whose help shows no types."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, the one for help included."""
        return [_plain(one) for one in super().get_params(ctx)]


class PlainGroup(TyperGroup):
    """Group of commands whose help shows no types."""

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, the one for help included."""
        return [_plain(one) for one in super().get_params(ctx)]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, in the order of the panels."""
        order = {name: place for place, name in enumerate(name for names in PANELS.values() for name in names)}
        return sorted(super().list_commands(ctx), key=lambda name: order.get(name, len(order)))


def use_plain_help(program: typer.Typer, *, is_root: bool = True) -> None:
    """Have the program and all its commands show this help; the commands of the root are in panels."""
    panels = {name: panel for panel, names in PANELS.items() for name in names} if is_root else {}
    program.info.cls = PlainGroup
    for command in program.registered_commands:
        command.cls = PlainCommand
        command.rich_help_panel = panels.get(command.name or "")
    for group in program.registered_groups:
        group.cls = PlainGroup
        group.rich_help_panel = panels.get(str(group.name))
        if group.typer_instance is not None:
            use_plain_help(group.typer_instance, is_root=False)


def _plain(param: Any) -> Any:
    """Return the parameter as its declaration spells it; the parser would add its type, its range and brackets."""
    is_argument = param.param_type_name == "argument"
    param.display_type_rich = lambda ctx: None if is_argument else param.metavar
    param._get_number_range_help_str = lambda: None
    if is_argument and param.metavar:
        param.get_usage_pieces = lambda ctx: [param.metavar]
    return param
