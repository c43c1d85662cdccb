"""`stats` on a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape

from cocosearch_py.cli.views.tables import table

_LANGUAGES_SHOWN = 10  # the others are one line, unless -v


def show_all(console: Console, items: Sequence[dict[str, Any]]) -> None:
    """One line for each index."""
    if not items:
        console.print("no index yet; `cocosearch-py index PATH` makes one")
        return
    numbers = ("files", "chunks", "size", "parsed ok", "days old")
    rows = table("index", *numbers, "warnings", right=numbers)
    for item in items:
        rows.add_row(
            f"[bold green]{escape(item['name'])}[/]",
            f"{item['file_count']:,}",
            f"{item['chunk_count']:,}",
            item["storage_size_pretty"],
            f"{item['parse_stats']['parse_health_pct']:.1f} %",
            str(item["staleness_days"]),
            f"[yellow]{escape('; '.join(item['warnings']))}[/]",
        )
    console.print(rows)


def show_one(console: Console, item: dict[str, Any], *, verbose: bool) -> None:
    """Everything about one index."""
    parsed = item["parse_stats"]
    console.print(f"[bold green]{escape(item['name'])}[/]  {escape(item['root_path'])}", soft_wrap=True)
    facts = table("", "")
    facts.show_header = False
    facts.add_row("[dim]files[/]", f"{item['file_count']:,}")
    facts.add_row("[dim]chunks[/]", f"{item['chunk_count']:,}")
    facts.add_row("[dim]size[/]", item["storage_size_pretty"])
    facts.add_row("[dim]updated[/]", f"{item['updated_at']} ({item['staleness_days']} days ago)")
    facts.add_row("[dim]git[/]", _git(item))
    facts.add_row("[dim]model[/]", escape(item["embedding_model"]))
    health = f"{parsed['parse_health_pct']:.1f} % of files, {parsed['parse_health_bytes_pct']:.2f} % of bytes"
    facts.add_row("[dim]parsed ok[/]", health)
    facts.add_row("[dim]symbols[/]", ", ".join(f"{count:,} {kind}" for kind, count in item["symbols"].items()) or "-")
    console.print(facts)
    _languages(console, item, verbose=verbose)
    _ledger(console, item["ledger"])
    for warning in item["warnings"]:
        console.print(f"[yellow]warning: {escape(warning)}[/]")
    _failures(console, item.get("parse_failures"))
    _skipped(console, item.get("skipped_files"))


def _git(item: dict[str, Any]) -> str:
    commit = (item["git_commit"] or "")[:12]
    return escape(f"{item['git_branch'] or ''} {commit}".strip() or "-")


def _languages(console: Console, item: dict[str, Any], *, verbose: bool) -> None:
    numbers = ("files", "chunks", "lines", "ok", "partial", "error")
    rows = table("language", *numbers, right=numbers)
    shown = item["languages"] if verbose else item["languages"][:_LANGUAGES_SHOWN]
    for language in shown:
        parsed = item["parse_stats"]["by_language"][language["language"]]
        known = parsed["no_grammar"] < parsed["files"]
        health = [f"{parsed[key]:,}" for key in ("ok", "partial", "error")] if known else ["[dim]-[/]"] * 3
        counts = [f"{language[key]:,}" for key in ("file_count", "chunk_count", "line_count")]
        rows.add_row(language["language"], *counts, *health)
    console.print(rows)
    if len(shown) < len(item["languages"]):
        console.print(f"[dim]and {len(item['languages']) - len(shown)} more languages, shown with -v[/]")


def _ledger(console: Console, ledger: Sequence[dict[str, Any]]) -> None:
    """Everything on disk that is not indexed, by reason."""
    left_out = [row for row in ledger if row["status"] != "indexed"]
    if left_out:
        told = ", ".join(f"{row['files']:,} {row['reason'] or row['status']}" for row in left_out)
        console.print(f"[dim]not indexed:[/] {escape(told)}", soft_wrap=True)


def _failures(console: Console, failures: Sequence[dict[str, Any]] | None) -> None:
    if failures is None:
        return
    rows = table("file", "language", "parsed", "first error")
    for row in failures:
        rows.add_row(escape(row["file_path"]), row["language"], row["parse_status"], escape(row["error_message"] or ""))
    console.print(rows if failures else "no parse errors")


def _skipped(console: Console, skipped: Sequence[dict[str, Any]] | None) -> None:
    if skipped is None:
        return
    rows = table("not indexed", "status", "reason", "rule", "files", right=("files",))
    for row in skipped:
        rows.add_row(
            escape(row["file_path"]),
            row["status"],
            escape(row["reason"] or ""),
            escape(row["rule"] or ""),
            f"{row['file_count']:,}",
        )
    console.print(rows if skipped else "nothing is left out")
