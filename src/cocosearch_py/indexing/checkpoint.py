"""Checkpoints of a long build: a run that is killed then loses only the work since the last one.

A build commits its rows now and then, under a number that no index has, so nobody sees them. The next run of the same
index goes on with them as with an index of its own, if it would make the same rows of the same files.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Any

from cocosearch_py.errors import BusyError
from cocosearch_py.indexing.run import Run
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.migrate import HEAD_REVISION, hold_schema
from cocosearch_py.storage.queries import builds
from cocosearch_py.storage.queries.builds import Build
from cocosearch_py.storage.queries.indexes import commit_and_hold, lock_for_writing

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


def find_build(conn: Connection, record: IndexRecord) -> Build | None:
    """Return the unfinished build that a run can go on with."""
    build = builds.find(conn, record.name)
    return build if build is not None and build.shape == shape_of(record) else None


def discard_build(conn: Connection, name: str) -> None:
    """Remove the unfinished build of an index, if there is one: the run cannot go on with it."""
    if (build := builds.find(conn, name)) is not None:
        builds.discard(conn, build)


def keep_regularly(run: Run) -> None:
    """Commit what a build has written, if the last commit is long enough ago."""
    if run.resumable and time.monotonic() - run.kept_at >= run.resources.thresholds.checkpoint_interval_s:
        keep(run)


def keep(run: Run, *, to_go_on: bool = True) -> bool:
    """Commit what a build has written, so that the next run can go on with it; False if that cannot be done now.

    `to_go_on` False: the next run removes it, as something else is to be committed that is of no use by itself.
    """
    if not hold_schema(run.conn):
        return False  # a migration waits for this run, after which the tables may not fit any more
    run.writer.flush()
    done = run.counts.files_unchanged + run.counts.files_added
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
