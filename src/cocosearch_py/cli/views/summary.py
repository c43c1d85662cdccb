"""Summaries of files and folders on a terminal."""

from collections.abc import Mapping

from rich.console import Console

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.tools.answers import Json, pretty_bytes

_LISTS = ("importers", "tests", "siblings")


def show_summary(session: Session, answer: Json, root: str = "") -> None:
    """Print the answer of summarize about files or a folder; its paths are relative to the root or absolute."""
    console = session.console
    if answer["type"] == "directory":
        _folder(console, answer, root)
    elif answer["type"] == "file":
        _file(console, answer, root)
        _declarations(console, answer)
    else:
        for number, file in enumerate(answer["files"]):
            if number:
                console.print()
            _file(console, file, root)
            for one in file["defines"]:
                console.print(f"  {shown(one)}", soft_wrap=True)


def _folder(console: Console, answer: Json, root: str) -> None:
    console.print(f"[bold cyan]{shown(answer['path'])}[/]", soft_wrap=True)
    size = f"{counted(answer['files'], 'file')}, {counted(answer['line_count'], 'line')}"
    left_out = f"; {answer['left_out']:,} left out" if answer["left_out"] else ""
    public = f"; {answer['public_count']:,} public"
    imported = (f"{local_path(root, path)} by {count:,}" for path, count in answer["most_imported"].items())
    pairs = [
        ("about", answer.get("about", "")),
        ("starts in", ", ".join(_entry(one, root) for one in answer.get("entry_points", ()))),
        ("run tests", ", ".join(answer.get("test_commands", ()))),
        ("size", f"{size}, {pretty_bytes(answer['byte_size'])}{left_out}"),
        ("languages", ", ".join(f"{count:,} {name}" for name, count in answer["languages"].items())),
        ("content", ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in answer["content"].items())),
        ("defines", f"{_kinds(answer['kinds'])}{public}" if answer["kinds"] else ""),
        ("most imported", ", ".join(imported)),
    ]
    print_pairs(console, [(f"[dim]{name}[/]", shown(text)) for name, text in pairs if text])
    console.print()
    table = Table("name", "files", "lines", right=("files", "lines"))
    for one in answer["entries"]:
        table.add_row(shown(one["name"]), f"{one['files']:,}" if "files" in one else "", f"{one['line_count']:,}")
    table.print_to(console)
    if "more_entries" in answer:
        console.print(f"... {answer['more_entries']:,} more")


def _entry(told: str, root: str) -> str:
    """An entry point: a path, or `name = where` of a manifest."""
    return told if " = " in told else local_path(root, told)


def _file(console: Console, file: Json, root: str) -> None:
    console.print(f"[bold cyan]{shown(local_path(root, file['path']))}[/]", soft_wrap=True)
    used = f"imported by {counted(file['imported_by'], 'file')}" if file["imported_by"] else "imported by no file"
    tests = "has tests" if file["has_tests"] else "no tests found"
    size = f"{counted(file['line_count'], 'line')}, {pretty_bytes(file['byte_size'])}"
    public = f"; {file['public_count']:,} public"
    pairs = [
        ("about", file.get("about", "")),
        ("file", f"{file['language']}, {size}; {used}; {tests}"),
        ("defines", f"{_kinds(file['kinds'])}{public}" if file["kinds"] else "nothing"),
        ("imports", ", ".join(file.get("imports", ()))),
        *((name, ", ".join(local_path(root, path) for path in file[name])) for name in _LISTS if name in file),
    ]
    print_pairs(console, [(f"  [dim]{name}[/]", shown(text)) for name, text in pairs if text])


def _declarations(console: Console, answer: Json) -> None:
    table = Table("lines", "kind", "signature", headed=False)
    for one in answer["declarations"]:
        members = [*one.get("members", ()), *([f"{one['more_members']} more"] if "more_members" in one else [])]
        inside = f"  [dim]{shown(', '.join(members))}[/]" if members else ""
        lines = f"  {one['start_line']}-{one['end_line']}"
        table.add_row(lines, shown(one["kind"]), f"{shown(one['signature'])}{inside}")
    table.print_to(console)


def _kinds(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(count, kind) for kind, count in counts.items())
