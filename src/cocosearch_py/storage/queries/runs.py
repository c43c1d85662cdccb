"""Rows of `runs`, `run_events` and `workers`, and the jobs behind those that wait.

All times are the database's. Each change of a run is told to whoever listens to `CHANNEL`, at most about twice a second
for one that goes on: the payload is the run's id, its state and the name of its index, with blanks between them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from hashlib import sha256
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.json import Jsonb

from cocosearch_py.model.paths import storable_path

CHANNEL = "cocosearch_runs"
QUEUE_SCHEMA = "cocosearch_jobs"
STALE_S = 15  # a process that says nothing for so long is taken for dead
TASK = "run"  # name of the queue's only task
BUILDS, UPDATES = "builds", "updates"  # what is built anew waits for others of its kind only

_LOCK = 0x0C0C05EC  # advisory lock of whoever decides which runs there are
_KEPT = 50  # ended runs of an index
_KEPT_DAYS = 30


@dataclass(frozen=True, slots=True)
class RunRow:
    """A row of `runs`; see the comments there. `read_at` is when it was so."""

    run_id: str
    job_id: int | None
    index_name: str
    root_path: str
    host: str
    state: str
    stage: str
    request: dict[str, Any]
    attempt: int
    deaths: int
    death_files: list[str]
    in_hand: list[str]
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    progress: int
    cancel_requested: bool
    result: dict[str, Any] | None
    error: dict[str, Any] | None
    created_at: datetime
    started_at: datetime | None
    process: str
    heartbeat_at: datetime | None
    ended_at: datetime | None
    read_at: datetime


@dataclass(frozen=True, slots=True)
class RunEvent:
    """A row of `run_events`."""

    at: datetime
    kind: str
    message: str


_NAMES = ", ".join(one.name for one in fields(RunRow) if one.name != "read_at")
_SELECT = f"SELECT {_NAMES}, clock_timestamp() FROM cocosearch_py.runs"
_UNFINISHED = "state IN ('queued', 'running')"


def hold_all(conn: psycopg.Connection) -> None:
    """Let nobody else decide which runs begin, wait or join until the transaction ends."""
    conn.execute("SELECT pg_advisory_xact_lock(%s, 0)", [_LOCK])


def get(conn: psycopg.Connection, run_id: str) -> RunRow | None:
    return _first(conn, f"{_SELECT} WHERE run_id = %s", [run_id])


def latest(conn: psycopg.Connection, index_name: str) -> RunRow | None:
    """The run of an index that goes on; else the one that waits, else the one that ended last."""
    order = "CASE state WHEN 'running' THEN 0 WHEN 'queued' THEN 1 ELSE 2 END, ended_at DESC, created_at DESC"
    return _first(conn, f"{_SELECT} WHERE index_name = %s ORDER BY {order} LIMIT 1", [index_name])


def last_request(conn: psycopg.Connection, index_name: str) -> tuple[str, dict[str, Any]] | None:
    """Folder and request of the last run of an index that looked at all its files and committed."""
    return conn.execute(
        "SELECT root_path, request FROM cocosearch_py.runs WHERE index_name = %s AND result IS NOT NULL "
        "AND NOT coalesce((request->>'completes')::boolean, false) "
        "AND NOT coalesce((request->'options'->>'only_failed')::boolean, false) "
        "ORDER BY ended_at DESC LIMIT 1",
        [index_name],
    ).fetchone()


def last_did_not_complete(conn: psycopg.Connection, index_name: str) -> bool:
    """Whether the latest run of an index to end failed, or was cancelled."""
    row = conn.execute(
        "SELECT state <> 'completed' FROM cocosearch_py.runs WHERE index_name = %s AND ended_at IS NOT NULL "
        "ORDER BY ended_at DESC LIMIT 1",
        [index_name],
    ).fetchone()
    return bool(row and row[0])


def recent(conn: psycopg.Connection, most: int, may_see: Callable[[str], bool]) -> list[RunRow]:
    """Runs of all indexes of folders that somebody may see, the newest first."""
    folders = [row[0] for row in conn.execute("SELECT DISTINCT root_path FROM cocosearch_py.runs")]
    seen = [folder for folder in folders if may_see(folder)]
    return _all(conn, f"{_SELECT} WHERE root_path = ANY(%s) ORDER BY created_at DESC LIMIT %s", [seen, most])


def unfinished(conn: psycopg.Connection, index_name: str) -> list[RunRow]:
    """Runs of an index that wait or go on, the oldest first."""
    return _all(conn, f"{_SELECT} WHERE index_name = %s AND {_UNFINISHED} ORDER BY created_at", [index_name])


def events(conn: psycopg.Connection, run_id: str) -> list[RunEvent]:
    """The log of a run, in order."""
    query = "SELECT at, kind, message FROM cocosearch_py.run_events WHERE run_id = %s ORDER BY event_id"
    return [RunEvent(*row) for row in conn.execute(query, [run_id])]


def insert(
    conn: psycopg.Connection, run_id: str, index_name: str, root_path: str, host: str, request: dict[str, Any]
) -> None:
    """Add a run that waits; old ones of the same index are removed."""
    conn.execute(
        "INSERT INTO cocosearch_py.runs (run_id, index_name, root_path, host, state, request) "
        "VALUES (%s, %s, %s, %s, 'queued', %s)",
        [run_id, index_name, root_path, host, _json(request)],
    )
    conn.execute(
        "DELETE FROM cocosearch_py.runs WHERE run_id IN (SELECT run_id FROM cocosearch_py.runs "
        f"WHERE index_name = %s AND NOT {_UNFINISHED} ORDER BY created_at DESC OFFSET {_KEPT}) "
        f"OR ended_at < now() - interval '{_KEPT_DAYS} days'",
        [index_name],
    )


def begin(conn: psycopg.Connection, run_id: str, process: str) -> int | None:
    """Let a waiting run begin, unless another one of its index goes on; returns the number of the attempt."""
    row = conn.execute(
        "UPDATE cocosearch_py.runs r SET state = 'running', attempt = attempt + 1, stage = '', "
        "started_at = coalesce(started_at, clock_timestamp()), heartbeat_at = clock_timestamp(), process = %s "
        "WHERE run_id = %s AND state = 'queued' AND NOT EXISTS (SELECT FROM cocosearch_py.runs o "
        "WHERE o.index_name = r.index_name AND o.run_id <> r.run_id AND o.state = 'running') "
        "RETURNING attempt, index_name",
        [process, run_id],
    ).fetchone()
    if row is None:
        return None
    note(conn, run_id, "begun", "" if row[0] == 1 else f"attempt {row[0]}")
    tell(conn, run_id, "running", row[1])
    return int(row[0])


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a run is, as its process tells it; see the columns of `runs`."""

    stage: str
    files_done: int
    files_total: int
    bytes_done: int
    bytes_total: int
    progress: int
    in_hand: Sequence[str]


