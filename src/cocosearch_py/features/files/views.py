"""Files of an index on a terminal: a table, paths, or a tree; and the cost of reading them."""

from collections.abc import Iterable, Sequence

from rich.console import Console

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json, pretty_bytes
from cocosearch_py.tools.wording import in_commands

_NUMBERS = frozenset({"score", "files", "lines", "size", "symbols"})
_FIGURES_COLUMNS = 54  # of all figures of a file, with the gaps between them


def show_files(screen: Screen, answer: Json) -> None:
    """Show files in the view that the answer has."""
    console = screen.console
    root: str = answer["root"]
    rows: list[tuple[str, ...]]
    if "tree" in answer:
        console.print(shown(answer["tree"]), soft_wrap=True)
    elif "results" in answer:
        rows = [(f"{one['score']:.2f}", local_path(root, one["path"])) for one in answer["results"]]
        _table(("score", "path"), rows).print_to(console)
    elif "entries" in answer:
        rows = [
            (f"{one['files']:,}" if "files" in one else "", f"{one['line_count']:,}", _size(one), one["name"])
            for one in answer["entries"]
        ]
        _table(("files", "lines", "size", "name"), rows).print_to(console)
    elif any("status" in one for one in answer["files"]):
        rows = [(local_path(root, one["path"]), one["status"], _reason(one)) for one in answer["files"]]
        _table(("path", "status", "reason"), rows).print_to(console)
    elif answer["files"]:
        _show_table(console, root, answer["files"])
    if "tree" not in answer:
        more = ": --limit shows more, --lang and --path narrow the list" if answer["truncated"] else ""
        screen.note(f"{answer['count']:,} of {counted(answer['total'], 'file')}{more}")


def path_lines(answer: Json) -> list[str] | None:
    """Return the paths of the view of paths, which a pipe gets unchanged."""
    return [local_path(answer["root"], path) for path in answer["paths"]] if "paths" in answer else None


def _show_table(console: Console, root: str, files: Sequence[Json]) -> None:
    """Print a line for each file; with fewer figures where all of them leave too little room for the paths."""
    rows = [
        (
            f"{one['line_count']:,}",
            _size(one),
            f"{one['symbol_count']:,}",
            local_time(one["modified"], "%Y-%m-%d"),
            one["language"],
            local_path(root, one["path"]),
        )
        for one in files
    ]
    if max(len(row[-1]) for row in rows) + _FIGURES_COLUMNS <= console.width:
        _table(("lines", "size", "symbols", "modified", "language", "path"), rows).print_to(console)
    else:
        _table(("lines", "size", "path"), [(*row[:2], row[-1]) for row in rows]).print_to(console)


def _table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Table:
    table = Table(*titles, right=[title for title in titles if title in _NUMBERS])
    for row in rows:
        table.add_row(*map(shown, row))
    return table


def _size(item: Json) -> str:
    return pretty_bytes(item["byte_size"])


def _reason(item: Json) -> str:
    files = f" ({counted(item['file_count'], 'file')})" if "file_count" in item else ""
    reason = item.get("error") or f"{item.get('skip_reason', '').replace('_', ' ')}: {item.get('rule', '')}"
    return "" if item["status"] == "indexed" else f"{reason}{files}"


def show_tokens(screen: Screen, answer: Json) -> None:
    """Show files with their tokens and the total, or a file with a cheaper way to read it."""
    console = screen.console
    if "files" in answer:
        table = Table("tokens", "lines", "file", right=("tokens", "lines"))
        for item in answer["files"]:
            path = shown(local_path(answer["root"], item["file"]))
            table.add_row(f"{item['tokens']:,}", f"{item['lines']:,}", path)
        table.print_to(console)
        about = "about " if answer["is_estimate"] else ""
        console.print(f"{about}{counted(answer['total_tokens'], 'token')} in {counted(answer['file_count'], 'file')}")
        return
    console.print(f"[bold cyan]{shown(local_path(answer['root'], answer['file']))}[/]", soft_wrap=True)
    console.print(f"  {counted(answer['full_file_tokens'], 'token')}, {counted(answer['full_file_lines'], 'line')}")
    if "symbol" in answer:
        size = f"{counted(answer['symbol_tokens'], 'token')}, {counted(answer['symbol_lines'], 'line')}"
        console.print(f"  {shown(answer['symbol'])}: {size}", soft_wrap=True)
    print_pairs(console, [("", shown(in_commands(answer.get("recommendation") or answer["savings"])))])
