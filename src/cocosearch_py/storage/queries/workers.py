"""Rows of `workers`: which processes take runs from the queue of a host."""

from collections.abc import Sequence

import psycopg

from cocosearch_py.model.process import is_gone
from cocosearch_py.storage.queries.runs import STALE_S

_ALIVE_S = f"interval '{STALE_S} seconds'"


def register(conn: psycopg.Connection, worker_id: str, host: str, process: str) -> None:
    """Add a worker, and forget those that are gone."""
    conn.execute(f"DELETE FROM cocosearch_py.workers WHERE heartbeat_at < clock_timestamp() - {_ALIVE_S}".encode())
    conn.execute(
        "INSERT INTO cocosearch_py.workers (worker_id, host, process) VALUES (%s, %s, %s)", [worker_id, host, process]
    )


def beat(conn: psycopg.Connection, worker_id: str, host: str, process: str) -> None:
    """Say that a worker lives; its row comes back if others took it for dead."""
    conn.execute(
        "INSERT INTO cocosearch_py.workers (worker_id, host, process) VALUES (%s, %s, %s) "
        "ON CONFLICT (worker_id) DO UPDATE SET heartbeat_at = clock_timestamp()",
        [worker_id, host, process],
    )


def is_served(conn: psycopg.Connection, host: str) -> bool:
    """Whether a worker of the host lives."""
    query = (
        f"SELECT process FROM cocosearch_py.workers WHERE host = %s AND heartbeat_at > clock_timestamp() - {_ALIVE_S}"
    )
    return any(not is_gone(process) for (process,) in conn.execute(query.encode(), [host]).fetchall())


def is_waited_for(conn: psycopg.Connection, host: str) -> bool:
    """Whether runs of the host wait for a worker."""
    query = "SELECT EXISTS (SELECT FROM cocosearch_py.runs WHERE state = 'queued' AND job_id IS NOT NULL AND host = %s)"
    row = conn.execute(query, [host]).fetchone()
    return bool(row and row[0])


def processes(conn: psycopg.Connection) -> Sequence[str]:
    """Marks of the processes of all workers, also of those that have ended."""
    return [row[0] for row in conn.execute("SELECT process FROM cocosearch_py.workers")]


def remove(conn: psycopg.Connection, worker_id: str) -> None:
    conn.execute("DELETE FROM cocosearch_py.workers WHERE worker_id = %s", [worker_id])


def lost(conn: psycopg.Connection, host: str) -> Sequence[str]:
    """Runs that wait for nothing: a worker took their job and ended before it began."""
    query = (
        "SELECT r.run_id FROM cocosearch_py.runs r "
        "LEFT JOIN cocosearch_jobs.procrastinate_jobs j ON j.id = r.job_id "
        "LEFT JOIN cocosearch_jobs.procrastinate_workers w ON w.id = j.worker_id "
        "WHERE r.state = 'queued' AND r.host = %s AND r.job_id IS NOT NULL AND (j.id IS NULL OR j.status = 'doing' "
        f"AND (w.id IS NULL OR w.last_heartbeat < clock_timestamp() - {_ALIVE_S}))"
    )
    return [row[0] for row in conn.execute(query.encode(), [host])]
