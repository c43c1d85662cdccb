"""`index` on a terminal: what a run did."""

import sys

from cocosearch_py.cli.session import Session
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.model.counts import counted
from cocosearch_py.render.layout import shown
from cocosearch_py.tools.ran import summary


def show_run(session: Session, report: RunReport) -> None:
    """Two lines about the run, and what is left to do."""
    told = ", ".join(f"{count:,} {what}" for count, what in summary(report)) or "no files"
    if report.files_reused:
        told += f" ({report.files_reused:,} reused from other indexes)"
    lines = [
        f"[bold green]{shown(report.index_name)}[/]  {shown(report.root_path)}",
        f"{told}; {counted(report.chunks, 'chunk')} in {report.seconds:.1f} s",
    ]
    if report.files_failed:
        lines.append(f"[yellow]`cocosearch-py stats {shown(report.index_name)} --show-failures` shows what failed[/]")
    session.console.print("\n".join(lines), soft_wrap=True)
    for warning in report.warnings:
        session.warn(warning)
    sys.stdout.flush()
