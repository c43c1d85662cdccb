"""A graph of calls on a terminal."""

from cocosearch_py.cli.session import Session
from cocosearch_py.model.calls import CallNode
from cocosearch_py.model.counts import counted
from cocosearch_py.operations.get_call_graph import Arguments, CallsFound
from cocosearch_py.render.layout import shown
from cocosearch_py.render.paths import local_path

_MARKS = {"resolved": "=", "scoped": "~", "name_only": "?"}


def show_calls(session: Session, found: CallsFound, asked: Arguments) -> None:
    """The calls of `get_call_graph`, under their callers; or paths."""
    report, console, root = found.report, session.console, found.record.root_path
    if asked.to is not None:
        for path in report.paths:
            names = [f"[bold green]{shown(report.nodes[at].place.qualified_name)}[/]" for at in path]
            console.print(" → ".join(names), soft_wrap=True)
    caller = None
    for edge in report.edges:
        if edge.source != caller:
            caller = edge.source
            console.print(_headed(report.nodes[caller], root), soft_wrap=True)
        target = report.nodes[edge.target]
        times = f", {edge.calls} times" if edge.calls > 1 else ""
        console.print(
            f"  {edge.line:>4} {_MARKS[edge.confidence]} {shown(target.place.qualified_name)}  "
            f"[dim]{shown(local_path(root, target.place.path))}:{target.place.start_line}{times}[/]",
            soft_wrap=True,
        )
    session.note(f"{counted(len(report.nodes), 'definition')}, {counted(len(report.edges), 'edge')}")
    session.note(f"completeness: {report.completeness.level}")
    for spot in report.completeness.blind_spots:
        session.note(f"- {spot}")


def _headed(node: CallNode, root: str) -> str:
    path = shown(local_path(root, node.place.path))
    return f"[bold green]{shown(node.place.qualified_name)}[/]  [cyan]{path}:{node.place.start_line}[/]"
