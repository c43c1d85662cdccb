"""Producers and consumers of a type on a terminal."""

from rich.text import Text

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.model.terminal import visible
from cocosearch_py.operations.trace_type import Arguments, FlowFound
from cocosearch_py.render.layout import cut
from cocosearch_py.render.paths import local_path


def show_flow(session: Session, found: FlowFound, _: Arguments) -> None:
    """The definitions of `trace_type`."""
    report = found.report
    for role, users in (("returned by", report.producers), ("accepted by", report.consumers)):
        if users:
            session.console.print(f"[bold]{role}[/]")
        for one in users:
            place = local_path(found.record.root_path, one.path)
            line = Text.assemble((f"  {visible(place)}", "cyan"), f":{one.line}  {visible(one.signature)}")
            session.console.print(cut(line, session.console.width, mark="..."), soft_wrap=True)
    returned, accepted = counted(report.producers_count, "function"), counted(report.consumers_count, "function")
    session.note(f"returned by {returned}, accepted by {accepted}")
