"""Code, definitions, files and references on a terminal."""

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.code import show_code
from cocosearch_py.cli.views.definitions import show_definitions, show_explained, show_outline
from cocosearch_py.cli.views.files import show_files
from cocosearch_py.cli.views.summary import show_summary
from cocosearch_py.model.counts import counted
from cocosearch_py.operations import (
    explain_symbol,
    find_symbol,
    list_files,
    outline_file,
    read_code,
    summarize,
)
from cocosearch_py.render.paths import local_path


def code(session: Session, found: read_code.CodeFound, _: read_code.Arguments) -> None:
    root = found.record.root_path
    show_code(session.console, found.report.parts, root)
    for missing in found.report.missing:
        near = f"; did you mean {', '.join(missing.near)}?" if missing.near else ""
        session.warn(f"{missing.text} {missing.why}{near}")
    for text in found.warnings:
        session.warn(text)
    if rests := [part for part in found.report.parts if part.rest]:
        named = (f"{local_path(root, part.path)}:{part.rest}-{part.end_line}" for part in rests)
        session.note(f"not shown: {' '.join(named)}")


def definitions(session: Session, found: find_symbol.SymbolsFound, asked: find_symbol.Arguments) -> None:
    show_definitions(session.console, found.definitions, several=found.is_several, with_doc=asked.field == "doc")
    count = len(found.definitions)
    how = "" if found.request.match == "exact" else f" ({found.request.match})"
    if found.total:
        session.note(
            f"{count:,} of {counted(found.total, 'definition')}{how}" + (": --limit shows more" * (count < found.total))
        )
    if found.nearest:
        session.note(f"did you mean {', '.join(found.nearest)}?")


def explained(session: Session, found: explain_symbol.SymbolsExplained, _: explain_symbol.Arguments) -> None:
    several = len({record.name for record, *_ in found.explained}) > 1
    show_explained(session.console, found.explained, members=explain_symbol.MAX_MEMBERS, several=several)
    if (count := len(found.explained)) < found.total:
        session.note(f"{count} of {counted(found.total, 'definition')}: name one by Class.method or path#name")
    if found.nearest:
        session.note(f"did you mean {', '.join(found.nearest)}?")


def outline(session: Session, found: outline_file.Outlined, _: outline_file.Arguments) -> None:
    show_outline(session.console, found.record, found.outline, found.wanted)


def files(session: Session, found: list_files.FilesFound, asked: list_files.Arguments) -> None:
    answer = list_files.OPERATION.shape(found, asked)
    show_files(session, answer)
    if "tree" not in answer:
        more = ": --limit shows more, --lang and --path narrow the list" if answer["truncated"] else ""
        session.note(f"{answer['count']:,} of {counted(answer['total'], 'file')}{more}")
    for text in answer.get("warnings", ()):
        session.warn(text)


def summary(session: Session, found: summarize.Summarized, asked: summarize.Arguments) -> None:
    if found.symbols is not None:
        explained(session, found.symbols, explain_symbol.Arguments(name=asked.path))
        for text in found.symbols.warnings:
            session.warn(text)
        return
    answer = summarize.OPERATION.shape(found, asked)
    show_summary(session, answer, found.record.root_path)
    if answer["type"] == "files":
        session.note(f"{answer['count']:,} of {counted(answer['total_matched'], 'file')}")
    for missing in answer.get("not_found", ()):
        session.warn(f"{missing['path']} {missing['reason']}")
    for text in answer.get("warnings", ()):
        session.warn(text)
