"""Definitions, outlines, summaries and code on a terminal."""

import re
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from cocosearch_py.model.counts import counted
from cocosearch_py.model.terminal import visible
from cocosearch_py.render.entries import print_cut, show_entries
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json, pretty_bytes

_TAB_COLUMNS = 4
_FOLDED = re.compile(r"\s*\.\.\. lines \d+-(\d+)")
_LISTS = ("importers", "tests", "siblings")


def show_definitions(screen: Screen, answer: Json) -> None:
    """Show definitions, those that follow each other in one file together, with the first line of matched comments."""
    console = screen.console
    definitions = answer["definitions"]
    places = [f"{item['start_line']}-{item['end_line']}" for item in definitions]
    widths = (max(map(len, places), default=0), max((len(item["kind"]) for item in definitions), default=0))
    last: tuple[str, str] | None = None
    for place, item in zip(places, definitions, strict=True):
        index, path = item.get("index_name", ""), item["file_path"]
        if (index, path) != last:
            if last is not None:
                console.print()
            last = (index, path)
            console.print(_heading(screen, item), soft_wrap=True)
        line = Text.assemble(
            (f"  {place:>{widths[0]}} ", "dim"),
            (f"{visible(item['kind']):<{widths[1]}} ", "green"),
            (visible(item["qualified_name"]), "bold"),
            (f"  {visible(item['signature'])}", "dim"),
        )
        print_cut(console, line)
        if doc := item.get("doc"):
            print_cut(console, Text("      " + visible(doc.split("\n", 1)[0]), style="dim"))
    if not definitions:
        console.print("[yellow]nothing found[/]")
    if answer["total"]:
        match = "" if answer["match"] == "exact" else f" ({answer['match']})"
        more = ": --limit shows more" if len(definitions) < answer["total"] else ""
        screen.note(f"{len(definitions):,} of {counted(answer['total'], 'definition')}{match}{more}")
    _show_nearest(screen, answer)


def show_explanations(screen: Screen, answer: Json) -> None:
    """Show definitions with their comments, uses and members."""
    console = screen.console
    for number, item in enumerate(answer["symbols"]):
        if number:
            console.print()
        place = f"{_heading(screen, item)}:{item['start_line']}-{item['end_line']}"
        named = f"[bold]{shown(item['qualified_name'])}[/] [dim]{shown(item['kind'])}, {shown(item['visibility'])}[/]"
        console.print(f"{place}  {named}", soft_wrap=True)
        console.print(Text("  " + visible(item["signature"])), soft_wrap=True)
        for line in visible(item["doc_comment"]).split("\n") if item["doc_comment"] else ():
            console.print(Text(f"    {line}".rstrip(), style="dim"), soft_wrap=True)
        console.print(
            f"  [green]called[/] [dim]{counted(item['callers_count'], 'time')} ({item['tests_count']:,} in tests), "
            f"{item['callers_by_name_count']:,} more by its name[/]"
        )
        for name, types in item["relationships"].items():
            if types:
                console.print(f"  [green]{name.replace('_', ' ')}[/] [dim]{shown(', '.join(types))}[/]", soft_wrap=True)
        children = item["children"]
        show_entries(console, [("", child) for child in children])
        if more := sum(item["children_summary"].values()) - len(children):
            console.print(f"  [dim]{more} more[/]")
    if not answer["symbols"]:
        console.print("[yellow]nothing found[/]")
    _show_nearest(screen, answer)


def _heading(screen: Screen, item: Json) -> str:
    """Return the index, if several were asked, and the path of a definition's file as markup."""
    index = f"[dim]{shown(item['index_name'])}[/] " if "index_name" in item else ""
    return f"{index}[bold cyan]{shown(screen.near(item['file_path']))}[/]"


def _show_nearest(screen: Screen, answer: Json) -> None:
    if nearest := answer.get("did_you_mean"):
        screen.note(f"did you mean {', '.join(nearest)}?")


def show_outline(screen: Screen, answer: Json) -> None:
    """Show the definitions of a file as a tree, below its imports."""
    console = screen.console
    path = shown(screen.near(answer["path"]))
    lines, definitions = counted(answer["line_count"], "line"), counted(answer["symbol_count"], "definition")
    error = f"  [yellow]{answer['parse_status']}: {shown(answer['parse_error'])}[/]" if "parse_error" in answer else ""
    facts = f"[dim]{shown(answer['language'])}, {lines}, {definitions}[/]{error}"
    console.print(f"[bold cyan]{path}[/]  {facts}", soft_wrap=True)
    imports = [*answer.get("imports", ()), *answer.get("unresolved_imports", ())]
    imports.sort(key=lambda item: item["line"])
    if imports:
        modules = ", ".join(dict.fromkeys(item["module"] for item in imports))
        print_cut(console, Text.assemble(("  imports ", "green"), (visible(modules), "dim")))
    entries = list(_flat(answer["symbols"], 0))
    guides = tree_guides([level for level, _ in entries], ascii_only=console.options.ascii_only)
    show_entries(console, [(guide, item) for guide, (_, item) in zip(guides, entries, strict=True)])
    if not entries and not imports:
        console.print("[yellow]nothing found[/]")


