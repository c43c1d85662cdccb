"""Reports of operations on a terminal or as JSON.

An operation may have a view of its own; without one its answer is shown as a table or a list of fields.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cocosearch_py.cli import lookups
from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.render.paths import on_one_line
from cocosearch_py.tools.declaration import Operation
from cocosearch_py.tools.several import Several

if TYPE_CHECKING:
    from cocosearch_py.operations import (
        analyze_query,
        clear_index,
        index_codebase,
        list_indexes,
        prune_indexes,
        search_code,
        search_text,
        why,
    )
    from cocosearch_py.tools import ran

_FOLDER_NOTES = ("staleness_warning", "branch_staleness_warning", "stale_results")


def show(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    """Print a report: for people by its view, in a pager if it is long, else as the JSON of the command."""
    with session.paged():
        _show(session, operation, report, asked)


def _show(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    if operation.view or operation.lines:
        _show_answer(session, operation, payload(operation, report, asked))
        return
    data = _DATA.get(operation.name)
    lines = data(report, asked) if data is not None and not session.asked_json else None
    view = _VIEWS.get(operation.name)
    if lines is not None:  # even into a pipe: that is what other programs take them from
        for line in lines:
            session.say_data(line)
    elif session.json:
        session.emit(payload(operation, report, asked))
    elif view is not None:
        view(session, report, asked)
    else:
        show_json(session, operation, payload(operation, report, asked))
    if (remark := _REMARKS.get(operation.name)) is not None:
        remark(session, report, asked)


def _show_answer(session: Session, operation: Operation[Any, Any], answer: Any) -> None:
    """Print the answer of a feature's tool: its text, JSON, or for people with its warnings."""
    lines = None if session.asked_json or not operation.lines else _function(operation.lines)(answer)
    if lines is not None:
        for line in lines:
            session.say(line)
    elif session.json:
        session.emit(answer)
        return
    else:
        show_json(session, operation, answer)
    for text in answer.get("warnings", ()) if isinstance(answer, dict) else ():
        session.warn(text)


def show_json(session: Session, operation: Operation[Any, Any], answer: Any) -> None:
    """Print an answer for people that is known as JSON alone, as that of a server."""
    _function(operation.view or f"cocosearch_py.cli.views.{_ANSWERS.get(operation.name, 'generic.show')}")(
        session, answer
    )


def _function(name: str) -> Callable[..., Any]:
    """Import a function by its module and name."""
    module, _, member = name.rpartition(".")
    function: Callable[..., Any] = getattr(import_module(module), member)
    return function


def payload(operation: Operation[Any, Any], report: Any, asked: Any) -> Any:
    """The JSON of a command: the tool's answer unless it has a form of its own."""
    shape = operation.command.shape if operation.command is not None else None
    return (shape or operation.shape)(report, asked)


def _paths(searched: "search_code.Searched", asked: "search_code.Arguments") -> list[str] | None:
    if not asked.files_only:
        return None
    # A newline in a name is written out, as a control character of a path is elsewhere; --json has it as it is.
    return list(dict.fromkeys(on_one_line(item["file_path"]) for item in searched.items))


def _search(session: Session, searched: "search_code.Searched", asked: "search_code.Arguments") -> None:
    from cocosearch_py.cli.views.searching import show_search

    _remark_on_search(session, searched, asked)
    show_search(session, searched, asked)


def _text_paths(found: "search_text.TextsFound", asked: "search_text.Arguments") -> list[str] | None:
    return [on_one_line(path) for path in found.paths] if asked.paths_only else None


def _lines(session: Session, found: "search_text.TextsFound", asked: "search_text.Arguments") -> None:
    from cocosearch_py.cli.views.lines import show_lines
    from cocosearch_py.operations import search_text

    answer = payload(search_text.OPERATION, found, asked)
    if not asked.count_only:
        show_lines(session.console, found.matches, several=found.is_several)
    if answer.get("total") == 1:
        lines = "1 line"
    else:
        lines = f"{answer['total']:,} lines" if "total" in answer else f"{answer['total_at_least']:,} or more lines"
    told = f"{lines} in {counted(answer['files_matched'], 'file')}"
    if asked.count_only:
        session.console.print(told)
        return
    session.note(told)
    if found.next_cursor is not None:
        session.note(f"{len(found.matches)} shown: --limit shows more, --lang and --path narrow the list")


def _remark_on_lines(session: Session, found: "search_text.TextsFound", asked: "search_text.Arguments") -> None:
    """Why lines may be missing; the JSON has it already."""
    if not session.json or asked.paths_only:
        for text in (*found.warnings, *([found.incomplete] if found.incomplete else ())):
            session.warn(text)


