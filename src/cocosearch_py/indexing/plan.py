"""What a run has to do: the folder as it is against the ledger as it was. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from cocosearch_py.discovery.classes import CONTENT_RULE, is_markup
from cocosearch_py.indexing.classes import class_of_unread, is_wanted, settle
from cocosearch_py.indexing.tasks import KILLED, FileTask, stored_path
from cocosearch_py.model.files import DiscoveredFile, FailedFile, FileStatus, Naming, SkippedFile, SkipReason
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.write.rows import FileRow
from cocosearch_py.storage.write.writer import StoredFile


@dataclass(slots=True)
class Plan:
    """Lists of work; a file is in at most one of them.

    Of what the system changed after `read_ns`, up to which the stored files have its changes, size and time tell
    nothing: a file may have come from elsewhere with its time. Such a file is to be read, which shows whether it is the
    same.
    """

    to_read: list[FileTask] = field(default_factory=list)  # new or changed
    ledger_only: list[FileRow] = field(default_factory=list)  # skipped or failed at the walk, row new or changed
    gone: list[StoredFile] = field(default_factory=list)  # stored, no longer on disk
    classified: list[tuple[int, str | None, str | None]] = field(default_factory=list)  # (file_id, new class, its rule)
    replaced: dict[int, StoredFile] = field(default_factory=dict)  # file_id -> stored version of changed ones
    unchanged: Counter[str] = field(default_factory=Counter)  # status -> files that stay as they are stored
    unchanged_folders: int = 0  # skipped as a whole
    files_in_unchanged_folders: int = 0  # counted in `unchanged`, too
    read_ns: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.to_read or self.ledger_only or self.gone or self.classified)

    def keep(self, old: StoredFile) -> None:
        """Count a row that stays as it is stored: a file, or a skipped folder with all files below it."""
        self.unchanged[old.status] += old.file_count
        if old.path.endswith("/"):
            self.unchanged_folders += 1
            self.files_in_unchanged_folders += old.file_count

    def forget_replaced(self) -> list[StoredFile]:
        """Stored files that have changed or are gone; from now on the plan knows nothing of them."""
        replaced = [*self.gone, *self.replaced.values()]
        self.gone, self.replaced = [], {}
        self.to_read = [file._replace(known_hash=None, known_error=None) for file in self.to_read]
        return replaced


def make_plan(
    found: Iterable[DiscoveredFile | SkippedFile | FailedFile],
    stored: Mapping[str, StoredFile],
    class_of: Callable[[str], Naming | None],
    read_ns: int,
) -> Plan:
    """Compare the walk with the ledger by path, size and time, and by the class that `class_of` gives a path.

    For `read_ns` see `Plan`.

    A path whose 63-bit id another path of the same walk already has (a chance of 1 in 18 million for a million
    files) becomes a failed row under an id of its own, so even that is recorded.
    """
    plan = Plan(read_ns=read_ns)
    seen: set[str] = set()
    ids: set[int] = set()
    for one in found:
        item = one
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
        if isinstance(item, DiscoveredFile):
            _plan_file(plan, item, path, file_id, class_of(item.path), old)
        else:
            _plan_row(plan, _ledger_row(item, path, file_id, class_of(item.path)), old)
    plan.gone = [old for path, old in stored.items() if path not in seen]
    return plan


def without_killed(stored: Mapping[str, StoredFile]) -> dict[str, StoredFile]:
    """The ledger as a run takes it that tries again what the system killed a worker for."""
    return {path: old._replace(content_hash=None) if old.error == KILLED else old for path, old in stored.items()}


def retry_plan(
    found: Iterable[DiscoveredFile | SkippedFile | FailedFile],
    stored: Mapping[str, StoredFile],
    class_of: Callable[[str], Naming | None],
    read_ns: int,
) -> Plan:
    """The same for those alone that failed, or could not be embedded; the others stay as they are stored."""
    again = {
        path: old._replace(content_hash=None)
        for path, old in stored.items()
        if old.status == FileStatus.FAILED or old.lacks_vectors
    }
    plan = make_plan([one for one in found if stored_path(one.path) in again], again, class_of, read_ns)
    for path, old in stored.items():
        if path not in again:
            plan.keep(old)
    return plan


def _plan_file(
    plan: Plan, item: DiscoveredFile, path: str, file_id: int, naming: Naming | None, old: StoredFile | None
) -> None:
    same = old is not None and (old.size_bytes, old.mtime_ns) == (item.size_bytes, item.mtime_ns)
    same = same and item.ctime_ns <= plan.read_ns
    if old is not None and same and naming is None and old.has_plain_class and _is_done(old):
        plan.unchanged[old.status] += 1  # by far the most files of most runs
        return
    file = FileTask(item.blob or item.path, path, file_id, item.size_bytes, item.mtime_ns, naming=naming)
    if old is not None:
        known = _is_done(old) and not _reads_again(file, old)
        if known:
            _classify(plan, file, old)
        if known and same:
            plan.unchanged[old.status] += 1
            return
        plan.replaced[file.file_id] = old
        file = file._replace(
            known_hash=old.content_hash if known else None,
            known_error=old.error
            if same and not old.lacks_vectors
            else None,  # it may be readable by now, which its time does not tell
        )
    plan.to_read.append(file)


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


def _classify(plan: Plan, file: FileTask, old: StoredFile) -> None:
    """Note a stored file whose class comes out differently without reading it."""
    if old.status != FileStatus.INDEXED:
        content_class, rule = class_of_unread(file.naming, old.reason), old.rule
    elif file.naming is None and old.rule is not None and old.rule.startswith(CONTENT_RULE):
        return
    else:
        content_class, rule = settle(file.naming, file.path, old.language_id or "")
    if (content_class, rule) != (old.content_class, old.rule):
        plan.classified.append((file.file_id, content_class, rule))


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


def _plan_row(plan: Plan, row: FileRow, old: StoredFile | None) -> None:
    if old is not None:
        if (old.status, old.reason, old.rule, old.error, old.size_bytes, old.file_count, old.content_class) == (
            *(row.status, row.reason, row.rule, row.error, row.size_bytes, row.file_count, row.content_class),
        ):
            plan.keep(old)
            return
        plan.replaced[row.file_id] = old
    plan.ledger_only.append(row)


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
