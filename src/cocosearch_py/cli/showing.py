"""Answers of tools on a terminal or as JSON.

A tool may have a view of its own. Without one its answer is shown as a table or a list of fields.
"""

from typing import Any

from cocosearch_py.cli.loading import load
from cocosearch_py.cli.session import Session
from cocosearch_py.tools.answer import Fitted, Shrinkable, plain
from cocosearch_py.tools.declaration import Operation

_SEARCH = "search_code"  # Its hits are shown from the report: people go on with them by number.
_VIEWS = {_SEARCH: "cli.views.results.show_results"}  # views of JSON of a server


def show(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    """Print a report: for people by its view, in a pager if it is long, else as the JSON of the command."""
    with session.paged():
        _show(session, operation, report, asked)
        if operation.remarks:
            load(operation.remarks)(session, payload(operation, report, asked))


def _show(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    if operation.name == _SEARCH:
        load("cli.searches.show")(session, report, asked)
    elif operation.view or operation.lines:
        _show_answer(session, operation, report, asked)
    elif session.json:
        session.emit(payload(operation, report, asked))
    else:
        show_json(session, operation, payload(operation, report, asked))


def _show_answer(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    """Print the answer of a feature's tool: its text, JSON, or for people all of it with its warnings."""
    answer = _whole(operation, report, asked)
    lines = None if session.asked_json or not operation.lines else load(operation.lines)(answer)
    if lines is not None:
        say = session.say_data if operation.lines_are_data else session.say
        for line in lines:
            say(line)
    elif session.json:
        session.emit(payload(operation, report, asked))
        return
    else:
        show_json(session, operation, answer)
    warn_of(session, answer)


def warn_of(session: Session, answer: Any) -> None:
    """Print the warnings of an answer, and why it is incomplete, which views of features leave out."""
    if isinstance(answer, dict):
        for text in (*answer.get("warnings", ()), *filter(None, [answer.get("incomplete")])):
            session.warn(text)


def show_json(session: Session, operation: Operation[Any, Any], answer: Any) -> None:
    """Print an answer for people that is known as JSON alone, as that of a server."""
    load(operation.view or _VIEWS.get(operation.name, "cli.views.generic.show"))(session, answer)


def _whole(operation: Operation[Any, Any], report: Any, asked: Any) -> Any:
    """Return all of the answer; only agents, and people who ask for it, get no more than so many tokens."""
    is_bounded = any(one.name == "max_tokens" and one.flag is not None for one in operation.parameters)
    if isinstance(report, Shrinkable) and not is_bounded:
        return plain(report.whole)
    return payload(operation, report, asked)


def payload(operation: Operation[Any, Any], report: Any, asked: Any) -> Any:
    """The JSON of a command: the tool's answer unless it has a form of its own."""
    if isinstance(report, Fitted):
        return report.for_command(asked)
    shape = operation.command.shape if operation.command is not None else None
    return (shape or operation.shape)(report, asked)
