"""The stage that writes the ledger rows of what is not read."""

from cocosearch_py.indexing.run import Run, indexed
from cocosearch_py.model.files import FileStatus
from cocosearch_py.storage.write.rows import file_row


def write_unread(run: Run) -> None:
    """Bring the ledger up to date with what needs no reading: skipped, failed at the walk, gone."""
    rows, replaced = run.plan.ledger_only, run.plan.replaced
    old = [*run.plan.gone, *(replaced[row.file_id] for row in rows if row.file_id in replaced)]
    run.remove(old)
    run.writer.append({"files": [file_row(run.writer.index_id, row) for row in rows]}, {}, 0)
    run.writer.classify(run.plan.classified)
    run.changed |= bool(rows or run.plan.classified)
    folders = [row.file_count for row in rows if row.path.endswith("/")]
    run.count(
        files_removed=len(indexed(old)),
        files_skipped=sum(row.file_count for row in rows if row.status == FileStatus.SKIPPED),
        files_failed=sum(row.status == FileStatus.FAILED for row in rows),
        folders_skipped=len(folders),
        files_in_skipped_folders=sum(folders),
    )
    rows.clear()
