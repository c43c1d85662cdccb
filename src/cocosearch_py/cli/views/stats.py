"""`stats` on a terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.wording import in_commands

_LANGUAGES_SHOWN = 10  # the others are one line, unless -v


def show_stats(session: Session, items: dict[str, Any] | list[dict[str, Any]]) -> None:
    """The object of `index_stats`, or a list of them."""
    if isinstance(items, list):
        show_all(session.console, items)
    else:
        show_one(session.console, items, verbose=session.verbose)


def show_all(console: Console, items: Sequence[dict[str, Any]]) -> None:
    """One line for each index."""
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


def show_one(console: Console, item: dict[str, Any], *, verbose: bool) -> None:
    """Everything about one index."""
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


def _git(item: dict[str, Any]) -> str:
    commit = (item["git_commit"] or "")[:12]
    return shown(f"{item['git_branch'] or ''} {commit}".strip() or "-")


def _content(classes: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Files by class; those that are left out in parentheses."""
    for row in classes:
        name = (row["content_class"] or "not classified").replace("_", " ")
        left_out = f" ({row['not_indexed']:,} not indexed)" if row["not_indexed"] else ""
        yield f"{row['file_count']:,} {name}{left_out}"


def _languages(console: Console, item: dict[str, Any], *, verbose: bool) -> None:
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


def _ledger(console: Console, ledger: Sequence[dict[str, Any]]) -> None:
    """Everything on disk that is not indexed, by reason."""
    left_out = [row for row in ledger if row["status"] != "indexed"]
    if left_out:
        told = ", ".join(f"{row['files']:,} {(row['reason'] or row['status']).replace('_', ' ')}" for row in left_out)
        print_pairs(console, [("[dim]not indexed[/]", shown(told))])


def _failures(console: Console, failures: Sequence[dict[str, Any]] | None) -> None:
    if failures is None:
        return
    rows = Table("file", "language", "parsed", "first error")
    for row in failures:
        rows.add_row(shown(row["file_path"]), row["language"], row["parse_status"], shown(row["error_message"] or ""))
    if failures:
        rows.print_to(console)
    else:
        console.print("no parse errors")


def _skipped(console: Console, skipped: Sequence[dict[str, Any]] | None) -> None:
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
