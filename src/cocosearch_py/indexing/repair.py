"""A run over a few files of an index, for an answer that waits: the ledger says which, nothing is looked for.

What only a whole run can tell stays as it is: which files there are, their classes by path, where the checkout stands,
and in which leaves the index is.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from pathlib import Path
from types import MappingProxyType

from cocosearch_py.discovery.options import DiscoveryOptions
from cocosearch_py.discovery.walk import left_out
from cocosearch_py.errors import WorkspaceError
from cocosearch_py.indexing.change_counts import seen_changes
from cocosearch_py.indexing.classes import stored_naming
from cocosearch_py.indexing.content import write_contents
from cocosearch_py.indexing.embedding import embed_files
from cocosearch_py.indexing.options import ContentOptions, IndexingOptions
from cocosearch_py.indexing.plan import Action, Decision, Plan
from cocosearch_py.indexing.progress import RunReport
from cocosearch_py.indexing.resolve import resolve
from cocosearch_py.indexing.run import Resources, Run, RunControl
from cocosearch_py.indexing.skipped import write_unread
from cocosearch_py.indexing.tasks import FileTask
from cocosearch_py.model.files import BY_RULE, FileStatus, Naming
from cocosearch_py.model.indexes import FORMAT_VERSION, IndexRecord
from cocosearch_py.model.paths import file_id_of
from cocosearch_py.storage.connection import commit_lazily
from cocosearch_py.storage.queries.changes import add_seen
from cocosearch_py.storage.queries.indexes import lock_for_repair, require, save
from cocosearch_py.storage.queries.sources import embedded_files
from cocosearch_py.storage.write.writer import IndexWriter, StoredFile, load_ledger

_NONE: Mapping[str, Naming | None] = MappingProxyType({})
_CONTROL = RunControl(lambda _: None, lambda: False)


def repair(
    asked: IndexRecord,
    paths: Sequence[str],
    resources: Resources,
    rules: DiscoveryOptions,
    new: Mapping[str, Naming | None] = _NONE,
) -> None:
    """Bring files of an index up to date in one transaction; those that are no more leave it.

    Args:
        asked: the index as it was when the files were looked at; by name and folder it must be the same now.
        paths: as the ledger has them; those that it does not have as indexed are left out.
        rules: which files of the folder a run would read. Indexed files that they leave out leave the index.
        new: of these, files that are to be indexed, with what their paths tell of their classes; not those that rules
            left out of a run since.
    Raises:
        BusyError: another run is writing the index.
        WorkspaceError: it is of another folder by now, or was made by another version or model.
        CocosearchError: the database or the embedder refuse.
    """
    root = asked.root_path
    resources.database.require_room()
    with resources.database.writing() as conn:
        lock_for_repair(conn, asked.name)
        commit_lazily(conn)  # what is undone is found and repaired again
        record = require(conn, asked.name)
        if (record.root_path, record.format_version) != (root, FORMAT_VERSION) or (
            record.embedding_model != resources.model(vector=record.has_vectors).name
        ):
            raise WorkspaceError(f"index '{record.name}' needs a full run", hint=f"run `cocosearch-py index {root}`")
        rows = (*paths, *chain.from_iterable(map(_folders_above, new)))
        stored = load_ledger(conn, record.index_id, list(map(file_id_of, rows)))
        held = [file for file in stored.values() if file.status == FileStatus.INDEXED]
        lost = _left_out(root, rules, held)
        has_run = (record.index_id, record.read_at) != (asked.index_id, asked.read_at)
        left_out = {path for path, old in stored.items() if has_run and old.reason in BY_RULE}
        wanted = {path: naming for path, naming in new.items() if left_out.isdisjoint((path, *_folders_above(path)))}
        plan = _plan(root, stored.values(), lost, wanted)
        options = IndexingOptions(
            content=ContentOptions.from_stored(record.options),
            discovery=rules,
        )
        writer = IndexWriter(conn, record.index_id, record.index_id)
        report = RunReport(record.name, record.root_path, record.table_name, chunks=record.chunk_count)
        run = Run(conn, Path(root), record, False, plan, writer, options, resources, _CONTROL, report)
        embedded = embedded_files(conn, record.index_id, plan.replaced) if options.content.max_files_to_embed else set()
        write_unread(run)
        write_contents(run)
        if run.changed:
            resolve(run)
            embed_files(run, embedded & run.writer.files_written)
        save(conn, _counted(run), changed=run.changed)
        add_seen(conn, root, seen_changes(run))


def _folders_above(path: str) -> list[str]:
    """As the ledger has them that are left out as a whole."""
    return [f"{folder}/" for folder in accumulate(path.split("/")[:-1], "{}/{}".format)]


def _left_out(root: str, rules: DiscoveryOptions, held: Sequence[StoredFile]) -> frozenset[str]:
    """Files of the ledger that are on disk, but not for an index: its rows may come from somebody else."""
    return left_out(Path(root), rules, [file.path for file in held if os.path.lexists(os.path.join(root, file.path))])


def _plan(root: str, stored: Collection[StoredFile], lost: Collection[str], new: Mapping[str, Naming | None]) -> Plan:
    """Read the indexed files again but for the lost ones, which leave the index, and read the new ones."""
    decisions = list[Decision]()
    for old in stored:
        if old.status != FileStatus.INDEXED:
            if old.path in new:
                decisions.append(Decision(Action.READ, old, _task(root, old.path, new[old.path])))
        elif old.path in lost:
            decisions.append(Decision(Action.REMOVE, old))
        else:
            naming = stored_naming(old.content_class, old.rule)
            decisions.append(Decision(Action.READ, old, _task(root, old.path, naming, known=old.content_hash)))
    known = {old.path for old in stored}
    decisions += [
        Decision(Action.READ, file=_task(root, path, naming)) for path, naming in new.items() if path not in known
    ]
    return Plan.of(decisions)


def _task(root: str, path: str, naming: Naming | None, *, known: bytes | None = None) -> FileTask:
    try:
        now = os.lstat(os.path.join(root, path))
        size_bytes, mtime_ns = now.st_size, now.st_mtime_ns
    except (OSError, ValueError):  # reading it tells what it is
        size_bytes, mtime_ns = 0, 0
    return FileTask(path, path, file_id_of(path), size_bytes, mtime_ns, known, naming=naming)


def _counted(run: Run) -> IndexRecord:
    """The row of the index: new counts, all else as the last whole run left it."""
    return replace(
        run.record,
        chunk_count=run.record.chunk_count + run.writer.chunks_written - run.writer.chunks_removed,
        file_count=run.record.file_count + run.counts.files_added - run.counts.files_removed,
    )
