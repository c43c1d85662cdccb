"""The quality of code on a terminal."""

from collections.abc import Sequence

from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import Table, print_pairs, shown
from cocosearch_py.render.paths import local_path
from cocosearch_py.render.screen import Screen
from cocosearch_py.tools.answers import Json

_COLUMNS = {"score": "score", "cyclomatic": "branches", "max_nesting": "nesting", "param_count": "params"}
_NUMBERS = {**_COLUMNS, "body_lines": "lines", "churn": "churn"}
# Columns, and whether locations have one of their own; wide terminals first.
_WIDTHS = ((tuple(_NUMBERS), True), (tuple(_NUMBERS), False), (("score", "cyclomatic", "body_lines", "churn"), False))


def show_hotspots(screen: Screen, answer: Json) -> None:
    """Show a table of functions, with as many columns as fit."""
    items = answer["hotspots"]
    if not items:
        return
    tables = [_functions(answer, names, apart=apart) for names, apart in _WIDTHS]
    chosen = next((table for table in tables if table.fits(screen.console)), tables[-1])
    chosen.print_to(screen.console)
    screen.note(f"{len(items):,} of {counted(answer['total'], 'function')}")


def _functions(answer: Json, names: Sequence[str], *, apart: bool) -> Table:
    """Make the table with these figures. Locations stand in a column of their own or after the names."""
    figures = [_NUMBERS[name] for name in names]
    table = Table(*figures, "function", *(["place"] if apart else []), right=figures)
    for item in answer["hotspots"]:
        name = f"[bold green]{shown(item['name'])}[/]"
        place = shown(f"{local_path(answer['root'], item['file'])}:{item['line']}")
        table.add_row(*(f"{item[one]:,}" for one in names), *([name, place] if apart else [f"{name}  {place}"]))
    return table


def show_health(screen: Screen, answer: Json) -> None:
    """Show the figures of a code base, then its worst files."""
    console = screen.console
    spread = answer["complexity"]
    facts = {
        "functions": f"{answer['total_functions']:,}, {answer['analyzed']:,} of them analysed",
        "complexity": f"mean {spread['avg']}, median {spread['median']:g}, 90th percentile {spread['p90']}, "
        f"maximum {spread['max']}",
        "complex": f"{counted(answer['high_complexity_count'], 'function')} with complexity 10 or more "
        f"({answer['high_complexity_pct']} %)",
        "mean size": f"{answer['nesting']['avg']} nested blocks, {answer['params']['avg']} parameters, "
        f"{answer['body_lines']['avg']} lines",
        "documented": f"{answer['documented_pct']} %",
        "tests": f"{answer['test_count']:,}",
        "deprecated": f"{answer['deprecated_count']:,}",
        "public": f"{answer['public_api_count']:,}",
        "parsed ok": f"{answer['parse_health_pct']} % of files",
    }
    print_pairs(console, ((f"[dim]{name}[/]", value) for name, value in facts.items()))
    if answer["hottest_files"]:
        numbers = ("mean", "highest", "functions")
        rows = Table("most complex files", *numbers, right=numbers)
        for item in answer["hottest_files"]:
            figures = (f"{item['avg_complexity']}", f"{item['max_complexity']:,}", f"{item['functions']:,}")
            rows.add_row(shown(local_path(answer["root"], item["file"])), *figures)
        console.print()
        rows.print_to(console)


_MARKS = {"added": "[green]+[/]", "removed": "[red]-[/]", "signature_changed": "[yellow]![/]", "body_changed": "~"}


def show_changes(screen: Screen, answer: Json) -> None:
    """Show changed files with their definitions: + added, - removed, ! another signature, ~ another body."""
    console = screen.console
    changes = {file["file"]: file for file in answer["changes"]}
    statuses = {path: status for status in ("added", "removed", "modified") for path in answer[f"files_{status}"]}
    for path in sorted(statuses):
        console.print(
            f"[bold cyan]{shown(local_path(answer['root'], path))}[/]  [dim]{statuses[path]}[/]", soft_wrap=True
        )
        for status, mark in _MARKS.items():
            for item in changes.get(path, {}).get(status, ()):
                if "old_signature" in item:
                    console.print(f"  {mark} [dim]{shown(item['old_signature'])}[/]", soft_wrap=True)
                text = shown(item["name"] if status == "body_changed" else item["signature"])
                console.print(f"  {mark} {text}  [dim]{item['kind']}, line {item['line']}[/]", soft_wrap=True)
    for path in answer.get("impacted_tests", ()):
        console.print(f"test [yellow]{shown(local_path(answer['root'], path))}[/]", soft_wrap=True)
    verb = "differs" if len(statuses) == 1 else "differ"
    screen.note(f"{counted(len(statuses), 'file')} {verb} from {answer['since_ref']}")
