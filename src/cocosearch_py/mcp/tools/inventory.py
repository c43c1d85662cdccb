"""The blocking half of the tools that list, count and remove indexes."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cocosearch_py import answers
from cocosearch_py.errors import CocosearchError, IndexNotFoundError, SafetyError, ValidationError
from cocosearch_py.mcp.site import Site, unknown_index
from cocosearch_py.storage.indexes import IndexRecord

if TYPE_CHECKING:  # the tools import this module
    from cocosearch_py.app import App
    from cocosearch_py.mcp.tools.index import ClearArguments, StatsArguments

Json = dict[str, Any]


def all_indexes(site: Site) -> list[Json]:
    """The array of `list_indexes`."""
    return [answers.index_item(record) for record in site.visible(site.app())]


def stats(site: Site, asked: "StatsArguments") -> Json | list[Json]:
    """The object of `index_stats`, or the array of all."""
    app = site.app()
    if asked.index_name is not None:
        return _stats(app, site.named(app, asked.index_name), asked)
    return [_stats(app, record, asked) for record in site.visible(app)]


def clear(site: Site, asked: "ClearArguments") -> Json:
    """Delete one index at once, or several when that is confirmed.

    Raises:
        ValidationError: not exactly one way of saying which.
        SafetyError: more than one without `confirm`; names what would go.
    """
    app = site.app()
    ways = [asked.index_name is not None, bool(asked.index_names), asked.older_than_days is not None, asked.all]
    if sum(ways) != 1:
        raise ValidationError(
            "say in one way which indexes to delete", hint="give index_name, index_names, older_than_days or all"
        )
    if asked.index_name is not None:
        record = site.named(app, asked.index_name)
        if asked.dry_run:
            return _would([record])
        gone = app.clear(record.name)
        site.forget()
        return answers.cleared(gone)
    chosen, missing = _chosen(site.visible(app), asked)
    if asked.index_names and not chosen:
        raise unknown_index(missing[0], site.visible(app))
    if asked.dry_run:
        return _would(chosen)
    if not asked.confirm:
        names = ", ".join(record.name for record in chosen) or "nothing"
        raise SafetyError(
            f"this would delete {len(chosen)} indexes: {names}", hint="call again with confirm=true if that is meant"
        )
    return _clear_all(site, app, chosen, missing)


def _chosen(records: list[IndexRecord], asked: "ClearArguments") -> tuple[list[IndexRecord], list[str]]:
    if asked.all:
        return records, []
    if asked.older_than_days is not None:
        if asked.older_than_days < 0:
            raise ValidationError("older_than_days is negative", hint="give a number of days")
        now = datetime.now(UTC)
        return [record for record in records if (now - record.updated_at).days >= asked.older_than_days], []
    wanted = list(dict.fromkeys(asked.index_names or []))
    by_name = {record.name: record for record in records}
    return [by_name[name] for name in wanted if name in by_name], [name for name in wanted if name not in by_name]


def _clear_all(site: Site, app: "App", chosen: list[IndexRecord], missing: list[str]) -> Json:
    results: list[Json] = [
        {
            "index_name": name,
            "success": False,
            "error": f"Index '{name}' not found",
            "error_type": IndexNotFoundError.error_type,
        }
        for name in missing
    ]
    deleted = []
    for record in chosen:
        try:
            app.clear(record.name)
        except CocosearchError as error:
            why = site.explainer.clean(error.message, {})
            told = {"success": False, "error": why, "error_type": error.error_type}
            results.append({"index_name": record.name, **told})
        else:
            deleted.append(record)
            results.append({"index_name": record.name, "success": True})
    site.forget()
    return {
        "success": len(deleted) == len(results),
        "deleted": [record.name for record in deleted],
        "total_deleted": len(deleted),
        "chunks_removed": sum(record.chunk_count for record in deleted),
        "results": results,
        "message": f"{len(deleted)} indexes cleared",
    }


def _would(chosen: list[IndexRecord]) -> Json:
    return {
        "success": True,
        "dry_run": True,
        "would_delete": [record.name for record in chosen],
        "chunks": sum(record.chunk_count for record in chosen),
        "message": "nothing was deleted",
    }


def _stats(app: "App", record: IndexRecord, asked: "StatsArguments") -> Json:
    found = app.stats(index_name=record.name, failures=asked.include_failures, skipped=asked.include_skipped)
    return answers.index_stats(found)
