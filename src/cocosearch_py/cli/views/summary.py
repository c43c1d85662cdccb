"""Summaries of files and folders on a terminal."""

from collections.abc import Mapping

from rich.console import Console

from cocosearch_py.cli.views.layout import Table, print_pairs, shown
from cocosearch_py.operations.common.answers import Json, pretty_bytes

_LISTS = ("imports", "importers", "tests", "siblings")


def show_summary(console: Console, answer: Json) -> None:
    """Print the answer of summarize about files or a folder."""
    if answer["type"] == "directory":
        _folder(console, answer)
    elif answer["type"] == "file":
        _file(console, answer, answer)
        _declarations(console, answer)
    else:
        for number, file in enumerate(answer["files"]):
            if number:
                console.print()
            _file(console, answer, file)
            for one in file["defines"]:
                console.print(f"  {shown(one)}", soft_wrap=True)


def _folder(console: Console, answer: Json) -> None:
    console.print(f"[bold cyan]{shown(answer['path'])}[/]", soft_wrap=True)
    size = f"{answer['line_count']:,} lines, {pretty_bytes(answer['byte_size'])}"
    left_out = f"; {answer['left_out']:,} left out" if answer["left_out"] else ""
    public = f"; {answer['public_count']:,} public"
    pairs = [
        ("files", f"{answer['files']:,}, {size}{left_out}"),
        ("languages", _counted(answer["languages"])),
        ("content", _counted(answer["content"])),
        ("defines", f"{_counted(answer['kinds'])}{public}" if answer["kinds"] else ""),
        ("most imported", _counted(answer["most_imported"])),
    ]
    print_pairs(console, [(f"[dim]{name}[/]", shown(text)) for name, text in pairs if text])
    table = Table("name", "files", "lines", right=("files", "lines"))
    for one in answer["entries"]:
        table.add_row(shown(one["name"]), f"{one['files']:,}" if "files" in one else "", f"{one['line_count']:,}")
    table.print_to(console)
    if "more_entries" in answer:
        console.print(f"... {answer['more_entries']:,} more")


def _file(console: Console, answer: Json, file: Json) -> None:
    console.print(f"[bold cyan]{shown(file['path'])}[/]", soft_wrap=True)
    used = f"imported by {file['imported_by']:,} files" if file["imported_by"] else "imported by no file"
    tests = "has tests" if file["has_tests"] else "no tests found"
    pairs = [
        (
            "file",
            f"{file['language']}, {file['line_count']:,} lines, {pretty_bytes(file['byte_size'])}; {used}; {tests}",
        ),
        ("defines", f"{_counted(file['kinds'])}; {file['public_count']:,} public" if file["kinds"] else "nothing"),
        *((name, ", ".join(file[name])) for name in _LISTS if name in file),
    ]
    print_pairs(console, [(f"  [dim]{name}[/]", shown(text)) for name, text in pairs])


def _declarations(console: Console, answer: Json) -> None:
    table = Table("lines", "kind", "signature", headed=False)
    for one in answer["declarations"]:
        members = [*one.get("members", ()), *([f"{one['more_members']} more"] if "more_members" in one else [])]
        inside = f"  [dim]{shown(', '.join(members))}[/]" if members else ""
        lines = f"  {one['start_line']}-{one['end_line']}"
        table.add_row(lines, shown(one["kind"]), f"{shown(one['signature'])}{inside}")
    table.print_to(console)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())
