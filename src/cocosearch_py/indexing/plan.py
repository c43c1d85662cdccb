"""The plan of a run: a decision about each path, from the folder as it is, the ledger and the settings. Pure.

The run executes the plan, a dry run adds estimates to it, `why` looks one path up in it, and freshness counts it. Only
the content of a file tells what becomes of a file to read: see `outcome`, and `effect_of` for what that changes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, Protocol, Self

from cocosearch_py.discovery.classes import CONTENT_RULE, is_markup
from cocosearch_py.indexing.classes import class_of_unread, is_wanted, settle
from cocosearch_py.indexing.tasks import KILLED, FileTask, stored_path
from cocosearch_py.model.files import DiscoveredFile, FailedFile, FileStatus, Naming, SkippedFile, SkipReason
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.write.rows import FileRow
from cocosearch_py.storage.write.writer import StoredFile

ClassOf = Callable[[str], Naming | None]
Entries = Iterable[DiscoveredFile | SkippedFile | FailedFile]


class Action(StrEnum):
    """Decision of a run about a path."""

    KEEP = "keep"  # the stored row stays, but for its class
    READ = "read"  # the file is new or changed: its content decides
    RECORD = "record"  # skipped or failed at the walk: a new row, without reading
    REMOVE = "remove"  # no longer on disk


class Effect(StrEnum):
    """Change of a file in an index."""

    ADD = "add"
    UPDATE = "update"
    REMOVE = "remove"
    SKIP = "skip"
    FAIL = "fail"


class Decision(NamedTuple):
    """Decision about one path, with its reason. A tuple, because each run makes one for every file.

    `file` is set for READ and `row` for RECORD. `classified` is the new class of a stored file and its rule.
    """

    action: Action
    stored: StoredFile | None = None
    file: FileTask | None = None
    row: FileRow | None = None
    classified: tuple[str | None, str | None] | None = None


class Judged(Protocol):
    """A file with what decided about it: a stored row, a new row, or the outcome of reading it."""

    @property
    def status(self) -> str | None: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def rule(self) -> str | None: ...
    @property
    def error(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """The decisions of a run, by action.

    Attributes:
        to_read: new and changed files.
        to_record: rows of what was skipped or failed at the walk.
        gone: stored files that are no longer on disk.
        kept: stored files that stay, those with a new class among them.
        classified: (file_id, new class, its rule).
        replaced: file_id -> stored version of files in `to_read` and `to_record`.
        forgotten: files that leave an unfinished build before the run goes on with it.
    """

    to_read: tuple[FileTask, ...] = ()
    to_record: tuple[FileRow, ...] = ()
    gone: tuple[StoredFile, ...] = ()
    kept: tuple[StoredFile, ...] = ()
    classified: tuple[tuple[int, str | None, str | None], ...] = ()
    replaced: Mapping[int, StoredFile] = field(default_factory=dict)
    forgotten: tuple[StoredFile, ...] = ()

    @classmethod
    def of(cls, decisions: Iterable[Decision]) -> Self:
        """Sort decisions by their action."""
        to_read, to_record, replaced = list[FileTask](), list[FileRow](), dict[int, StoredFile]()
        gone, kept, classified = list[StoredFile](), list[StoredFile](), list[tuple[int, str | None, str | None]]()
        for action, stored, file, row, new_class in decisions:
            if new_class is not None and stored is not None:
                classified.append((stored.file_id, *new_class))
            if stored is not None and action in (Action.KEEP, Action.REMOVE):
                (kept if action is Action.KEEP else gone).append(stored)
                continue
            changed = file or row
            if file is not None:
                to_read.append(file)
            elif row is not None:
                to_record.append(row)
            if stored is not None and changed is not None:
                replaced[changed.file_id] = stored
        return cls(tuple(to_read), tuple(to_record), tuple(gone), tuple(kept), tuple(classified), replaced)

    @property
    def is_empty(self) -> bool:
        """Whether the run has nothing to do."""
        return not (self.to_read or self.to_record or self.gone or self.classified)

    @property
    def left_out(self) -> "Iterator[tuple[StoredFile | None, FileRow]]":
        """The rows to record, each with the stored version that it replaces."""
        return ((self.replaced.get(row.file_id), row) for row in self.to_record)

    @property
    def has_files(self) -> bool:
        """Whether the folder has any file, indexed or not."""
        return bool(self.to_read or self.to_record or self.kept)

    def of_build(self) -> "Plan":
        """Return the plan for an unfinished build: files that changed since leave the build and are new to it."""
        return replace(
            self,
            to_read=tuple(file._replace(known_hash=None, known_error=None) for file in self.to_read),
            gone=(),
            replaced={},
            forgotten=(*self.gone, *self.replaced.values()),
        )


def decide(found: Entries, stored: Mapping[str, StoredFile], class_of: ClassOf, read_ns: int) -> Iterator[Decision]:
    """Decide about each path of the walk, by path, size, time and class, and about each stored file that is gone.

    A path whose 63-bit id another path of the same walk already has (a chance of 1 in 18 million for a million
    files) becomes a failed row under an id of its own, so even that is recorded.

    Args:
        read_ns: up to when the stored files have what the system changed. The size and time of a file that the system
            changed later tell nothing: it may have come from elsewhere with its time. Such a file is read, which shows
            whether its content is the stored one.
    """
    seen: set[str] = set()
    ids: set[int] = set()
    for entry in found:
        item = entry
        path = stored_path(item.path)
        while path in seen:  # an escaped name that another file really has
            head, slash, name = path.rpartition("/")
            path = f"{head}{slash}\\{name}"
        seen.add(path)
        old = stored.get(path)
        # What failed may have done so because it has the id of another file.
        file_id = file_id_of(path) if old is None or old.status == FileStatus.FAILED else old.file_id
        if file_id in ids:
            file_id = file_id_of(path + "\0")
            item = FailedFile(item.path, "its id collides with another file's")
        ids.add(file_id)
        naming = class_of(item.path)
        if isinstance(item, DiscoveredFile):
            yield _decide_file(item, path, file_id, naming, old, read_ns)
        else:
            yield _decide_row(_ledger_row(item, path, file_id, naming), old)
    for path, old in stored.items():
        if path not in seen:
            yield Decision(Action.REMOVE, old)


def decide_failed(
    found: Entries, stored: Mapping[str, StoredFile], class_of: ClassOf, read_ns: int
) -> Iterator[Decision]:
    """Decide again about files that failed or could not be embedded; all others stay as they are stored."""
    again = {
        path: old._replace(content_hash=None)
        for path, old in stored.items()
        if old.status == FileStatus.FAILED or old.lacks_vectors
    }
    yield from decide([entry for entry in found if stored_path(entry.path) in again], again, class_of, read_ns)
    for path, old in stored.items():
        if path not in again:
            yield Decision(Action.KEEP, old)


def effect_of(old: StoredFile | None, now: Judged) -> Effect | None:
    """Return what a run changes about a file that was stored as `old` and is judged so now; None: nothing."""
    was_indexed = old is not None and old.status == FileStatus.INDEXED
    if now.status == FileStatus.INDEXED:
        return Effect.UPDATE if was_indexed else Effect.ADD
    if old is not None and _cause(old) == _cause(now):
        return None
    if was_indexed or (now.status is None and old is not None):
        return Effect.REMOVE
    return {FileStatus.SKIPPED.value: Effect.SKIP, FileStatus.FAILED.value: Effect.FAIL}.get(now.status or "")


def is_alike(file: DiscoveredFile, old: StoredFile) -> bool:
    """Whether a file has the size and time of its stored version."""
    return (old.size_bytes, old.mtime_ns) == (file.size_bytes, file.mtime_ns)


def is_untouched(file: DiscoveredFile, old: StoredFile, read_ns: int) -> bool:
    """Whether size and time, and when the system last changed a file, tell that it is the stored one."""
    return is_alike(file, old) and file.ctime_ns <= read_ns


def without_killed(stored: Mapping[str, StoredFile]) -> dict[str, StoredFile]:
    """Return the ledger for a run that tries again the files for which the system killed a worker."""
    return {path: old._replace(content_hash=None) if old.error == KILLED else old for path, old in stored.items()}


def _decide_file(
    item: DiscoveredFile, path: str, file_id: int, naming: Naming | None, old: StoredFile | None, read_ns: int
) -> Decision:
    same = old is not None and is_untouched(item, old, read_ns)
    if old is not None and same and naming is None and old.has_plain_class and _is_done(old):
        return Decision(Action.KEEP, old)  # by far the most files of most runs
    file = FileTask(item.blob or item.path, path, file_id, item.size_bytes, item.mtime_ns, naming=naming)
    if old is None:
        return Decision(Action.READ, file=file)
    known = _is_done(old) and not _reads_again(file, old)
    classified = _new_class(file, old) if known else None
    if known and same:
        return Decision(Action.KEEP, old, classified=classified)
    file = file._replace(
        known_hash=old.content_hash if known else None,
        # A file of another time may be readable by now.
        known_error=old.error if same and not old.lacks_vectors else None,
    )
    return Decision(Action.READ, old, file, classified=classified)


def _is_done(old: StoredFile) -> bool:
    """Whether all that can be known of the stored content is known."""
    return old.content_hash is not None and not old.lacks_vectors


def _reads_again(file: FileTask, old: StoredFile) -> bool:
    """Whether only the text can tell the class, or whether the file is indexed at all, under the rules of this run."""
    wanted = file.naming is not None and file.naming.wanted
    if old.status == FileStatus.INDEXED:
        unknown = file.naming is None and old.content_class is None and is_markup(file.path)
        return unknown or (is_wanted(old.rule) and not wanted)
    return wanted and old.reason in (SkipReason.GENERATED, SkipReason.MINIFIED)


def _new_class(file: FileTask, old: StoredFile) -> tuple[str | None, str | None] | None:
    """Class and rule of a stored file whose class comes out differently without reading it."""
    if old.status != FileStatus.INDEXED:
        content_class, rule = class_of_unread(file.naming, old.reason), old.rule
    elif file.naming is None and old.rule is not None and old.rule.startswith(CONTENT_RULE):
        return None
    else:
        content_class, rule = settle(file.naming, file.path, old.language_id or "")
    return (content_class, rule) if (content_class, rule) != (old.content_class, old.rule) else None


def class_in_copy(file: FileTask, other: StoredFile) -> tuple[str | None, str | None] | None:
    """Class and rule that a file gets here which has the content of another index's file of the same path.

    None where only its text can tell, or whether it is indexed at all; and for a file that failed there.
    """
    if other.status == FileStatus.FAILED or other.lacks_vectors or _reads_again(file, other):
        return None
    if other.status == FileStatus.SKIPPED:
        return class_of_unread(file.naming, other.reason), other.rule
    if file.naming is not None:
        return settle(file.naming, file.path, other.language_id or "")
    if other.content_class is None or not (other.rule is None or other.rule.startswith(CONTENT_RULE)):
        return None
    return other.content_class, other.rule


def _decide_row(row: FileRow, old: StoredFile | None) -> Decision:
    if old is None or _cause(old) != _cause(row):
        return Decision(Action.RECORD, old, row=row)
    is_same = (old.size_bytes, old.file_count, old.content_class) == (row.size_bytes, row.file_count, row.content_class)
    return Decision(Action.KEEP, old) if is_same else Decision(Action.RECORD, old, row=row)


def _cause(judged: Judged) -> tuple[str | None, ...]:
    return judged.status, judged.reason, judged.rule, judged.error


def _ledger_row(item: SkippedFile | FailedFile, path: str, file_id: int, naming: Naming | None) -> FileRow:
    if isinstance(item, FailedFile):
        return FileRow(file_id, path, FileStatus.FAILED, size_bytes=0, mtime_ns=0, error=item.error)
    return FileRow(
        file_id,
        path,
        FileStatus.SKIPPED,
        size_bytes=item.size_bytes,
        mtime_ns=item.mtime_ns,
        reason=item.reason,
        rule=item.rule,
        file_count=item.file_count,
        content_class=class_of_unread(naming, item.reason),
    )
