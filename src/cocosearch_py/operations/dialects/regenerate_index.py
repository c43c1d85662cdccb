"""indxr's `regenerate_index`: brings the index of the project up to date. It writes no file into the project."""

from dataclasses import dataclass
from typing import NamedTuple, TypedDict, cast

from cocosearch_py.features.indexing.service import Run, begin_runs
from cocosearch_py.features.indexing.tools import MAX_WAIT_S
from cocosearch_py.features.indexing.tools import IndexCodebaseArguments as Ours
from cocosearch_py.model.answers import Count
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Operation, Waiting


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """indxr's regenerate_index has no parameters."""


class Answer(TypedDict):
    """What the index holds; `status` is "running" when the run takes longer than 20 s."""

    status: str
    message: str
    path: str
    files_indexed: Count
    total_lines: Count


class Regenerated(NamedTuple):
    """The run, and files and lines of the index when it has ended."""

    run: Run
    files: int = 0
    lines: int = 0


def regenerate_index(call: Call, _: Arguments) -> Waiting[Regenerated]:
    """Bring the index of the project up to date; waits at most 20 s."""
    begun = cast("Waiting[Run]", begin_runs(call, Ours(path=".")))

    def ended(job: object) -> Regenerated:
        run = begun.then(call.jobs.get(begun.job.job_id))
        if run.report is None:
            return Regenerated(run)
        app = call.app()
        stats = app.catalog.stats(call.named(app, run.report.index_name))
        return Regenerated(run, stats.record.file_count, sum(one.lines for one in stats.languages))

    return Waiting(begun.job, MAX_WAIT_S, ended, stops=begun.stops)


def _answer(done: Regenerated, _: Arguments) -> Json:
    running = done.run.report is None
    told = f"index brought up to date ({done.files} files, {done.lines} lines); export_index writes INDEX.md"
    return {
        "status": "running" if running else "ok",
        "message": f"call index_status with job_id {done.run.job.job_id}" if running else told,
        "path": str(done.run.folder),
        "files_indexed": done.files,
        "total_lines": done.lines,
    }


OPERATION: "Operation[Arguments, Regenerated]" = Operation(
    name="regenerate_index",
    title="Bring the index up to date",
    arguments=Arguments,
    run=regenerate_index,
    shape=_answer,
    answer=Answer,
    about_project=True,
)
