"""Edits of one file: what is asked for, and what came of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.syntax import Soundness

NOT_PARSED = "not_parsed"  # as a status: it was not parsed in time


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRequest:
    """One edit of one file, by one address; which fields go together, the operation has checked.

    Attributes:
        root: folder of the project.
        path: of the file, relative to it; may be or go through links.
        op: replace, insert, delete, create or overwrite.
        content: the new text; of create and overwrite the whole.
        lines: from and to which line, from 1, both included.
        after: line after which the new ones come; 0 is the top.
        old_text: what is replaced, just as it stands.
        anchor, before_anchor: text of the line beside which new ones come, and whether before it.
        symbol: name of a definition that is replaced.
        if_hash: hash of the content that the caller knows; None: any.
        dry_run: write nothing.
        author: who edits, for the log.
        most_bytes: size of files that are edited at most.
        refuses_errors: write nothing that brings errors of syntax.
        check: called with the present content of the file; raises if the edit must not be made.
        agree: asked before anything is written, with what tells what would be; raises if somebody says no.
    """

    root: str
    path: str
    op: str
    content: str = ""
    lines: tuple[int, int] | None = None
    after: int | None = None
    old_text: str | None = None
    anchor: str | None = None
    before_anchor: bool = False
    symbol: str | None = None
    if_hash: str | None = None
    dry_run: bool = False
    author: str = ""
    most_bytes: int
    refuses_errors: bool = False
    check: "Callable[[bytes], None]" = field(default=lambda _: None, repr=False)
    agree: "Callable[[Callable[[], EditReport]], None]" = field(default=lambda _: None, repr=False)


@dataclass(frozen=True, slots=True)
class EditReport:
    """Effect of an edit that was made or previewed.

    Attributes:
        path: of the file that was written, relative to the root; of a link, what it leads to.
        op: as asked for, or undo.
        applied: whether something was written; not of a dry run, or where nothing would change.
        dry_run: as asked for.
        hash: of the content after it.
        seq: number of the change in the log; None if nothing was written.
        before, after: the whole text, its newlines as in the file; before is None for a new file.
        first, removed, added: so many lines of the old text, from that one on, are so many new ones.
        parse_before, parse_after: how each could be parsed; None if it was not in time, or there was none.
        new_errors: lines with errors of syntax that had none, from 1.
    """

    path: str
    op: str
    applied: bool
    dry_run: bool
    hash: str
    seq: int | None
    before: str | None
    after: str
    first: int
    removed: int
    added: int
    parse_before: Soundness | None
    parse_after: Soundness | None
    new_errors: tuple[int, ...] = ()

    @property
    def statuses(self) -> tuple[str | None, str]:
        """Parse status before and after."""
        before = None if self.before is None else status_of(self.parse_before)
        return before, status_of(self.parse_after)


def status_of(found: Soundness | None) -> str:
    """The status in words of answers."""
    return NOT_PARSED if found is None else ParseStatus(found.status).value
