"""What a run has to do: the folder as it is against the ledger as it was. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cocosearch_py.indexing.prepare import FileTask, file_id_of, stored_path
from cocosearch_py.model.files import DiscoveredFile, FailedFile, FileStatus, SkippedFile
from cocosearch_py.storage.write.rows import FileRow
from cocosearch_py.storage.write.writer import StoredFile


@dataclass(slots=True)
class Plan:
    """Lists of work; a file is in at most one of them."""

    to_read: list[FileTask] = field(default_factory=list)  # new or changed
    ledger_only: list[FileRow] = field(default_factory=list)  # skipped or failed at the walk, row new or changed
    gone: list[StoredFile] = field(default_factory=list)  # stored, no longer on disk
    replaced: dict[int, StoredFile] = field(default_factory=dict)  # file_id -> stored version of changed ones
    unchanged: Counter[str] = field(default_factory=Counter)  # status -> files that stay as they are stored

    @property
    def is_empty(self) -> bool:
        return not (self.to_read or self.ledger_only or self.gone)


def make_plan(found: Iterable[DiscoveredFile | SkippedFile | FailedFile], stored: Mapping[str, StoredFile]) -> Plan:
    """Compare the walk with the ledger by path, size and modification time.

    A path whose 63-bit id another path of the same walk already has (a chance of 1 in 18 million for a million
    files) becomes a failed row under an id of its own, so even that is recorded.
    """
    plan = Plan()
    seen: set[str] = set()
    ids: set[int] = set()
    for one in found:
        item = one
        path = stored_path(item.path)
        while path in seen:  # an escaped name that another file really has
            head, slash, name = path.rpartition("/")
            path = f"{head}{slash}\\{name}"
        seen.add(path)
        file_id = file_id_of(path)
        if file_id in ids:
            file_id = file_id_of(path + "\0")
            item = FailedFile(item.path, "its id collides with another file's")
        ids.add(file_id)
        old = stored.get(path)
        if isinstance(item, DiscoveredFile):
            _plan_file(plan, item, path, file_id, old)
        else:
            _plan_row(plan, _ledger_row(item, path, file_id), old)
    plan.gone = [old for path, old in stored.items() if path not in seen]
    return plan


def _plan_file(plan: Plan, item: DiscoveredFile, path: str, file_id: int, old: StoredFile | None) -> None:
    known_hash = known_error = None
    if old is not None:
        same = (old.size_bytes, old.mtime_ns) == (item.size_bytes, item.mtime_ns)
        if same and old.content_hash is not None:
            plan.unchanged[old.status] += 1
            return
        plan.replaced[file_id] = old
        known_hash = old.content_hash
        known_error = old.error if same else None  # it may be readable by now, which its time does not tell
    plan.to_read.append(FileTask(item.path, path, file_id, item.size_bytes, item.mtime_ns, known_hash, known_error))


def _plan_row(plan: Plan, row: FileRow, old: StoredFile | None) -> None:
    if old is not None:
        if (old.status, old.reason, old.rule, old.error, old.size_bytes, old.file_count) == (
            *(row.status, row.reason, row.rule, row.error, row.size_bytes, row.file_count),
        ):
            plan.unchanged[old.status] += 1
            return
        plan.replaced[row.file_id] = old
    plan.ledger_only.append(row)


def _ledger_row(item: SkippedFile | FailedFile, path: str, file_id: int) -> FileRow:
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
    )
