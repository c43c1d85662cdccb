"""The stage that writes the ledger rows of what is not read."""

from dataclasses import replace

from cocosearch_py.indexing.run import Run
from cocosearch_py.storage.write.rows import file_row


def write_unread(run: Run) -> None:
    """Bring the ledger up to date with what needs no reading: skipped, failed at the walk, gone."""
    plan = run.plan
    run.remove([*plan.gone, *(old for old, _ in plan.left_out if old is not None)])
    run.writer.append({"files": [file_row(run.writer.index_id, row) for row in plan.to_record]}, {}, 0)
    run.writer.classify(plan.classified)
    run.changed |= bool(plan.to_record or plan.classified)
    for gone in plan.gone:
        run.counts.change(gone, None)
    for old, row in plan.left_out:
        run.counts.change(old, row.status, row.path, row.file_count)
    run.plan = replace(plan, to_record=())  # of a folder with much to ignore they take much memory
