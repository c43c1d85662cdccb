"""Indexes, workspaces and languages on a terminal."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.wording import in_commands

_MAX_LANGUAGES = 4
_MAX_EXTENSIONS = 6  # keeps a language on one line of most terminals
_LANGUAGES_SHOWN = 10  # the others are one line, unless -v
_DETAILS = (
    *("index_id", "workspace_id", "created_at", "git_branch", "git_commit", "repo", "worktrees", "staleness_days"),
    *("embedding_model", "embedding_dimension", "chunking_strategy"),
)


def show_indexes(screen: Screen, items: Sequence[Json]) -> None:
    """Show one line for each index, and the details if they were asked for."""
    console = screen.console
    if not items:
        screen.say("no index yet: `cocosearch-py index FOLDER` creates one")
        return
    listed = [item for item in items if "name" in item]
    rows = Table("index", "files", "chunks", "updated", "status", "folder", right=("files", "chunks"))
    for item in listed:
        rows.add_row(
            f"[bold green]{shown(item['name'])}[/]",
            f"{item['files']:,}",
            f"{item['chunks']:,}",
            local_time(item["updated_at"]),
            _status(item),
            shown(item["root_path"] + (f" at {item['rev']}" if "rev" in item else "")),
        )
    if listed:
        rows.print_to(console)
    for note in (item for item in items if "name" not in item):
        console.print(note["message"], markup=False, soft_wrap=True)
    for item in (item for item in items if "workspace_id" in item):
        print_pairs(console, ((f"[dim]{name}[/]", _detail(item[name])) for name in ("name", *_DETAILS)))


def _detail(value: Any) -> str:
    return shown(", ".join(value) if isinstance(value, list) else str(value)) if value not in (None, []) else "-"


def _status(item: Json) -> str:
    left = f", {counted(item['files_pending'], 'file')} left" if "files_pending" in item else ""
    return item["status"] if item["status"] == "complete" else f"[yellow]{item['status']}{left}[/]"


def show_stats(screen: Screen, answer: Json | list[Json]) -> None:
    """Show the figures of one index, or one line for each of several."""
    if isinstance(answer, list):
        _show_all(screen.console, answer)
    else:
        _show_one(screen.console, answer, verbose=screen.verbose)


def _show_all(console: Console, items: Sequence[Json]) -> None:
    """Show one line for each index."""
    if not items:
        console.print("no index yet: `cocosearch-py index FOLDER` creates one")
        return
    numbers = ("files", "chunks", "size", "parsed ok", "days old")
    rows = Table("index", *numbers, "warnings", right=numbers)
    for item in items:
        rows.add_row(
            f"[bold green]{shown(item['name'])}[/]",
            f"{item['file_count']:,}",
            f"{item['chunk_count']:,}",
            item["storage_size_pretty"],
            f"{item['parse_stats']['parse_health_pct']:.1f} %",
            str(item["staleness_days"]),
            f"[yellow]{shown(in_commands('; '.join(item['warnings'])))}[/]",
        )
    rows.print_to(console)


def _show_one(console: Console, item: Json, *, verbose: bool) -> None:
    """Show all figures of one index."""
    parsed = item["parse_stats"]
    console.print(f"[bold green]{shown(item['name'])}[/]  {shown(item['root_path'])}", soft_wrap=True)
    health = f"{parsed['parse_health_pct']:.1f} % of files, {parsed['parse_health_bytes_pct']:.2f} % of bytes"
    facts = {
        "files": f"{item['file_count']:,}",
        "chunks": f"{item['chunk_count']:,}",
        "size": item["storage_size_pretty"],
        "updated": f"{local_time(item['updated_at'])} ({_ago(item['staleness_days'])})",
        "git": _git(item),
        "model": shown(item["embedding_model"]),
        "parsed ok": health,
        "content": ", ".join(_content(item["content"])) or "-",
        "symbols": ", ".join(counted(count, kind) for kind, count in item["symbols"].items()) or "-",
    }
    print_pairs(console, ((f"[dim]{name}[/]", value) for name, value in facts.items()))
    _languages(console, item, verbose=verbose)
    _ledger(console, item["ledger"])
    for warning in item["warnings"]:
        print_pairs(console, [("[yellow]warning:[/]", f"[yellow]{shown(in_commands(warning))}[/]")])
    _failures(console, item.get("parse_failures"))
    _skipped(console, item.get("skipped_files"))


def _ago(days: int) -> str:
    return f"{counted(days, 'day')} ago" if days else "today"


def _git(item: Json) -> str:
    commit = (item["git_commit"] or "")[:12]
    return shown(f"{item['git_branch'] or ''} {commit}".strip() or "-")


def _content(classes: Sequence[Json]) -> Iterator[str]:
    """Count the files of each class, with those left out in parentheses."""
    for row in classes:
        name = (row["content_class"] or "not classified").replace("_", " ")
        left_out = f" ({row['not_indexed']:,} not indexed)" if row["not_indexed"] else ""
        yield f"{row['file_count']:,} {name}{left_out}"


def _languages(console: Console, item: Json, *, verbose: bool) -> None:
    numbers = ("files", "chunks", "lines", "ok", "partial", "error")
    rows = Table("language", *numbers, right=numbers)
    listed = item["languages"] if verbose else item["languages"][:_LANGUAGES_SHOWN]
    for language in listed:
        parsed = item["parse_stats"]["by_language"][language["language"]]
        known = parsed["no_grammar"] < parsed["files"]
        health = [f"{parsed[key]:,}" for key in ("ok", "partial", "error")] if known else ["[dim]-[/]"] * 3
        counts = [f"{language[key]:,}" for key in ("file_count", "chunk_count", "line_count")]
        rows.add_row(language["language"], *counts, *health)
    rows.print_to(console)
    if len(listed) < len(item["languages"]):
        console.print(f"[dim]and {counted(len(item['languages']) - len(listed), 'more language')}, shown with -v[/]")


def _ledger(console: Console, ledger: Sequence[Json]) -> None:
    """Show how many files on disk are not indexed, by reason."""
    left_out = [row for row in ledger if row["status"] != "indexed"]
    if left_out:
        told = ", ".join(f"{row['files']:,} {(row['reason'] or row['status']).replace('_', ' ')}" for row in left_out)
        print_pairs(console, [("[dim]not indexed[/]", shown(told))])


def _failures(console: Console, failures: Sequence[Json] | None) -> None:
    if failures is None:
        return
    rows = Table("file", "language", "parsed", "first error")
    for row in failures:
        rows.add_row(shown(row["file_path"]), row["language"], row["parse_status"], shown(row["error_message"] or ""))
    if failures:
        rows.print_to(console)
    else:
        console.print("no parse errors")


def _skipped(console: Console, skipped: Sequence[Json] | None) -> None:
    if skipped is None:
        return
    rows = Table("not indexed", "status", "reason", "rule", "files", right=("files",))
    for row in skipped:
        rows.add_row(
            shown(row["file_path"]),
            row["status"],
            shown(row["reason"] or ""),
            shown(row["rule"] or ""),
            f"{row['file_count']:,}",
        )
    if skipped:
        rows.print_to(console)
    else:
        console.print("all files are indexed")


def show_cleared(screen: Screen, answer: Json) -> None:
    """Show the deleted indexes, or those that would be deleted."""
    names = answer.get("would_delete", ())
    for name in names:
        screen.say(f"would delete '{name}'")
    if answer.get("dry_run"):
        screen.note(f"{counted(len(names), 'index')} with {counted(answer['chunks'], 'chunk')}; nothing was deleted")
        return
    results = [(result["index_name"], result.get("error")) for result in answer.get("results", ())]
    results += [(name, f"Index '{name}' not found") for name in answer.get("missing", ())]
    results += [(name, None) for name in answer.get("cleared", ())]
    for name, error in results:
        screen.say(f"{name}: {error}" if error else f"Index '{name}' cleared successfully")
    if not results:
        (screen.say if answer["success"] else screen.note)(answer["message"])
    for text in answer.get("linked_index_warnings", ()):
        screen.warn(text)
    if until := answer.get("restorable_until"):
        screen.note(f"`cocosearch-py restore` can bring it back until {local_time(until)}")


def show_restored(screen: Screen, answer: Json) -> None:
    """Show the restored index, or the indexes that can be restored."""
    if "restorable" not in answer:
        contents = f"{counted(answer['files'], 'file')}, {counted(answer['chunks'], 'chunk')}"
        folder = _folder(answer["path"])
        screen.say(f"restored index '{answer['index_name']}': {contents}{f' of {folder}' if folder else ''}")
        return
    if not answer["restorable"]:
        screen.say("nothing to restore: no index was cleared within the last 24 hours")
        return
    rows = Table("index", "chunks", "cleared", "kept until", "folder", right=("chunks",))
    for index in answer["restorable"]:
        rows.add_row(
            f"[bold green]{shown(index['name'])}[/]",
            f"{index['chunks']:,}",
            local_time(index["cleared_at"]),
            local_time(index["restorable_until"]),
            shown(_folder(index["root_path"])),
        )
    rows.print_to(screen.console)
    screen.note("`cocosearch-py restore INDEX` restores one")


def _folder(root_path: str) -> str:
    """Return the folder of an index; empty if it is not on this machine."""
    return root_path if os.path.isabs(root_path) else ""


def show_members(screen: Screen, answer: Json) -> None:
    """Show one line for each member of a workspace."""
    rows = Table("member", "folder", "files", "languages", right=("files",))
    for member in answer["members"]:
        languages = shown(", ".join(member["languages"][:_MAX_LANGUAGES]))
        folder = shown(local_path(answer["root"], member["path"]))
        rows.add_row(f"[bold green]{shown(member['name'])}[/]", folder, f"{member['files']:,}", languages)
    rows.print_to(screen.console)
    screen.note(f"{answer['workspace_type']}: {counted(len(answer['members']), 'member')}")


def show_languages(screen: Screen, languages: Sequence[Json]) -> None:
    """Show one line for each language."""
    rows = Table("language", "parsed", "definitions", "extensions", "also called")
    for language in languages:
        extensions = [*language["extensions"], *language["filenames"]]
        more = " ..." if len(extensions) > _MAX_EXTENSIONS else ""
        rows.add_row(
            f"[bold]{language['id']}[/]",
            _tick(language["grammar"]),
            _tick(language["definitions"]),
            shown(" ".join(extensions[:_MAX_EXTENSIONS]) + more),
            f"[dim]{shown(', '.join(language['aliases']))}[/]",
        )
    rows.print_to(screen.console)


def _tick(yes: bool) -> str:
    return "[green]yes[/]" if yes else "[dim]-[/]"
