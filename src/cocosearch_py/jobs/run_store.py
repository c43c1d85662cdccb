"""All runs of one database: asked for, followed and stopped from any process."""

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from cocosearch_py.errors import (
    BusyError,
    CocosearchError,
    DatabaseUnreachableError,
    NotFoundError,
    OperationCancelled,
    as_limit,
)
from cocosearch_py.jobs.failures import described, rebuilt
from cocosearch_py.jobs.recorder import Recorder
from cocosearch_py.jobs.registry import CANCELLED, COMPLETED, FAILED, MAX_WAITING, JobStatus
from cocosearch_py.jobs.request import RunRequest
from cocosearch_py.jobs.spawn import start_worker
from cocosearch_py.model.plain import from_plain, to_plain
from cocosearch_py.model.process import process_mark, this_host
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import rescue, runs, workers
from cocosearch_py.storage.queries.runs import RunEvent, RunRow
from cocosearch_py.storage.server.database import Database

MOST_LISTED = 100
_ID_BYTES = 6  # 48 random bits: no client guesses another's run
_POLL_S = 0.2

ReadResult = Callable[[dict[str, Any]], Any]
Work = Callable[[Recorder], Any]


@dataclass(frozen=True, slots=True)
class Begun:
    """A run as whoever asked for it finds it: `attempt` if this process is to do it, else somebody else does."""

    job: JobStatus
    attempt: int | None


