"""Files of an index on a terminal: a table, paths, or a tree."""

from collections.abc import Iterable, Sequence

from rich.console import Console

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.times import local_time
from cocosearch_py.tools.answers import Json, pretty_bytes

_NUMBERS = frozenset({"score", "files", "lines", "size", "symbols"})
_FIGURES_COLUMNS = 54  # of all figures of a file, with the gaps between them


def show_files(session: Session, answer: Json) -> None:
    """Print the answer of list_files in the view that it is in."""
    console = session.console
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
        _files(console, root, answer["files"])


def _files(console: Console, root: str, files: Sequence[Json]) -> None:
    """A line for each file; with fewer figures where all of them leave too little room for the paths."""
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
    told = item.get("error") or f"{item.get('skip_reason', '').replace('_', ' ')}: {item.get('rule', '')}"
    return "" if item["status"] == "indexed" else f"{told}{files}"
