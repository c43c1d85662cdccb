"""Answers of a search: hits for people, JSON, or paths alone, with the notes on them."""

from pathlib import Path

from cocosearch_py.cli.loading import load
from cocosearch_py.cli.session import Session
from cocosearch_py.features.search.arguments import SearchCodeArguments
from cocosearch_py.features.search.service import Searched
from cocosearch_py.render.paths import on_one_line

_FOLDER_NOTES = ("staleness_warning", "branch_staleness_warning", "stale_results")


def show(session: Session, searched: Searched, asked: SearchCodeArguments) -> None:
    """Print the hits for a person, else JSON; with `files_only` their paths, which a pipe gets unchanged."""
    if asked.files_only and not session.asked_json:
        # A newline in a name is written out, as a control character of a path is elsewhere; --json has it as it is.
        for path in dict.fromkeys(on_one_line(item["file_path"]) for item in searched.items):
            session.say_data(path)
    elif session.json:
        session.emit(searched.for_command(asked))
    else:
        _print_notes(session, searched, asked)
        load("cli.views.results.show_hits")(session, searched, asked)
        return
    _print_notes(session, searched, asked)


def _print_notes(session: Session, searched: Searched, asked: SearchCodeArguments) -> None:
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