class Runs:
    """Safe for threads.

    Args:
        database: that of the runs.
        read_result: makes what a run did from its JSON.
        may_see: whether the runs of a folder exist for whoever asks.
    """

    def __init__(
        self,
        database: Database,
        read_result: ReadResult,
        may_see: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self._database = database
        self._may_see = may_see
        self._read_result = read_result

    def seen_by(self, may_see: Callable[[str], bool]) -> "Runs":
        """Return the runs as visible to a caller who may see only some folders."""
        return Runs(self._database, self._read_result, may_see)

    def get(self, run_id: str) -> JobStatus:
        """A run; raises NotFoundError."""
        row = self._database.read(lambda conn: runs.get(conn, run_id))
        if row is None or not self._may_see(row.root_path):
            raise NotFoundError(f"no job '{run_id[:40]}'", hint="index_status lists the runs")
        return self._status(row)

    def look(self, run_id: str) -> JobStatus:
        """A run, for whoever waits for it: one whose process is gone is first let begin again. Raises NotFoundError."""
        if (job := self.get(run_id)).ended:
            return job
        self.mend()
        return self.get(run_id)

    def all(self) -> list[JobStatus]:
        """The latest runs of all indexes, the newest first."""
        self.mend()
        found = self._database.read(lambda conn: runs.recent(conn, MOST_LISTED, self._may_see))
        return [self._status(row) for row in found]

    def of_index(self, index_name: str) -> JobStatus | None:
        """The run of an index that goes on; else the one that waits, else the one that ended last."""
        self.mend()
        row = self._database.read(lambda conn: runs.latest(conn, index_name))
        return self._status(row) if row is not None and self._may_see(row.root_path) else None

    def options_of(self, index_name: str) -> dict[str, Any] | None:
        """Options of the last run that looked at all files of an index, as JSON; None if no such run is known."""
        found = self._database.read(lambda conn: runs.last_request(conn, index_name))
        return found[1].get("options") if found is not None and self._may_see(found[0]) else None

    def is_suspect(self, begun: Begun) -> bool:
        """Whether a file may be why an earlier attempt or the run before did not come to its end."""
        if begun.attempt is not None and begun.attempt > 1:
            return True
        return self._database.read(lambda conn: runs.last_did_not_complete(conn, begun.job.subject))

    def log(self, run_id: str) -> list[RunEvent]:
        """Return the events of a run; raises NotFoundError."""
        self.get(run_id)
        return self._database.read(lambda conn: runs.events(conn, run_id))

    def cancel(self, run_id: str) -> JobStatus:
        """Ask a run to stop, wherever it is; a waiting one never begins, an ended one stays. Raises NotFoundError."""
        self.get(run_id)
        with self._database.writing() as conn:
            runs.ask_to_stop(conn, run_id, "requested by a user or client")
        return self.look(run_id)

    def wait(self, run_id: str, timeout_s: float) -> JobStatus:
        """Block until a run has ended or the time is up; returns how it is then. Raises NotFoundError."""
        deadline = time.monotonic() + timeout_s
        while not (job := self.look(run_id)).ended and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        return job

    def mend(self) -> None:
        """Let runs whose process is gone begin again, or end where they cannot; start a worker for those that wait."""
        if self._database.read(rescue.needed):
            with self._database.writing() as conn:
                runs.hold_all(conn)
                rescue.rescue(conn)
        if self._database.read(lambda conn: _is_unserved(conn, this_host())):
            start_worker(self._database.options)

    def begin(self, request: RunRequest, cancelled: Callable[[], bool] = bool) -> Begun:
        """Begin a run here; or find a like one that goes on. Unlike ones of the index are waited for.

        Raises:
            OperationCancelled: `cancelled` meanwhile.
        """
        run_id = secrets.token_hex(_ID_BYTES)
        while True:
            with self._database.writing() as conn:
                if (begun := self._begin(conn, run_id, request)) is not None:
                    return begun
            if cancelled():
                break
            time.sleep(_POLL_S)
        raise OperationCancelled("cancelled while another run of the index was in progress", hint="run it again")

    def enqueue(self, request: RunRequest) -> JobStatus:
        """Have a worker of this host do a run; a like one that waits or goes on is joined.

        Only the newest of those that wait for an index is done, and what those before it were to do besides: one that
        was to build anew is not forgotten for a later plain one. A worker is started if none lives.

        Raises:
            BusyError: too many wait already.
        """
        host = this_host()
        with self._database.writing() as conn:
            runs.hold_all(conn)
            rescue.rescue(conn)
            others = runs.unfinished(conn, request.index_name)
            found = _like(others, request, host)
            if found is None:
                waiting = [row for row in others if row.state == "queued" and request.takes_place_of(row.request)]
                for row in waiting:
                    request = request.with_wishes_of(row.request)
                found = _like(waiting, request, host) or self._put(conn, request, host, waiting)
            unserved = not workers.is_served(conn, host)
        if unserved:
            start_worker(self._database.options)
        return self._status(found)

    def _put(self, conn: Connection, request: RunRequest, host: str, waiting: list[RunRow]) -> RunRow:
        """Put a run into the queue, in the place of those that wait."""
        if runs.count_waiting(conn, host) >= MAX_WAITING:
            raise BusyError(f"{MAX_WAITING} jobs are waiting already", hint="retry when some have ended (index_status)")
        run_id = secrets.token_hex(_ID_BYTES)
        why = OperationCancelled(f"replaced by run {run_id}", hint=f"check the status of {run_id}")
        for row in waiting:
            runs.ask_to_stop(conn, row.run_id, why.message, described(why))
        runs.insert(conn, run_id, request.index_name, request.folder, host, to_plain(request))
        is_fresh = bool(request.options.get("fresh"))
        told = f"replaces {', '.join(row.run_id for row in waiting)}" if waiting else ""
        if is_fresh and any(row.request.get("options", {}).get("fresh") for row in waiting):
            told += ", including its request for a full rebuild"
        lane = runs.BUILDS if is_fresh or runs.is_first(conn, request.index_name) else runs.UPDATES
        runs.put_in_queue(conn, run_id, runs.queue_name(host, lane), request.index_name, told)
        if (made := runs.get(conn, run_id)) is None:
            raise ValueError("a run that was just made is not there")
        return made

    def take(self, run_id: str) -> tuple[Begun, RunRequest] | None:
        """Begin a run of the queue, after that of its index which goes on; None if it is not to be done any more.

        Raises:
            CocosearchError: another version of the program asked for it.
        """
        while True:
            with self._database.writing() as conn:
                runs.hold_all(conn)
                rescue.rescue(conn)
                attempt = runs.begin(conn, run_id, process_mark())
                row = runs.get(conn, run_id)
            if row is None or (attempt is None and row.state != "queued"):
                return None
            if attempt is not None:
                break
            time.sleep(_POLL_S)
        return Begun(self._status(row), attempt), from_plain(RunRequest, row.request)

    def enter(self, worker_id: str, *, alone: bool) -> bool:
        """Add a worker of this host; False if it is to be the only one and another one lives."""
        host = this_host()
        with self._database.writing() as conn:
            runs.hold_all(conn)
            if alone and workers.is_served(conn, host):
                return False
            workers.register(conn, worker_id, host, process_mark())
            rescue.rescue(conn)
            for run_id in workers.lost(conn, host):
                runs.put_back(conn, run_id)
        return True

    def beat(self, worker_id: str) -> None:
        """Say that a worker lives, and let runs begin again whose process is gone."""
        with self._database.writing() as conn:
            runs.hold_all(conn)
            workers.beat(conn, worker_id, this_host(), process_mark())
            rescue.rescue(conn)
            for run_id in workers.lost(conn, this_host()):
                runs.put_back(conn, run_id)

    def leave(self, worker_id: str, *, at_once: bool = False) -> bool:
        """Remove a worker unless something waits for it; whoever asks for a run sees the one or the other."""
        with self._database.writing() as conn:
            runs.hold_all(conn)
            if not at_once and workers.is_waited_for(conn, this_host()):
                return False
            workers.remove(conn, worker_id)
        return True

    def record(self, begun: Begun, work: Work, limit_s: float, stuck: Callable[[], None] = lambda: None) -> JobStatus:
        """Do a run that began here, write it down, and return how it ended.

        Without progress for `limit_s` it is ended; 0 is no limit. Where the work does not stop even so, it is written
        down that the run failed, and `stuck` is called.

        Raises:
            CocosearchError: that of the work; it is written down too.
        """
        run_id, attempt = begun.job.job_id, begun.attempt
        if attempt is None:
            raise ValueError("another process has taken over this run")
        recorder = Recorder(self._database, run_id, attempt, begun.job.subject, limit_s, stuck)
        recorder.start()
        try:
            result = work(recorder)
        except DatabaseUnreachableError as error:
            if not recorder.release():
                recorder.end(FAILED, None, error)
            raise
        except CocosearchError as error:
            recorder.end(CANCELLED if isinstance(error, OperationCancelled) else FAILED, None, error)
            raise
        except BaseException as error:
            recorder.end(*_aborted(error))
            raise
        if recorder.leaving and getattr(result, "interrupted", False) and recorder.release():
            return begun.job
        if recorder.timed_out:
            failure = recorder.no_progress()
            recorder.end(FAILED, to_plain(result), failure)
            raise failure
        # One that heard of it too late has done all that was to be done.
        state = CANCELLED if recorder.cancelled and getattr(result, "interrupted", True) else COMPLETED
        recorder.end(state, to_plain(result), None)
        return replace(begun.job, state=state, ended_s=time.monotonic(), result=result)

    def _begin(self, conn: Connection, run_id: str, request: RunRequest) -> Begun | None:
        """Begin the run unless another one of its index goes on: the like one is returned, and None for another."""
        runs.hold_all(conn)
        rescue.rescue(conn)
        wanted = to_plain(request)
        for row in runs.unfinished(conn, request.index_name):
            if row.request == wanted and row.host == this_host():
                return Begun(self._status(row), None)
            if row.state == "running":
                return None
        runs.insert(conn, run_id, request.index_name, request.folder, this_host(), wanted)
        attempt = runs.begin(conn, run_id, process_mark())
        row_now = runs.get(conn, run_id)
        if row_now is None or attempt is None:
            raise ValueError("a run that was just made is not there")
        return Begun(self._status(row_now), attempt)

    def _status(self, row: RunRow) -> JobStatus:
        now = time.monotonic()

        def local(at: Any) -> float | None:
            return None if at is None else now - (row.read_at - at).total_seconds()

        result = None
        if row.result is not None:
            with suppress(ValueError):  # of a newer version of the program
                result = self._read_result(row.result)
        return JobStatus(
            job_id=row.run_id,
            key=row.index_name,
            subject=row.index_name,
            state=row.state,
            stage=row.stage,
            done=row.files_done,
            total=row.files_total,
            created_s=local(row.created_at) or now,
            started_s=local(row.started_at),
            ended_s=local(row.ended_at),
            result=result,
            error=None if row.error is None else rebuilt(row.error),
            root_path=row.root_path,
            percent=row.progress,
            attempt=row.attempt,
            current=f"{row.stage}: {row.in_hand[0]}" if row.in_hand else row.stage,
        )


def _like(rows: list[RunRow], request: RunRequest, host: str) -> RunRow | None:
    wanted = to_plain(request)
    return next((row for row in rows if row.request == wanted and row.host == host), None)


def _is_unserved(conn: Connection, host: str) -> bool:
    return workers.is_waited_for(conn, host) and not workers.is_served(conn, host)


def _aborted(error: BaseException) -> tuple[str, None, CocosearchError | None]:
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return CANCELLED, None, None
    bug = CocosearchError(f"internal error: {type(error).__name__}", hint="see the program's log")
    return FAILED, None, as_limit(error) or bug
