"""Operations as commands: their flags, the settings that flags override, their JSON and exit codes."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cocosearch_py.cli.call import CommandCall
from cocosearch_py.cli.options import not_empty
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import show
from cocosearch_py.operations.common.call import Place, Selection
from cocosearch_py.operations.common.declaration import SAME, Flag, Operation, Parameter, Waiting

if TYPE_CHECKING:
    from cocosearch_py.config.load import LoadedSettings


def make_command(operation: Operation[Any, Any]) -> Callable[..., int]:
    """The function of a command; `cli.command.command` gives it the global options."""
    given = [one for one in operation.parameters if one.flag is not None]
    made = operation.command
    if made is None:
        raise ValueError(f"{operation.name} is not a command")

    def run(session: Session, **values: Any) -> int:
        asked, call = _prepare(session, operation, values)
        return execute(session, operation, asked, call)

    session = inspect.Parameter("session", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Session)
    parameters = [session, *map(_parameter, given)]
    dressed: Any = run
    dressed.__signature__ = inspect.Signature(parameters, return_annotation=int)
    dressed.__annotations__ = {item.name: item.annotation for item in parameters}
    dressed.__name__ = made.name
    dressed.__doc__ = made.help
    return run


def execute(session: Session, operation: Operation[Any, Any], asked: Any, call: CommandCall) -> int:
    """Run an operation, show its report, return the exit code."""
    if getattr(asked, "interactive", False):
        from cocosearch_py.cli.repl import repl

        return repl(session, operation, asked, call)
    report = report_of(operation, asked, call)
    show(session, operation, report, asked)
    code = operation.command.exit_code if operation.command else None
    return code(report, asked) if code else 0


def report_of(operation: Operation[Any, Any], asked: Any, call: CommandCall) -> Any:
    """What an operation found or did; jobs have ended by then."""
    report = operation.run(call, asked)
    return report.then(report.job) if isinstance(report, Waiting) else report


def _prepare(session: Session, operation: Operation[Any, Any], values: Mapping[str, Any]) -> tuple[Any, CommandCall]:
    """The arguments, and the call under the settings that hold with these flags."""
    flags = {one.name: one.flag for one in operation.parameters if one.flag is not None}
    read = {name: flag.read(values[name]) if flag.read else values[name] for name, flag in flags.items()}
    overrides = {flag.setting: None if read[name] == [] else read[name] for name, flag in flags.items() if flag.setting}
    start = next((read[name] for name, flag in flags.items() if flag.starts), None)
    loaded = session.load(overrides, start=start)
    for name, flag in flags.items():
        if flag.setting:
            read[name] = _setting(loaded, flag.setting)
        elif isinstance(read[name], Path):
            read[name] = str(read[name])
    needed = {one.name: "" for one in operation.parameters if one.default is MISSING}
    asked = operation.arguments(**needed | {name: value for name, value in read.items() if value is not None})
    return asked, CommandCall(session, session.open(loaded), _selection(session, operation, asked, loaded))


def _selection(session: Session, operation: Operation[Any, Any], asked: Any, loaded: "LoadedSettings") -> Selection:
    """The index that the user names, by a flag, in the environment or in a file of the user's; else the folder's."""
    named = getattr(asked, "index_name", None)
    if named is None and (session.chose_configuration or loaded.origins["indexName"].kind == "environment"):
        named = loaded.settings.index_name
    if operation.about_indexes and named:
        return Selection((named,))
    return Selection(place=Place((session.folder,), "working folder"))


def _setting(loaded: "LoadedSettings", key: str) -> Any:
    from cocosearch_py.config.settings import snake_case

    found: Any = loaded.settings
    for part in key.split("."):
        found = getattr(found, snake_case(part))
    return list(found) if isinstance(found, tuple) else found


def _parameter(one: Parameter) -> inspect.Parameter:
    flag = one.flag
    if flag is None:
        raise ValueError(f"{one.name} cannot be given on the command line")
    kind = one.type if flag.type is SAME else flag.type
    default = (None if one.default is MISSING else one.default) if flag.default is SAME else flag.default
    details = _details(one, flag)
    option = typer.Option(*flag.names, **details) if flag.names else typer.Argument(**details)
    return inspect.Parameter(
        one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


def _details(one: Parameter, flag: Flag) -> dict[str, Any]:
    """What typer is told of a flag."""
    details: dict[str, Any] = {"help": flag.help or one.about or "", "show_default": False}
    if flag.metavar:
        details["metavar"] = flag.metavar
    if flag.filled:
        details["callback"] = not_empty
    if flag.minimum is not None:
        details["min"] = flag.minimum
    if flag.maximum is not None:
        details["max"] = flag.maximum
    return details
