"""Arguments of the commands that agents and people call most, read without the argument parser.

Importing that, and making every command for it, takes a fifth of a second. Only the plain form is read here: a
command of `COMMANDS`, or a query of several words in quotes, and flags by their full names with values of their own.
Help, mistakes and everything else are left to the parser, so that it alone says what is wrong.
"""

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin

from cocosearch_py.cli.operations import run_operation
from cocosearch_py.cli.options import GLOBAL_NAMES, GLOBAL_PARAMETERS, GlobalOptions
from cocosearch_py.cli.session import in_session
from cocosearch_py.tools.declaration import Flag, Operation, Parameter

COMMANDS = {  # the module of each operation, or the feature and the name of its tool
    "search": "search_code",
    "index": "index_codebase",
    "analyze": "analyze_query",
    "ask": "ask_codebase",
    "grep": "search_text",
    "context": "build_context",
    "symbols": "find_symbol",
    "refs": "references.find_references",
    "read": "read_code",
    "summarize": "summarize",
    "explain": "explain_symbol",
    "files": "list_files",
    "outline": "outline_file",
    "tests": "references.find_tests",
    "types": "references.trace_type",
    "deps": "dependencies.get_dependencies",
    "impact": "dependencies.get_impact",
    "callgraph": "references.get_call_graph",
    "map": "dependencies.get_repo_map",
    "list": "list_indexes",
    "stats": "index_stats",
    "status": "index_status",
    "why": "why",
}
_NUMBERS = {int: re.compile(r"[0-9]{1,9}"), float: re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")}


class _NotPlainError(Exception):
    """The arguments need the parser."""


def run_quickly(arguments: Sequence[str]) -> int | None:
    """Run the command; returns its exit code, or None when the arguments need the parser."""
    if (found := read(arguments)) is None:
        return None
    operation, values = found
    options = GlobalOptions(**{name: values.pop(name) for name in GLOBAL_NAMES})
    return in_session(options, lambda session: run_operation(session, operation, values)) or 0


def read(arguments: Sequence[str]) -> tuple[Operation[Any, Any], dict[str, Any]] | None:
    """The operation that is meant, and for every parameter what the parser would give; None: ask the parser."""
    operation: Operation[Any, Any] | None = None
    spellings = _spellings(GLOBAL_PARAMETERS)
    given: dict[str, Any] = {}
    words: list[str] = []
    rest = iter(arguments)
    try:
        for item in rest:
            if item.startswith("-"):
                _take(spellings, item, rest, given)
            elif operation is not None:
                words.append(item)
            else:
                operation = _operation(item)
                spellings |= _spellings(operation.parameters)
                words += [] if item in COMMANDS else [item]
        if operation is None or not _is_text(arguments):
            return None
        return operation, _values(operation, given, words)
    except _NotPlainError:
        return None


def _operation(word: str) -> Operation[Any, Any]:
    name = "search" if " " in word else word  # what has a blank is a query: neither a command nor one mistyped
    if name not in COMMANDS:
        raise _NotPlainError
    feature, _, tool = COMMANDS[name].rpartition(".")
    if feature:
        tools: Sequence[Operation[Any, Any]] = import_module(f"cocosearch_py.features.{feature}.tools").TOOLS
        return next(one for one in tools if one.name == tool)
    operation: Operation[Any, Any] = import_module(f"cocosearch_py.operations.{tool}").OPERATION
    return operation


def _spellings(parameters: Sequence[Parameter]) -> dict[str, tuple[Parameter, Flag, bool]]:
    """Flags by name; the last is what one without a value stands for, as "--hybrid/--no-hybrid" is two of them."""
    return {
        name: (one, one.flag, value)
        for one in parameters
        if one.flag is not None
        for names in one.flag.names
        for name, value in zip(names.split("/"), (True, False), strict=False)
    }


def _take(
    spellings: dict[str, tuple[Parameter, Flag, bool]], name: str, rest: Iterator[str], given: dict[str, Any]
) -> None:
    """Note the value of a flag; one that takes its value from the next argument removes it from the rest."""
    if name not in spellings:
        raise _NotPlainError
    one, flag, value = spellings[name]
    kind = _kind(one)
    if kind is list:
        given.setdefault(one.name, []).append(_text(flag, next(rest, "-")))
    elif one.name in given:
        raise _NotPlainError
    else:
        given[one.name] = value if kind is bool else _value(kind, flag, next(rest, "-"))


def _values(operation: Operation[Any, Any], given: dict[str, Any], words: list[str]) -> dict[str, Any]:
    parameters = [*GLOBAL_PARAMETERS, *(one for one in operation.parameters if one.flag is not None)]
    place = next(one for one in parameters if one.flag is not None and not one.flag.names)
    if _kind(place) is list and words:
        given[place.name] = words
    elif len(words) == 1 and place.flag is not None:
        given[place.name] = _value(_kind(place), place.flag, words[0])
    elif words or not isinstance(place.typed, UnionType):  # too many, or none where one is needed
        raise _NotPlainError
    return {one.name: given.get(one.name, one.untyped) for one in parameters}


def _kind(one: Parameter) -> Any:
    """The type of what is typed, without None and without what a list holds."""
    kind = get_args(one.typed)[0] if isinstance(one.typed, UnionType) else one.typed
    return get_origin(kind) or kind


def _value(kind: Any, flag: Flag, text: str) -> Any:
    if kind in (str, Path):
        return kind(_text(flag, text))
    if kind not in _NUMBERS or not _NUMBERS[kind].fullmatch(text):
        raise _NotPlainError
    number = kind(text)
    if (flag.minimum is not None and number < flag.minimum) or (flag.maximum is not None and number > flag.maximum):
        raise _NotPlainError
    return number


def _text(flag: Flag, text: str) -> str:
    if text.startswith("-") or not text.strip():
        raise _NotPlainError
    return text


def _is_text(arguments: Sequence[str]) -> bool:
    """Whether no argument holds bytes that are not text."""
    try:
        "".join(arguments).encode()
    except UnicodeEncodeError:
        return False
    return True
