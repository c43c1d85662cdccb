"""One edit: is it allowed, is the file what the caller knows, what would it be, and then it is written and logged."""

import os
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from cocosearch_py.discovery.reading import hash_of
from cocosearch_py.discovery.sniff import MARKER_WINDOW_BYTES, Skip, Text, inspect
from cocosearch_py.editing.comparing import changed_lines, new_errors
from cocosearch_py.editing.conflicts import History, conflict
from cocosearch_py.editing.log import ChangeLog
from cocosearch_py.editing.paths import make_folders, real_place
from cocosearch_py.editing.permission import EditRules, check_names, check_place
from cocosearch_py.editing.soundness import Parsers, Version
from cocosearch_py.editing.splicing import Address, After, Anchor, Exact, Form, Lines, form_of, rewrite, splice
from cocosearch_py.editing.writing import Place, Seen
from cocosearch_py.errors import (
    AmbiguousError,
    CocosearchError,
    ConflictError,
    NotFoundError,
    SafetyError,
    ValidationError,
)
from cocosearch_py.languages.detect import detect_language
from cocosearch_py.model.changes import UNDO, Change, Intent, Undone
from cocosearch_py.model.edits import EditReport, EditRequest
from cocosearch_py.model.files import ParseStatus, SkipReason
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.model.syntax import Soundness

_HEAD_BYTES = 4_096  # enough for a shebang and for telling C from C++
_MOST_NAMED = 20
_MOST_BESIDE = 4  # reports at once: one process parses for all of them
Meant = Callable[[str, Sequence[Symbol]], list[Symbol]]  # the definitions that a name means


@dataclass(frozen=True, slots=True)
class _Written:
    """A file before and after an edit; None: there was none. `content`: the text of `after`, where that was given."""

    path: str
    before: bytes | None
    after: bytes
    content: str | None = None


