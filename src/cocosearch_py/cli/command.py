"""Makes functions and operations commands of the argument parser: their options, the global ones, the exit code."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from types import UnionType
from typing import Annotated, Any, get_type_hints

import typer

from cocosearch_py.cli.operations import run_operation
from cocosearch_py.cli.options import GLOBAL_NAMES, GLOBAL_PARAMETERS, GlobalOptions
from cocosearch_py.cli.session import Session, in_session
from cocosearch_py.tools.declaration import SAME, Flag, Operation, Parameter

_PANEL = "Global options"
_HIDDEN = "_hidden"  # Ends the name of a parameter that takes the hidden spellings of another.


def command(function: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a command the global options: its first parameter becomes a `Session` made of them.

    An option after the command's name wins over the same one before it. The command returns its exit code, or None
    for 0. Ctrl-C in a command that does not handle it becomes OperationCancelled.
    """
    signature = inspect.signature(function)
    own = list(signature.parameters.values())[1:]
    hints = get_type_hints(function, include_extras=True)
    added = _global_parameters()
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    own = [item.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[item.name]) for item in own]

    @wraps(function)
    def wrapper(*, ctx: typer.Context, **values: Any) -> int | None:
        given = {name: values.pop(name) for name in GLOBAL_NAMES}
        before: dict[str, Any] = ctx.find_root().obj or {}
        options = GlobalOptions(**{name: given[name] or before.get(name) or given[name] for name in GLOBAL_NAMES})
        return in_session(options, lambda session: function(session, **values))

    replaced: Any = wrapper
    replaced.__signature__ = signature.replace(parameters=[context, *own, *added])
    replaced.__annotations__ = {item.name: item.annotation for item in [context, *own, *added]}
    return wrapper


def root_callback(function: Callable[..., None]) -> Callable[..., None]:
    """Give the program's own callback the global options; they are kept for the command in `ctx.obj`."""
    own = list(inspect.signature(function).parameters.values())
    hints = get_type_hints(function, include_extras=True)
    own = [item.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[item.name]) for item in own]
    parameters = [*own, *_global_parameters()]

    @wraps(function)
    def wrapper(*, ctx: typer.Context, **values: Any) -> None:
        ctx.obj = {name: values.pop(name) for name in GLOBAL_NAMES}
        function(ctx=ctx, **values)

    replaced: Any = wrapper
    replaced.__signature__ = inspect.Signature(parameters)
    replaced.__annotations__ = {item.name: item.annotation for item in parameters}
    return wrapper


def make_command(
    operation: Operation[Any, Any], name: str | None = None, about: str | None = None, **fixed: Any
) -> Callable[..., int]:
    """The function of an operation's command, or of another name with some parameters fixed.

    `command` gives it the global options.
    """
    made = operation.command
    if made is None:
        raise ValueError(f"{operation.name} is not a command")

    def run(session: Session, **values: Any) -> int:
        return run_operation(session, operation, {**joined(operation, values), **fixed})

    session = inspect.Parameter("session", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Session)
    typed = [one for one in operation.parameters if one.flag is not None and one.name not in fixed]
    hidden = [one for one in typed if one.flag is not None and one.flag.hidden_names]
    parameters = [session, *map(_parameter, typed), *map(_hidden_parameter, hidden)]
    dressed: Any = run
    dressed.__signature__ = inspect.Signature(parameters, return_annotation=int)
    dressed.__annotations__ = {item.name: item.annotation for item in parameters}
    dressed.__name__ = name or made.name
    dressed.__doc__ = about or made.help
    return run


def joined(operation: Operation[Any, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values, each under the name of its parameter, however the parameter was spelled."""
    given = {name: value for name, value in values.items() if not name.endswith(_HIDDEN)}
    for one in operation.parameters:
        hidden = values.get(one.name + _HIDDEN)
        if isinstance(hidden, list):
            given[one.name] = [*(given[one.name] or ()), *hidden] or one.untyped
        elif hidden is not None:
            given[one.name] = hidden
    return given


def not_empty(value: str | list[str] | None) -> str | list[str] | None:
    """Refuse an option that was given as an empty text, which would silently mean its default."""
    if not all(text.strip() for text in ([value] if isinstance(value, str) else value or ())):
        raise typer.BadParameter("the name is empty")
    return value


def _global_parameters() -> list[inspect.Parameter]:
    return [_parameter(one, rich_help_panel=_PANEL) for one in GLOBAL_PARAMETERS]


def _parameter(one: Parameter, **more: Any) -> inspect.Parameter:
    flag = one.flag
    if flag is None:
        raise ValueError(f"{one.name} cannot be given on the command line")
    details = _details(one, flag) | more
    option = typer.Option(*flag.names, **details) if flag.names else typer.Argument(**details)
    annotation: Any = Annotated[one.typed, option]
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.untyped, annotation=annotation)


def _hidden_parameter(one: Parameter) -> inspect.Parameter:
    """Make a parameter for the hidden spellings of another."""
    flag = one.flag
    if flag is None:
        raise ValueError(f"{one.name} cannot be given on the command line")
    also = replace(flag, names=flag.hidden_names, hidden=True, default=None, help=f"The same as {flag.names[-1]}.")
    kind = one.typed if isinstance(one.typed, UnionType) else one.typed | None
    return _parameter(replace(one, name=one.name + _HIDDEN, type=kind, flag=replace(also, type=SAME)))


def _details(one: Parameter, flag: Flag) -> dict[str, Any]:
    """What typer is told of a flag."""
    details: dict[str, Any] = {"help": flag.help or one.about or "", "show_default": False}
    if flag.hidden:
        details["hidden"] = True
    if flag.metavar:
        details["metavar"] = flag.metavar
    if flag.filled:
        details["callback"] = not_empty
    if flag.minimum is not None:
        details["min"] = flag.minimum
    if flag.maximum is not None:
        details["max"] = flag.maximum
    return details
