"""Reports of operations on a terminal or as JSON.

An operation may have a view of its own; without one its answer is shown as a table or a list of fields.
"""

from collections.abc import Mapping
from typing import Any

from cocosearch_py.cli.loading import load
from cocosearch_py.cli.session import Session
from cocosearch_py.tools.declaration import Operation


def show(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    """Print a report: for people by its view, in a pager if it is long, else as the JSON of the command."""
    with session.paged():
        _show(session, operation, report, asked)
        if operation.remarks:
            load(operation.remarks)(session, payload(operation, report, asked))


def _show(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    if operation.view or operation.lines:
        _show_answer(session, operation, payload(operation, report, asked))
        return
    name = operation.name
    lines = load(_DATA[name])(report, asked) if name in _DATA and not session.asked_json else None
    if lines is not None:  # even into a pipe: that is what other programs take them from
        for line in lines:
            session.say_data(line)
    elif session.json:
        session.emit(payload(operation, report, asked))
    elif name in _VIEWS:
        load(_VIEWS[name])(session, report, asked)
    else:
        show_json(session, operation, payload(operation, report, asked))
    if name in _REMARKS:
        load(_REMARKS[name])(session, report, asked)


def _show_answer(session: Session, operation: Operation[Any, Any], answer: Any) -> None:
    """Print the answer of a feature's tool: its text, JSON, or for people with its warnings."""
    lines = None if session.asked_json or not operation.lines else load(operation.lines)(answer)
    if lines is not None:
        for line in lines:
            session.say(line)
    elif session.json:
        session.emit(answer)
        return
    else:
        show_json(session, operation, answer)
    warn_of(session, answer)


def warn_of(session: Session, answer: Any) -> None:
    """Print the warnings of an answer, which views of features leave out."""
    for text in answer.get("warnings", ()) if isinstance(answer, dict) else ():
        session.warn(text)


def show_json(session: Session, operation: Operation[Any, Any], answer: Any) -> None:
    """Print an answer for people that is known as JSON alone, as that of a server."""
    load(operation.view or _ANSWERS.get(operation.name, "cli.views.generic.show"))(session, answer)


def payload(operation: Operation[Any, Any], report: Any, asked: Any) -> Any:
    """The JSON of a command: the tool's answer unless it has a form of its own."""
    shape = operation.command.shape if operation.command is not None else None
    return (shape or operation.shape)(report, asked)


# Functions of this package, by the names of the operations. Their modules are imported when they show an answer.
_VIEWS: Mapping[str, str] = {
    "search_code": "cli.searches.hits",
    "search_text": "cli.searches.lines_of_text",
    "read_code": "cli.lookups.code",
    "list_files": "cli.lookups.files",
    "summarize": "cli.lookups.summary",
    "find_symbol": "cli.lookups.definitions",
    "explain_symbol": "cli.lookups.explained",
    "outline_file": "cli.lookups.outline",
    "audit_code": "cli.views.audit.show_audit",
    "build_context": "cli.views.context.show_context",
    "ask_codebase": "cli.views.asking.show_answer",
    "run_pipeline": "cli.views.pipelines.show_pipeline",
    "analyze_query": "cli.searches.analysis",
}
_ANSWERS: Mapping[str, str] = {  # views of JSON alone; of a server also of operations that have one of their own
    "search_code": "cli.views.managing.show_results",
    "list_files": "cli.views.files.show_files",
    "summarize": "cli.views.summary.show_summary",
}
_REMARKS: Mapping[str, str] = {  # on standard error, beside every form of the answer
    "search_code": "cli.remarks.on_paths",
    "search_text": "cli.remarks.on_lines",
    "find_symbol": "cli.remarks.on_warnings",
    "explain_symbol": "cli.remarks.on_warnings",
    "outline_file": "cli.remarks.on_warnings",
    "audit_code": "cli.views.audit.remark_on_gate",
    "build_context": "cli.remarks.on_warnings",
    "ask_codebase": "cli.remarks.on_warnings",
    "analyze_query": "cli.remarks.on_basis",
}
_DATA: Mapping[str, str] = {  # which a pipe gets unchanged
    "search_code": "cli.paths.of_hits",
    "search_text": "cli.paths.of_lines",
    "list_files": "cli.paths.of_files",
    "audit_code": "cli.views.audit.sarif_lines",
}