def save_moment(conn: psycopg.Connection, run_id: str, attempt: int, moment: Moment) -> bool | None:
    """Write how far a run is; returns whether it is asked to stop, None when this attempt is no longer the run's."""
    row = conn.execute(
        "UPDATE cocosearch_py.runs SET stage = %s, files_done = %s, files_total = %s, bytes_done = %s, "
        "bytes_total = %s, progress = greatest(progress, %s), in_hand = %s, heartbeat_at = clock_timestamp() "
        "WHERE run_id = %s AND attempt = %s AND state = 'running' RETURNING cancel_requested, index_name",
        [
            *(moment.stage, moment.files_done, moment.files_total, moment.bytes_done, moment.bytes_total),
            *(moment.progress, Jsonb(list(moment.in_hand)), run_id, attempt),
        ],
    ).fetchone()
    if row is None:
        return None
    tell(conn, run_id, "running", row[1])
    return bool(row[0])


def beat(conn: psycopg.Connection, run_id: str, attempt: int) -> bool | None:
    """Say that the process of a run lives; answers as `save_moment` does."""
    row = conn.execute(
        "UPDATE cocosearch_py.runs SET heartbeat_at = clock_timestamp() "
        "WHERE run_id = %s AND attempt = %s AND state = 'running' RETURNING cancel_requested",
        [run_id, attempt],
    ).fetchone()
    return None if row is None else bool(row[0])


