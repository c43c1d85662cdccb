"""`list`, `stats` and `clear`: what is indexed, how it stands, and how it goes away."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cocosearch_py.cli.session import Session
from cocosearch_py.errors import CocosearchError, IndexNotFoundError, SafetyError, ValidationError

if TYPE_CHECKING:
    from cocosearch_py.app import App
    from cocosearch_py.indexes.stats import IndexStats
    from cocosearch_py.storage.indexes import IndexRecord

_STALE_DAYS = 7  # CocoSearch's threshold
_EXIT_DECLINED = 1


def list_indexes(session: Session) -> None:
    """List all indexes."""
    from cocosearch_py import answers

    items = [answers.index_item(record) for record in session.open_default().list_indexes()]
    if session.json:
        session.emit(items)
        return
    from cocosearch_py.cli.views.tables import show_indexes

    show_indexes(session.console, items)


def stats(
    session: Session,
    index: Annotated[
        str | None, typer.Argument(metavar="[INDEX]", help="Name of the index; by default that of the current folder.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All indexes.")] = False,
    staleness_threshold: Annotated[
        int, typer.Option("--staleness-threshold", metavar="DAYS", help="Older indexes count as stale.", min=0)
    ] = _STALE_DAYS,
    show_failures: Annotated[bool, typer.Option("--show-failures", help="List files with parse errors.")] = False,
    show_skipped: Annotated[
        bool, typer.Option("--show-skipped", help="List what is not indexed, with reason and rule.")
    ] = False,
) -> None:
    """Show what an index holds: files, chunks, languages, symbols, parse health.

    Without a name and outside every indexed folder, all indexes are shown.
    """
    from cocosearch_py import answers

    if index is not None and every:
        raise ValidationError("--all and the name of an index exclude each other", hint="give one of them")
    app = session.open_default()
    how: dict[str, Any] = {"failures": show_failures, "skipped": show_skipped, "stale_days": staleness_threshold}
    found: IndexStats | list[IndexStats]
    try:
        found = _every(app, how) if every else app.stats(index_name=index, folder=session.folder, **how)
    except IndexNotFoundError:
        if index is not None or app.settings.index_name:
            raise
        found = _every(app, how)
    items = [answers.index_stats(one) for one in found] if isinstance(found, list) else answers.index_stats(found)
    if session.json:
        session.emit(items)
        return
    from cocosearch_py.cli.views.stats import show_all, show_one

    if isinstance(items, list):
        show_all(session.console, items)
    else:
        show_one(session.console, items, verbose=session.verbose)


def _every(app: "App", how: dict[str, Any]) -> "list[IndexStats]":
    return [app.stats(index_name=record.name, **how) for record in app.list_indexes()]


def clear(
    session: Session,
    names: Annotated[list[str] | None, typer.Argument(metavar="[INDEX]...", help="Indexes to delete.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Delete all indexes.")] = False,
    force: Annotated[bool, typer.Option("-y", "--force", "--yes", help="Do not ask.")] = False,
) -> int:
    """Delete indexes for good; the indexed files stay as they are."""
    try:
        return _clear(session, names or [], every=every, force=force)
    except CocosearchError as error:
        if session.json:
            session.emit({"success": False, "error": error.message})
        raise


def _clear(session: Session, names: list[str], *, every: bool, force: bool) -> int:
    if bool(names) == every:
        raise ValidationError(
            "--all and names exclude each other" if every else "no index is named",
            hint="give the names of indexes, or --all",
        )
    app = session.open_default()
    records = app.list_indexes() if every else [app.find_index(name) for name in dict.fromkeys(names)]
    if not force and records and not _agreed(records, every=every):
        session.note("nothing is deleted")
        return _EXIT_DECLINED
    for record in records:
        app.clear(record.name)
    _show_cleared(session, records)
    return 0


def _agreed(records: "list[IndexRecord]", *, every: bool) -> bool:
    """Ask on a terminal; elsewhere one index that was named may go, several may not."""
    if not sys.stdin.isatty():
        if len(records) == 1 and not every:
            return True
        raise SafetyError(f"refused to delete {len(records)} indexes without asking", hint="add --force")
    told = ", ".join(f"'{record.name}' ({record.file_count:,} files)" for record in records)
    return typer.confirm(f"Delete {told}?", err=True)


def _show_cleared(session: Session, records: "list[IndexRecord]") -> None:
    from cocosearch_py import answers

    items = [answers.cleared(record) for record in records]
    if len(items) == 1:
        summary = items[0]
    else:
        summary = {"success": True, "message": f"{len(items)} indexes cleared", "cleared": [r.name for r in records]}
    if session.json:
        session.emit(summary)
    else:
        for item in items or [summary]:
            session.console.print(item["message"], markup=False, soft_wrap=True)
