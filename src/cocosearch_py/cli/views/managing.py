"""Indexes and runs on a terminal, made from JSON: the answers of this program, or of a server."""

import os
from collections.abc import Sequence
from datetime import datetime

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.tools.answers import Json, pretty_bytes

_COMMIT_DIGITS = 12
_ENDED = ("completed", "failed", "cancelled", "interrupted")
_STYLES = {"failed": "red", "cancelled": "yellow", "interrupted": "yellow", "running": "green", "queued": "green"}


def local_time(text: str, form: str = "%Y-%m-%d %H:%M") -> str:
    """Format a UTC time of an answer in the local time zone."""
    return datetime.fromisoformat(text).astimezone().strftime(form)


def show_status(session: Session, answer: Json) -> None:
    """Show the latest runs, one run, or the state of an index."""
    if "jobs" in answer:
        show_jobs(session, answer["jobs"])
        return
    console = session.console
    console.print(f"[bold green]{shown(answer['index_name'])}[/]  {_state(answer)}", soft_wrap=True)
    print_pairs(console, [(f"[dim]{name}[/]", shown(value)) for name, value in _facts(answer).items() if value])
    for one in answer.get("failed_files", ()):
        console.print(f"[red]{shown(one['status'])}[/] {shown(one['path'])}: {shown(one['error'])}", soft_wrap=True)
    for one in answer.get("checked_files", ()):
        print_pairs(console, [(f"[bold]{shown(one['path'])}[/]", shown(one["message"]))])
    for text in answer.get("warnings", ()):
        session.warn(text)


def show_jobs(session: Session, jobs: Sequence[Json]) -> None:
    """Show one line for each run, the newest first."""
    if not jobs:
        session.say("nothing has been indexed yet: run `cocosearch-py index FOLDER`")
        return
    rows = Table("index", "state", "files", "seconds", "job", "error", right=("files", "seconds"))
    for job in jobs:
        state = f"[{_STYLES.get(job['state'], 'default')}]{job['state']}[/]"
        if job["state"] == "running":
            state += f" ({job['progress']} %)"
        rows.add_row(
            f"[bold green]{shown(job['index_name'])}[/]",
            state,
            f"{job['files_done']:,}",
            f"{job['seconds']:.1f}",
            shown(job["job_id"]),
            shown(_error(job)),
        )
    rows.print_to(session.console)


def show_log(session: Session, lines: Sequence[Json]) -> None:
    """Show the events of a run, one a line."""
    rows = Table("at", "kind", "message", headed=False)
    for line in lines:
        rows.add_row(f"[dim]{local_time(line['at'], '%Y-%m-%d %H:%M:%S')}[/]", line["kind"], shown(line["message"]))
    rows.print_to(session.console)


def show_stopped(session: Session, answer: Json) -> None:
    """Show the state of a run after a request to stop it."""
    session.say(f"the run for index '{answer['index_name']}' is {answer['state']}")
    if kept := answer.get("kept"):
        session.say(f"{counted(kept['files_added'] + kept['files_updated'], 'file')} kept")


def show_restored(session: Session, answer: Json) -> None:
    """Show the restored index, or the indexes that can be restored."""
    if "restorable" not in answer:
        told = f"{counted(answer['files'], 'file')}, {counted(answer['chunks'], 'chunk')}{_of_folder(answer['path'])}"
        session.say(f"restored index '{answer['index_name']}': {told}")
        return
    if not answer["restorable"]:
        session.say("nothing to restore: no index was cleared within the last 24 hours")
        return
    rows = Table("index", "chunks", "cleared", "kept until", "folder", right=("chunks",))
    for one in answer["restorable"]:
        rows.add_row(
            f"[bold green]{shown(one['name'])}[/]",
            f"{one['chunks']:,}",
            local_time(one["cleared_at"]),
            local_time(one["restorable_until"]),
            shown(_of_folder(one["root_path"]).removeprefix(" of ")),
        )
    rows.print_to(session.console)
    session.note("`cocosearch-py restore INDEX` restores one")


def show_exported(session: Session, answer: Json) -> None:
    """Show the file of an export, or a bundle that was checked."""
    held = f"{counted(answer['files'], 'file')}, {counted(answer['chunks'], 'chunk')}, {pretty_bytes(answer['bytes'])}"
    session.say(f"{answer['path']}: index '{answer['index_name']}' as {answer['format']}, {held}")
    if answer["format"] == "bundle":
        session.note("`cocosearch-py import FILE` loads it into another database")


