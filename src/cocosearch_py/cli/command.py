"""Makes a plain function a command of the program: global options, session, exit code."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, get_type_hints

import typer

from cocosearch_py.cli.options import GLOBAL_NAMES, GlobalOptions
from cocosearch_py.cli.session import Session
from cocosearch_py.errors import OperationCancelled, ValidationError


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
        try:
            with _open_session(options) as session:
                return function(session, **values)
        except KeyboardInterrupt:
            raise OperationCancelled("interrupted") from None

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


def _open_session(options: GlobalOptions) -> Session:
    """Open the session of one command; raises ValidationError for options that contradict each other."""
    if options.json and options.pretty:
        raise ValidationError("--json and --pretty cannot be combined", hint="give only one of them")
    return Session(options)


def _global_parameters() -> list[inspect.Parameter]:
    hints = get_type_hints(GlobalOptions, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
        )
        for field in fields(GlobalOptions)
    ]
