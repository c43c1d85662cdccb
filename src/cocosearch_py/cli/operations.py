"""Operations as commands: the settings that their flags override, their reports and exit codes."""

from collections.abc import Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cocosearch_py.cli.call import CommandCall, report_of
from cocosearch_py.cli.results import with_results
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import show
from cocosearch_py.errors import ValidationError
from cocosearch_py.operations.common.call import Place, Selection
from cocosearch_py.operations.common.declaration import Operation

if TYPE_CHECKING:
    from cocosearch_py.config.load import LoadedSettings


def run_operation(session: Session, operation: Operation[Any, Any], values: Mapping[str, Any]) -> int:
    """Run an operation with what was typed for each of its parameters that has a flag; returns the exit code."""
    session.command = operation.command.name if operation.command is not None else ""
    values = _settled(operation, values)
    if session.environ.get("COCOSEARCH_SERVER_URL", "").strip():
        from cocosearch_py.cli.forwarding import forward

        return forward(session, operation, values)
    if operation.name == "read_code":
        values = with_results(session.data_folder, values)
    asked, call = prepare(session, operation, values)
    return execute(session, operation, asked, call)


def _settled(operation: Operation[Any, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """What was typed, each parameter in the one way that the operation knows it.

    Raises:
        ValidationError: one was given in two ways.
    """
    settled = dict(values)
    for one in operation.parameters:
        if one.flag is not None and one.flag.several and settled[one.name] is not None:
            first, *more = settled[one.name]
            settled[one.name] = None if more else Path(first)
            if more:
                settled[one.flag.several] = [first, *more]
        meant = one.flag.stands_for if one.flag is not None else ""
        if not meant or settled[one.name] == one.untyped:
            continue
        if settled[meant] is not None:
            told = f"{settled[one.name]!r} and {settled[meant]!r} are both given as the index"
            raise ValidationError(told, hint="name it once")
        settled[meant], settled[one.name] = settled[one.name], one.untyped
    return settled


def execute(session: Session, operation: Operation[Any, Any], asked: Any, call: CommandCall) -> int:
    """Run an operation, show its report, return the exit code."""
    if getattr(asked, "interactive", False):
        from cocosearch_py.cli.repl import repl

        return repl(session, operation, asked, call)
    if getattr(asked, "watch", False):
        from cocosearch_py.cli.watching import watch

        return watch(session, operation, asked, call)
    call.detached = getattr(asked, "detach", False)
    report = report_of(operation, asked, call)
    show(session, operation, report, asked)
    code = operation.command.exit_code if operation.command else None
    return code(report, asked) if code else 0


def prepare(session: Session, operation: Operation[Any, Any], values: Mapping[str, Any]) -> tuple[Any, CommandCall]:
    """Return the arguments, and the call under the settings that hold with these flags."""
    flags = {one.name: one.flag for one in operation.parameters if one.flag is not None}
    read = {name: flag.read(values[name]) if flag.read else values[name] for name, flag in flags.items()}
    read |= {one.name: values[one.name] for one in operation.parameters if one.flag is None and one.name in values}
    overrides = {flag.setting: None if read[name] == [] else read[name] for name, flag in flags.items() if flag.setting}
    start = next((read[name] for name, flag in flags.items() if flag.starts), None)
    loaded = session.load(overrides, start=start)
    for name, flag in flags.items():
        if flag.setting:
            read[name] = _setting(loaded, flag.setting)
        elif isinstance(read[name], Path):
            read[name] = str(read[name])
    needed = {one.name: "" for one in operation.parameters if one.default is MISSING}
    asked = operation.asked(needed | {name: value for name, value in read.items() if value is not None})
    call = CommandCall(session, session.open(loaded), _selection(session, operation, asked, loaded))
    call.needs, call.overrides = operation.needs, overrides
    return asked, call


def _selection(session: Session, operation: Operation[Any, Any], asked: Any, loaded: "LoadedSettings") -> Selection:
    """The index that the user names, by a flag, in the environment or in a file of the user's; else the folder's."""
    named = getattr(asked, "index_name", None)
    if named is None and (session.chose_configuration or loaded.origins["indexName"].kind == "environment"):
        named = loaded.settings.index_name
    if operation.about_indexes and named:
        return Selection((named,))
    return Selection(place=Place((session.folder,), "working folder"))


def _setting(loaded: "LoadedSettings", key: str) -> Any:
    from cocosearch_py.config.keys import snake_case

    found: Any = loaded.settings
    for part in key.split("."):
        found = getattr(found, snake_case(part))
    return list(found) if isinstance(found, tuple) else found
