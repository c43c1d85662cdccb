"""Lexa's `changes`: what happened to files since the server was started."""

from dataclasses import dataclass
from typing import Annotated, TypedDict, cast

from cocosearch_py.features.edit.history import ChangesFound, place_of_log, read_log
from cocosearch_py.features.edit.tools import MAX_CHANGES
from cocosearch_py.model.answers import Bounds, Count
from cocosearch_py.model.changes import ChangeRequest
from cocosearch_py.tools import parameters as given
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Operation
from cocosearch_py.tools.fitting import fit

_NOTE = "Changes since this server was started; list_changes has those before it as well."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of Lexa's changes; an index may be named."""

    since: Annotated[int, Bounds(0), About("Sequence number")] = 0
    index_name: given.IndexName = None


class Row(TypedDict):
    """A change of one file."""

    path: str
    seq: Count
    op: str


class Answer(TypedDict):
    """`count` is the number of changes shown."""

    since: Count
    count: Count
    change_history_persisted: bool
    note: str
    changes: list[Row]


def changes(call: Call, asked: Arguments) -> ChangesFound:
    """Show what happened to files after a sequence number."""
    app, root = place_of_log(call)
    return read_log(app, root, ChangeRequest(since_seq=asked.since, since_time=app.opened_at, most=MAX_CHANGES))


def _answer(found: ChangesFound, asked: Arguments) -> Json:
    rows = [{"path": one.path, "seq": one.seq, "op": one.op} for one in found.changes]
    return cast(
        "Json",
        fit(
            rows,
            lambda kept: {
                "since": asked.since,
                "count": len(kept),
                "change_history_persisted": True,
                "note": _NOTE,
                "changes": list(kept),
            },
        ),
    )


OPERATION = Operation(
    name="changes",
    title="Changes of files",
    arguments=Arguments,
    run=changes,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
)
