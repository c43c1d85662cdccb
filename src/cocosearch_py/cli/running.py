"""Operations as commands: what is typed for them, and whether they run here or on a server."""

import sys
from collections.abc import Mapping
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from cocosearch_py.cli.loading import load
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.streams import file_text, piped_text
from cocosearch_py.errors import ValidationError
from cocosearch_py.tools.declaration import Operation, Parameter


def run_operation(session: Session, operation: Operation[Any, Any], values: Mapping[str, Any]) -> int:
    """Run an operation with what was typed for each of its parameters that has a flag; returns the exit code."""
    session.command = operation.command.name if operation.command is not None else ""
    is_elsewhere = session.environ.get("COCOSEARCH_SERVER_URL", "").strip()
    run = load("cli.forwarding.forward" if is_elsewhere else "cli.operations.run")
    code: int = run(session, operation, _settled(session, operation, values))
    return code


def _settled(session: Session, operation: Operation[Any, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the typed values, each under the one parameter that the operation reads.

    Raises:
        ValidationError: one was given in two ways, several where one is needed, or nothing where a text is needed.
    """
    settled = dict(values)
    for one in operation.parameters:
        if one.flag is not None and one.flag.several and settled[one.name] is not None:
            settled |= _one_or_several(operation, one, settled[one.name])
        if one.flag is not None and one.flag.piped and not values.get("interactive"):
            settled[one.name] = _typed(session, one, settled[one.name])
    for one in operation.parameters:
        meant = one.flag.stands_for if one.flag is not None else ""
        if not meant or settled[one.name] == one.untyped:
            continue
        value = one.flag.read(settled[one.name]) if one.flag and one.flag.read else settled[one.name]
        if settled[meant] != next(other.untyped for other in operation.parameters if other.name == meant):
            name = meant.removesuffix("_name")
            raise ValidationError(
                f"{value!r} and {settled[meant]!r} are both given as the {name}", hint="give only one of them"
            )
        settled[meant], settled[one.name] = value, one.untyped
    return settled


def _one_or_several(operation: Operation[Any, Any], one: Parameter, typed: list[str]) -> dict[str, Any]:
    """Return folders, files or names of indexes under the parameter for one or for several."""
    flag = one.flag
    if flag is None:
        return {}
    given = typed
    if one.name == operation.names_index:  # A comma is in no name of an index.
        given = list(dict.fromkeys(name.strip() for text in typed for name in text.split(",") if name.strip()))
    if len(given) > 1 and all(other.name != flag.several for other in operation.parameters):
        command = operation.command.name if operation.command is not None else operation.name
        raise ValidationError(f"`{command}` works on one index at a time", hint=f"name one of them: -n {given[0]}")
    if len(given) != 1:
        return {one.name: None, flag.several: given or None}
    return {one.name: Path(given[0]) if flag.starts else given[0]}


def _typed(session: Session, one: Parameter, words: list[str] | None) -> list[str] | None:
    """Return the words of a text, or what `-`, `@FILE` or no words stand for.

    Raises:
        ValidationError: no text, or a file that cannot be read.
    """
    is_needed = one.default is MISSING
    only = words[0] if words and len(words) == 1 else ""
    if only.startswith("@") and (file := Path(only[1:])).exists() and not file.is_dir():
        text = _file_text(file)
    elif only == "-" or (is_needed and not words and not sys.stdin.isatty()):
        if sys.stdin.isatty():
            session.note("reading the text from the terminal, until Ctrl-D")
        text = piped_text()
    elif words or not is_needed:
        return words
    else:
        text = ""
    if is_needed and not text:
        raise ValidationError(
            "the query is empty",
            hint=f'give it in quotes: `cocosearch-py {session.command} "where are tokens checked"`, or pipe it in',
        )
    return [text] if text else None


def _file_text(file: Path) -> str:
    try:
        return file_text(file)
    except OSError as error:
        raise ValidationError(f"{file} cannot be read: {error.strerror}", hint="name a text file") from None
