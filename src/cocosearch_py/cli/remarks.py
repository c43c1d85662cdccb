"""Remarks on standard error beside an answer, whatever its form."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cocosearch_py.cli.session import Session

if TYPE_CHECKING:
    from cocosearch_py.features.search.arguments import SearchCodeArguments
    from cocosearch_py.features.search.service import Searched

_FOLDER_NOTES = ("staleness_warning", "branch_staleness_warning", "stale_results")


def on_warnings(session: Session, report: Any, _: Any) -> None:
    """Print the warnings of a report whose JSON contains them."""
    if not session.json:
        for text in report.warnings:
            session.warn(text)


def on_search(session: Session, searched: "Searched", asked: "SearchCodeArguments") -> None:
    """Print the notes on a search, except those that the JSON of its hits contains."""
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


def on_paths(session: Session, searched: "Searched", asked: "SearchCodeArguments") -> None:
    """Print the notes beside JSON or paths; the view of hits prints them itself."""
    if session.json or asked.files_only:
        on_search(session, searched, asked)
