"""Producers and consumers of a type on a terminal."""

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.layout import shown
from cocosearch_py.operations.trace_type import Arguments, FlowFound


def show_flow(session: Session, found: FlowFound, _: Arguments) -> None:
    """The definitions of `trace_type`."""
    report = found.report
    for role, users in (("returned by", report.producers), ("accepted by", report.consumers)):
        if users:
            session.console.print(f"[bold]{role}[/]")
        for one in users:
            place = f"[cyan]{shown(one.path)}[/]:{one.line}"
            session.console.print(f"  {place}  {shown(one.signature)}", soft_wrap=True)
    session.note(f"{report.producers_count:,} return it, {report.consumers_count:,} accept it")