def _flat(items: Sequence[Json], level: int) -> Iterator[tuple[int, Json]]:
    """Return the entries of a tree with their levels, outer before inner."""
    for item in items:
        yield level, item
        yield from _flat(item.get("children", ()), level + 1)


def tree_guides(levels: Sequence[int], *, ascii_only: bool) -> list[str]:
    """Return the lines drawn before each entry of a tree, from the levels of the entries."""
    branch, last, through = ("|-- ", "`-- ", "|   ") if ascii_only else ("├── ", "└── ", "│   ")
    guides = [""] * len(levels)
    open_levels: set[int] = set()  # those on which an entry follows
    for index in range(len(levels) - 1, -1, -1):
        level = levels[index]
        open_levels = {outer for outer in open_levels if outer <= level}
        if level:
            before = "".join(through if outer in open_levels else "    " for outer in range(1, level))
            guides[index] = before + (branch if level in open_levels else last)
        open_levels.add(level)
    return guides


def show_code(screen: Screen, answer: Json) -> None:
    """Show a heading for each part, then its lines with their numbers; of a file that the caller has, its hash."""
    parts = answer.get("symbols", (answer,) if "file_path" in answer else ())
    for number, part in enumerate(parts):
        if number:
            screen.console.print()
        _show_part(screen.console, part, shown(screen.near(part["file_path"])))
    for missing in answer.get("not_found", ()):
        near = f"; did you mean {', '.join(missing['did_you_mean'])}?" if "did_you_mean" in missing else ""
        screen.warn(f"{missing['target']} {missing['reason']}{near}")
    if rests := answer.get("next_targets"):
        screen.note(f"not shown: {' '.join(rests)}")


def _show_part(console: Console, part: Json, path: str) -> None:
    if "status" in part:
        console.print(f"{part['status']}  {path}", soft_wrap=True)
        return
    named = f"  {shown(part['kind'])} {shown(part['name'])}" if "name" in part else ""
    as_indexed = ", as indexed" if "read_from" in part else ""
    stale = f"  [yellow]{part['stale']}{as_indexed}[/]" if "stale" in part else ""
    console.print(f"[bold cyan]{path}[/]{named}  [dim]{part['hash']}[/]{stale}", soft_wrap=True)
    lines = part["source"].split("\n")
    numbers = _line_numbers(lines, part["start_line"], part["end_line"])
    for number, text in zip(numbers, lines, strict=True):
        line = visible(text.removesuffix("\r").expandtabs(_TAB_COLUMNS))
        console.print(Text.assemble((f"  {number:>{len(str(part['end_line']))}} ", "dim"), line), soft_wrap=True)


def _line_numbers(lines: Sequence[str], first: int, last: int) -> list[str]:
    """Return the number of each line; none if empty lines were left out, since the others cannot be told then."""
    numbers = []
    following = first
    for line in lines:
        numbers.append(str(following))
        folded = _FOLDED.fullmatch(line)
        following = int(folded[1]) + 1 if folded else following + 1
    return numbers if following == last + 1 else [""] * len(lines)


def show_summary(screen: Screen, answer: Json) -> None:
    """Show a folder, a file with its declarations, several files, or the definitions of a name."""
    console = screen.console
    if answer["type"] == "directory":
        _show_folder(console, answer)
    elif answer["type"] == "file":
        _show_file(console, {**answer, "path": screen.near(answer["path"])}, answer["root"])
        _show_declarations(console, answer)
    elif answer["type"] == "symbol":
        show_explanations(screen, answer)
    else:
        for number, file in enumerate(answer["files"]):
            if number:
                console.print()
            _show_file(console, {**file, "path": local_path(answer["root"], file["path"])}, answer["root"])
            for definition in file["defines"]:
                console.print(f"  {shown(definition)}", soft_wrap=True)
        screen.note(f"{answer['count']:,} of {counted(answer['total_matched'], 'file')}")
        for missing in answer.get("not_found", ()):
            screen.warn(f"{missing['path']} {missing['reason']}")


def _show_folder(console: Console, answer: Json) -> None:
    root = answer["root"]
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


def _show_file(console: Console, file: Json, root: str) -> None:
    console.print(f"[bold cyan]{shown(file['path'])}[/]", soft_wrap=True)
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


def _show_declarations(console: Console, answer: Json) -> None:
    table = Table("lines", "kind", "signature", headed=False)
    for one in answer["declarations"]:
        members = [*one.get("members", ()), *([f"{one['more_members']} more"] if "more_members" in one else [])]
        inside = f"  [dim]{shown(', '.join(members))}[/]" if members else ""
        lines = f"  {one['start_line']}-{one['end_line']}"
        table.add_row(lines, shown(one["kind"]), f"{shown(one['signature'])}{inside}")
    table.print_to(console)


def _kinds(counts: Mapping[str, int]) -> str:
    return ", ".join(counted(count, kind) for kind, count in counts.items())
