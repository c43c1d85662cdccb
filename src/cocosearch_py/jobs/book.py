"""All runs of one database: asked for, followed and stopped from any process."""

import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from cocosearch_py.errors import CocosearchError, DatabaseTimeoutError, NotFoundError, OperationCancelled
from cocosearch_py.jobs.failures import rebuilt
from cocosearch_py.jobs.recorder import Recorder
from cocosearch_py.jobs.registry import CANCELLED, COMPLETED, FAILED, JobStatus
from cocosearch_py.jobs.request import RunRequest, this_host
from cocosearch_py.model.plain import to_plain
from cocosearch_py.model.process import process_mark
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import rescue, runs
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
        limit_s: without progress for so long a run is ended; 0 is no limit.
    """

    def __init__(self, database: Database, read_result: ReadResult, limit_s: float = 0.0) -> None:
        self._database = database
        self._read_result = read_result
        self._limit_s = limit_s

    def get(self, run_id: str) -> JobStatus:
        """A run; raises NotFoundError."""
        row = self._database.read(lambda conn: runs.get(conn, run_id))
        if row is None:
            raise NotFoundError(f"there is no job '{run_id[:40]}'", hint="call index_status without arguments")
        return self._status(row)

    def all(self) -> list[JobStatus]:
        """The latest runs of all indexes, the newest first."""
        self.mend()
        return [self._status(row) for row in self._database.read(lambda conn: runs.recent(conn, MOST_LISTED))]

    def of_index(self, index_name: str) -> JobStatus | None:
        """The run of an index that was asked for last."""
        self.mend()
        row = self._database.read(lambda conn: runs.newest(conn, index_name))
        return None if row is None else self._status(row)

    def log(self, run_id: str) -> list[RunEvent]:
        """What happened to a run; raises NotFoundError."""
        self.get(run_id)
        return self._database.read(lambda conn: runs.events(conn, run_id))

    def cancel(self, run_id: str) -> JobStatus:
        """Ask a run to stop, wherever it is; a waiting one never begins, an ended one stays. Raises NotFoundError."""
        with self._database.writing() as conn:
            runs.ask_to_stop(conn, run_id, "somebody asked for it")
        return self.get(run_id)

    def wait(self, run_id: str, timeout_s: float) -> JobStatus:
        """Block until a run has ended or the time is up; returns how it is then. Raises NotFoundError."""
        deadline = time.monotonic() + timeout_s
        while not (job := self.get(run_id)).ended and time.monotonic() < deadline:
            self.mend()
            time.sleep(_POLL_S)
        return job

    def mend(self) -> None:
        """Let runs whose process is gone begin again, or end where they cannot."""
        if self._database.read(rescue.needed):
            with self._database.writing() as conn:
                runs.hold_all(conn)
                rescue.rescue(conn)

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
        raise OperationCancelled("cancelled while another run of the index went on", hint="run it again")

    def record(self, begun: Begun, work: Work) -> JobStatus:
        """Do a run that began here, write it down, and return how it ended.

        Raises:
            CocosearchError: that of the work; it is written down too.
        """
        run_id, attempt = begun.job.job_id, begun.attempt
        if attempt is None:
            raise ValueError("somebody else does this run")
        recorder = Recorder(self._database, run_id, attempt, begun.job.subject, self._limit_s)
        recorder.start()
        try:
            result = work(recorder)
        except CocosearchError as error:
            recorder.end(FAILED, None, error)
            raise
        except BaseException as error:
            recorder.end(*_aborted(error))
            raise
        if recorder.timed_out:
            failure = DatabaseTimeoutError(
                f"no progress for {self._limit_s:.0f} s (jobs.progressTimeout)", hint="look at the log for the place"
            )
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
        )


def _aborted(error: BaseException) -> tuple[str, None, CocosearchError | None]:
    if isinstance(error, KeyboardInterrupt | SystemExit):
        return CANCELLED, None, None
    return FAILED, None, CocosearchError(f"internal error: {type(error).__name__}", hint="see the log of the program")
