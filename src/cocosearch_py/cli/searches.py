"""Searches on a terminal."""

from cocosearch_py.cli.remarks import on_search
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import payload
from cocosearch_py.cli.views.analysis import show_analysis
from cocosearch_py.cli.views.lines import show_lines
from cocosearch_py.cli.views.searching import show_search
from cocosearch_py.model.counts import counted
from cocosearch_py.operations import analyze_query, search_code, search_text


def hits(session: Session, searched: search_code.Searched, asked: search_code.Arguments) -> None:
    on_search(session, searched, asked)
    show_search(session, searched, asked)


def lines_of_text(session: Session, found: search_text.TextsFound, asked: search_text.Arguments) -> None:
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


def analysis(session: Session, analyzed: analyze_query.Analyzed, asked: analyze_query.Arguments) -> None:
    show_analysis(session.console, payload(analyze_query.OPERATION, analyzed, asked))
    session.note(f"index '{analyzed.record.name}'")