class Editor:
    """Edits files of any folder. For any number of threads.

    Args:
        log: where every change is told of before it is made.
        parsers: say how files can be parsed.
        rules: what must not be edited.
        meant: which definitions a name means.
    """

    def __init__(self, log: ChangeLog, parsers: Parsers, rules: EditRules, meant: Meant) -> None:
        self._log, self._parsers, self._rules, self._meant = log, parsers, rules, meant
        self._beside = ThreadPoolExecutor(_MOST_BESIDE, thread_name_prefix="edit")

    def edit(self, asked: EditRequest, history: History) -> EditReport:
        """Edit a file, or say what would become of it.

        Args:
            history: tells what the caller knew, if the file is another one by now.
        Raises:
            SafetyError: the file must not be edited, or the edit would break its syntax and that is refused.
            NotFoundError: no such file, text or definition.
            ValidationError: the address cannot be, or the text not be written.
            AmbiguousError: the address has several places.
            ConflictError: the file is not what the caller knows; nothing was written.
            DatabaseError: the change cannot be logged; nothing was written.
        """
        path = self.allowed(asked.root, asked.path)
        self._parsers.expect()
        try:
            place = Place(asked.root, path)
        except NotFoundError:
            if asked.op != "create":
                raise
            return self._put(None, None, _created(path, asked), asked)  # in a folder that is still to be made
        with place:
            return self._edit(place, path, asked, history)

    def describe(self, undone: Undone, *, dry_run: bool) -> EditReport:
        """Return the report on a change that was undone; `hash` is empty if that removed the file."""
        new = _Written(undone.path, undone.before, undone.after or b"")
        asked = EditRequest(root="", path=undone.path, op=UNDO, dry_run=dry_run, most_bytes=0)
        report = replace(self._report(asked, new), applied=undone.new_seq is not None, seq=undone.new_seq)
        return replace(report, hash="") if undone.after is None else report

    def allowed(self, root: str, path: str) -> str:
        """Where a path leads, relative to the root, if that may be edited. Raises SafetyError."""
        check_names(path, self._rules)
        real = real_place(root, path)
        check_names(real, self._rules)
        check_place(root, real, self._rules)
        return real

    def _edit(self, place: Place, path: str, asked: EditRequest, history: History) -> EditReport:
        seen = place.read(asked.most_bytes)
        if asked.op == "create":
            if seen is not None:
                raise SafetyError(
                    f"{path} already exists; nothing was written",
                    hint="read it and change it with patch_file, or pass overwrite and the hash that you read",
                )
            return self._put(place, None, _created(path, asked), asked)
        if seen is None:
            raise NotFoundError(f"{path} does not exist", hint="list_files shows the files, create_file adds one")
        if asked.if_hash is not None and seen.hash.hex() != asked.if_hash:
            raise conflict(path, asked, seen.data, history)
        asked.check(seen.data)
        form = form_of(path, seen.data)
        data = self._new_data(path, asked, seen.data, form)
        try:
            return self._put(place, seen, _Written(path, seen.data, data), asked)
        except ConflictError as error:  # it was changed just now
            raise _explained(error, place, path, asked, history) from error

    def _new_data(self, path: str, asked: EditRequest, data: bytes, form: Form) -> bytes:
        if asked.op == "overwrite":
            return rewrite(data, form, asked.content)
        return splice(data, form, self._address(path, asked, data), "" if asked.op == "delete" else asked.content)

    def _address(self, path: str, asked: EditRequest, data: bytes) -> Address:
        if asked.symbol is not None:
            return self._lines_of_symbol(path, asked.symbol, data)
        if asked.lines is not None:
            return Lines(*asked.lines)
        if asked.after is not None:
            return After(asked.after)
        if asked.anchor is not None:
            return Anchor(asked.anchor, asked.before_anchor)
        return Exact(asked.old_text or "")

    def _lines_of_symbol(self, path: str, name: str, data: bytes) -> Lines:
        """The lines of a definition in the file as it is on disk."""
        text = _text(path, data).encode()
        found = self._parsers.symbols(Version(path, _language(path, text), text))
        if found is None:
            raise SafetyError(f"{path} could not be parsed in time", hint="give the lines of the definition instead")
        meant = self._meant(name, found)
        if not meant:
            raise NotFoundError(f"{name} is not defined in {path}", hint="outline_file shows its definitions")
        if len(meant) > 1:
            lines = [one.start_line for one in meant]
            raise AmbiguousError(
                f"{name} is defined {len(meant)} times in {path}: lines {', '.join(map(str, lines[:_MOST_NAMED]))}",
                hint="give its full name, or its lines",
                details={"lines": lines},
            )
        one = meant[0]
        start = text.rfind(b"\n", 0, one.start_byte) + 1
        end = text.find(b"\n", one.end_byte)
        rest = text[one.end_byte : len(text) if end < 0 else end]
        if text[start : one.start_byte].strip() or rest.strip(b" \t\r;,"):
            raise ValidationError(
                f"{name} shares its lines with other code", hint="give its lines, or its text as old_text"
            )
        return Lines(one.start_line, one.end_line)

    def _put(self, place: Place | None, seen: Seen | None, new: _Written, asked: EditRequest) -> EditReport:
        """Write what was made, unless it is what is there, or a dry run; without a place its folder is made first."""
        if len(new.after) > max(asked.most_bytes, len(new.before or b"")):
            raise SafetyError(
                f"{new.path} would be larger than {asked.most_bytes:,} bytes; nothing was written",
                hint="write a smaller file; see the setting indexing.maxFileSizeKb",
            )
        found = inspect(new.path, new.after[:MARKER_WINDOW_BYTES], wanted=True)
        if isinstance(found, Skip) and found.reason is SkipReason.SECRET:  # nobody could read or change it here
            raise SafetyError(f"{new.path} is not written: {found.rule}", hint="write it without this program")
        reporting = self._beside.submit(self._report, asked, new)  # the parser works while this waits for the disk
        if asked.refuses_errors:
            _refuse_errors(reporting.result())
        if asked.dry_run or new.before == new.after:
            return reporting.result()
        asked.agree(reporting.result)
        if place is not None:
            change = self._write(place, seen, new, asked)
        else:
            make_folders(asked.root, new.path)
            with Place(asked.root, new.path) as made:
                change = self._write(made, seen, new, asked)
        return replace(reporting.result(), applied=True, seq=change.seq)

    def _write(self, place: Place, old: Seen | None, new: _Written, asked: EditRequest) -> Change:
        pending = self._log.begin(
            Intent(
                root=os.path.realpath(asked.root),
                path=new.path,
                op=asked.op,
                author=asked.author,
                before=new.before,
                after=new.after,
                mode=None if old is None else stat.S_IMODE(old.status.st_mode),
                hash_before=None if old is None else old.hash.hex(),
            )
        )
        with self._log.carried_out(pending):
            if old is None:
                place.create(new.after, pending.temporary)
            else:
                place.confirm(old)  # whoever waited for another edit of the file learns of it without any writing
                place.replace(old, new.after, pending.temporary)
        return self._log.finish(pending)

    def _report(self, asked: EditRequest, new: _Written) -> EditReport:
        """Return the report on an edit that is not made yet."""
        old = None if new.before is None else _text(new.path, new.before)
        now = _text(new.path, new.after) if new.content is None else new.content
        before, after = self._parsed(new.path, old, now)
        changed = changed_lines([] if old is None else old.split("\n"), now.split("\n"))
        return EditReport(
            path=new.path,
            op=asked.op,
            applied=False,
            dry_run=asked.dry_run,
            hash=hash_of(new.after).hex(),
            seq=None,
            before=old,
            after=now,
            first=changed.first,
            removed=changed.removed,
            added=changed.added,
            parse_before=before,
            parse_after=after,
            new_errors=tuple(new_errors(before, after, changed)) if _is_language(after) else (),
        )

    def _parsed(self, path: str, old: str | None, now: str) -> tuple[Soundness | None, Soundness | None]:
        texts = [text.encode() for text in (old, now) if text is not None]
        found = self._parsers.check([Version(path, _language(path, text), text) for text in texts])
        return (found[0] if old is not None else None), found[-1]


