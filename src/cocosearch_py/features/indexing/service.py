"""Begins the runs of index_codebase, and answers what they did."""

import math
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import structs

from cocosearch_py.app import App
from cocosearch_py.errors import OperationCancelled, ValidationError
from cocosearch_py.features.indexing.forecasts import estimate_item, estimated, forecast_item
from cocosearch_py.features.indexing.options import mode_of, narrowed, options_of
from cocosearch_py.features.indexing.several import MOST_PATHS, Several, listed_paths, run_each
from cocosearch_py.features.indexing.tools import (
    MAX_WAIT_S,
    IndexCodebaseArguments,
    Indexed,
    SeveralIndexed,
    StillRunning,
)
from cocosearch_py.indexing.forecast_report import Forecast
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.jobs.registry import JobStatus
from cocosearch_py.tools.answer import Json, plain
from cocosearch_py.tools.bounds import Bounded
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Waiting, with_values
from cocosearch_py.tools.revisions import revision_meant
from cocosearch_py.tools.runs import index_of, progress, run_stats


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run, ended or not; `report` is there when it has ended."""

    folder: Path
    job: JobStatus
    index_id: str | None

    @property
    def report(self) -> RunReport | None:
        report: RunReport | None = self.job.result
        return report


Report = Run | Forecast | Several[Run | Forecast]
Answer = Indexed | StillRunning | SeveralIndexed | Json


def index_codebase(call: Call, asked: IndexCodebaseArguments) -> Waiting[Answer] | Answer:
    """Index folders, or forecast that; see `begin_runs` for the errors."""
    bounded = Bounded()
    _seconds(asked, bounded)
    begun = begin_runs(call, asked)
    if isinstance(begun, Waiting):
        return replace(begun, then=lambda job: _answer(begun.then(job), asked, bounded.notes))
    return _answer(begun, asked, bounded.notes)


def begin_runs(call: Call, asked: IndexCodebaseArguments) -> Waiting[Any] | Report:
    """Begin the runs of the folders of a call, or forecast them.

    Raises:
        ValidationError, ConfigurationError: arguments contradict each other, or are wrong.
        SafetyError, WorkspaceError: the caller may not index the folder, or it is not there.
    """
    paths = _folders(call, asked)
    if paths is None:
        return _begin(call, asked, asked.path)
    if asked.index_name:
        raise ValidationError(
            "several folders cannot have one index_name", hint="leave out index_name=NAME, or index one folder"
        )
    if call.settles:
        paths = _once(call, paths)
    return run_each(call, paths, lambda own, path: _begin(own, asked, path, is_entry=True), _seconds(asked))


def _folders(call: Call, asked: IndexCodebaseArguments) -> list[str] | None:
    """Return the folders to index; None for that of `path` alone. Raises ValidationError."""
    named = [asked.path, *(asked.paths or ())] if asked.paths_from else asked.paths
    if asked.paths_from == "-" and sys.stdin.isatty():
        call.tell("reading folders from the terminal, one a line, until Ctrl-D")
    return listed_paths(named, asked.paths_from, most=None if call.settles else MOST_PATHS)


def _once(call: Call, paths: Sequence[str]) -> list[str]:
    """Return the paths without further names of a folder, and tell a person of these."""
    firsts: dict[str, str] = {}
    for path in paths:
        first = firsts.setdefault(os.path.realpath(call.folder_to_index(path)), path)
        if first != path:
            call.tell(f"{path} is the same folder as {first}; it is indexed once")
    return list(firsts.values())


def _begin(
    call: Call, asked: IndexCodebaseArguments, path: str, *, is_entry: bool = False
) -> Waiting[Run | Forecast] | Forecast:
    folder = call.folder_to_index(path)
    app = call.app_of_entry(folder) if is_entry else call.app(folder)
    if is_entry and call.settles:
        asked = with_values(asked, {"include": None, "exclude": None})
    options = replace(
        options_of(app, folder, asked),
        revision=revision_meant(folder, asked.rev),
        context_lines=asked.context_lines,
    )
    if asked.members:
        options = replace(options, discovery=narrowed(call, folder, options.discovery, asked))
    name = call.name_of(app, asked.index_name) if asked.index_name else None
    if mode_of(asked) == "estimate":
        return call.forecast(app, folder, name, options)
    job = call.start_run(app, folder, name, options)
    return Waiting(job, _seconds(asked), partial(_ended, app, folder), stops=(job,))


def _seconds(asked: IndexCodebaseArguments, bounded: Bounded | None = None) -> float:
    """Return how long a call waits; `bounded` collects a note where that is not as long as asked."""
    if asked.detach:
        return 0.0
    if asked.wait == "auto":
        return (bounded or Bounded()).value("wait_s", asked.wait_s, 0.0, MAX_WAIT_S)
    return math.inf if asked.wait else 0.0


def _ended(app: App, folder: Path, job: JobStatus) -> Run:
    """Return the run as it is now.

    Raises:
        OperationCancelled: it was stopped before it began; else the error of a failed job.
    """
    if job.error is not None:
        raise job.error
    if job.ended and job.result is None:
        raise OperationCancelled(
            f"job {job.job_id} was cancelled before it started; nothing was changed", hint="call index_codebase again"
        )
    run_report: RunReport | None = job.result
    index_id = run_report.index_id if run_report is not None else app.catalog.identity_of(index_of(job))
    return Run(folder, job, index_id)


def _answer(report: Report, asked: IndexCodebaseArguments, notes: Sequence[str]) -> Answer:
    answer = _several(report, asked) if isinstance(report, Several) else _single(report, asked)
    if not notes:
        return answer
    item = plain(answer)
    return {**item, "warnings": [*item.get("warnings", ()), *notes]}


def _several(several: Several[Run | Forecast], asked: IndexCodebaseArguments) -> Answer:
    results = [
        {"success": False, "path": outcome.path, **(outcome.error or {})}
        if outcome.report is None
        else plain(_single(outcome.report, asked))
        for outcome in several.outcomes
    ]
    answer = SeveralIndexed(success=several.is_whole, results=tuple(results))
    if asked.mode != "estimate":
        return answer
    return {**plain(answer), **estimated([report for report in several.reports if isinstance(report, Forecast)])}


def _single(run: Run | Forecast, asked: IndexCodebaseArguments) -> Answer:
    if isinstance(run, Forecast):
        return estimate_item(run) if asked.mode == "estimate" else forecast_item(run)
    report, job = run.report, progress(run.job)
    if report is None:
        return StillRunning(
            **structs.asdict(job),
            success=True,
            index_id=run.index_id,
            path=str(run.folder.absolute()),
            message=f"still running: call index_status with job_id {job.job_id}",
        )
    return Indexed(
        success=True,
        index_name=report.index_name,
        index_id=report.index_id,
        path=report.root_path,
        stats=run_stats(report),
        interrupted=report.interrupted,
        timeout_files=report.timeout_files,
        warnings=report.warnings,
        state="cancelled" if job.state == "cancelled" else "completed",
        job_id=job.job_id,
    )
