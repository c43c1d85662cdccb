"""Files of an index on a terminal: a table, paths, or a tree."""

from typing import Any

from rich.console import Console

from cocosearch_py.cli.views.layout import Table, shown
from cocosearch_py.operations.common.answers import Json, pretty_bytes


def show_files(console: Console, answer: Json) -> None:
    """Print the answer of list_files in the view that it is in."""
    rows: list[tuple[str, ...]]
    titles: tuple[str, ...]
    if "tree" in answer:
        console.print(shown(answer["tree"]), soft_wrap=True)
    elif "results" in answer:
        _table(console, ("score", "path"), [(f"{one['score']:.2f}", one["path"]) for one in answer["results"]], 1)
    elif "entries" in answer:
        titles = ("name", "files", "lines", "size")
        rows = [
            (one["name"], f"{one['files']:,}" if "files" in one else "", f"{one['line_count']:,}", _size(one))
            for one in answer["entries"]
        ]
        _table(console, titles, rows)
    elif any("status" in one for one in answer["files"]):
        rows = [(one["path"], one["status"], _reason(one)) for one in answer["files"]]
        _table(console, ("path", "status", "reason"), rows, 3)
    else:
        titles = ("path", "language", "lines", "size", "symbols", "modified")
        rows = [
            (
                one["path"],
                one["language"],
                f"{one['line_count']:,}",
                _size(one),
                f"{one['symbol_count']:,}",
                one["modified"],
            )
            for one in answer["files"]
        ]
        _table(console, titles, rows)


def show_tokens(console: Console, answer: Json) -> None:
    """Print the answer of estimate_tokens."""
    if "files" in answer:
        rows = [(one["file"], f"{one['tokens']:,}", f"{one['lines']:,}") for one in answer["files"]]
        _table(console, ("file", "tokens", "lines"), rows, 1)
        about = "about " if answer["is_estimate"] else ""
        console.print(f"{about}{answer['total_tokens']:,} tokens in {answer['file_count']:,} files")
        return
    console.print(f"[bold cyan]{shown(answer['file'])}[/]", soft_wrap=True)
    console.print(f"  {answer['full_file_tokens']:,} tokens, {answer['full_file_lines']:,} lines")
    if "symbol" in answer:
        told = f"{answer['symbol_tokens']:,} tokens, {answer['symbol_lines']:,} lines"
        console.print(f"  {shown(answer['symbol'])}: {told}", soft_wrap=True)
    console.print(f"  {shown(answer.get('recommendation') or answer['savings'])}", soft_wrap=True)


def _table(console: Console, titles: tuple[str, ...], rows: list[Any], texts: int = 0) -> None:
    """A table; but for the first `texts` columns, those that hold figures are on the right."""
    right = [title for title in titles[texts:] if title in ("score", "files", "lines", "size", "symbols", "tokens")]
    table = Table(*titles, right=right)
    for row in rows:
        table.add_row(*map(shown, row))
    table.print_to(console)


def _size(item: Json) -> str:
    return pretty_bytes(item["byte_size"])


def _reason(item: Json) -> str:
    files = f" ({item['file_count']:,} files)" if "file_count" in item else ""
    told = item.get("error") or f"{item.get('skip_reason', '').replace('_', ' ')}: {item.get('rule', '')}"
    return "" if item["status"] == "indexed" else f"{told}{files}"
