"""Commands of operations, those of two words in groups: `changes undo` beside `changes`."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

import typer

from cocosearch_py.cli.command import command, make_command
from cocosearch_py.tools.declaration import Operation

# What a group is for whose first word is no command by itself.
_ABOUT: Mapping[str, str] = {"wiki": "Keep pages of knowledge about a repository, with all their versions."}


def add_commands(program: typer.Typer, operations: Iterable[Operation[Any, Any]]) -> None:
    """Give the program the command of each operation that has one."""
    made = [(one.command, command(make_command(one))) for one in operations if one.command is not None]
    firsts = dict.fromkeys(one.name.partition(" ")[0] for one, _ in made if " " in one.name)
    helps = {**{one.name: one.help for one, _ in made}, **_ABOUT}
    groups = {first: typer.Typer(help=helps.get(first)) for first in firsts}
    for one, function in made:
        first, _, second = one.name.partition(" ")
        if second:
            groups[first].command(second)(function)
        elif first in groups:
            groups[first].callback(invoke_without_command=True)(_alone(function))
        else:
            program.command(first)(function)
        for name in one.hidden_names:
            program.command(name, hidden=True)(function)
    for name, group in groups.items():
        program.add_typer(group, name=name, no_args_is_help=name in _ABOUT)


def _alone(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """The same, unless a second word follows."""

    @wraps(function)
    def wrapper(*, ctx: typer.Context, **values: Any) -> int | None:
        return function(ctx=ctx, **values) if ctx.invoked_subcommand is None else None

    replaced: Any = wrapper
    replaced.__signature__ = inspect.signature(function)
    return wrapper
