"""Indexes and the runs that build them on a terminal."""

from collections.abc import Sequence

from rich.console import Console

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.runs import STYLES, error_text, show_runs
from cocosearch_py.render.screen import Screen
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json, pretty_bytes

_COMMIT_DIGITS = 12
_ENDED = ("completed", "failed", "cancelled", "interrupted")
_MINUTE_S, _HOUR_S = 60, 3600
_RULES_SHOWN = 15  # the others are one line, unless -v


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


def show_indexed(screen: Screen, answer: Json) -> None:
    """Show the runs of one or several folders, or their forecasts."""
    for item in answer.get("results", (answer,)):
        if "estimate" in item:
            _show_forecast(screen, item)
        elif "stats" in item:
            _show_run(screen, item)
        elif "error" in item:
            screen.warn(f"{item['path']}: {item['message']}")
        elif item["state"] in ("queued", "running"):
            job = item["job_id"]
            screen.say(f"running as job {job}; to follow it: cocosearch-py status {job} --watch")
        else:
            screen.say(item.get("message", item["state"]))
        for text in item.get("warnings", ()) if item is not answer else ():
            screen.warn(text)


def _show_run(screen: Screen, item: Json) -> None:
    stats, counts = item["stats"], run_counts(item["stats"])
    if stats["files_reused"]:
        counts += f" ({stats['files_reused']:,} reused from other indexes)"
    lines = [
        f"[bold green]{shown(item['index_name'])}[/]  {shown(item['path'])}",
        f"{counts}; {counted(stats['chunks'], 'chunk')} in {stats['seconds']:.1f} s",
    ]
    if stats["files_failed"]:
        lines.append(f"[yellow]`cocosearch-py stats {shown(item['index_name'])} --show-failures` shows what failed[/]")
    screen.console.print("\n".join(lines), soft_wrap=True)


def run_counts(stats: Json) -> str:
    """Return the numbers of files and the effect of a run on them, without zeros."""
    folders = stats["folders_skipped"]
    counts = (
        (stats["files_added"], "added"),
        (stats["files_updated"], "updated"),
        (stats["files_removed"], "removed"),
        (stats["files_unchanged"], "unchanged"),
        (stats["files_skipped"] - stats.get("files_in_skipped_folders", 0), "skipped"),
        (stats["files_failed"], "failed"),
        (folders, "folder ignored" if folders == 1 else "folders ignored"),
    )
    return ", ".join(f"{count:,} {effect}" for count, effect in counts if count) or "no files"


def _show_forecast(screen: Screen, item: Json) -> None:
    console, estimate = screen.console, item["estimate"]
    console.print(f"[bold green]{shown(item['index_name'])}[/]  {shown(item['path'])}", soft_wrap=True)
    reused = item["stats"]["files_reused"]
    basis = "at the speed of the last run" if estimate["measured"] else "no earlier run to compare with"
    facts = {
        "would be": run_counts(item["stats"]),
        "rebuilt": shown(item["rebuild_reason"] or ""),
        "to read": f"{pretty_bytes(estimate['read_bytes'])} of {pretty_bytes(estimate['source_bytes'])} source",
        "to copy": f"{pretty_bytes(estimate['copied_bytes'])} of other indexes ({counted(reused, 'file')})"
        if reused
        else "",
        "time": f"about {_span(estimate['seconds'])} ({basis})",
        "size": f"about {estimate['storage_size_pretty']} in the database",
    }
    print_pairs(console, ((f"[dim]{name}[/]", value) for name, value in facts.items() if value))
    _show_folders(console, item["folders"])
    _show_rules(console, item["rules"], verbose=screen.verbose)
    console.print("[dim]nothing was written[/]")


def _span(seconds: float) -> str:
    """Return an estimated time in words."""
    if seconds < 2 * _MINUTE_S:
        return f"{seconds:.1f} s"
    return f"{seconds / _MINUTE_S:.0f} min" if seconds < 2 * _HOUR_S else f"{seconds / _HOUR_S:.1f} h"


def _show_folders(console: Console, folders: Sequence[Json]) -> None:
    if folders:
        rows = Table("indexed below", "files", "size", right=("files", "size"))
        for row in folders:
            rows.add_row(shown(row["folder"]), f"{row['files']:,}", pretty_bytes(row["bytes"]))
        rows.print_to(console)


def _show_rules(console: Console, rules: Sequence[Json], *, verbose: bool) -> None:
    listed = rules if verbose else rules[:_RULES_SHOWN]
    if listed:
        table = Table("not indexed", "rule", "files", right=("files",))
        for row in listed:
            table.add_row(shown(row["reason"]), shown(row["rule"]), f"{row['files']:,}")
        table.print_to(console)
    if len(listed) < len(rules):
        console.print(f"[dim]and {counted(len(rules) - len(listed), 'more rule')}, shown with -v[/]")
