"""Remarks on standard error about indexes and the runs that make them."""

from typing import Any

from cocosearch_py.cli.session import Session
from cocosearch_py.model.counts import counted
from cocosearch_py.tools import ran
from cocosearch_py.tools.several import Several


def on_run(session: Session, run: ran.Report, asked: Any) -> None:
    """Print how to continue an interrupted run, or the warnings of a dry run."""
    if isinstance(run, Several):
        for one in run.reports:
            on_run(session, one, asked)
        return
    if not isinstance(run, ran.Run):
        for warning in run.warnings:
            session.warn(warning)
        if run.asks:
            session.note("a run asks for confirmation before it indexes this much: `index --yes` confirms")
        return
    report = run.report
    if report is not None and report.interrupted and (report.files_added or not report.warnings):
        session.note(
            f"interrupted: {counted(report.files_added + report.files_updated, 'file')} kept and searchable, "
            f"{report.files_pending:,} left; run the same command again to continue"
        )
