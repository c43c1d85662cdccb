"""What is answered of runs of indexing: of one that has ended or goes on, of a forecast, of several."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Union

from cocosearch_py.errors import CocosearchError, OperationCancelled
from cocosearch_py.tools.answer import plain
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.estimates import estimate_item, estimated
from cocosearch_py.tools.forecasts import forecast_item
from cocosearch_py.tools.runs import progress, run_stats
from cocosearch_py.tools.several import Several

if TYPE_CHECKING:
    from cocosearch_py.indexing.forecast import Forecast
    from cocosearch_py.indexing.progress import RunReport
    from cocosearch_py.jobs.registry import JobStatus


class Shaped(Protocol):
    """Arguments that say how a run is answered."""

    @property
    def mode(self) -> str | None: ...


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run, ended or not; `report` is there when it has ended."""

    folder: Path
    job: "JobStatus"
    index_id: str | None

    @property
    def report(self) -> "RunReport | None":
        report: RunReport | None = self.job.result
        return report


Report = Union["Run", "Forecast", Several["Run | Forecast"]]


def answer(run: "Report", asked: Shaped) -> Json:
    if not isinstance(run, Several):
        return _answer_one(run, asked)
    return _answer_several(run, lambda one: _answer_one(one, asked), asked)


def command_answer(run: "Report", asked: Shaped) -> Json:
    if not isinstance(run, Several):
        return _command_answer_one(run, asked)
    return _answer_several(run, lambda one: _command_answer_one(one, asked), asked)


def _answer_several(run: "Several[Run | Forecast]", item: "Callable[[Run | Forecast], Json]", asked: Shaped) -> Json:
    results = [
        item(one.report) if one.report is not None else {"success": False, "path": one.path, **(one.error or {})}
        for one in run.outcomes
    ]
    answer: Json = {"success": run.is_whole, "results": results}
    forecasts = [report for report in run.reports if not isinstance(report, Run)]
    return {**answer, **estimated(forecasts)} if asked.mode == "estimate" else answer


def _told(forecast: "Forecast", asked: Shaped) -> Json:
    return estimate_item(forecast) if asked.mode == "estimate" else forecast_item(forecast)


def _answer_one(run: "Run | Forecast", asked: Shaped) -> Json:
    if not isinstance(run, Run):
        return _told(run, asked)
    if run.report is None:
        return {
            "success": True,
            **plain(progress(run.job)),
            "index_id": run.index_id,
            "path": str(run.folder.absolute()),
            "message": f"still running: call index_status with job_id {run.job.job_id}",
        }
    state = "cancelled" if run.job.state == "cancelled" else "completed"
    return {**_command_answer_one(run, asked), "state": state, "job_id": run.job.job_id}


def _command_answer_one(run: "Run | Forecast", asked: Shaped) -> Json:
    if not isinstance(run, Run):
        return _told(run, asked)
    report = run.report
    if report is None:  # it does not wait
        return answer(run, asked)
    return {
        "success": True,
        "index_name": report.index_name,
        "index_id": report.index_id,
        "path": report.root_path,
        "stats": plain(run_stats(report)),
        "interrupted": report.interrupted,
        "timeout_files": list(report.timeout_files),
        "warnings": list(report.warnings),
    }


def exit_code(run: "Report", _: Any) -> int:
    if isinstance(run, Several):
        if run.is_cancelled or any(exit_code(one, _) for one in run.reports):
            return OperationCancelled.exit_code
        return 0 if run.is_whole else CocosearchError.exit_code
    interrupted = isinstance(run, Run) and run.report is not None and run.report.interrupted
    return OperationCancelled.exit_code if interrupted else 0


def summary(report: "RunReport | Forecast") -> Iterator[tuple[int, str]]:
    """Counts of files and what happened to them, without zeros."""
    counts = (
        (report.files_added, "added"),
        (report.files_updated, "updated"),
        (report.files_removed, "removed"),
        (report.files_unchanged, "unchanged"),
        (report.files_skipped - report.files_in_skipped_folders, "skipped"),
        (report.files_failed, "failed"),
        (report.folders_skipped, f"folder{'s' * (report.folders_skipped != 1)} ignored"),
    )
    return ((count, what) for count, what in counts if count)
