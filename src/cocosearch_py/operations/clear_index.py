"""`clear_index`, `cocosearch-py clear`: delete indexes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired, TypedDict

from cocosearch_py.catalog.freshness import age_days
from cocosearch_py.catalog.selection import meant
from cocosearch_py.errors import CocosearchError, ConfigurationError, IndexNotFoundError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.counts import counted
from cocosearch_py.model.indexes import IndexRecord, UnreadableIndex, unknown_index
from cocosearch_py.tools.answers import Json, timestamp
from cocosearch_py.tools.call import Call
from cocosearch_py.tools.declaration import UNLISTED, About, Alias, Command, Flag, Operation

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.catalog.selection import Named
    from cocosearch_py.tools.call import Removable

EXIT_FAILED = 1
_WAYS = "name one or more indexes, or choose all"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arguments:
    """Parameters of clear_index."""

    index_name: Annotated[str | None, About("Index to delete, without confirm")] = None
    index_names: Annotated[
        list[str] | None, About("Several; needs confirm"), Flag(metavar="[INDEX]...", help="Indexes to delete.")
    ] = None
    older_than_days: Annotated[
        int | None,
        About("Indexes not updated for this long; needs confirm"),
        Flag(
            names=("--older-than",),
            metavar="DAYS",
            minimum=0,
            help="Delete indexes that were not updated for this many days.",
        ),
    ] = None
    all: Annotated[bool, About("Every index; needs confirm"), Flag(names=("--all",), help="Delete all indexes.")] = (
        False
    )
    confirm: Annotated[
        bool,
        About("Confirm deleting more than one"),
        Flag(names=("-y", "--force", "--yes"), help="Do not ask for confirmation."),
    ] = False
    dry_run: Annotated[
        bool,
        About("Only report what would be deleted"),
        Flag(names=("--dry-run",), help="Show what would be deleted; delete nothing."),
    ] = False
    purge: Annotated[
        bool,
        About("Delete for good, with indexes cleared before; cannot be restored"),
        UNLISTED,
        Flag(
            names=("--purge",),
            help="Delete for good and free the space now, also of indexes cleared before. They cannot be restored.",
        ),
    ] = False
    ignore_missing: Annotated[
        bool, Flag(names=("--ignore-missing",), default=False, help="Ignore names that have no index.")
    ] = True


class ClearedItem(TypedDict):
    """What became of one index."""

    index_name: str
    success: bool
    error: NotRequired[str]
    error_type: NotRequired[str]


class Cleared(TypedDict):
    """What was deleted, or would be. `restorable_until` is null when nothing of it can be restored."""

    success: bool
    message: str
    dry_run: NotRequired[bool]
    would_delete: NotRequired[list[str]]
    chunks: NotRequired[Count]
    deleted: NotRequired[list[str]]
    total_deleted: NotRequired[Count]
    chunks_removed: NotRequired[Count]
    cache_cleared: NotRequired[bool]
    linked_index_warnings: NotRequired[list[str]]
    restorable_until: NotRequired[str | None]
    results: NotRequired[list[ClearedItem]]


class Gone(NamedTuple):
    """One index that was deleted, and until when it can be restored."""

    removed: "Removable"
    until: datetime | None


@dataclass(frozen=True, slots=True, eq=False)
class Clearing:
    """What became of the chosen indexes, in their order; names that are not there stand before them.

    `links` are the names of indexes that are configured to be searched with one that is gone, and its name.
    """

    chosen: "tuple[Removable, ...]"
    deleted: tuple[Gone, ...] = ()
    results: tuple[Json, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    declined: bool = False

    @property
    def until(self) -> datetime | None:
        """Until when all that can be restored can be."""
        return min((one.until for one in self.deleted if one.until is not None), default=None)


def clear_index(call: Call, asked: Arguments) -> Clearing:
    """Delete an index; restore_index can bring it back for 24 hours. The source files stay."""
    ways = [asked.index_name is not None, bool(asked.index_names), asked.older_than_days is not None, asked.all]
    if not any(ways):
        raise ValidationError("no index given", hint=_WAYS)
    if sum(ways) > 1:
        raise ValidationError("the indexes to delete are given in more than one way", hint=_WAYS)
    app = call.app()
    chosen, missing = _chosen(call, app, asked)
    if asked.dry_run:
        return Clearing(chosen)
    if chosen and not asked.confirm and not call.may_delete(chosen, at_once=asked.index_name is not None):
        return Clearing(chosen, declined=True)
    if asked.index_name is not None:
        deleted = [_remove(call, app, chosen[0], asked)]
        results: list[Json] = []
    else:
        deleted, results = _remove_all(call, app, chosen, asked)
    call.changed()
    results = [_failed(name, f"Index '{name}' not found", IndexNotFoundError.error_type) for name in missing] + results
    links = _links_to([one.removed for one in deleted], call.visible(app)) if deleted else []
    return Clearing(chosen, tuple(deleted), tuple(results), tuple(links))


def _links_to(gone: "Sequence[Named]", records: "Sequence[IndexRecord]") -> list[tuple[str, str]]:
    """Which of these indexes are configured to be searched with one that is gone: (its name, name of that one)."""
    from cocosearch_py.config.load import load_settings

    found = []
    for record in records:
        try:
            linked = load_settings(start=Path(record.root_path), environ={}).settings.linked_indexes
        except ConfigurationError:  # whoever searches that index hears of it
            continue
        others = (meant(gone, name) for name in linked)
        found += [(record.name, name) for name in dict.fromkeys(one.name for one in others if one is not None)]
    return found


def _chosen(call: Call, app: "App", asked: Arguments) -> "tuple[tuple[Removable, ...], list[str]]":
    """Indexes that are there, and names that are not; raises IndexNotFoundError when none is.

    With `purge` also those that were cleared; of one name the index that is there now comes first.
    """
    records: list[IndexRecord] = [*call.visible(app), *call.unfinished(app)]
    if asked.older_than_days is not None:
        if asked.older_than_days < 0:
            raise ValidationError("older_than_days is negative", hint="give a number of days")
        return tuple(record for record in records if age_days(record) >= asked.older_than_days), []
    known: list[Removable] = [*records, *call.unreadable(app), *(call.restorable(app) if asked.purge else ())]
    if asked.all:
        return tuple(known), []
    wanted = list(dict.fromkeys([asked.index_name] if asked.index_name is not None else asked.index_names or []))
    found = {name: one for name in wanted if (one := meant(known, name)) is not None}
    missing = [name for name in wanted if name not in found]
    if missing and (len(missing) == len(wanted) or not asked.ignore_missing):
        raise unknown_index(missing[0], records)
    return tuple({one.index_id: one for one in found.values()}.values()), missing


def _remove(call: Call, app: "App", one: "Removable", asked: Arguments) -> Gone:
    if isinstance(one, UnreadableIndex):
        app.catalog.clear_unreadable(one, call.tell)
        return Gone(one, None)
    if not isinstance(one, IndexRecord):
        app.catalog.purge(one, call.tell)
        return Gone(one, None)
    if asked.purge:
        return Gone(app.catalog.clear(one.name, call.tell), None)
    return Gone(*app.catalog.put_away(one.name, call.tell))


def _remove_all(
    call: Call, app: "App", chosen: "Sequence[Removable]", asked: Arguments
) -> tuple[list[Gone], list[Json]]:
    """What was deleted, and what became of each; one that cannot be deleted does not stop the others."""
    deleted, results = [], list[Json]()
    for one in chosen:
        try:
            deleted.append(_remove(call, app, one, asked))
        except CocosearchError as error:
            results.append(_failed(one.name, call.told(error), error.error_type))
        else:
            results.append({"index_name": one.name, "success": True})
    return deleted, results


def _failed(name: str, message: str, kind: str) -> Json:
    return {"index_name": name, "success": False, "error": message, "error_type": kind}


def answer(clearing: Clearing, asked: Arguments) -> Json:
    """What the tool answers."""
    if asked.dry_run:
        return {
            "success": True,
            "dry_run": True,
            "would_delete": [one.name for one in clearing.chosen],
            "chunks": sum(one.chunk_count for one in clearing.chosen),
            "message": "nothing was deleted",
        }
    told: Json = {
        "deleted": [one.removed.name for one in clearing.deleted],
        "total_deleted": len(clearing.deleted),
        "chunks_removed": sum(one.removed.chunk_count for one in clearing.deleted),
        "cache_cleared": bool(clearing.deleted),
        "linked_index_warnings": warnings(clearing),
        "restorable_until": timestamp(clearing.until) if clearing.until is not None else None,
    }
    if asked.index_name is not None:
        return {**_cleared(clearing.deleted[0]), **told}
    return {
        "success": len(clearing.deleted) == len(clearing.results),
        **told,
        "results": list(clearing.results),
        "message": f"{counted(len(clearing.deleted), 'index')} cleared",
    }


def warnings(clearing: Clearing) -> list[str]:
    """Which other indexes are configured to be searched with one that is gone, in words."""
    return [
        f"index '{linking}' is configured to be searched together with '{gone}' (linkedIndexes); its searches continue "
        "without it"
        for linking, gone in clearing.links
    ]


def command_answer(clearing: Clearing, asked: Arguments) -> Any:
    """What the command prints."""
    if clearing.declined:
        return {"success": False, "message": "nothing was deleted"}
    told = answer(clearing, asked)
    if asked.dry_run:
        return told
    more = {name: told[name] for name in ("restorable_until", "linked_index_warnings") if told[name]}
    if len(clearing.deleted) == len(clearing.results) == 1:
        return {**_cleared(clearing.deleted[0]), **more}
    if len(clearing.deleted) < len(clearing.chosen):
        return told
    missing = [one["index_name"] for one in clearing.results if not one["success"]]  # --ignore-missing: no failure
    cleared = {"success": True, "message": told["message"], "cleared": told["deleted"], **more}
    return cleared | ({"missing": missing} if missing else {})


def _cleared(gone: Gone) -> Json:
    return {"success": True, "message": f"Index '{gone.removed.name}' cleared successfully"}


def exit_code(clearing: Clearing, asked: Arguments) -> int:
    """1 when not all of what was chosen is gone."""
    return EXIT_FAILED if not asked.dry_run and len(clearing.deleted) < len(clearing.chosen) else 0


OPERATION = Operation(
    name="clear_index",
    title="Delete an index",
    arguments=Arguments,
    run=clear_index,
    shape=answer,
    answer=Cleared,
    error_is_text=True,
    toolset="index",
    order=3,
    writes=True,
    destroys=True,
    command=Command(
        name="clear",
        help="""Delete indexes; the indexed files stay.

        `restore` can bring them back for 24 hours; the next run after that frees their space.
        """,
        shape=command_answer,
        exit_code=exit_code,
    ),
    aliases=(
        Alias(name="clear_index", program="Lexa", dialect="clear_index.OPERATION"),
        Alias(
            name="collections", program="Code Index", chosen_by=("subcommand", "delete"), dialect="collections.DELETE"
        ),
        Alias(name="collections", program="Code Index", chosen_by=("subcommand", "prune"), dialect="collections.PRUNE"),
        Alias(
            name="collections",
            program="Code Index",
            chosen_by=("subcommand", "clear-all"),
            dialect="collections.CLEAR_ALL",
        ),
    ),
)
