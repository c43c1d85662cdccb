"""Recovery of runs whose process is gone, by the database's clock; any process may do it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from cocosearch_py.model.process import is_gone
from cocosearch_py.storage.queries import runs
from cocosearch_py.storage.queries.indexes import lock_key
from cocosearch_py.storage.queries.runs import STALE_S, RunRow
from cocosearch_py.storage.write.partitions import WRITING_LOCK

MOST_DEATHS = 3  # at one place of a run

_RUNNING = (
    f"SELECT run_id, process, heartbeat_at < clock_timestamp() - interval '{STALE_S} seconds', job_id IS NULL, "
    "index_name FROM cocosearch_py.runs WHERE state = 'running'"
)
_HOLDERS = "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = %s"
_MOST_NAMED = 5  # files in a message


@dataclass(frozen=True, slots=True)
class _Death:
    """Known places where the processes of a run ended."""

    count: int
    places: list[str]

    def __str__(self) -> str:
        more = len(self.places) - _MOST_NAMED
        return ", ".join(self.places[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def needed(conn: psycopg.Connection) -> bool:
    """Whether a run counts as running although its process is gone."""
    return any(True for _ in _dead(conn, conn.execute(_RUNNING.encode()).fetchall()))


def rescue(conn: psycopg.Connection) -> None:
    """Restart runs whose process is gone, or end those that cannot restart; see `runs.hold_all`."""
    for run_id in _dead(conn, conn.execute(f"{_RUNNING} FOR UPDATE SKIP LOCKED".encode()).fetchall()):
        row = runs.get(conn, run_id)
        if row is not None:
            if row.job_id is not None:
                _end_sessions(conn, row.index_name)
            _rescue(conn, row, "its process ended")


def give_up(conn: psycopg.Connection, run_id: str, attempt: int) -> None:
    """Restart a run whose attempt lost the database, as if its process were gone."""
    row = runs.get(conn, run_id)
    if row is not None and row.attempt == attempt and row.state == "running":
        _rescue(conn, row, "the database connection was lost")


def abandon(conn: psycopg.Connection, run_id: str, attempt: int, error: dict[str, Any]) -> None:
    """End a run as failed although its work does not stop; its sessions are ended, so that it writes nothing more."""
    row = runs.get(conn, run_id)
    if row is not None and row.attempt == attempt and row.state == "running":
        _end_sessions(conn, row.index_name)
        _end(conn, row, error)


def is_working(conn: psycopg.Connection, index_name: str) -> bool:
    """Whether the server itself is at work for the run that holds an index: an index is built, rows are copied."""
    row = conn.execute(
        "SELECT bool_or(a.state = 'active' AND a.wait_event_type IS DISTINCT FROM 'Lock' "
        "AND a.wait_event_type IS DISTINCT FROM 'Client') FROM pg_locks l JOIN pg_stat_activity a USING (pid) "
        "WHERE l.locktype = 'advisory' AND l.granted AND l.classid = %s AND l.objid = %s",
        [WRITING_LOCK, lock_key(index_name) % 2**32],  # an oid has no sign
    ).fetchone()
    return bool(row and row[0])


def _dead(conn: psycopg.Connection, running: Iterable[tuple[str, str, bool, bool, str]]) -> Iterator[str]:
    """Yield runs whose process has been silent for long, or has ended on this machine.

    A command may be silent while it parses. It lives as long as its session, which locks the index.
    """
    for run_id, process, is_silent, is_command, index_name in running:
        if is_gone(process) or (is_silent and not (is_command and _is_held(conn, index_name))):
            yield run_id


def _is_held(conn: psycopg.Connection, index_name: str) -> bool:
    held = {row[0] for row in conn.execute(_HOLDERS, [WRITING_LOCK])}
    return lock_key(index_name) % 2**32 in held  # an oid has no sign


def _rescue(conn: psycopg.Connection, row: RunRow, why: str) -> None:
    if row.cancel_requested:
        runs.end(conn, row.run_id, row.attempt, "cancelled", None, None)
        return
    if row.job_id is None:
        message, hint = "the process that ran it ended unexpectedly", "index the folder again: it continues from there"
        _fail(conn, row, message, hint, "RunLostError")
        return
    death = _count(row)
    if death.count >= MOST_DEATHS:
        hint = "exclude these files (indexing.excludePatterns), or check the system's log: memory may have run out"
        _fail(conn, row, f"{death.count} processes in a row ended while working on: {death}", hint)
        return
    conn.execute(
        "UPDATE cocosearch_py.runs SET state = 'queued', deaths = %s, death_files = %s WHERE run_id = %s",
        [death.count, Jsonb(death.places), row.run_id],
    )
    runs.note(conn, row.run_id, "rescued", f"{why} while working on: {death}")
    runs.put_back(conn, row.run_id)
    runs.tell(conn, row.run_id, "queued", row.index_name)


def _count(row: RunRow) -> _Death:
    places = row.in_hand or [f"({row.stage or 'start'})"]
    common = [place for place in row.death_files if place in set(places)]
    return _Death(row.deaths + 1, common) if common else _Death(1, places)


def _fail(conn: psycopg.Connection, row: RunRow, message: str, hint: str, kind: str = "CocosearchError") -> None:
    _end(conn, row, {"type": kind, "message": message, "hint": hint})


def _end(conn: psycopg.Connection, row: RunRow, error: dict[str, Any]) -> None:
    runs.end(conn, row.run_id, row.attempt, "failed", None, error)
    if row.job_id is not None:
        runs.take_from_queue(conn, row.job_id)


def _end_sessions(conn: psycopg.Connection, index_name: str) -> None:
    """End the session that holds an index for a run whose process is silent: it must not write when it wakes up."""
    conn.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted "
        "AND classid = %s AND objid = %s AND pid <> pg_backend_pid() AND database = "
        "(SELECT oid FROM pg_database WHERE datname = current_database())",
        [WRITING_LOCK, lock_key(index_name) % 2**32],
    )
