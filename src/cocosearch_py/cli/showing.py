"""Reports of operations on a terminal or as JSON.

An operation may have a view of its own; without one its answer is shown as a table or a list of fields.
"""

from collections.abc import Mapping
from typing import Any

from cocosearch_py.cli.loading import load
from cocosearch_py.cli.session import Session
from cocosearch_py.operations.common.declaration import Operation


def show(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    """Print a report: for people by its view, in a pager if it is long, else as the JSON of the command."""
    with session.paged():
        _show(session, operation, report, asked)


def _show(session: Session, operation: Operation[Any, Any], report: Any, asked: Any) -> None:
    name = operation.name
    plain = _DATA.get(name) or _LINES.get(name)
    lines = load(plain)(report, asked) if plain is not None and not session.asked_json else None
    if lines is not None:  # even into a pipe: that is what other programs take them from
        for line in lines:
            session.say_data(line) if name in _DATA else session.say(line)
    elif session.json:
        session.emit(payload(operation, report, asked))
    elif name in _VIEWS:
        load(_VIEWS[name])(session, report, asked)
    else:
        show_json(session, operation, payload(operation, report, asked))
    if name in _REMARKS:
        load(_REMARKS[name])(session, report, asked)


def show_json(session: Session, operation: Operation[Any, Any], answer: Any) -> None:
    """Print an answer for people that is known as JSON alone, as that of a server."""
    if operation.name in _ANSWERS:
        load(_ANSWERS[operation.name])(session, answer)
    else:
        load("cli.views.generic.show_answer")(session.console, answer)


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
    "estimate_tokens": "cli.lookups.tokens",
    "find_symbol": "cli.lookups.definitions",
    "explain_symbol": "cli.lookups.explained",
    "outline_file": "cli.lookups.outline",
    "get_dependencies": "cli.lookups.trees",
    "get_impact": "cli.lookups.trees",
    "get_hotspots": "cli.views.quality.show_hotspots",
    "get_health": "cli.views.quality.show_health",
    "list_workspace_members": "cli.views.members.show_members",
    "audit_code": "cli.views.audit.show_audit",
    "get_diff_summary": "cli.views.quality.show_changes",
    "list_changes": "cli.views.changes.show_log",
    "undo_changes": "cli.views.changes.show_undone",
    "build_context": "cli.views.context.show_context",
    "ask_codebase": "cli.views.asking.show_answer",
    "patch_file": "cli.views.edits.show_edit",
    "create_file": "cli.views.edits.show_edit",
    "wiki_generate": "cli.views.wiki_work.show_generated",
    "wiki_update": "cli.views.wiki_work.show_affected",
    "wiki_export": "cli.views.wiki_work.show_exported",
    "wiki_import": "cli.views.wiki_work.show_imported",
    "wiki_contribute": "cli.views.wiki_work.show_written",
    "wiki_restore": "cli.views.wiki_work.show_written",
    "wiki_compound": "cli.views.wiki_work.show_compounded",
    "wiki_record_failure": "cli.views.wiki_work.show_recorded",
    "wiki_rename": "cli.views.wiki_work.show_moved",
    "wiki_remove": "cli.views.wiki_work.show_moved",
    "run_pipeline": "cli.views.pipelines.show_pipeline",
    "wiki_read": "cli.views.wiki.show_page",
    "wiki_search": "cli.views.wiki.show_pages",
    "wiki_status": "cli.views.wiki.show_status",
    "wiki_diff": "cli.views.wiki.show_diff",
    "find_references": "cli.lookups.usages",
    "find_tests": "cli.views.tests.show_tests",
    "get_call_graph": "cli.views.calls.show_calls",
    "trace_type": "cli.views.types.show_flow",
    "analyze_query": "cli.searches.analysis",
    "list_indexes": "cli.indexes.listed",
    "clear_index": "cli.indexes.cleared",
    "prune_indexes": "cli.indexes.cleared",
    "index_codebase": "cli.indexes.indexed",
    "evaluate": "cli.indexes.evaluation",
    "why": "cli.indexes.why",
}
_ANSWERS: Mapping[str, str] = {  # views of JSON alone; of a server also of operations that have one of their own
    "index_stats": "cli.views.stats.show_stats",
    "index_status": "cli.views.managing.show_status",
    "list_jobs": "cli.views.managing.show_jobs",
    "get_job_log": "cli.views.managing.show_log",
    "cancel_indexing": "cli.views.managing.show_stopped",
    "restore_index": "cli.views.managing.show_restored",
    "export_index": "cli.views.managing.show_exported",
    "import_index": "cli.views.managing.show_imported",
    "index_codebase": "cli.views.managing.show_indexed",
    "clear_index": "cli.views.managing.show_cleared",
    "search_code": "cli.views.managing.show_results",
    "list_indexes": "cli.views.tables.show_indexes",
    "list_languages": "cli.views.tables.show_languages",
    "list_files": "cli.views.files.show_files",
    "estimate_tokens": "cli.views.files.show_tokens",
    "summarize": "cli.views.summary.show_summary",
    "get_hotspots": "cli.views.quality.show_functions",
    "get_health": "cli.views.quality.show_figures",
}
_REMARKS: Mapping[str, str] = {  # on standard error, beside every form of the answer
    "search_code": "cli.remarks.on_paths",
    "search_text": "cli.remarks.on_lines",
    "find_symbol": "cli.remarks.on_warnings",
    "explain_symbol": "cli.remarks.on_warnings",
    "outline_file": "cli.remarks.on_warnings",
    "get_dependencies": "cli.remarks.on_warnings",
    "get_impact": "cli.remarks.on_warnings",
    "get_hotspots": "cli.remarks.on_warnings",
    "wiki_generate": "cli.remarks.on_warnings",
    "wiki_update": "cli.remarks.on_warnings",
    "get_health": "cli.remarks.on_warnings",
    "get_diff_summary": "cli.remarks.on_warnings",
    "audit_code": "cli.views.audit.remark_on_gate",
    "build_context": "cli.remarks.on_warnings",
    "ask_codebase": "cli.remarks.on_warnings",
    "list_workspace_members": "cli.remarks.on_warnings",
    "get_dependency_graph": "cli.remarks.on_basis",
    "get_repo_map": "cli.remarks.on_basis",
    "find_references": "cli.remarks.on_warnings",
    "find_tests": "cli.remarks.on_warnings",
    "get_call_graph": "cli.remarks.on_warnings",
    "trace_type": "cli.remarks.on_warnings",
    "index_codebase": "cli.index_remarks.on_run",
    "clear_index": "cli.index_remarks.on_links",
    "prune_indexes": "cli.index_remarks.on_links",
    "analyze_query": "cli.remarks.on_basis",
    "estimate_tokens": "cli.remarks.on_basis",
    "evaluate": "cli.remarks.on_basis",
}
_LINES: Mapping[str, str] = {
    "get_dependency_graph": "cli.drawings.imports",
    "get_call_graph": "cli.drawings.calls",
    "get_repo_map": "cli.drawings.repo_map",
}
_DATA: Mapping[str, str] = {  # which a pipe gets unchanged
    "search_code": "cli.paths.of_hits",
    "search_text": "cli.paths.of_lines",
    "list_files": "cli.paths.of_files",
    "audit_code": "cli.views.audit.sarif_lines",
}