def may_commit(conn: psycopg.Connection, run_id: str, attempt: int) -> bool:
    """Whether this attempt is still the run's; nobody changes that before the transaction ends."""
    query = "SELECT FROM cocosearch_py.runs WHERE run_id = %s AND attempt = %s AND state = 'running' FOR SHARE"
    return conn.execute(query, [run_id, attempt]).fetchone() is not None


def end(
    conn: psycopg.Connection,
    run_id: str,
    attempt: int,
    state: str,
    result: dict[str, Any] | None,
    error: dict[str, Any] | None,
) -> bool:
    """Write how a run ended; False when this attempt is no longer the run's."""
    row = conn.execute(
        "UPDATE cocosearch_py.runs SET state = %s, result = %s, error = %s, in_hand = '[]', "
        "progress = CASE WHEN %s = 'completed' THEN 100 ELSE progress END, ended_at = clock_timestamp() "
        f"WHERE run_id = %s AND attempt = %s AND {_UNFINISHED} RETURNING index_name",
        [state, _json(result), _json(error), state, run_id, attempt],
    ).fetchone()
    if row is None:
        return False
    note(conn, run_id, state, str((error or {}).get("message", "")))
    tell(conn, run_id, state, row[0])
    return True


def ask_to_stop(conn: psycopg.Connection, run_id: str, why: str, error: dict[str, Any] | None = None) -> None:
    """Cancel a run that waits, with this error; ask one that goes on to stop, which its process is told of."""
    row = conn.execute(
        "UPDATE cocosearch_py.runs SET cancel_requested = true, "
        "state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END, "
        "ended_at = CASE state WHEN 'queued' THEN clock_timestamp() END, "
        "error = CASE state WHEN 'queued' THEN %s::jsonb END "
        f"WHERE run_id = %s AND {_UNFINISHED} RETURNING state, index_name, job_id",
        [_json(error), run_id],
    ).fetchone()
    if row is None:
        return
    state, index_name, job_id = row
    note(conn, run_id, "cancelled" if state == "cancelled" else "stopping", why)
    if state == "cancelled" and job_id is not None:
        _in_queue(conn, "SELECT procrastinate_cancel_job_v1(%s, false, true)", [job_id])
    tell(conn, run_id, state, index_name)


def note(conn: psycopg.Connection, run_id: str, kind: str, message: str = "") -> None:
    """Add a line to the log of a run."""
    conn.execute(
        "INSERT INTO cocosearch_py.run_events (run_id, kind, message) VALUES (%s, %s, %s)", [run_id, kind, message]
    )


def tell(conn: psycopg.Connection, run_id: str, state: str, index_name: str) -> None:
    """Tell whoever listens that a run changed, when the transaction commits."""
    conn.execute("SELECT pg_notify(%s, %s)", [CHANNEL, f"{run_id} {state} {index_name}"])


def listen(conn: psycopg.Connection) -> None:
    """Begin to hear of changes; `conn.notifies()` gives them."""
    conn.execute(f"LISTEN {CHANNEL}")


def queue_name(host: str, lane: str) -> str:
    """Return the name of a host's queue for builds or updates; short, since it is part of a channel's name."""
    return f"{lane}-{sha256(host.encode()).hexdigest()[:16]}"


def queue_conninfo(dsn: str) -> str:
    """How the library of the queue is to connect, whose statements name no schema."""
    given = str(conninfo_to_dict(dsn).get("options") or "")
    return make_conninfo(dsn, options=f"{given} -c search_path={QUEUE_SCHEMA}".strip())


def is_first(conn: psycopg.Connection, index_name: str) -> bool:
    """Whether there is no such index yet."""
    return conn.execute("SELECT FROM cocosearch_py.indexes WHERE name = %s", [index_name]).fetchone() is None


