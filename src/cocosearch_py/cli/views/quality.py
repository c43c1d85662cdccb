"""The state of code on a terminal."""

from collections.abc import Sequence
from dataclasses import replace

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.layout import Table, print_pairs, shown
from cocosearch_py.cli.views.paths import local_path
from cocosearch_py.model.counts import counted
from cocosearch_py.operations import get_diff_summary, get_health, get_hotspots
from cocosearch_py.operations.common.answers import Json
from cocosearch_py.operations.get_diff_summary import Compared
from cocosearch_py.operations.get_health import Measured
from cocosearch_py.operations.get_hotspots import HotspotsFound

_COLUMNS = {"score": "score", "cyclomatic": "branches", "max_nesting": "nesting", "param_count": "params"}
_NUMBERS = {**_COLUMNS, "body_lines": "lines", "churn": "churn"}
# Figures that are shown, and whether places have a column of their own, from wide terminals to narrow ones.
_WIDTHS = ((tuple(_NUMBERS), True), (tuple(_NUMBERS), False), (("score", "cyclomatic", "body_lines", "churn"), False))


def show_hotspots(session: Session, found: HotspotsFound, asked: get_hotspots.Arguments) -> None:
    """Show the functions of `get_hotspots`."""
    show_functions(session, get_hotspots.OPERATION.shape(found, replace(asked, compact=False)))


def show_functions(session: Session, answer: Json) -> None:
    """Show the functions of an answer, also of a server."""
    items = answer["hotspots"]
    if not items:
        return
    tables = [_functions(answer, names, apart=apart) for names, apart in _WIDTHS]
    chosen = next((table for table in tables if table.fits(session.console)), tables[-1])
    chosen.print_to(session.console)
    session.note(f"{len(items):,} of {counted(answer['total'], 'function')}")


def _functions(answer: Json, names: Sequence[str], *, apart: bool) -> Table:
    """The functions with these figures; their places apart, in a column of their own, or behind their names."""
    figures = [_NUMBERS[name] for name in names]
    table = Table(*figures, "function", *(["place"] if apart else []), right=figures)
    for item in answer["hotspots"]:
        name = f"[bold green]{shown(item['name'])}[/]"
        place = shown(f"{local_path(answer['root'], item['file'])}:{item['line']}")
        table.add_row(*(f"{item[one]:,}" for one in names), *([name, place] if apart else [f"{name}  {place}"]))
    return table


def show_health(session: Session, measured: Measured, asked: get_health.Arguments) -> None:
    """Show the figures of `get_health`."""
    show_figures(session, get_health.OPERATION.shape(measured, asked))


def show_figures(session: Session, answer: Json) -> None:
    """Show the figures of an answer, also of a server."""
    console = session.console
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


def show_changes(session: Session, compared: Compared, asked: get_diff_summary.Arguments) -> None:
    """The files of `get_diff_summary` with their definitions: + added, - removed, ! another signature, ~ body."""
    answer = get_diff_summary.OPERATION.shape(compared, asked)
    console, found = session.console, {one["file"]: one for one in answer["changes"]}
    for file in compared.report.files:
        console.print(
            f"[bold cyan]{shown(local_path(answer['root'], file.path))}[/]  [dim]{file.status}[/]", soft_wrap=True
        )
        for status, mark in _MARKS.items():
            for item in found.get(file.path, {}).get(status, ()):
                if "old_signature" in item:
                    console.print(f"  {mark} [dim]{shown(item['old_signature'])}[/]", soft_wrap=True)
                text = shown(item["name"] if status == "body_changed" else item["signature"])
                console.print(f"  {mark} {text}  [dim]{item['kind']}, line {item['line']}[/]", soft_wrap=True)
    for path in answer.get("impacted_tests", ()):
        console.print(f"test [yellow]{shown(local_path(answer['root'], path))}[/]", soft_wrap=True)
    count = len(compared.report.files)
    session.note(f"{counted(count, 'file')} {'differs' if count == 1 else 'differ'} from {compared.since}")
