"""Changes of the folder of an index since its last run: by names, sizes and times, and for the count by content."""

import posixpath
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.origin import open_reader
from cocosearch_py.discovery.reading import hash_of
from cocosearch_py.discovery.sniff import Skip
from cocosearch_py.discovery.tree_state import TreeState, walk_with_state
from cocosearch_py.indexing.classes import Classifier
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.plan import Plan, is_alike, is_untouched
from cocosearch_py.indexing.repairs import MOST_BYTES
from cocosearch_py.indexing.start import plan_folder
from cocosearch_py.indexing.tasks import FileTask, stored_path
from cocosearch_py.model.files import BY_RULE, DiscoveredFile, FileStatus, FileVersion, Naming
from cocosearch_py.model.indexes import IndexRecord, Pending
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.indexes import require_same
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write.writer import StoredFile, load_ledger

MOST_FILES = 20_000  # of an index; whoever asks how it is should not wait for a larger folder to be walked
_MOST_COMPARED_BYTES = 20 * 2**20  # read and hashed in about 50 ms
_MOST_AT_ONCE = 100  # files that an answer takes in
_MOST_UNMOVED = 10  # folders: 2 MB each at the most

Version = tuple[object, DiscoveryOptions]  # of an index and its rules


class Unmoved:
    """Folders in which nothing was new or changed, with what was touched: one unknown name is followed by others.

    A look at the state of a folder takes a seventh of the time of a walk.
    """

    def __init__(self) -> None:
        self._known: dict[Version, tuple[TreeState, Pending]] = {}

    def find(self, version: Version) -> Pending | None:
        """Return what was pending, if nothing in the folder has moved since."""
        known = self._known.get(version)
        return known[1] if known is not None and known[0].holds() else None

    def keep(self, version: Version, state: TreeState, pending: Pending) -> None:
        """Remember what is pending in a folder of this state."""
        if len(self._known) >= _MOST_UNMOVED:
            self._known.clear()
        self._known[version] = state, pending


def count_pending(record: IndexRecord, options: IndexingOptions, database: Database) -> int:
    """Count the files that are new, changed or gone since the last run.

    A file whose content is the stored one does not count, as after `touch`. Beyond `_MOST_COMPARED_BYTES` contents are
    not compared, and such files count as changed.

    Raises:
        WorkspaceError: the folder is not there.
        IndexNotFoundError: the index is gone.
    """
    plan = plan_next(record, options, database)
    compared, left = list[FileTask](), _MOST_COMPARED_BYTES
    for task in plan.to_read:
        old = plan.replaced.get(task.file_id)
        if task.known_hash is not None and old is not None and old.size_bytes == task.size_bytes <= left:
            compared.append(task)
            left -= task.size_bytes
    same = _count_same(record, options.discovery.max_file_size_bytes, compared)
    return len(plan.to_read) - same + len(plan.gone) + len(plan.to_record)


def plan_next(record: IndexRecord, options: IndexingOptions, database: Database) -> Plan:
    """Plan what the next run would read, by names, sizes and times; raises as `count_pending` does."""
    current, stored = _stored(record, database)
    return plan_folder(Path(record.root_path), options, stored, current.read_ns, commit=record.commit)


def _count_same(record: IndexRecord, max_file_bytes: int, files: Sequence[FileTask]) -> int:
    """Count the files whose content is the stored one; one that cannot be read is not."""
    same = 0
    with open_reader(record.root_path, max_file_bytes, of_commit=record.commit is not None) as folder:
        for file in files:
            with suppress(OSError):
                data = folder.read(file.source)
                same += not isinstance(data, Skip) and hash_of(data) == file.known_hash
    return same


def find_pending(
    record: IndexRecord, options: IndexingOptions, database: Database, unmoved: Unmoved, asked: str = ""
) -> Pending:
    """Find the files that the next run would read because they are new, or are not as they were read.

    Args:
        unmoved: folders that need no walk.
        asked: the question; files that it names come first.
    Raises:
        WorkspaceError: the folder is not there.
        IndexNotFoundError: the index is gone.
    """
    known = record.version, options.discovery
    if (before := unmoved.find(known)) is not None:
        return before
    root = Path(record.root_path)
    found, state = walk_with_state(root, options.discovery)
    current, stored = _stored(record, database)
    left_out = tuple(path for path in stored if path.endswith("/"))
    changed, touched = list[DiscoveredFile](), list[DiscoveredFile]()
    changed_count = 0
    for one in found:
        if isinstance(one, DiscoveredFile):
            path = stored_path(one.path)
            is_text = path == one.path  # else the index has only what the ledger shows, and no answer takes it in
            old = stored.get(path)
            if old is None or not is_alike(one, old):
                if _is_sought(one, old, left_out):
                    changed_count += 1
                    changed += [one] if is_text else []
            elif (
                is_text
                and not is_untouched(one, old, current.read_ns)
                and old.status == FileStatus.INDEXED
                and old.content_hash is not None
            ):
                touched.append(one)
    files = dict[str, Naming | None]()
    if changed:
        classes = Classifier(root, [entry.path for entry in found], options.content_classes)
        files = {one.path: classes.name(one.path) for one in _latest(changed, asked)}
    versions = {one.path: _version_of(stored[one.path]) for one in _latest(touched, "")}
    pending = Pending(files, versions, changed_count - len(files), current.version != record.version)
    if state is not None and not changed_count:
        unmoved.keep(known, state, pending)
    return pending


def _is_sought(new: DiscoveredFile, old: StoredFile | None, left_out: tuple[str, ...]) -> bool:
    """Whether a run would read it for its content, not for rules that changed."""
    return not new.path.startswith(left_out) if old is None else old.reason not in BY_RULE


def _latest(files: Sequence[DiscoveredFile], asked: str) -> list[DiscoveredFile]:
    """As many as an answer waits for, those that are asked for first; a large one keeps out none that has room."""

    def rank(file: DiscoveredFile) -> tuple[bool, bool, int]:
        return file.path in asked, posixpath.basename(file.path) in asked, file.mtime_ns

    latest, size_bytes = list[DiscoveredFile](), 0
    for file in sorted(files, key=rank, reverse=True):
        if len(latest) < _MOST_AT_ONCE and size_bytes + file.size_bytes <= MOST_BYTES:
            latest.append(file)
            size_bytes += file.size_bytes
    return latest


def _version_of(old: StoredFile) -> FileVersion:
    return FileVersion(old.size_bytes, old.mtime_ns, old.content_hash or b"")


def _stored(record: IndexRecord, database: Database) -> tuple[IndexRecord, Mapping[str, StoredFile]]:
    """The index as it is now, and what it has by path."""

    def read(conn: Connection) -> tuple[IndexRecord, Mapping[str, StoredFile]]:
        current = require_same(conn, record)
        return current, load_ledger(conn, current.index_id)

    return database.read(read)
