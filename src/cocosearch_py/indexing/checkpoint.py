"""What a long build keeps on the way: a run that is killed then costs what it did since, not everything.

A build commits its rows now and then, under a number that no index has, so nobody sees them. The next run of the same
index goes on with them as with an index of its own, if it would make the same rows of the same files.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from cocosearch_py.errors import BusyError
from cocosearch_py.indexing.run import Run
from cocosearch_py.model.indexes import IndexRecord, in_ns
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.migrate import HEAD_REVISION, hold_schema
from cocosearch_py.storage.queries import builds
from cocosearch_py.storage.queries.builds import Build
from cocosearch_py.storage.queries.indexes import commit_and_hold, lock_for_writing
from cocosearch_py.storage.write.writer import StoredFile, load_ledger

# A build of less than this stays one transaction, whose COPY skips the log; losing it costs no more than this.
INTERVAL_S = 15.0
_ABANDONED = timedelta(days=7)
_MOST_DROPPED = 3  # abandoned builds at the end of a run


def shape_of(record: IndexRecord) -> dict[str, Any]:
    """All that decides which rows a file gets, and where they go; a build of another shape is of no use."""
    return {
        "schema": HEAD_REVISION,
        "root_path": record.root_path,
        "format_version": record.format_version,
        "options": record.options,
        "embedding_model": record.embedding_model,
        "embedding_dimension": record.embedding_dimension,
    }


def take_up(conn: Connection, record: IndexRecord, *, useful: bool) -> Build | None:
    """The unfinished build that a run can go on with; one that it cannot use is removed."""
    build = builds.find(conn, record.name)
    if build is None or (useful and build.shape == shape_of(record)):
        return build
    builds.discard(conn, build)
    return None


def kept_ledger(conn: Connection, record: IndexRecord) -> tuple[dict[str, StoredFile], int] | None:
    """Ledger and `Plan.read_ns` of the unfinished build with which a run would go on; None where there is none."""
    build = builds.find(conn, record.name)
    if build is None or build.shape != shape_of(record):
        return None
    return load_ledger(conn, build.index_id), in_ns(build.read_at)


def keep_regularly(run: Run) -> None:
    """Commit what a build has written, if it is INTERVAL_S since that was last done."""
    if run.resumable and time.monotonic() - run.kept_at >= INTERVAL_S:
        keep(run)


def keep(run: Run, *, to_go_on: bool = True) -> bool:
    """Commit what a build has written, so that the next run can go on with it; False if that cannot be done now.

    `to_go_on` False: the next run removes it, as something else is to be committed that is of no use by itself.
    """
    if not hold_schema(run.conn):
        return False  # a migration waits for this run, after which the tables may not fit any more
    run.writer.flush()
    done = run.report.files_unchanged + run.report.files_added
    record = run.record
    build = Build(
        *(record.index_id, record.name, record.root_path, shape_of(record) | ({} if to_go_on else builds.OF_NO_USE)),
        # A run that goes on with a build takes out of it what changed since, so its own start holds for all.
        *(done, run.pending, datetime.now(UTC), run.began_at),
    )
    builds.save(run.conn, build)
    run.control.fence(run.conn)
    commit_and_hold(run.conn, record.name)
    run.writer.committed = True
    run.kept_at = time.monotonic()
    return True


def drop_abandoned(conn: Connection) -> None:
    """Remove builds that nobody has gone on with for long; a few at a time."""
    for build in builds.abandoned(conn, _ABANDONED, _MOST_DROPPED):
        try:
            lock_for_writing(conn, build.name)
        except BusyError:
            continue
        builds.discard(conn, build)