def _remark_on_warnings(session: Session, report: Any, _: Any) -> None:
    """What an answer whose JSON has its warnings is not based on."""
    if not session.json:
        for text in report.warnings:
            session.warn(text)


def _remark_on_search(session: Session, searched: "search_code.Searched", asked: "search_code.Arguments") -> None:
    """What the hits are not based on; the JSON of hits has most of it already."""
    said = session.json and not asked.files_only
    records = {record.name: record for record, _ in searched.reports}
    above = None if session.json else searched.lacking
    for note in searched.foot:
        if note["message"] == above:
            continue
        if note["type"] in _FOLDER_NOTES:
            record = records[note["index_name"]]
            way = "to compare with a folder, import the bundle again with --root DIR"
            if not (record.is_detached or Path(record.root_path).is_dir()):
                way = f"put the folder back, or remove the index with `cocosearch-py clear {record.name}`"
            elif not record.is_detached:
                way = f"`cocosearch-py index {record.root_path}` brings it up to date"
            session.warn(f"{note['message']}; {way}")
        elif note["type"] == "confidence":
            if session.json and note["level"] == "low":
                session.warn(f"low confidence: {note['message']}")
        elif not said:
            session.warn(note["message"])


def _remark_on_paths(session: Session, searched: "search_code.Searched", asked: "search_code.Arguments") -> None:
    """Print what the JSON or the paths are not based on; the view of hits begins with it."""
    if session.json or asked.files_only:
        _remark_on_search(session, searched, asked)


def _remark_on_basis(session: Session, report: Any, _: Any) -> None:
    """What the report is not based on, and what else was noticed."""
    for warning in report.warnings:
        session.warn(warning)


def _analysis(session: Session, analyzed: "analyze_query.Analyzed", asked: "analyze_query.Arguments") -> None:
    from cocosearch_py.cli.views.analysis import show_analysis
    from cocosearch_py.operations import analyze_query

    show_analysis(session.console, payload(analyze_query.OPERATION, analyzed, asked))
    session.note(f"index '{analyzed.record.name}'")


def _list(session: Session, report: Any, asked: "list_indexes.Arguments") -> None:
    from cocosearch_py.cli.views.tables import show_indexes
    from cocosearch_py.operations import list_indexes

    if not report and asked.pattern is not None:
        session.say(f"no index matches '{asked.pattern}'")
        return
    show_indexes(session, payload(list_indexes.OPERATION, report, asked))


def _clear(
    session: Session, clearing: "clear_index.Clearing", asked: "clear_index.Arguments | prune_indexes.Arguments"
) -> None:
    if clearing.declined:
        session.note("nothing was deleted")
        return
    if asked.dry_run:
        for one in clearing.chosen:
            told = f"would delete '{one.name}' ({counted(one.file_count, 'file')})"
            session.console.print(told, markup=False, soft_wrap=True)
        session.note(f"{counted(len(clearing.chosen), 'index')}; nothing was deleted")
        return
    for result in clearing.results:
        name = result["index_name"]
        told = f"Index '{name}' cleared successfully" if result["success"] else f"{name}: {result['error']}"
        session.console.print(told, markup=False, soft_wrap=True)
    if not clearing.results:
        session.console.print("0 indexes cleared")
    if clearing.until is not None:
        session.note(f"`cocosearch-py restore` can bring it back until {clearing.until:%Y-%m-%d %H:%M} UTC")


def _remark_on_links(session: Session, clearing: "clear_index.Clearing", _: Any) -> None:
    from cocosearch_py.operations.clear_index import warnings

    for warning in warnings(clearing):
        session.warn(warning)


def _index(session: Session, run: "ran.Report", asked: "index_codebase.Arguments") -> None:
    from cocosearch_py.cli.views.forecast import show_forecast
    from cocosearch_py.cli.views.run import show_run
    from cocosearch_py.operations import index_codebase
    from cocosearch_py.tools import ran

    if isinstance(run, Several):
        for one in run.outcomes:
            if one.report is not None:
                _index(session, one.report, asked)
            else:
                session.warn(f"{one.path}: {(one.error or {}).get('message')}")
        return
    if isinstance(run, ran.Run):
        if run.report is not None:
            show_run(session, run.report)
        else:
            session.say(f"running as job {run.job.job_id}; to follow it: cocosearch-py status {run.job.job_id} --watch")
        return
    told = ", ".join(f"{count:,} {what}" for count, what in ran.summary(run))
    show_forecast(session.console, payload(index_codebase.OPERATION, run, asked), told, verbose=session.verbose)


