"""Changes on disk that a run has seen: files that differ from the index's last state."""

import os
from collections.abc import Mapping

from cocosearch_py.indexing.run import Run
from cocosearch_py.model.changes import Seen
from cocosearch_py.storage.write.writer import StoredFile, load_ledger


def seen_changes(run: Run) -> list[Seen]:
    """Files that were added, modified or deleted, by path; before the run is finished.

    Nothing of a first build, of the index of a commit, and of a run over the files that failed. A rebuild with other
    settings tells only of files that it has in common with the old index. What an interrupted run left is no news:
    after one, files that are as old as the index are not told of as added.
    """
    if run.is_new or run.options.commit is not None or run.options.only_failed or run.writer.live_id is None:
        return []
    conn, index_id = run.conn, run.writer.index_id
    if run.writer.building:
        before, after = load_ledger(conn, run.writer.live_id), load_ledger(conn, index_id)
        if run.other_settings:
            before = {path: file for path, file in before.items() if path in after}
            after = {path: file for path, file in after.items() if path in before}
    else:
        touched = run.writer.files_written | run.writer.files_removed
        old = (*run.plan.gone, *run.plan.replaced.values())
        before = {file.path: file for file in old if file.file_id in touched}
        after = load_ledger(conn, index_id, sorted(touched)) if touched else {}
    return list(filter(None, (_step(run, path, before, after) for path in sorted({*before, *after}))))


def _step(run: Run, path: str, before: Mapping[str, StoredFile], after: Mapping[str, StoredFile]) -> Seen | None:
    old, new = before.get(path), after.get(path)
    was, now = _hash(old), _hash(new)
    if new is None:
        gone = was is not None and not os.path.lexists(os.path.join(run.root, path))  # else it is ignored now
        return Seen(path, "deleted", was, None) if gone else None
    if now is None or was == now or (old is None and _was_left(run, new)):
        return None
    return Seen(path, "added" if old is None else "modified", was, now)


def _was_left(run: Run, file: StoredFile) -> bool:
    """Whether an interrupted run may have left this file."""
    return run.record.status == "interrupted" and file.mtime_ns <= int(run.record.created_at.timestamp() * 1e9)


def _hash(file: StoredFile | None) -> str | None:
    return None if file is None or file.content_hash is None else file.content_hash.hex()