def _explained(error: ConflictError, place: Place, path: str, asked: EditRequest, history: History) -> ConflictError:
    """The error for a file that somebody changed during an edit, as for one that was changed before it."""
    try:
        now = place.read(asked.most_bytes)
    except CocosearchError:  # it is another kind of file by now
        return error
    if now is None or asked.if_hash is None or now.hash.hex() == asked.if_hash:
        return error
    return conflict(path, asked, now.data, history)


def _created(path: str, asked: EditRequest) -> _Written:
    return _Written(path, None, Form("utf-8").encode(asked.content), asked.content)


def _refuse_errors(report: EditReport) -> None:
    """Raises SafetyError for an edit that brings errors of syntax, or may do so."""
    if not report.new_errors and report.parse_after is not None:
        return
    lines = ", ".join(map(str, report.new_errors[:_MOST_NAMED]))
    where = f"line{'s' if len(report.new_errors) > 1 else ''} {lines}"
    told = f"would have new syntax errors in {where}" if lines else "could not be parsed in time"
    raise SafetyError(
        f"{report.path} {told}; nothing was written",
        hint="correct the text; the setting edit.parseErrors refuses such edits",
    )


def _language(path: str, text: bytes) -> str:
    return detect_language(path, text[:_HEAD_BYTES])


def _text(path: str, data: bytes) -> str:
    """The text of a file as it is shown and parsed."""
    found = inspect(path, data, wanted=True)
    return found.source.decode() if isinstance(found, Text) else ""


def _is_language(found: Soundness | None) -> bool:
    return found is not None and found.status is not ParseStatus.NO_GRAMMAR
