"""Takes logged changes back: exactly if the file is as the change left it, else by a merge of what came after.

What is taken back is a change like any other: it is logged, and can be taken back itself.
"""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cocosearch_py.discovery.git import run_git
from cocosearch_py.editing.log import ChangeLog
from cocosearch_py.editing.overlaps import Step, in_the_way
from cocosearch_py.editing.paths import make_folders
from cocosearch_py.editing.writing import Place, Seen
from cocosearch_py.errors import ConflictError, NotFoundError, ValidationError
from cocosearch_py.model.changes import ANOTHER_PROGRAM, UNDO, Change, ChangeRequest, Image, Intent, Source, Undone

_MOST_UNDONE = 1_000  # changes at once
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """Which change of a folder to take back.

    Attributes:
        all_after: also every edit after it, whatever its file; the newest first.
        dry_run: only say what would become of the files.
        author: of an `Intent`.
        most_bytes: larger files are left alone, unless they were so large at the change.
    """

    root: str
    seq: int
    all_after: bool = False
    dry_run: bool = False
    author: str = ""
    most_bytes: int = 1 << 20


@dataclass(frozen=True, slots=True)
class _Step:
    """One change to take back: what its file holds before and after that."""

    change: Change
    image: Image
    path: str
    before: bytes | None
    after: bytes | None
    merged: bool