def _evaluation(session: Session, report: Any, asked: Any) -> None:
    from cocosearch_py.cli.views.evaluation import show_evaluation
    from cocosearch_py.operations import evaluate

    show_evaluation(session.console, payload(evaluate.OPERATION, report, asked))


def _remark_on_run(session: Session, run: "ran.Report", asked: Any) -> None:
    """How to go on with a run that was interrupted; what is doubtful about one that was only tried."""
    from cocosearch_py.tools import ran

    if isinstance(run, Several):
        for one in run.reports:
            _remark_on_run(session, one, asked)
        return
    if not isinstance(run, ran.Run):
        for warning in run.warnings:
            session.warn(warning)
        if run.asks:
            session.note("a run asks for confirmation before it indexes this much: `index --yes` confirms")
        return
    report = run.report
    if report is not None and report.interrupted and (report.files_added or not report.warnings):
        session.note(
            f"interrupted: {counted(report.files_added + report.files_updated, 'file')} kept and searchable, "
            f"{report.files_pending:,} left; run the same command again to continue"
        )


def _why(session: Session, explained: "why.Explained", asked: "why.Arguments") -> None:
    from cocosearch_py.operations import why
    from cocosearch_py.render.layout import print_pairs, shown

    items = payload(why.OPERATION, explained, asked)
    print_pairs(session.console, [(f"[bold]{shown(item['path'])}[/]", shown(item["message"])) for item in items])
    if explained.index_name is None:
        session.note(f"{explained.root_path} has no index; `cocosearch-py index` creates one")
    if all(item["verdict"] == "missing" for item in items):
        session.note(f"to search for these words instead: cocosearch-py search why {' '.join(asked.paths)}")


def _sarif(audited: Any, asked: Any) -> list[str] | None:
    from cocosearch_py.cli.views.audit import sarif_lines

    return sarif_lines(audited, asked)


View = Callable[[Session, Any, Any], None]


def _lazily(module: str, name: str) -> View:
    """A view of `cli.views` that is imported when it is needed."""

    def view(session: Session, report: Any, asked: Any) -> None:
        getattr(import_module(f"cocosearch_py.cli.views.{module}"), name)(session, report, asked)

    return view


_VIEWS: Mapping[str, View] = {
    "search_code": _search,
    "search_text": _lines,
    "read_code": lookups.code,
    "list_files": lookups.files,
    "summarize": lookups.summary,
    "estimate_tokens": lookups.tokens,
    "find_symbol": lookups.definitions,
    "explain_symbol": lookups.explained,
    "outline_file": lookups.outline,
    "audit_code": _lazily("audit", "show_audit"),
    "build_context": _lazily("context", "show_context"),
    "ask_codebase": _lazily("asking", "show_answer"),
    "run_pipeline": _lazily("pipelines", "show_pipeline"),
    "analyze_query": _analysis,
    "list_indexes": _list,
    "clear_index": _clear,
    "prune_indexes": _clear,
    "index_codebase": _index,
    "evaluate": _evaluation,
    "why": _why,
}
_ANSWERS: Mapping[str, str] = {  # views of JSON alone; of a server also of operations that have one of their own
    "index_stats": "stats.show_stats",
    "index_status": "managing.show_status",
    "export_index": "managing.show_exported",
    "import_index": "managing.show_imported",
    "index_codebase": "managing.show_indexed",
    "clear_index": "managing.show_cleared",
    "search_code": "managing.show_results",
    "list_indexes": "tables.show_indexes",
    "list_files": "files.show_files",
    "estimate_tokens": "files.show_tokens",
    "summarize": "summary.show_summary",
}
_REMARKS: Mapping[str, View] = {  # on standard error, beside every form of the answer
    "search_code": _remark_on_paths,
    "search_text": _remark_on_lines,
    "find_symbol": _remark_on_warnings,
    "explain_symbol": _remark_on_warnings,
    "outline_file": _remark_on_warnings,
    "audit_code": _lazily("audit", "remark_on_gate"),
    "build_context": _remark_on_warnings,
    "ask_codebase": _remark_on_warnings,
    "index_codebase": _remark_on_run,
    "clear_index": _remark_on_links,
    "prune_indexes": _remark_on_links,
    "analyze_query": _remark_on_basis,
    "estimate_tokens": _remark_on_basis,
    "evaluate": _remark_on_basis,
}
_DATA: Mapping[str, Callable[[Any, Any], list[str] | None]] = {  # which a pipe gets unchanged
    "search_code": _paths,
    "search_text": _text_paths,
    "list_files": lookups.file_paths,
    "audit_code": _sarif,
}
