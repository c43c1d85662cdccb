"""Tests of code on a terminal."""

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.operations.find_tests import Arguments, RelatedFound
from cocosearch_py.render.layout import shown
from cocosearch_py.render.paths import local_path

_REASONS = {
    "calls": "uses it",
    "name_convention": "named after it",
    "same_file": "in the same file",
    "test_file": "file named after it",
    "imports": "imports it",
}


def show_tests(session: Session, found: RelatedFound, _: Arguments) -> None:
    """The tests of `find_tests` with the reason, and how to run them."""
    console, root = session.console, found.record.root_path
    for one in found.report.tests:
        reason = _REASONS[one.reason]
        if one.confidence == "name_only":
            reason += ", by name only"
        if one.distance > 1:
            reason += f", over {one.distance} steps"
        name = "" if one.kind == "file" else f"  [bold green]{shown(one.name)}[/]"
        console.print(
            f"[cyan]{shown(local_path(root, one.path))}[/]:{one.line}{name}  [dim]{reason}[/]", soft_wrap=True
        )
    for run in found.report.commands:
        place = local_path(root, run.folder)
        where = f"  [dim]in {shown(place)}[/]" if place not in ("", ".") else ""
        console.print(f"$ {shown(run.command)}{where}", soft_wrap=True)
    session.note(f"{len(found.report.tests):,} of {counted(found.report.total, 'test')}")
    if (verdict := found.report.completeness) is not None:
        session.note(f"completeness: {verdict.level}")
        for spot in verdict.blind_spots:
            session.note(f"- {spot}")
