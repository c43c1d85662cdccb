"""`search --interactive`: one query after the other, settings changed by lines that start with a colon."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

from msgspec import structs

from cocosearch_py.cli.call import CommandCall
from cocosearch_py.cli.editor import open_found
from cocosearch_py.cli.results import number_of, recall
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import show
from cocosearch_py.cli.streams import put
from cocosearch_py.errors import CocosearchError, ValidationError
from cocosearch_py.features.search.arguments import SearchCodeArguments
from cocosearch_py.search.request import build_filters
from cocosearch_py.tools.call import Selection
from cocosearch_py.tools.declaration import Operation
from cocosearch_py.tools.registry import operation_named

SearchOperation = Operation[SearchCodeArguments, Any]
_PROMPT = "search> "
_ENDS = frozenset({"quit", "exit", ":q", ":quit", ":exit"})
_HELP = """\
Type a query, or:
  N, :read N    print result N, a definition as a whole
  :open N       open result N in your editor
  :more         show the next results
  :refs NAME    show who uses a definition
  :limit N      maximum number of results
  :lang X       language or alias, or several with commas; alone: any language
  :context N    lines before and after a hit; alone: the definition around it
  :index X      index to search; alone: that of the current folder
  :help         this text
  quit          leave (also exit, Ctrl-D)
A query may hold filters: lang:go path:src/ -path:tests/ kind:class name:get*"""


def repl(session: Session, operation: SearchOperation, asked: SearchCodeArguments, call: CommandCall) -> int:
    """Answer lines of standard input until it ends; after a wrong line, report the error and read the next one."""
    session.one_line = True
    if not session.asked_json:
        session.json = False  # a dialogue is for people, unless they say otherwise
    dialogue = _Dialogue(session, operation, asked, call)
    dialogue.greet()
    if asked.query:
        dialogue.answer(asked.query)
    while (line := _read()) is not None and line not in _ENDS:
        if line:
            dialogue.answer(line)
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


class _Dialogue:
    """The query and the settings that hold now; `asked` changes with each line."""

    def __init__(
        self,
        session: Session,
        operation: SearchOperation,
        asked: SearchCodeArguments,
        call: CommandCall,
    ) -> None:
        self._session, self._operation, self._asked, self._call = session, operation, asked, call

    def greet(self) -> None:
        """Print which indexes are searched, and how to get help."""
        with self._errors_shown():
            for record in copy(self._call).find().records:
                self._session.note(f"index '{record.name}', {record.file_count:,} files; :help lists the commands")

    def answer(self, line: str) -> None:
        """Do what a line says."""
        with self._errors_shown():
            if line.startswith(":"):
                name, _, value = line[1:].partition(" ")
                self._command(name, value.strip())
            elif number_of(line) is not None:
                self._command("read", line)
            else:
                self._search(structs.replace(self._asked, query=line, offset=0))

    def _command(self, name: str, value: str) -> None:
        match name:
            case "read" | "open":
                self._show_result(_number(value, name), is_open=name == "open")
            case "more":
                self._more()
            case "refs":
                self._run(operation_named("find_references"), {"symbol": value})
            case "limit":
                self._asked = structs.replace(self._asked, limit=_number(value, name))
            case "lang":
                build_filters(language=value)  # raises for an unknown one
                self._asked = structs.replace(self._asked, language=value or None)
            case "context":
                lines = _number(value, name) if value else None
                self._asked = structs.replace(self._asked, context_lines=lines, context_before=None, context_after=None)
            case "index":
                self._call.selection = Selection((value,)) if value else self._call.here
            case "help":
                self._session.say(_HELP)
            case _:
                raise ValidationError(f"unknown command ':{name}'", hint="`:help` lists them")

    def _search(self, asked: SearchCodeArguments) -> None:
        self._asked = asked
        show(self._session, self._operation, copy(self._call).run(self._operation.run, asked), asked)

    def _more(self) -> None:
        """Show the results behind those that were shown."""
        if not self._asked.query:
            raise ValidationError("no query yet", hint="type one first")
        self._search(structs.replace(self._asked, offset=self._asked.offset + self._asked.limit))

    def _show_result(self, number: int, *, is_open: bool) -> None:
        result = recall(self._session.data_folder, number)
        call = copy(self._call)
        call.selection = Selection((result.index_name,))
        read_code = operation_named("read_code")
        asked = read_code.asked({"targets": [result.path if is_open else result.target]})
        report = call.run(read_code.run, asked)
        if is_open:
            open_found(self._session, read_code.shape(report, asked), result.line)
        else:
            show(self._session, read_code, report, asked)

    def _run(self, operation: Operation[Any, Any], values: dict[str, Any]) -> None:
        asked = operation.asked(values)
        show(self._session, operation, copy(self._call).run(operation.run, asked), asked)

    @contextmanager
    def _errors_shown(self) -> Iterator[None]:
        try:
            yield
        except CocosearchError as error:
            self._session.complain(f"error: {error.message}")
            if error.hint:
                self._session.complain(f"hint: {error.hint}")


def _number(text: str, command: str) -> int:
    if not text.isdecimal() or not text.isascii():
        raise ValidationError(f"'{text}' is not a number", hint=f"for example `:{command} 5`")
    return int(text)
