"""The log of changes on a terminal."""

from collections.abc import Sequence

from cocosearch_py.cli.session import Session
from cocosearch_py.model.changes import Undone
from cocosearch_py.operations import list_changes, undo_changes
from cocosearch_py.render.layout import Table, shown


def show_log(session: Session, found: list_changes.ChangesFound, asked: list_changes.Arguments) -> None:
    """One line for each change, the last one at the end."""
    rows = Table("seq", "when", "what", "file", "by", right=("seq",))
    for one in found.changes:
        what = one.op + (f" of {one.undoes}" if one.undoes is not None else "") + ("" if one.sure else " (unsure)")
        when = one.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        rows.add_row(str(one.seq), when, shown(what), shown(one.path), shown(one.author or one.source))
    if not found.changes:
        session.note(list_changes.nothing(found, asked))
        return
    rows.print_to(session.console)
    if len(found.changes) == asked.limit:
        session.note("there may be more: --limit shows more, --since-seq N those after change N")


def show_undone(session: Session, undone: Sequence[Undone], asked: undo_changes.Arguments) -> None:
    """Each edit that was taken back, with what that changed."""
    for one in undone:
        did = "would take back" if asked.dry_run else "took back"
        told = f"[bold]{did} {one.seq}[/] of {shown(one.path)}" + (", later changes are kept" if one.merged else "")
        session.console.print(told if one.new_seq is None else f"{told}: change {one.new_seq}", soft_wrap=True)
        if one.after is None or one.before is None:
            session.console.print("  the file is " + ("removed" if one.after is None else "restored"))
            continue
        for line in undo_changes.diff_of(one).splitlines()[2:]:
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
            session.console.print(f"  {shown(line)}", style=style, soft_wrap=True, highlight=False)
