"""Indexes and the runs that build them on a terminal."""

from collections.abc import Sequence

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import print_pairs, shown
from cocosearch_py.render.runs import STYLES, error_text, show_runs
from cocosearch_py.render.screen import Screen
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json

_COMMIT_DIGITS = 12
_ENDED = ("completed", "failed", "cancelled", "interrupted")


def show_verdicts(screen: Screen, verdicts: Sequence[Json]) -> None:
    """Show the reason for each file, and how to continue where there is no index or no such file."""
    print_pairs(screen.console, [(f"[bold]{shown(item['path'])}[/]", shown(item["message"])) for item in verdicts])
    if "hint" in verdicts[0]:
        screen.note(verdicts[0]["hint"])
    if all(item["verdict"] == "missing" for item in verdicts):
        words = " ".join(item["path"] for item in verdicts)
        screen.note(f"to search for these words instead: cocosearch-py search why {words}")


def show_status(screen: Screen, answer: Json) -> None:
    """Show the latest runs, one run, or the state of an index."""
    if "jobs" in answer:
        show_runs(screen, answer["jobs"])
        return
    console = screen.console
    console.print(f"[bold green]{shown(answer['index_name'])}[/]  {_state(answer)}", soft_wrap=True)
    print_pairs(console, [(f"[dim]{name}[/]", shown(value)) for name, value in _facts(answer).items() if value])
    for item in answer.get("failed_files", ()):
        console.print(f"[red]{shown(item['status'])}[/] {shown(item['path'])}: {shown(item['error'])}", soft_wrap=True)
    for item in answer.get("checked_files", ()):
        print_pairs(console, [(f"[bold]{shown(item['path'])}[/]", shown(item["message"]))])


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