class Undoing:
    """Takes changes of any folder back. For any number of threads.

    Args:
        log: where they are, and where that is told.
        allowed: where a path below a root leads, if it may be edited; raises SafetyError if not.
    """

    def __init__(self, log: ChangeLog, allowed: Callable[[str, str], str]) -> None:
        self._log, self._allowed = log, allowed

    def undo(self, asked: UndoRequest) -> list[Undone]:
        """Take changes back, all or none unless somebody writes meanwhile; what became of each, in that order.

        Raises:
            NotFoundError: no such change.
            ValidationError: it is no edit, or what was there before is not kept any more.
            ConflictError: the same lines were changed again since; nothing was written.
            SafetyError: a file must not be edited.
            DatabaseError: it cannot be logged; what was not said to be done was not.
        """
        self._log.recover(asked.root)
        steps = self._plan(asked)
        if asked.dry_run:
            return [_undone(step) for step in steps]
        return [replace(_undone(step), new_seq=self._write(step, asked).seq) for step in steps]

    def _plan(self, asked: UndoRequest) -> list[_Step]:
        """Return the steps of an undo, worked out on the contents as they will be then."""
        contents: dict[str, bytes | None] = {}
        steps = []
        for change in self._meant(asked):
            image = self._log.image(asked.root, change.seq)
            if image is None:
                raise ValidationError(
                    f"change {change.seq} of {change.path} cannot be undone: the earlier content is no longer stored",
                    hint="the settings edit.keepDays and edit.keepMegabytes limit how long it is stored",
                )
            path = self._allowed(asked.root, change.path)
            if path not in contents:
                seen = _read(asked, path, image)
                contents[path] = None if seen is None else seen.data
            step = self._step(asked, change, image, path, contents[path])
            if step.after != step.before:  # somebody may have done it by hand
                contents[path] = step.after
                steps.append(step)
        if not steps:
            raise ValidationError(f"nothing of change {asked.seq} is left to undo", hint="see `git diff`")
        return steps

    def _meant(self, asked: UndoRequest) -> list[Change]:
        """The changes to take back, the newest first."""
        first, _ = self._log.read(asked.root, ChangeRequest(since_seq=asked.seq - 1, most=1))
        if not first or first[0].seq != asked.seq:
            raise NotFoundError(f"no change {asked.seq} in {asked.root}", hint="list_changes shows all changes")
        if first[0].source != Source.AGENT:
            raise ValidationError(
                f"change {asked.seq} of {first[0].path} was observed, not made here: its earlier content is unknown",
                hint="check whether git has it: `git log -p` and `git diff` of the file",
            )
        if not asked.all_after:
            return first
        request = ChangeRequest(since_seq=asked.seq - 1, sources=(Source.AGENT,), most=_MOST_UNDONE + 1)
        found, _ = self._log.read(asked.root, request)
        if len(found) > _MOST_UNDONE:
            raise ValidationError(f"more than {_MOST_UNDONE:,} changes came after it", hint="start from a later one")
        return found[::-1]

    def _step(self, asked: UndoRequest, change: Change, image: Image, path: str, now: bytes | None) -> _Step:
        if now in (image.after, image.before):  # the latter: somebody has done it by hand
            return _Step(change, image, path, now, image.before, merged=False)
        if now is not None and image.before is not None and image.after is not None:
            merged = _merged(now, image.after, image.before)
            if merged is not None:
                return _Step(change, image, path, now, merged, merged=True)
        raise self._in_the_way(asked, change, image, now)

    def _in_the_way(self, asked: UndoRequest, change: Change, image: Image, now: bytes | None) -> ConflictError:
        """The error that names who changed the same lines again."""
        found = in_the_way(image.before, image.after, self._since(asked, change, image, now))
        named = [f"change{'s' if len(found.by) > 1 else ''} {', '.join(map(str, found.by[:_MOST_NAMED]))}"]
        who = " and ".join([*(named if found.by else ()), *([ANOTHER_PROGRAM] if found.others or not found.by else ())])
        hint = "edit the file" if now is not None else "the file is gone: check whether git has it"
        if found.by and not found.others:  # what another program did would be in the way of that as well
            hint = f"`cocosearch-py changes undo {change.seq} --all-after` also undoes the later changes"
            hint += "; or edit the file" if now is not None else ""
        return ConflictError(
            f"change {change.seq} of {change.path} cannot be undone: the same lines were changed again by {who}; "
            "nothing was written",
            hint=hint,
            details={"seq": change.seq, "path": change.path, "later": list(found.by)},
        )

    def _since(self, asked: UndoRequest, change: Change, image: Image, now: bytes | None) -> Iterator[Step]:
        """Yield the changes of a file after a change, as far as contents are stored; unknown ones count as one step."""
        later, _ = self._log.read(asked.root, ChangeRequest(since_seq=change.seq, most=_MOST_UNDONE))
        last, unknown = image.after, list[int]()
        for one in later:
            if one.path != change.path:
                continue
            kept = self._log.image(asked.root, one.seq)
            if kept is None:
                unknown.append(one.seq)
                continue
            if kept.before != last:
                yield Step(tuple(unknown), last, kept.before)
            yield Step((one.seq,), kept.before, kept.after)
            last, unknown = kept.after, []
        if now != last:
            yield Step(tuple(unknown), last, now)

    def _write(self, step: _Step, asked: UndoRequest) -> Change:
        root = os.path.realpath(asked.root)
        if step.before is None:
            make_folders(root, step.path)
        with Place(root, step.path) as place:
            seen = place.read(_most(asked, step.image))
            if (None if seen is None else seen.data) != step.before:
                raise ConflictError(f"{step.path} has changed meanwhile", hint="call again")
            mode = step.image.mode if seen is None else stat.S_IMODE(seen.status.st_mode)
            pending = self._log.begin(
                Intent(root, step.path, UNDO, asked.author, step.before, step.after, mode, step.change.seq)
            )
            with self._log.carried_out(pending):
                if seen is None:
                    place.create(step.after or b"", pending.temporary, mode)
                elif step.after is None:
                    place.remove(seen, pending.temporary)
                else:
                    place.replace(seen, step.after, pending.temporary)
            return self._log.finish(pending)


def _read(asked: UndoRequest, path: str, image: Image) -> Seen | None:
    try:
        with Place(asked.root, path) as place:
            return place.read(_most(asked, image))
    except (ConflictError, NotFoundError):  # its folder has gone
        return None


def _most(asked: UndoRequest, image: Image) -> int:
    return max(asked.most_bytes, len(image.before or b""), len(image.after or b""))


def _merged(now: bytes, after: bytes, before: bytes) -> bytes | None:
    """The content of now without the step from before to after; None where lines of both overlap, or git is away."""
    with tempfile.TemporaryDirectory(prefix="cocosearch-undo-") as folder:
        for name, content in (("now", now), ("after", after), ("before", before)):
            Path(folder, name).write_bytes(content)
        return run_git(Path(folder), ["merge-file", "-p", "-q", "now", "after", "before"])


def _undone(step: _Step) -> Undone:
    return Undone(step.change.seq, step.path, step.merged, step.before, step.after, None)