def count_waiting(conn: psycopg.Connection, host: str) -> int:
    row = conn.execute(
        "SELECT count(*) FROM cocosearch_py.runs WHERE state = 'queued' AND host = %s", [host]
    ).fetchone()
    return int(row[0]) if row else 0


def put_in_queue(conn: psycopg.Connection, run_id: str, queue: str, index_name: str, told: str = "") -> None:
    """Let a worker do a run, after those of the same index that were put there before; `told` goes into its log."""
    _defer(conn, run_id, queue, index_name)
    note(conn, run_id, "queued", told)
    tell(conn, run_id, "queued", index_name)


def release(conn: psycopg.Connection, run_id: str, attempt: int) -> None:
    """Let another worker go on with a run that this attempt cannot end."""
    row = conn.execute(
        "UPDATE cocosearch_py.runs SET state = 'queued' WHERE run_id = %s AND attempt = %s AND state = 'running' "
        "AND job_id IS NOT NULL RETURNING index_name",
        [run_id, attempt],
    ).fetchone()
    if row is not None:
        note(conn, run_id, "released", "its worker ended")
        put_back(conn, run_id)
        tell(conn, run_id, "queued", row[0])


def put_back(conn: psycopg.Connection, run_id: str) -> None:
    """Let a worker do a run again whose job was lost.

    As a new job: whoever had the old one may still be there, and would end it.
    """
    row = conn.execute(
        "SELECT r.index_name, r.host, r.job_id, j.queue_name FROM cocosearch_py.runs r "
        "LEFT JOIN cocosearch_jobs.procrastinate_jobs j ON j.id = r.job_id WHERE r.run_id = %s",
        [run_id],
    ).fetchone()
    if row is None:
        return
    index_name, host, job_id, queue = row
    take_from_queue(conn, job_id)
    _defer(conn, run_id, queue or queue_name(host, UPDATES), index_name)


def take_from_queue(conn: psycopg.Connection, job_id: int) -> None:
    """Remove a job, whatever its state."""
    _in_queue(conn, "DELETE FROM procrastinate_jobs WHERE id = %s RETURNING id", [job_id])


def _defer(conn: psycopg.Connection, run_id: str, queue: str, index_name: str) -> None:
    (job_id,) = _in_queue(
        conn,
        "SELECT (procrastinate_defer_jobs_v1(ARRAY[ROW(%s, %s, 0, %s, NULL, %s, NULL)"
        "::procrastinate_job_to_defer_v1]))[1]",
        [queue, TASK, index_name, Jsonb({"run_id": run_id})],
    )
    conn.execute("UPDATE cocosearch_py.runs SET job_id = %s WHERE run_id = %s", [job_id, run_id])


def _in_queue(conn: psycopg.Connection, query: str, values: Sequence[object]) -> tuple[Any, ...]:
    """The row of a statement of the queue's library, whose functions name no schema."""
    before = conn.execute("SELECT current_setting('search_path')").fetchone()
    conn.execute(f"SET LOCAL search_path = {QUEUE_SCHEMA}")
    row = conn.execute(query.encode(), values).fetchone()
    conn.execute("SELECT set_config('search_path', %s, true)", before)
    return row or ()


def _first(conn: psycopg.Connection, query: str, values: Sequence[object]) -> RunRow | None:
    return next(iter(_all(conn, query, values)), None)


def _all(conn: psycopg.Connection, query: str, values: Sequence[object]) -> list[RunRow]:
    return [RunRow(*row) for row in conn.execute(query.encode(), values)]


def _json(value: dict[str, Any] | None) -> Jsonb | None:
    return None if value is None else Jsonb(_storable(value))


def _storable(value: Any) -> Any:
    """The value with texts as PostgreSQL takes them: of command lines and paths, which may hold anything."""
    if isinstance(value, str):
        return storable_path(value).replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {key: _storable(item) for key, item in value.items()}
    return [_storable(item) for item in value] if isinstance(value, list) else value
