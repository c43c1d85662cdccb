"""Indexes and runs on a terminal, made from JSON: the answers of this program, or of a server."""

from collections.abc import Sequence

from cocosearch_py.cli.session import Session
from cocosearch_py.features.jobs.views import STYLES, error_text, show_jobs
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import print_pairs, shown
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json

_COMMIT_DIGITS = 12
_ENDED = ("completed", "failed", "cancelled", "interrupted")


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


def _state(answer: Json) -> str:
    state = f"[{STYLES.get(answer['state'], 'default')}]{answer['state']}[/]"
    if answer["state"] in _ENDED:
        return f"{state}{f': {shown(error_text(answer))}' if error_text(answer) else ''}"
    left = f", about {answer['eta_s']:.0f} s left" if answer.get("eta_s") is not None else ""
    return f"{state}: {answer.get('stage') or 'waiting'}, {answer['progress']} %{left}"


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
