"""`restore_index`, `cocosearch-py restore`: bring an index back that was cleared."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NotRequired, TypedDict

from cocosearch_py.catalog.selection import meant
from cocosearch_py.errors import IndexNotFoundError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.tools.answers import Json, timestamp
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import About, Command, Flag, Operation

if TYPE_CHECKING:
    from cocosearch_py.storage.queries.cleared import Cleared


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of restore_index."""

    index_name: Annotated[
        str | None,
        About("Name or index_id of the cleared index; omit to list restorable indexes"),
        Flag(metavar="[INDEX]", help="Index name or ID. Without it, list the indexes that can be restored."),
    ] = None


class RestorableItem(TypedDict):
    """An index that was cleared."""

    name: str
    index_id: str
    root_path: str
    chunks: Count
    cleared_at: str
    restorable_until: str


class Restored(TypedDict):
    """An index that is there again, or what can be restored, the last cleared first."""

    success: bool
    index_name: NotRequired[str]
    index_id: NotRequired[str]
    path: NotRequired[str]
    files: NotRequired[Count]
    chunks: NotRequired[Count]
    message: NotRequired[str]
    restorable: NotRequired[list[RestorableItem]]


def restore_index(call: Call, asked: Arguments) -> "IndexRecord | list[Cleared]":
    """Restore an index that clear_index deleted within the last 24 hours, as it was."""
    app = call.app()
    known = call.restorable(app)
    if asked.index_name is None:
        return known
    gone = meant(known, asked.index_name)
    if gone is None:
        names = ", ".join(dict.fromkeys(one.name for one in known))
        raise IndexNotFoundError(
            f"no index '{asked.index_name[:100]}' can be restored",
            hint=f"restorable: {names}" if names else "index the folder again",
        )
    restored = app.catalog.restore(gone)
    call.changed()
    return restored


def _answer(found: "IndexRecord | list[Cleared]", _: Arguments) -> Json:
    if not isinstance(found, IndexRecord):
        return {"success": True, "restorable": [_item(one) for one in found]}
    return {
        "success": True,
        "index_name": found.name,
        "index_id": found.ulid,
        "path": found.root_path,
        "files": found.file_count,
        "chunks": found.chunk_count,
        "message": f"Index '{found.name}' restored",
    }


def _item(one: "Cleared") -> Json:
    return {
        "name": one.name,
        "index_id": one.ulid,
        "root_path": one.root_path,
        "chunks": one.chunk_count,
        "cleared_at": timestamp(one.cleared_at),
        "restorable_until": timestamp(one.expires_at),
    }


OPERATION: "Operation[Arguments, IndexRecord | list[Cleared]]" = Operation(
    name="restore_index",
    title="Restore an index",
    arguments=Arguments,
    run=restore_index,
    shape=_answer,
    answer=Restored,
    toolset="index",
    order=8,
    listed=False,
    writes=True,
    command=Command(name="restore", help="Restore an index that was cleared within the last 24 hours."),
)
