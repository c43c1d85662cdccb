"""`clear_index`, `cocosearch-py clear`: delete indexes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from cocosearch_py.errors import CocosearchError, IndexNotFoundError, ValidationError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.operations.common.answers import Json
from cocosearch_py.operations.common.call import Call
from cocosearch_py.operations.common.declaration import About, Command, Flag, Operation
from cocosearch_py.operations.common.schema import Count

if TYPE_CHECKING:
    from cocosearch_py.app import App

EXIT_FAILED = 1
_WAYS = "name one index, several, or say that all are meant"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of clear_index."""

    index_name: Annotated[str | None, About("The index to delete, at once")] = None
    index_names: Annotated[
        list[str] | None, About("Several; needs confirm"), Flag(metavar="[INDEX]...", help="Indexes to delete.")
    ] = None
    older_than_days: Annotated[int | None, About("All not updated for so long; needs confirm")] = None
    all: Annotated[bool, About("Every index; needs confirm"), Flag(names=("--all",), help="Delete all indexes.")] = (
        False
    )
    confirm: Annotated[
        bool, About("Yes, delete more than one"), Flag(names=("-y", "--force", "--yes"), help="Do not ask.")
    ] = False
    dry_run: Annotated[bool, About("Only tell what would be deleted")] = False
    ignore_missing: Annotated[
        bool, Flag(names=("--ignore-missing",), default=False, help="Delete the others when some do not exist.")
    ] = True


class ClearedItem(TypedDict):
    """What became of one index."""

    index_name: str
    success: bool
    error: NotRequired[str]
    error_type: NotRequired[str]


class Cleared(TypedDict):
    """What was deleted, or would be."""

    success: bool
    message: str
    dry_run: NotRequired[bool]
    would_delete: NotRequired[list[str]]
    chunks: NotRequired[Count]
    deleted: NotRequired[list[str]]
    total_deleted: NotRequired[Count]
    chunks_removed: NotRequired[Count]
    results: NotRequired[list[ClearedItem]]


@dataclass(frozen=True, slots=True, eq=False)
class Clearing:
    """What became of the chosen indexes, in their order; names that are not there stand before them."""

    chosen: tuple[IndexRecord, ...]
    deleted: tuple[IndexRecord, ...] = ()
    results: tuple[Json, ...] = ()
    declined: bool = False


def clear_index(call: Call, asked: Arguments) -> Clearing:
    """Delete an index for good. The source files stay; index_codebase makes it again."""
    ways = [asked.index_name is not None, bool(asked.index_names), asked.older_than_days is not None, asked.all]
    if not any(ways):
        raise ValidationError("no index is named", hint=_WAYS)
    if sum(ways) > 1:
        raise ValidationError("say in one way which indexes to delete", hint=_WAYS)
    app = call.app()
    chosen, missing = _chosen(call, app, asked)
    if asked.dry_run:
        return Clearing(chosen)
    if chosen and not asked.confirm and not call.may_delete(chosen, at_once=asked.index_name is not None):
        return Clearing(chosen, declined=True)
    if asked.index_name is not None:
        gone = app.catalog.clear(chosen[0].name, call.tell)
        call.changed()
        return Clearing(chosen, (gone,))
    return _clear_all(call, app, chosen, missing)


def _chosen(call: Call, app: "App", asked: Arguments) -> tuple[tuple[IndexRecord, ...], list[str]]:
    """Indexes that are there, and names that are not; raises IndexNotFoundError when none is."""
    from cocosearch_py.catalog.freshness import age_days
    from cocosearch_py.catalog.selection import meant
    from cocosearch_py.model.indexes import unknown_index

    records = [*call.visible(app), *call.unfinished(app)]
    if asked.all:
        return tuple(records), []
    if asked.older_than_days is not None:
        if asked.older_than_days < 0:
            raise ValidationError("older_than_days is negative", hint="give a number of days")
        return tuple(record for record in records if age_days(record) >= asked.older_than_days), []
    wanted = list(dict.fromkeys([asked.index_name] if asked.index_name is not None else asked.index_names or []))
    known = {name: found for name in wanted if (found := meant(records, name)) is not None}
    missing = [name for name in wanted if name not in known]
    if missing and (len(missing) == len(wanted) or not asked.ignore_missing):
        raise unknown_index(missing[0], records)
    return tuple({record.name: record for record in known.values()}.values()), missing


def _clear_all(call: Call, app: "App", chosen: tuple[IndexRecord, ...], missing: list[str]) -> Clearing:
    results = [_failed(name, f"Index '{name}' not found", IndexNotFoundError.error_type) for name in missing]
    deleted = []
    for record in chosen:
        try:
            app.catalog.clear(record.name, call.tell)
        except CocosearchError as error:
            results.append(_failed(record.name, call.told(error), error.error_type))
        else:
            deleted.append(record)
            results.append({"index_name": record.name, "success": True})
    call.changed()
    return Clearing(chosen, tuple(deleted), tuple(results))


def _failed(name: str, message: str, kind: str) -> Json:
    return {"index_name": name, "success": False, "error": message, "error_type": kind}


def _answer(clearing: Clearing, asked: Arguments) -> Json:
    if asked.dry_run:
        return {
            "success": True,
            "dry_run": True,
            "would_delete": [record.name for record in clearing.chosen],
            "chunks": sum(record.chunk_count for record in clearing.chosen),
            "message": "nothing was deleted",
        }
    if asked.index_name is not None:
        return _cleared(clearing.deleted[0])
    return {
        "success": len(clearing.deleted) == len(clearing.results),
        "deleted": [record.name for record in clearing.deleted],
        "total_deleted": len(clearing.deleted),
        "chunks_removed": sum(record.chunk_count for record in clearing.deleted),
        "results": list(clearing.results),
        "message": f"{len(clearing.deleted)} indexes cleared",
    }


def _command_answer(clearing: Clearing, asked: Arguments) -> Any:
    if clearing.declined:
        return {"success": False, "message": "nothing was deleted"}
    told = _answer(clearing, asked)
    if len(clearing.deleted) == len(clearing.results) == 1:
        return _cleared(clearing.deleted[0])
    if len(clearing.deleted) < len(clearing.chosen):
        return told
    missing = [one["index_name"] for one in clearing.results if not one["success"]]  # --ignore-missing: no failure
    return {"success": True, "message": told["message"], "cleared": told["deleted"]} | (
        {"missing": missing} if missing else {}
    )


def _cleared(record: IndexRecord) -> Json:
    return {"success": True, "message": f"Index '{record.name}' cleared successfully"}


def _exit_code(clearing: Clearing, _: Arguments) -> int:
    return EXIT_FAILED if len(clearing.deleted) < len(clearing.chosen) else 0


OPERATION = Operation(
    name="clear_index",
    title="Delete an index",
    arguments=Arguments,
    run=clear_index,
    shape=_answer,
    answer=Cleared,
    error_is_text=True,
    toolset="index",
    order=3,
    writes=True,
    destroys=True,
    command=Command(
        name="clear",
        help="Delete indexes for good; the indexed files stay as they are.",
        shape=_command_answer,
        exit_code=_exit_code,
    ),
)
