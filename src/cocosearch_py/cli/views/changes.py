"""The log of changes on a terminal."""

from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.layout import Table, shown
from cocosearch_py.operations import list_changes


def show_log(session: Session, found: list_changes.ChangesFound, asked: list_changes.Arguments) -> None:
    """One line for each change, the last one at the end."""
    rows = Table("seq", "when", "what", "file", "by", right=("seq",))
    for one in found.changes:
        what = one.op + (f" of {one.undoes}" if one.undoes is not None else "") + ("" if one.sure else " (unsure)")
        when = one.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        rows.add_row(str(one.seq), when, shown(what), shown(one.path), shown(one.author or one.source))
    if not found.changes:
        session.note("no changes")
        return
    rows.print_to(session.console)
    if len(found.changes) == asked.limit:
        session.note("there may be more: --limit shows more, --since-seq those after one")
