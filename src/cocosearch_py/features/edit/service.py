"""Edit files: patch_file and create_file, with who may edit what, and what the caller knew."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from cocosearch_py.discovery.git import blob_at
from cocosearch_py.discovery.reading import hash_of
from cocosearch_py.editing.comparing import bounded, diff
from cocosearch_py.editing.conflicts import History
from cocosearch_py.editing.undo import UndoRequest
from cocosearch_py.errors import OperationCancelled, SafetyError, ValidationError
from cocosearch_py.features.edit.tools import CreateArguments, Created, ParseStatus, PatchArguments, Patched
from cocosearch_py.model.edits import EditReport, EditRequest
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.secrets.masking import quotes_mask
from cocosearch_py.tools.answers import QUOTED
from cocosearch_py.tools.call import Call, Found

ALWAYS, OVERWRITE = "always", "overwrite"  # values of the setting edit.confirm
PREVIEWS = ("compact", "full")
COMPACT_LINES = 60  # of a diff
_MAX_PATH_CHARS = 2_000
_MAX_SHOWN_CHARS = 200  # of a line that somebody is asked about
_HASH = re.compile(r"[0-9a-f]{32}")
REPLACE, INSERT, DELETE, UNDO = "replace", "insert", "delete", "undo"
_ADDRESSES = {
    REPLACE: ("range_start", "old_text", "symbol"),
    INSERT: ("after", "anchor"),
    DELETE: ("range_start", "old_text", "symbol"),
}
_PLACEMENTS = ("after", "before")


class Target(NamedTuple):
    """A file of a project, which may be there or not; `path` is relative to the root of the index."""

    found: Found
    record: IndexRecord
    path: str


@dataclass(frozen=True, slots=True, eq=False)
class EditMade:
    """An edit, and whether the index has it; `unindexed` says why not."""

    record: IndexRecord
    report: EditReport
    indexed: bool
    unindexed: str | None


def patch_file(call: Call, asked: PatchArguments) -> Patched:
    """Edit a file in one place; see `make_patch`."""
    made = make_patch(call, asked)
    return Patched(**edited(made, asked.preview), reindexed=made.indexed if made.report.applied else None)


def create_file(call: Call, asked: CreateArguments) -> Created:
    """Write a whole file; see `make_file`."""
    made = make_file(call, asked)
    report = made.report
    return Created(
        **edited(made, asked.preview),
        created=report.applied and report.before is None,
        indexed=made.indexed if report.applied else None,
    )


def make_patch(call: Call, asked: PatchArguments) -> EditMade:
    """Edit a file in one place, or undo an edit.

    Raises:
        ValidationError: the call does not have exactly one address, or no valid hash.
        SafetyError: the file may not be edited, or has changed since the caller read it.
    """
    one_of("op", asked.op, (*_ADDRESSES, UNDO))
    one_of("preview", asked.preview, PREVIEWS)
    _check_address(asked)
    if asked.op == UNDO:
        target = find_target(call, asked.path) if asked.path else find_folder(call)
        return undo_edit(call, target, asked.seq or 0, dry_run=asked.dry_run, yes=asked.yes)
    if not asked.path:
        raise ValidationError("path is missing: name the file to change", hint="pass a path as answers show it")
    target = find_target(call, asked.path)
    request = _patch_request(call, asked, target)

    def agree(report: Callable[[], EditReport]) -> None:
        plan = Plan(f"change {target.path}", (target.record.root_path, request), report)
        ask_first(call, target, plan, overwrites=False, yes=asked.yes)

    return carry_out(call, target, replace(request, agree=agree))


def _patch_request(call: Call, asked: PatchArguments, target: Target) -> EditRequest:
    settings = target.found.app.settings
    last = asked.range_start if asked.range_end is None else asked.range_end
    return EditRequest(
        root=target.record.root_path,
        path=target.path,
        op=asked.op,
        content=asked.content or "",
        lines=None if asked.range_start is None or last is None else (asked.range_start, last),
        after=asked.after,
        old_text=asked.old_text,
        anchor=asked.anchor,
        before_anchor=one_of("placement", asked.placement, _PLACEMENTS) == "before",
        symbol=asked.symbol,
        if_hash=known_hash(target, asked.if_hash),
        dry_run=asked.dry_run,
        author=call.author,
        most_bytes=settings.indexing.max_file_size_kb * 1024,
        refuses_errors=settings.edit.parse_errors == "refuse",
    )


def _check_address(asked: PatchArguments) -> None:
    """Refuse a call that has not just one address, or one that its operation does not take."""
    named = {"range_start", "range_end"} if asked.range_end is not None and asked.range_start is None else set()
    named |= {name for name in ("range_start", "after", "old_text", "anchor", "symbol") if _given(asked, name)}
    if (asked.op == UNDO) != (asked.seq is not None) or (asked.op == UNDO and (named or asked.content)):
        raise ValidationError(
            "undo needs seq alone, and no other operation takes seq",
            hint="list_changes shows the change numbers",
        )
    if asked.op == UNDO:
        return
    allowed = _ADDRESSES[asked.op]
    if len(named) != 1 or not named <= set(allowed):
        told = f"{', '.join(sorted(named))} are given" if len(named) > 1 else f"{', '.join(named) or 'none'} is given"
        ways = ", ".join(("range_start and range_end" if one == "range_start" else one) for one in allowed)
        raise ValidationError(f"{asked.op} needs one address, {told}", hint=f"give one of: {ways}")
    if asked.op != DELETE and asked.content is None:
        raise ValidationError(f"{asked.op} needs content", hint="give the new text; to remove lines, use delete")
    if asked.op == DELETE and asked.content:
        raise ValidationError("delete takes no content", hint="use replace, or leave content out")


def _given(asked: PatchArguments, name: str) -> bool:
    return getattr(asked, name) is not None


def make_file(call: Call, asked: CreateArguments) -> EditMade:
    """Write a new file, or the whole text of one.

    Raises:
        ValidationError: the hash is missing or not needed.
        SafetyError: the file may not be written, or has changed since the caller read it.
    """
    one_of("preview", asked.preview, PREVIEWS)
    if asked.if_hash and not asked.overwrite:
        raise ValidationError("if_hash is given without overwrite", hint="a new file has no hash: leave it out")
    target = find_target(call, asked.path)
    settings = target.found.app.settings
    request = EditRequest(
        root=target.record.root_path,
        path=target.path,
        op="overwrite" if asked.overwrite else "create",
        content=asked.content,
        if_hash=known_hash(target, asked.if_hash) if asked.overwrite else None,
        dry_run=asked.dry_run,
        author=call.author,
        most_bytes=settings.indexing.max_file_size_kb * 1024,
        refuses_errors=settings.edit.parse_errors == "refuse",
    )

    def agree(report: Callable[[], EditReport]) -> None:
        plan = Plan(f"{request.op} {target.path}", (target.record.root_path, request), report)
        ask_first(call, target, plan, overwrites=asked.overwrite, yes=asked.yes)

    return carry_out(call, target, replace(request, agree=agree))


def find_target(call: Call, text: str) -> Target:
    """The file that a caller's path means: absolute, or relative to the project or to the caller's folder.

    Raises:
        ValidationError: it is no path, or the index is of a commit.
        SafetyError: it is outside of the project, or the caller may not have the project written.
    """
    if not text:
        raise ValidationError("no file given", hint="pass a path as answers show it")
    if not is_text(text) or len(text) > _MAX_PATH_CHARS:
        raise ValidationError("the path is too long or not text", hint="pass a path as answers show it")
    if text.endswith(("/", os.sep)):
        raise ValidationError(f"{text[:200]} is a folder", hint="name a file in it")
    found, record, _ = find_folder(call)
    place = found.place or call.selection.place
    bases = [record.root_path, *([str(place.folders[0])] if place else [])]
    paths = [path for base in bases if (path := _below(record.root_path, os.path.join(base, text))) is not None]
    if not paths:
        raise SafetyError(
            f"{text[:200]} is outside the index's folder, {record.root_path}",
            hint="only files inside it can be edited",
        )
    there = [path for path in paths if os.path.lexists(os.path.join(record.root_path, path))]
    return Target(found, record, (there or paths)[0])


def find_folder(call: Call) -> Target:
    """The project whose files a caller may change, without one of them: its `path` is empty.

    Raises:
        ValidationError: the index is of a commit.
        SafetyError: the caller may not have the project written.
    """
    found = call.find()
    record = found.records[0]
    if record.commit is not None:
        raise ValidationError(f"index '{record.name}' holds a commit, not a folder", hint="name the folder's own index")
    if not call.may_write(record.root_path):
        raise SafetyError(
            f"this server does not allow changes to files in {record.root_path}",
            hint="start the server for that folder, or name it with --root",
        )
    return Target(found, record, "")


def known_hash(target: Target, given: str | None) -> str | None:
    """The hash that a caller gave; None only where the user allows that.

    Raises:
        ValidationError: none was given, or what is none.
    """
    text = (given or "").strip().removeprefix("unchanged:").removeprefix("hash:").strip().lower()
    if not text and target.found.app.settings.edit.allow_unhashed:
        return None
    if not text:
        raise ValidationError(
            "if_hash is missing: it identifies the content to change",
            hint="read the lines with read_code, and pass the hash that it returns",
        )
    if not _HASH.fullmatch(text):
        raise ValidationError(
            "if_hash is not a file's hash", hint="pass all 32 digits of the hash that read_code returned"
        )
    return text


def carry_out(call: Call, target: Target, request: EditRequest) -> EditMade:
    """Make an edit, then bring the index up to date."""
    app = target.found.app
    if call.masks_secrets:
        request = replace(request, check=partial(_refuse_masks, request))
    report = app.editor.edit(request, _history(target))
    if not report.applied:
        return EditMade(target.record, report, False, None)
    told = call.take_in(app, target.record, report.path)
    call.changed()
    return EditMade(target.record, report, told is None, told)


def _refuse_masks(request: EditRequest, present: bytes) -> None:
    """Raise SafetyError if an edit quotes a secret as answers mask it: nothing matches it, or the secret is lost."""
    given = (request.content, request.old_text, request.anchor)
    if any(quotes_mask(text, present) for text in given if text):
        raise SafetyError(
            f"the edit contains a secret of {request.path} in masked form, as asterisks; nothing was written",
            hint="do not edit the lines of the secret, or ask the user to change them",
        )


def undo_edit(call: Call, target: Target, seq: int, *, dry_run: bool, yes: bool) -> EditMade:
    """Take a change back, of the target's file if it names one, then bring the index up to date.

    Errors as of `Undoing.undo`.
    """
    app, record = target.found.app, target.record
    most_bytes = app.settings.indexing.max_file_size_kb * 1024
    request = UndoRequest(record.root_path, seq, dry_run=True, author=call.author, most_bytes=most_bytes)
    (undone,) = app.undoing.undo(request)
    if target.path and undone.path != app.editor.allowed(record.root_path, target.path):
        raise ValidationError(f"change {seq} belongs to {undone.path}", hint="pass that path, or another number")
    if dry_run:
        return EditMade(record, app.editor.describe(undone, dry_run=True), False, None)
    told = f"undo change {seq} of {undone.path}"
    plan = Plan(told, (record.root_path, seq), lambda: app.editor.describe(undone, dry_run=True))
    ask_first(call, target, plan, overwrites=False, yes=yes)
    (undone,) = app.undoing.undo(replace(request, dry_run=False))
    unindexed = call.take_in(app, record, undone.path)
    call.changed()
    return EditMade(record, app.editor.describe(undone, dry_run=False), unindexed is None, unindexed)


class Plan(NamedTuple):
    """An edit that somebody may have to agree to: what would be done, what makes it another edit, and the report."""

    told: str
    key: Sequence[Any]
    report: Callable[[], EditReport]


def ask_first(call: Call, target: Target, plan: Plan, *, overwrites: bool, yes: bool) -> None:
    """Ask a person, if the user's settings say so.

    Args:
        yes: somebody has said so already.
    Raises:
        OperationCancelled: they do not agree.
        SafetyError: they must agree, and cannot be asked.
    """
    setting = target.found.app.settings.edit.confirm
    required = setting == ALWAYS
    if yes or not (required or (overwrites and setting == OVERWRITE)):
        return
    digest = sha256("\0".join(map(repr, plan.key)).encode("utf-8", "replace")).hexdigest()[:16]
    if not call.may_edit(plan.told, f"edit-{digest}", lambda: _shown(plan.report()), required=required):
        raise OperationCancelled(f"the user declined to {plan.told}; nothing was written", hint="do not edit the file")


def _shown(report: EditReport) -> list[str]:
    """The lines of a diff that a person decides by."""
    lines = bounded(diff(report.before or "", report.after), COMPACT_LINES)
    return [line if len(line) <= _MAX_SHOWN_CHARS else f"{line[:_MAX_SHOWN_CHARS]} ..." for line in lines]


def edited(made: EditMade, preview: str) -> dict[str, Any]:
    """Return the fields of `Edited`."""
    report = made.report
    lines = diff(report.before or "", report.after)
    shown = lines if preview == "full" else bounded(lines, COMPACT_LINES)
    last = report.first + max(0, report.added - 1)
    total = len(report.after.removesuffix("\n").split("\n")) if report.after else 0
    before, after = report.statuses
    return {
        "file_path": os.path.join(made.record.root_path, report.path),
        "applied": report.applied,
        "dry_run": report.dry_run,
        "hash": report.hash,
        "seq": report.seq,
        "start_line": min(report.first, max(1, total)),
        "end_line": min(last, max(1, total)),
        "line_count": total,
        "parse_status": ParseStatus(before=before or "", after=after, new_error_lines=tuple(report.new_errors)),
        "diff": "\n".join(shown),
        "note": QUOTED if shown else "",
        "warnings": tuple(_warnings(made)),
    }


def one_of(name: str, value: str, known: Sequence[str]) -> str:
    """A word among those that are known. Raises ValidationError."""
    if value not in known:
        raise ValidationError(f"{name} is '{value[:60]}'", hint=f"use one of {', '.join(known)}")
    return value


def _warnings(made: EditMade) -> list[str]:
    report = made.report
    found = []
    if report.new_errors:
        where = f"line{'s' if len(report.new_errors) > 1 else ''} {', '.join(map(str, report.new_errors[:10]))}"
        found.append(f"new syntax errors in {where}")
    if not report.applied and not report.dry_run:
        found.append("the edit changes nothing, so nothing was written")
    if made.unindexed is not None:
        found.append(f"the index does not have the change yet: {made.unindexed}")
    return found


def _below(root: str, path: str) -> str | None:
    inner = os.path.relpath(os.path.normpath(path), root)
    return None if inner in (".", "..") or inner.startswith(".." + os.sep) else inner.replace(os.sep, "/")


def _history(target: Target) -> History:
    """Make the history of the file from the log, the index and git."""
    app, record = target.found.app, target.record
    root = os.path.realpath(record.root_path)

    def content(path: str, wanted: str) -> bytes | None:
        if (logged := app.change_log.content(root, path, wanted)) is not None:
            return logged
        if (held := app.navigation.text_with_hash(path, wanted, record)) is not None:
            return held.encode()

        blob = blob_at(Path(root), "HEAD", path, app.settings.indexing.max_file_size_kb * 1024)
        return blob if blob is not None and hash_of(blob).hex() == wanted else None

    return History(content, lambda path: app.change_log.last(root, path))
