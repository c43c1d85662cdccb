"""Deletion of indexes."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from cocosearch_py.app import App
from cocosearch_py.catalog.freshness import age_days
from cocosearch_py.catalog.selection import Named, meant
from cocosearch_py.config.load import load_settings
from cocosearch_py.errors import CocosearchError, ConfigurationError, ValidationError
from cocosearch_py.features.catalog.tools import (
    NOT_FOUND,
    ClearArguments,
    Cleared,
    ClearResult,
    PruneArguments,
)
from cocosearch_py.model.counts import counted
from cocosearch_py.model.indexes import IndexRecord, UnreadableIndex, unknown_index
from cocosearch_py.storage.queries.cleared import Cleared as ClearedIndex
from cocosearch_py.tools.answers import timestamp
from cocosearch_py.tools.call import Call

Removable = IndexRecord | UnreadableIndex | ClearedIndex

_WAYS = "name one or more indexes, or choose all"


class _Deleted(NamedTuple):
    """A deleted index, and until when it can be restored."""

    removed: Removable
    until: datetime | None


def clear_index(call: Call, asked: ClearArguments) -> Cleared:
    """Delete the chosen indexes. One that cannot be deleted does not stop the others.

    Raises:
        ValidationError: no index is chosen, or they are chosen in more than one way.
        IndexNotFoundError: none of the named indexes is there.
        UnconfirmedError: the deletion needs a confirmation.
    """
    ways = [asked.index_name is not None, bool(asked.index_names), asked.older_than_days is not None, asked.all]
    if not any(ways):
        raise ValidationError("no index given", hint=_WAYS)
    if sum(ways) > 1:
        raise ValidationError("the indexes to delete are given in more than one way", hint=_WAYS)
    app = call.app()
    chosen, missing = _chosen(call, app, asked)
    if asked.dry_run:
        return Cleared(
            success=True,
            message="nothing was deleted",
            dry_run=True,
            would_delete=tuple(index.name for index in chosen),
            chunks=sum(index.chunk_count for index in chosen),
        )
    if chosen and not asked.confirm and not call.may_delete(chosen, at_once=asked.index_name is not None):
        return Cleared(success=False, message="nothing was deleted")
    if asked.index_name is not None:
        deleted = [_remove(call, app, chosen[0], purge=asked.purge)]
        call.changed()
        message = f"Index '{deleted[0].removed.name}' cleared successfully"
        return _cleared(call, app, deleted, Cleared(success=True, message=message))
    results = [_failed(name, f"Index '{name}' not found", NOT_FOUND) for name in missing]
    deleted = []
    for index in chosen:
        try:
            deleted.append(_remove(call, app, index, purge=asked.purge))
        except CocosearchError as error:
            results.append(_failed(index.name, call.told(error), error.error_type))
        else:
            results.append(ClearResult(index_name=index.name, success=True))
    call.changed()
    message = f"{counted(len(deleted), 'index')} cleared"
    is_whole = len(deleted) == len(results)
    return _cleared(call, app, deleted, Cleared(success=is_whole, message=message, results=tuple(results)))


def prune_indexes(call: Call, asked: PruneArguments) -> Cleared:
    """Delete the indexes that were not updated for a number of days."""
    same = ClearArguments(
        older_than_days=asked.older_than_days, confirm=asked.confirm, dry_run=asked.dry_run, purge=asked.purge
    )
    return clear_index(call, same)


def _cleared(call: Call, app: App, deleted: Sequence[_Deleted], answer: Cleared) -> Cleared:
    """Return the answer with the facts about the deleted indexes."""
    until = min((one.until for one in deleted if one.until is not None), default=None)
    indexes = [one.removed for one in deleted]
    return replace(
        answer,
        deleted=tuple(index.name for index in indexes),
        total_deleted=len(indexes),
        chunks_removed=sum(index.chunk_count for index in indexes),
        cache_cleared=bool(indexes),
        linked_index_warnings=tuple(_warnings(indexes, call.visible(app)) if indexes else ()),
        restorable_until=timestamp(until) if until is not None else None,
    )


def _warnings(gone: Sequence[Named], records: Sequence[IndexRecord]) -> list[str]:
    """Name the indexes that are configured to be searched together with a deleted one."""
    warnings = []
    for record in records:
        try:
            linked = load_settings(start=Path(record.root_path), environ={}).settings.linked_indexes
        except ConfigurationError:  # searches of that index report it
            continue
        others = (meant(gone, name) for name in linked)
        warnings += [
            f"index '{record.name}' is configured to be searched together with '{name}' (linkedIndexes); its searches "
            "continue without it"
            for name in dict.fromkeys(other.name for other in others if other is not None)
        ]
    return warnings


def _chosen(call: Call, app: App, asked: ClearArguments) -> tuple[tuple[Removable, ...], list[str]]:
    """Return the chosen indexes, and names that have none.

    With `purge`, cleared indexes are found as well; an index that is there comes before a cleared one of its name.
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
    indexes = {name: index for name in wanted if (index := meant(known, name)) is not None}
    missing = [name for name in wanted if name not in indexes]
    if missing and (len(missing) == len(wanted) or not asked.ignore_missing):
        raise unknown_index(missing[0], records)
    return tuple({index.index_id: index for index in indexes.values()}.values()), missing


def _remove(call: Call, app: App, index: Removable, *, purge: bool) -> _Deleted:
    if isinstance(index, UnreadableIndex):
        app.catalog.clear_unreadable(index, call.tell)
        return _Deleted(index, None)
    if not isinstance(index, IndexRecord):
        app.catalog.purge(index, call.tell)
        return _Deleted(index, None)
    if purge:
        return _Deleted(app.catalog.clear(index.name, call.tell), None)
    return _Deleted(*app.catalog.put_away(index.name, call.tell))


def _failed(name: str, message: str, kind: str) -> ClearResult:
    return ClearResult(index_name=name, success=False, error=message, error_type=kind)
