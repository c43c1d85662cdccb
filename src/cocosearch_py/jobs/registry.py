"""Background jobs of one process: one at a time, in the order asked for, watched and cancelled from any thread.

Jobs die with the process. What a job has kept by then is up to its work.
"""

import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from cocosearch_py.errors import BusyError, CocosearchError, NotFoundError, OperationCancelled, as_limit

log = logging.getLogger(__name__)

MAX_WAITING = 20  # a client that starts more is in a loop
MAX_REMEMBERED = 100  # finished jobs that can still be asked for
_ID_BYTES = 6  # 48 random bits: no client guesses another's job

QUEUED, RUNNING, COMPLETED, FAILED, CANCELLED = "queued", "running", "completed", "failed", "cancelled"
_ENDED = frozenset({COMPLETED, FAILED, CANCELLED})


@dataclass(frozen=True, slots=True)
class JobStatus:
    """A moment of a job. Times are seconds of the monotonic clock; `total` 0 means not known yet."""

    job_id: str
    key: str  # what it works on; two unfinished jobs never share one
    subject: str  # the same for people
    state: str = QUEUED
    stage: str = ""
    done: int = 0
    total: int = 0
    created_s: float = field(default_factory=time.monotonic)
    started_s: float | None = None
    ended_s: float | None = None
    result: Any = None
    error: CocosearchError | None = None
    root_path: str = ""
    percent: int | None = None  # None: by the files
    attempt: int = 0
    current: str = ""  # what it is doing, for people

    @property
    def ended(self) -> bool:
        return self.state in _ENDED


class Control:
    """Handle of running work on its job: reports progress, and tells whether to stop."""

    def __init__(self, tell: Callable[[str, int, int], None], stop: threading.Event) -> None:
        self.tell = tell  # stage, done, total
        self.cancelled = stop.is_set


Work = Callable[[Control], Any]


@dataclass(slots=True)
class _Job:
    status: JobStatus
    work: Work
    stop: threading.Event = field(default_factory=threading.Event)


class JobRegistry:
    """Runs jobs on one daemon thread. Call `close` before the process ends."""

    def __init__(self) -> None:
        self._jobs: dict[str, _Job] = {}  # in order of creation
        self._waiting: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False

    def start(self, key: str, subject: str, work: Work) -> JobStatus:
        """Queue work, or return the unfinished job that has this key already.

        Raises:
            BusyError: MAX_WAITING jobs wait already, or the registry is closed.
        """
        with self._changed:
            for job in self._jobs.values():
                if job.status.key == key and not job.status.ended:
                    return job.status
            if self._closed or len(self._waiting) >= MAX_WAITING:
                raise BusyError(
                    f"{len(self._waiting)} jobs are waiting already",
                    hint="retry when some have ended (index_status)",
                )
            job = _Job(JobStatus(secrets.token_hex(_ID_BYTES), key, subject), work)
            self._jobs[job.status.job_id] = job
            self._waiting.append(job)
            self._forget_oldest()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run_all, name="jobs", daemon=True)
                self._thread.start()
            self._changed.notify_all()
            return job.status

    def get(self, job_id: str) -> JobStatus:
        """Status of a job; raises NotFoundError."""
        with self._changed:
            if (job := self._jobs.get(job_id)) is None:
                raise NotFoundError(f"no job '{job_id[:40]}'", hint="index_status lists the runs")
            return job.status

    def all(self) -> list[JobStatus]:
        """Every remembered job, the newest first."""
        with self._changed:
            return [job.status for job in reversed(self._jobs.values())]

    def cancel(self, job_id: str) -> JobStatus:
        """Ask a job to stop; a queued one never starts, an ended one stays as it is. Raises NotFoundError."""
        self.get(job_id)
        with self._changed:
            job = self._jobs[job_id]
            job.stop.set()
            if job.status.state == QUEUED:
                self._waiting.remove(job)
                job.status = replace(job.status, state=CANCELLED, ended_s=time.monotonic())
            self._changed.notify_all()
            return job.status

    def wait(self, job_id: str, timeout_s: float) -> JobStatus:
        """Block until a job has ended or the time is up; returns its status then. Raises NotFoundError."""
        self.get(job_id)
        with self._changed:
            job = self._jobs[job_id]
            self._changed.wait_for(lambda: job.status.ended, timeout_s)
            return job.status

    @property
    def busy(self) -> bool:
        """Whether a job is queued or running."""
        with self._changed:
            return any(not job.status.ended for job in self._jobs.values())

    def close(self, timeout_s: float) -> bool:
        """Cancel everything and wait for the running job; False when it did not end in time."""
        with self._changed:
            self._closed = True
            unfinished = [job.status.job_id for job in self._jobs.values() if not job.status.ended]
        for job_id in unfinished:
            self.cancel(job_id)
        with self._changed:
            self._changed.notify_all()
            return self._changed.wait_for(lambda: all(job.status.ended for job in self._jobs.values()), timeout_s)

    def _forget_oldest(self) -> None:
        ended = [job_id for job_id, job in self._jobs.items() if job.status.ended]
        for job_id in ended[: max(0, len(ended) - MAX_REMEMBERED)]:
            del self._jobs[job_id]

    def _run_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                job = self._waiting.popleft()
                job.status = replace(job.status, state=RUNNING, started_s=time.monotonic())
            self._run(job)

    def _run(self, job: _Job) -> None:
        def tell(stage: str, done: int, total: int) -> None:
            with self._changed:
                job.status = replace(job.status, stage=stage, done=done, total=total)

        result: Any = None
        error: CocosearchError | None = None
        try:
            result = job.work(Control(tell, job.stop))
        except CocosearchError as raised:
            error = None if job.stop.is_set() and isinstance(raised, OperationCancelled) else raised
        except Exception as raised:  # the edge of this thread: the next job must still run
            log.exception("job %s failed", job.status.job_id)
            bug = CocosearchError("internal error: see the server's log", hint="report it, with the log")
            error = as_limit(raised) or bug
        state = FAILED if error is not None else CANCELLED if job.stop.is_set() else COMPLETED
        with self._changed:
            job.status = replace(job.status, state=state, ended_s=time.monotonic(), result=result, error=error)
            self._changed.notify_all()
