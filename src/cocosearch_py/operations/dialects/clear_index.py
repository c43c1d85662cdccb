"""Lexa's `clear_index`: without any arguments, it is about the project of the caller alone."""

from dataclasses import dataclass
from typing import TypedDict

from cocosearch_py.errors import NotIndexedError, ValidationError
from cocosearch_py.tools.answers import Json
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import Operation
from cocosearch_py.tools.registry import answer_of


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Lexa's clear_index has no parameters."""


class Gone(TypedDict):
    """What was cleared, and until when it can be restored."""

    index_name: str
    restorable_until: str | None


class Answer(TypedDict):
    """What became of the project's index; `graph` is null if it has none."""

    cleared: bool
    graph_removed: bool
    graph: Gone | None


def clear_index(call: Call, _: Arguments) -> Json | None:
    """Delete the index of the project; for 24 hours restore_index brings it back."""
    place = call.selection.place
    if place is not None and len(place.folders) > 1:
        raise ValidationError(
            f"the client has {len(place.folders)} folders open, so the index is ambiguous", hint="pass index_name"
        )
    try:
        record = call.find().records[0]
    except NotIndexedError:
        return None
    cleared: Json = answer_of(call, "clear_index", {"index_name": record.name})
    return cleared


def _answer(cleared: Json | None, _: Arguments) -> Json:
    if cleared is None or not cleared["deleted"]:
        return {"cleared": False, "graph_removed": False, "graph": None}
    graph = {"index_name": cleared["deleted"][0], "restorable_until": cleared["restorable_until"]}
    return {"cleared": True, "graph_removed": True, "graph": graph}


OPERATION = Operation(
    name="clear_index",
    title="Delete the project's index",
    arguments=Arguments,
    run=clear_index,
    shape=_answer,
    answer=Answer,
    about_indexes=True,
    writes=True,
    destroys=True,
)
