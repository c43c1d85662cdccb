"""Mimir's `cancel`: stop the run that makes an index."""

from dataclasses import dataclass
from typing import Annotated, TypedDict

from cocosearch_py.features.jobs.service import cancel_indexing
from cocosearch_py.features.jobs.tools import CancelArguments, Cancelled
from cocosearch_py.operations.dialects.mimir import failed
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation, Waiting


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Mimir's cancel."""

    index_id: Annotated[str, About("From ensure_repo_index")]


class Answer(TypedDict):
    """`ok` is false when the run had ended before."""

    ok: bool
    message: str


def cancel(call: Call, asked: Arguments) -> Waiting[Cancelled]:
    """Stop the run that makes an index."""
    return cancel_indexing(call, CancelArguments(index_name=asked.index_id))


def _answer(stopped: Cancelled, _: Arguments) -> Json:
    if stopped.state in ("completed", "failed"):
        return {"ok": False, "message": f"Pipeline {stopped.state} before it was cancelled"}
    return {"ok": True, "message": "Pipeline cancelled"}


OPERATION = Operation(
    name="cancel",
    title="Stop indexing",
    arguments=Arguments,
    run=cancel,
    shape=_answer,
    answer=Answer,
    failed=failed,
)
