"""What operations share that change a file of a project: which one, who may, what the caller knew, what is answered."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NotRequired, TypedDict

from cocosearch_py.errors import OperationCancelled, SafetyError, ValidationError
from cocosearch_py.model.answers import Count
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.model.paths import is_text
from cocosearch_py.tools.answers import Json, quoted
from cocosearch_py.tools.call import Call, Found
from cocosearch_py.tools.declaration import UNLISTED, About, Flag

if TYPE_CHECKING:
    from cocosearch_py.editing.conflicts import History
    from cocosearch_py.model.edits import EditReport, EditRequest

ALWAYS, OVERWRITE = "always", "overwrite"  # values of the setting edit.confirm
PREVIEWS = ("compact", "full")
COMPACT_LINES = 60  # of a diff
_MAX_PATH_CHARS = 2_000
_MAX_SHOWN_CHARS = 200  # of a line that somebody is asked about
_HASH = re.compile(r"[0-9a-f]{32}")

DryRun = Annotated[
    bool, About("Write nothing"), Flag(names=("--dry-run",), help="Show what would change; write nothing.")
]
Preview = Annotated[
    str,
    About("compact or full diff"),
    UNLISTED,
    Flag(names=("--preview",), metavar="HOW", help="Form of the diff: compact or full."),
]
IF_HASH = Flag(names=("--if-hash",), metavar="HASH", help="Hash of the text that you read, as `read` shows it.")
Yes = Annotated[bool, Flag(names=("-y", "--yes"), default=False, help="Do not ask for confirmation.")]


class ParseStatus(TypedDict):
    """How a file could be parsed: ok, partial, error, no_grammar or not_parsed; `before` only if there was one."""

    before: NotRequired[str]
    after: str
    new_error_lines: NotRequired[list[int]]


class Edited(TypedDict):
    """A file after an edit. `start_line` and `end_line` are the new lines; `hash` is for the next edit."""

    file_path: str
    applied: bool
    dry_run: NotRequired[bool]
    hash: str
    seq: NotRequired[int]
    start_line: Count
    end_line: Count
    line_count: Count
    parse_status: ParseStatus
    diff: str
    note: NotRequired[str]
    warnings: NotRequired[list[str]]


class Target(NamedTuple):
    """A file of a project, which may be there or not; `path` is relative to the root of the index."""

    found: Found
    record: IndexRecord
    path: str


@dataclass(frozen=True, slots=True, eq=False)
class EditMade:
    """An edit, and whether the index has it; `unindexed` says why not."""

    record: IndexRecord
    report: "EditReport"
    indexed: bool
    unindexed: str | None


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


def carry_out(call: Call, target: Target, request: "EditRequest") -> EditMade:
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


def _refuse_masks(request: "EditRequest", present: bytes) -> None:
    """Raise SafetyError if an edit quotes a secret as answers mask it: nothing matches it, or the secret is lost."""
    from cocosearch_py.audit.secrets.masking import quotes_mask

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
    from cocosearch_py.editing.undo import UndoRequest

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
    report: "Callable[[], EditReport]"


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


def _shown(report: "EditReport") -> list[str]:
    """The lines of a diff that a person decides by."""
    from cocosearch_py.editing.comparing import bounded, diff

    lines = bounded(diff(report.before or "", report.after), COMPACT_LINES)
    return [line if len(line) <= _MAX_SHOWN_CHARS else f"{line[:_MAX_SHOWN_CHARS]} ..." for line in lines]


def edit_answer(made: EditMade, preview: str) -> Json:
    """What is answered of an edit, but for what is special about its operation."""
    from cocosearch_py.editing.comparing import bounded, diff

    report = made.report
    lines = diff(report.before or "", report.after)
    shown = lines if preview == "full" else bounded(lines, COMPACT_LINES)
    told: Json = {"file_path": os.path.join(made.record.root_path, report.path), "applied": report.applied}
    told |= {"dry_run": True} if report.dry_run else {}
    told |= {"hash": report.hash} | ({} if report.seq is None else {"seq": report.seq})
    last = report.first + max(0, report.added - 1)
    total = len(report.after.removesuffix("\n").split("\n")) if report.after else 0
    told |= {"start_line": min(report.first, max(1, total)), "end_line": min(last, max(1, total)), "line_count": total}
    warnings = _warnings(made)
    return {
        **told,
        "parse_status": _parse_status(report),
        "diff": "\n".join(shown),
        **quoted(shown),
        **({"warnings": warnings} if warnings else {}),
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


def _parse_status(report: "EditReport") -> Mapping[str, Any]:
    before, after = report.statuses
    told: dict[str, Any] = {} if before is None else {"before": before}
    told["after"] = after
    return told | ({"new_error_lines": list(report.new_errors)} if report.new_errors else {})


def _below(root: str, path: str) -> str | None:
    inner = os.path.relpath(os.path.normpath(path), root)
    return None if inner in (".", "..") or inner.startswith(".." + os.sep) else inner.replace(os.sep, "/")


def _history(target: Target) -> "History":
    """What the log, the index and git know of the file."""
    from cocosearch_py.editing.conflicts import History

    app, record = target.found.app, target.record
    root = os.path.realpath(record.root_path)

    def content(path: str, wanted: str) -> bytes | None:
        if (logged := app.change_log.content(root, path, wanted)) is not None:
            return logged
        if (held := app.navigation.text_with_hash(path, wanted, record)) is not None:
            return held.encode()
        from cocosearch_py.discovery.git import blob_at
        from cocosearch_py.discovery.reading import hash_of

        blob = blob_at(Path(root), "HEAD", path, app.settings.indexing.max_file_size_kb * 1024)
        return blob if blob is not None and hash_of(blob).hex() == wanted else None

    return History(content, lambda path: app.change_log.last(root, path))
