"""`search --interactive`: one query after the other, settings changed by lines that start with a colon."""

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from cocosearch_py.cli.answering import Style, answer
from cocosearch_py.cli.session import Session
from cocosearch_py.errors import CocosearchError, ValidationError
from cocosearch_py.search.request import build_filters

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.model.search import SearchRequest

_PROMPT = "search> "
_ENDS = frozenset({"quit", "exit", ":q", ":quit", ":exit"})
_HELP = """\
Type a query, or:
  :limit N      most results
  :lang X       language, alias or comma list; alone: any language
  :context N    lines before and after a hit; alone: the definition around it
  :index X      index to search; alone: that of the current folder
  :help         this text
  quit          leave (also exit, Ctrl-D)
A query may hold filters: lang:go path:src/ -path:tests/ kind:class name:get*"""


@dataclass(frozen=True, slots=True)
class _State:
    """What the next query is asked with."""

    request: "SearchRequest"
    index: str | None


def repl(session: Session, app: "App", request: "SearchRequest", index: str | None, style: Style) -> int:
    """Answer lines of standard input until it ends; a wrong line is told and the next one is read."""
    if not session.asked_json:
        session.json = False  # a dialogue is for people, unless they say otherwise
    state = _State(request, index)
    if request.query:
        _ask(session, app, state, style)
    while (line := _read()) is not None:
        if line in _ENDS:
            break
        if line.startswith(":"):
            state = _changed(state, line)
        elif line:
            _ask(session, app, replace(state, request=replace(state.request, query=line)), style)
    return 0


def _read() -> str | None:
    """Next line without surrounding blanks, None at the end; Ctrl-C drops the line."""
    terminal = sys.stdin.isatty()
    if terminal:
        import readline  # noqa: F401  # editing and history for `input`
    try:
        return (input(_PROMPT) if terminal else input()).strip()
    except KeyboardInterrupt:
        typer.echo(err=True)
        return ""
    except EOFError:
        return None


def _ask(session: Session, app: "App", state: _State, style: Style) -> None:
    try:
        answer(session, app, state.request, state.index, style)
    except CocosearchError as error:
        _tell(error)


def _changed(state: _State, line: str) -> _State:
    """The state after a line that starts with a colon; the same one when the line is wrong."""
    name, _, value = line[1:].partition(" ")
    value = value.strip()
    request = state.request
    try:
        match name:
            case "limit":
                return replace(state, request=replace(request, limit=_number(value)))
            case "lang":
                languages = build_filters(language=value).languages
                return replace(state, request=replace(request, filters=replace(request.filters, languages=languages)))
            case "context":
                lines = _number(value) if value else None
                return replace(state, request=replace(request, context_before=lines, context_after=lines))
            case "index":
                return replace(state, index=value or None)
            case "help":
                typer.echo(_HELP)
            case _:
                raise ValidationError(f"there is no command ':{name}'", hint="`:help` lists them")
    except CocosearchError as error:
        _tell(error)
    return state


def _number(text: str) -> int:
    if not text.isdecimal():
        raise ValidationError(f"'{text}' is not a number", hint="for example `:limit 5`")
    return int(text)


def _tell(error: CocosearchError) -> None:
    typer.echo(f"error: {error.message}" + (f"\nhint: {error.hint}" if error.hint else ""), err=True)