def show_imported(session: Session, answer: Json) -> None:
    """Show the index of an imported bundle."""
    held = f"{counted(answer['files'], 'file')}, {counted(answer['chunks'], 'chunk')}"
    session.say(f"imported index '{answer['index_name']}': {held}")
    if answer["root_path"] is None:
        session.note("it has no folder here, so its answers are not compared with the disk (--root DIR names one)")
    if "job_id" in answer:
        session.note(f"searches get faster once `cocosearch-py status {answer['job_id']}` reports completed")


def show_cleared(session: Session, answer: Json) -> None:
    """Show the indexes that a server deleted, or would delete."""
    for name in answer.get("would_delete", ()):
        session.say(f"would delete '{name}'")
    session.say(answer["message"])
    for one in answer.get("results", ()):
        session.say(f"{one['index_name']}: {'cleared' if one['success'] else one['error']}")
    if until := answer.get("restorable_until"):
        session.note(f"`cocosearch-py restore` can bring it back until {local_time(until)}")


def show_indexed(session: Session, answer: Json) -> None:
    """Show the counts of a run on a server."""
    for one in answer.get("results", (answer,)):
        if "stats" not in one:
            session.say(str(one.get("message", one.get("state", ""))))
            continue
        names = ("added", "updated", "removed", "unchanged", "skipped", "failed")
        counts = ((one["stats"][f"files_{name}"], name) for name in names)
        told = ", ".join(f"{count:,} {name}" for count, name in counts if count) or "no files"
        done = f"{told}; {counted(one['stats']['chunks'], 'chunk')} in {one['stats']['seconds']:.1f} s"
        session.say(f"{one['index_name']}  {one['path']}")
        session.say(done)
        for text in one.get("warnings", ()):
            session.warn(text)


def show_results(session: Session, items: Sequence[Json]) -> None:
    """Show the results of a search on a server, then its notes."""
    console, found = session.console, False
    for item in (one for one in items if "file_path" in one):
        if found:
            console.print()
        found = True
        name = f"  [bold]{shown(item['symbol_name'])}[/]" if item.get("symbol_name") else ""
        place = f"[bold cyan]{shown(item['file_path'])}[/]:{item['start_line']}-{item['end_line']}"
        console.print(f"{place}{name}  [dim]{item['score']:.2f}[/]", soft_wrap=True)
        for line in item.get("content", "").rstrip("\n").split("\n"):
            console.print(f"  {shown(line)}", soft_wrap=True, highlight=False)
    if not found:
        console.print("[yellow]nothing found[/]")
    for item in (one for one in items if "message" in one):
        level = f"confidence: {item['level']}: " if item.get("type") == "confidence" else ""
        session.note(f"{level}{item['message']}")


def _of_folder(root_path: str) -> str:
    """Name the folder of an index; empty if it is not on this machine."""
    return f" of {root_path}" if os.path.isabs(root_path) else ""


def _state(answer: Json) -> str:
    state = f"[{_STYLES.get(answer['state'], 'default')}]{answer['state']}[/]"
    if answer["state"] in _ENDED:
        return f"{state}{f': {shown(_error(answer))}' if _error(answer) else ''}"
    left = f", about {answer['eta_s']:.0f} s left" if answer.get("eta_s") is not None else ""
    return f"{state}: {answer.get('stage') or 'waiting'}, {answer['progress']} %{left}"


def _error(answer: Json) -> str:
    """Return the error of a run. Tools give it as text, or as true beside a message."""
    error = answer.get("error")
    return error if isinstance(error, str) else str(answer.get("message", "")) if error else ""


def _facts(answer: Json) -> dict[str, str]:
    facts = {}
    if "files" in answer:
        nouns = {"files": "file", "chunks": "chunk", "symbols": "definition"}
        facts["index"] = ", ".join(counted(answer[name], noun) for name, noun in nouns.items())
        facts["updated"] = local_time(answer["last_indexed_at"])
        facts["git"] = " ".join(filter(None, (answer["branch"], (answer["commit"] or "")[:_COMMIT_DIGITS])))
        facts["folder"] = _moved(answer)
    if "job_id" in answer:
        files = f"{answer['files_done']:,} of {counted(answer['files_total'], 'file')}"
        facts["run"] = f"{answer['job_id']}, {files} in {answer['seconds']:.1f} s"
    return facts


def _moved(answer: Json) -> str:
    """Say how the folder has changed since it was indexed."""
    if answer["stale"] is not None:
        return str(answer["stale"]["reason"])
    if pending := answer["pending_changes"]:
        return f"{counted(pending, 'file')} changed since: `cocosearch-py index` updates the index"
    return "" if answer["pending_changes"] is None else "as indexed"
