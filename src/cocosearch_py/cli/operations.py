"""Operations that run here: the settings that their flags override, their reports and exit codes."""

from collections.abc import Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from cocosearch_py.cli.call import CommandCall, report_of
from cocosearch_py.cli.loading import load
from cocosearch_py.cli.opening import open_app
from cocosearch_py.cli.places import from_here
from cocosearch_py.cli.results import with_results
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import show
from cocosearch_py.config.keys import snake_case
from cocosearch_py.config.load import LoadedSettings
from cocosearch_py.tools.call import Place, Selection
from cocosearch_py.tools.declaration import Operation

# Parameters that make a command go on, and the functions that run it.
_GOING_ON = {"interactive": "cli.repl.repl", "watch": "cli.watching.watch"}


def run(session: Session, operation: Operation[Any, Any], values: Mapping[str, Any]) -> int:
    """Run an operation, show its report, return the exit code."""
    if operation.name == "read_code":
        values = with_results(session.data_folder, values)
    asked, call = prepare(session, operation, values)
    for name, function in _GOING_ON.items():
        if getattr(asked, name, False):
            ended: int = load(function)(session, operation, asked, call)
            return ended
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
    call = CommandCall(session, open_app(session, loaded), _selection(session, operation, asked, loaded))
    call.needs, call.overrides = operation.needs, overrides
    return from_here(operation, asked, call, session.folder), call


def _selection(session: Session, operation: Operation[Any, Any], asked: Any, loaded: LoadedSettings) -> Selection:
    """The index that the user names, by a flag, in the environment or in a file of the user's; else the folder's."""
    if several := getattr(asked, "index_names", None):
        return Selection(tuple(several))
    named = getattr(asked, "index_name", None)
    if named is None and (session.chose_configuration or loaded.origins["indexName"].kind == "environment"):
        named = loaded.settings.index_name
    if operation.about_indexes and named:
        return Selection((named,))
    return Selection(place=Place((session.folder,), "working folder"))


def _setting(loaded: LoadedSettings, key: str) -> Any:
    found: Any = loaded.settings
    for part in key.split("."):
        found = getattr(found, snake_case(part))
    return list(found) if isinstance(found, tuple) else found
