"""`search --interactive`: one query after the other, settings changed by lines that start with a colon."""

import sys
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cocosearch_py.cli.call import CommandCall
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import show
from cocosearch_py.cli.streams import put
from cocosearch_py.errors import CocosearchError, ValidationError
from cocosearch_py.operations.common.call import Selection
from cocosearch_py.operations.common.declaration import Operation

if TYPE_CHECKING:
    from cocosearch_py.operations.search_code import Arguments

_PROMPT = "search> "
_ENDS = frozenset({"quit", "exit", ":q", ":quit", ":exit"})
_HELP = """\
Type a query, or:
  :limit N      maximum number of results
  :lang X       language or alias, or several with commas; alone: any language
  :context N    lines before and after a hit; alone: the definition around it
  :index X      index to search; alone: that of the current folder
  :help         this text
  quit          leave (also exit, Ctrl-D)
A query may hold filters: lang:go path:src/ -path:tests/ kind:class name:get*"""


def repl(session: Session, operation: "Operation[Arguments, Any]", asked: "Arguments", call: CommandCall) -> int:
    """Answer lines of standard input until it ends; a wrong line is told and the next one is read."""
    session.one_line = True
    if not session.asked_json:
        session.json = False  # a dialogue is for people, unless they say otherwise
    if asked.query:
        _ask(session, operation, asked, call)
    while (line := _read()) is not None:
        if line in _ENDS:
            break
        if line.startswith(":"):
            asked = _changed(session, asked, call, line)
        elif line:
            _ask(session, operation, replace(asked, query=line), call)
    return 0


def _read() -> str | None:
    """Next line without surrounding blanks, None at the end; Ctrl-C drops the line."""
    terminal = sys.stdin.isatty()
    if terminal:
        import readline  # noqa: F401  # editing and history for `input`
    try:
        return (input(_PROMPT) if terminal else input()).strip()
    except KeyboardInterrupt:
        put("", sys.stderr)
        return ""
    except EOFError:
        return None


def _ask(session: Session, operation: "Operation[Arguments, Any]", asked: "Arguments", call: CommandCall) -> None:
    try:
        show(session, operation, copy(call).run(operation.run, asked), asked)  # a call of its own
    except CocosearchError as error:
        _tell(error)


def _changed(session: Session, asked: "Arguments", call: CommandCall, line: str) -> "Arguments":
    """The arguments after a line that starts with a colon; the same ones when the line is wrong."""
    name, _, value = line[1:].partition(" ")
    value = value.strip()
    try:
        match name:
            case "limit":
                return replace(asked, limit=_number(value))
            case "lang":
                from cocosearch_py.search.request import build_filters

                build_filters(language=value)  # raises for an unknown one
                return replace(asked, language=value or None)
            case "context":
                lines = _number(value) if value else None
                return replace(asked, context_lines=lines, context_before=None, context_after=None)
            case "index":
                call.selection = Selection((value,)) if value else call.here
            case "help":
                session.say(_HELP)
            case _:
                raise ValidationError(f"there is no command ':{name}'", hint="`:help` lists them")
    except CocosearchError as error:
        _tell(error)
    return asked


def _number(text: str) -> int:
    if not text.isdecimal():
        raise ValidationError(f"'{text}' is not a number", hint="for example `:limit 5`")
    return int(text)


def _tell(error: CocosearchError) -> None:
    put(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""), sys.stderr)
