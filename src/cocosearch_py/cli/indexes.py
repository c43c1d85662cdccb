"""Indexes, and the runs that make them, on a terminal."""

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.showing import payload
from cocosearch_py.cli.views.forecast import show_forecast
from cocosearch_py.cli.views.run import show_run
from cocosearch_py.operations import index_codebase
from cocosearch_py.tools import ran
from cocosearch_py.tools.several import Several


def indexed(session: Session, run: ran.Report, asked: index_codebase.Arguments) -> None:
    if isinstance(run, Several):
        for one in run.outcomes:
            if one.report is not None:
                indexed(session, one.report, asked)
            else:
                session.warn(f"{one.path}: {(one.error or {}).get('message')}")
        return
    if isinstance(run, ran.Run):
        if run.report is not None:
            show_run(session, run.report)
        else:
            session.say(f"running as job {run.job.job_id}; to follow it: cocosearch-py status {run.job.job_id} --watch")
        return
    told = ", ".join(f"{count:,} {what}" for count, what in ran.summary(run))
    show_forecast(session.console, payload(index_codebase.OPERATION, run, asked), told, verbose=session.verbose)
