"""`get_job_log`, `cocosearch-py log`: what happened to a run of indexing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypedDict

from cocosearch_py.errors import CocosearchError, NotFoundError
from cocosearch_py.tools.answers import Json, timestamp
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation

if TYPE_CHECKING:
    from cocosearch_py.storage.queries.runs import RunEvent


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of get_job_log."""

    job: Annotated[
        str | None,
        About("Job ID, or index name for its latest job; null: the latest job"),
        Flag(metavar="[JOB]", help="Job ID, or index name for its latest job (default: the latest job)."),
    ] = None


class Line(TypedDict):
    """What happened at a time."""

    at: str
    kind: str
    message: str


def get_job_log(call: Call, asked: Arguments) -> list[Json]:
    """Show the log of an indexing run, in order."""
    runs = call.jobs
    named = asked.job and (runs.of_index(asked.job) or runs.get(asked.job))
    found = named or next(iter(runs.all()), None)
    if not found:
        raise NotFoundError("nothing has been indexed yet", hint="run cocosearch-py index")
    return [_line(call, event) for event in runs.log(found.job_id)]


def _line(call: Call, event: "RunEvent") -> Json:
    return {"at": timestamp(event.at), "kind": event.kind, "message": call.told(CocosearchError(event.message))}


OPERATION = Operation(
    name="get_job_log",
    title="Log of a job",
    arguments=Arguments,
    run=get_job_log,
    shape=lambda lines, _: lines,
    answer=list[Line],
    toolset="index",
    order=11,
    listed=False,
    command=Command(name="log", help="Show the log of an indexing run: the latest, or the run of a job or index."),
)
