"""How far the folder of an index has moved on since its last run, by names, sizes and times; reads no content."""

from collections.abc import Mapping
from pathlib import Path

from cocosearch_py.discovery.origin import open_origin
from cocosearch_py.indexing.classes import Classifier
from cocosearch_py.indexing.options import IndexingOptions
from cocosearch_py.indexing.plan import Plan, make_plan
from cocosearch_py.indexing.repairs import MOST_BYTES
from cocosearch_py.indexing.tasks import FileTask
from cocosearch_py.model.files import FileStatus, FileVersion, SkipReason
from cocosearch_py.model.indexes import IndexRecord, Pending
from cocosearch_py.storage.server.database import Database
from cocosearch_py.storage.write.writer import StoredFile, load_ledger

MOST_FILES = 20_000  # of an index; whoever asks how it is should not wait for a larger folder to be walked
_MOST_AT_ONCE = 100  # files that an answer takes in
# Left out by rules, which a run may have had of its command.
_BY_RULE = (SkipReason.IGNORED, SkipReason.EXCLUDED, SkipReason.SECRET, SkipReason.TOO_DEEP)


def count_pending(record: IndexRecord, options: IndexingOptions, database: Database) -> int:
    """How many files the next run would look at: new ones, changed ones, and those that are gone.

    One that was only touched counts, too.

    Raises:
        WorkspaceError: the folder is not there.
    """
    plan, _ = _plan(record, options, database)
    return len(plan.to_read) + len(plan.gone) + len(plan.ledger_only)


def find_pending(record: IndexRecord, options: IndexingOptions, database: Database) -> Pending:
    """What the next run would read because it is new, or is not as it was read; raises WorkspaceError likewise."""
    plan, stored = _plan(record, options, database)
    left_out = tuple(path for path in stored if path.endswith("/"))
    wanted = [file for file in plan.to_read if _is_sought(file, stored.get(file.path), left_out)]
    alike = {
        file.path: FileVersion(old.size_bytes, old.mtime_ns, old.content_hash)
        for file in wanted
        if (old := stored.get(file.path)) and old.content_hash is not None and _is_alike(file, old)
    }
    changed = [file for file in wanted if file.path not in alike]
    files = {file.path: file.naming for file in _latest(changed)}
    touched = {file.path: alike[file.path] for file in _latest([file for file in wanted if file.path in alike])}
    return Pending(files, touched, len(changed) - len(files))


def _latest(files: list[FileTask]) -> list[FileTask]:
    """As many as an answer waits for; a large one keeps out no older one that has room."""
    latest, size_bytes = list[FileTask](), 0
    for file in sorted(files, key=lambda file: file.mtime_ns, reverse=True):
        if len(latest) < _MOST_AT_ONCE and size_bytes + file.size_bytes <= MOST_BYTES:
            latest.append(file)
            size_bytes += file.size_bytes
    return latest


def _plan(record: IndexRecord, options: IndexingOptions, database: Database) -> tuple[Plan, Mapping[str, StoredFile]]:
    root = Path(record.root_path)
    origin = open_origin(root, record.commit)
    found = origin.walk(options.discovery)
    stored = database.read(lambda conn: load_ledger(conn, record.index_id))
    classes = Classifier(root, [one.path for one in found], options.content_classes, origin.attributes)
    return make_plan(found, stored, classes.name, record.read_ns), stored


def _is_sought(file: FileTask, old: StoredFile | None, left_out: tuple[str, ...]) -> bool:
    """Whether a run would read it for its content; not for rules that changed, or a failure that may be over."""
    if file.source != file.path:  # a name that is no text: whoever reads it has only what the ledger shows
        return False
    if old is None:
        return not file.path.startswith(left_out)
    if old.status == FileStatus.INDEXED and not old.lacks_vectors:
        return True
    return old.reason not in _BY_RULE and not _is_alike(file, old)


def _is_alike(file: FileTask, old: StoredFile) -> bool:
    return (old.size_bytes, old.mtime_ns) == (file.size_bytes, file.mtime_ns)
