"""The table that completion reads: commands, their options, and the kinds of values that these take."""

import inspect
from types import UnionType
from typing import Any, Literal, get_args, get_origin

import typer

from cocosearch_py.cli.options import GLOBAL_NAMES
from cocosearch_py.cli.program import program
from cocosearch_py.config.declaring import AUDIT_PARTS
from cocosearch_py.config.keys import setting_rules
from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.files import ContentClass
from cocosearch_py.model.graph import EDGE_KINDS
from cocosearch_py.model.indexes import STRATEGIES
from cocosearch_py.tools.declaration import Parameter
from cocosearch_py.tools.registry import all_operations

_INDEX, _LANGUAGE, _ANYTHING = "INDEX", "LANG", ""
_BY_METAVAR = {"INDEX": _INDEX, "JOB": _INDEX, "LANG": _LANGUAGE}  # An index stands for its latest job.
_LISTED: dict[str, list[str]] = {
    "dep_type": list(EDGE_KINDS),
    "content": list(ContentClass),
    "classes": list(ContentClass),
    "strategy": list(STRATEGIES),
    "log_level": list(setting_rules()["logging.level"].choices),
}
_LISTED_OF_AUDIT = {"include": list(AUDIT_PARTS)}


def completion_table() -> dict[str, Any]:
    """Return the table, as JSON holds it."""
    root: Any = typer.main.get_command(program)
    shared = [param for param in root.params if param.name in GLOBAL_NAMES]
    return {
        "options": _options(root.params, {}),
        "globals": _options(shared, {}),
        "commands": {name: _command(name, one) for name, one in root.commands.items() if not one.hidden},
        "values": {_LANGUAGE: sorted(LANGUAGES)},
    }


def _command(name: str, command: Any) -> dict[str, Any]:
    operations = {one.command.name: one for one in all_operations() if one.command is not None}
    operation = operations.get("index" if name == "watch" else name)
    declared = {one.name: one for one in operation.parameters} if operation is not None else {}
    own = [param for param in command.params if param.name not in GLOBAL_NAMES]
    found: dict[str, Any] = {
        "help": inspect.cleandoc(command.help or "").partition("\n")[0],
        "options": _options(own, declared, _LISTED_OF_AUDIT if name == "audit" else {}),
        "places": [_kind(param, declared) for param in own if param.param_type_name == "argument"],
    }
    inner = getattr(command, "commands", {})
    if inner:
        found["commands"] = {word: _command(f"{name} {word}", one) for word, one in inner.items()}
    return found


def _options(
    params: list[Any], declared: dict[str, Parameter], more: dict[str, list[str]] | None = None
) -> dict[str, tuple[Any, str]]:
    """Return each spelling with the kind of its value, None for a flag, and its help."""
    return {
        spelling: ((more or {}).get(param.name) or _kind(param, declared), " ".join((param.help or "").split()))
        for param in params
        if param.param_type_name == "option" and not param.hidden
        for spelling in (*param.opts, *param.secondary_opts)
    }


def _kind(param: Any, declared: dict[str, Parameter]) -> str | list[str] | None:
    if getattr(param, "is_flag", False):
        return None
    one = declared.get(param.name)
    if one is not None and (choices := _choices(one)):
        return choices
    if param.name in _LISTED:
        return _LISTED[param.name]
    by_metavar = _BY_METAVAR.get((param.metavar or "").strip("[]."), _ANYTHING)
    return _INDEX if param.name == "index_name" else by_metavar


def _choices(one: Parameter) -> list[str]:
    """Return the values that a parameter may have, if its type or its setting lists them."""
    if one.flag is not None and one.flag.setting:
        return list(setting_rules()[one.flag.setting].choices)
    kinds = [one.type]
    while kinds:
        kind = kinds.pop()
        if get_origin(kind) is Literal:
            return [value for value in get_args(kind) if isinstance(value, str)]
        if isinstance(kind, UnionType) or get_origin(kind) is list:
            kinds += get_args(kind)
    return []
