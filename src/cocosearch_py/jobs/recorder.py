"""One attempt of a run, written down while it goes on: how far it is, that its process lives, how it ended."""

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Protocol

from cocosearch_py.errors import BusyError, CocosearchError, DatabaseError, DatabaseTimeoutError
from cocosearch_py.jobs.failures import described
from cocosearch_py.model.waiting import wait_to_read
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import rescue, runs
from cocosearch_py.storage.queries.runs import Moment
from cocosearch_py.storage.server.database import Database

log = logging.getLogger(__name__)

HEARTBEAT_S = 5.0
_TELL_S = 0.5  # between two changes of one run that others are told of
_FIRST_S = 0.3  # what takes less is told when it begins and when it ends
_RETRY_S = 1.0
GRACE_S = 10.0  # in which work that has made no progress for too long may stop by itself
_MOST_IN_HAND = 200  # paths
_PARSED = 90  # percent when all files are parsed and embedded
_AFTER_PARSING = {"graph": _PARSED, "finalize": 95}  # percent at which these stages begin


class Progress(Protocol):
    """Progress of a run; see `indexing.progress.Progress`."""

    @property
    def stage(self) -> str: ...
    @property
    def files_done(self) -> int: ...
    @property
    def files_total(self) -> int: ...
    @property
    def bytes_done(self) -> int: ...
    @property
    def bytes_total(self) -> int: ...
    @property
    def in_hand(self) -> frozenset[str]: ...


class Recorder:
    """Made for each attempt; call `start`, then `end`.

    A thread of its own writes. A process that has no other thread, as a command, does without until the files are
    parsed, so that it may fork workers; then `tell` and `stopped` write. That it lives is seen from its session.

    Args:
        database: where the run is written down.
        run_id, attempt: what was begun.
        index_name: of the run.
        limit_s: without progress for so long the work is asked to stop; 0 is no limit.
        stuck: called from the thread that writes, after the run of work that does not stop was ended.
    """

    def __init__(
        self,
        database: Database,
        run_id: str,
        attempt: int,
        index_name: str,
        limit_s: float = 0.0,
        stuck: Callable[[], None] = lambda: None,
    ) -> None:
        self._database = database
        self._run = (run_id, attempt)
        self._index_name = index_name
        self._limit_s = limit_s
        self._stuck = stuck
        self._latest: Progress | None = None
        self._moved_s = time.monotonic()
        self._stop = threading.Event()
        self._ended = threading.Event()
        self._wake_read, self._wake = os.pipe()
        self._thread = threading.Thread(target=self._loop, name=f"run {run_id}", daemon=True)
        self._threaded = threading.active_count() > 1
        self._began_s = time.monotonic()
        self._inline = ExitStack()
        self._conn: Connection | None = None
        self._written_s = 0.0
        self.cancelled = False  # somebody asked for it
        self.lost = False  # another attempt has begun, or the run was ended by others
        self.timed_out = False
        self.leaving = False  # this process is to end

    def start(self) -> None:
        if self._threaded:
            self._thread.start()

    def tell(self, progress: Progress) -> None:
        """Take note of how far the work is; returns at once."""
        before = self._latest
        moved = before is None or (before.stage, before.files_done) != (progress.stage, progress.files_done)
        if moved:
            self._moved_s = time.monotonic()
        self._latest = progress
        if not self._threaded:
            self._write()
            if progress.stage in _AFTER_PARSING:
                self._inline.close()
                self._threaded = True
                self._thread.start()

    def stopped(self) -> bool:
        """Whether the work is to stop and keep what is done."""
        if not self._threaded:
            self._write()
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the work to stop, as somebody here wishes."""
        self.cancelled = True
        self._stop.set()

    def leave(self) -> None:
        """Ask the work to stop because this process ends; another one goes on with it."""
        self.leaving = True
        self._stop.set()

    def fence(self, conn: Connection) -> None:
        """Let a transaction of the work commit only while this attempt is the run's. Raises BusyError."""
        if not runs.may_commit(conn, *self._run):
            self.lost = True
            raise BusyError(
                f"run {self._run[0]} continues in another process: this one did not report for too long",
                hint="no action needed: the other process does the remaining work",
            )

    def no_progress(self) -> CocosearchError:
        """Why a run ends that has made no progress for too long."""
        return DatabaseTimeoutError(
            f"no progress for {self._limit_s:.0f} s (jobs.progressTimeout)", hint="the log shows where it stopped"
        )

    def end(self, state: str, result: dict[str, Any] | None, error: CocosearchError | None) -> None:
        """Write how it ended, unless another attempt has begun; stops the thread."""
        self._finish()
        told = None if error is None else described(error)
        with self._database.writing() as conn:
            if self._latest is not None:
                runs.save_moment(conn, *self._run, self._moment(self._latest))
            self.lost = not runs.end(conn, *self._run, state, result, told) or self.lost

    def release(self) -> bool:
        """Let another process go on with the run; False if it is not one of the queue."""
        self._finish()  # whatever happens below: a run that nobody works on must look so
        with self._database.writing() as conn:
            runs.hold_all(conn)
            row = runs.get(conn, self._run[0])
            if row is None or row.job_id is None:
                return False
            if self.leaving:
                runs.release(conn, *self._run)
            else:
                rescue.give_up(conn, *self._run)
        return True

    def _finish(self) -> None:
        """Stop the thread."""
        if self._ended.is_set():
            return
        self._ended.set()
        self._inline.close()
        os.write(self._wake, b".")
        if self._threaded:
            self._thread.join(HEARTBEAT_S)
        if not self._thread.is_alive():  # else the server does not answer
            os.close(self._wake_read)
            os.close(self._wake)

    def _write(self) -> None:
        """Write how far it is, from the thread of the work, if it is time to."""
        now = time.monotonic()
        if now - self._began_s < _FIRST_S or now - self._written_s < _TELL_S or self._latest is None:
            return
        self._written_s = now
        if self._conn is None:
            self._conn = self._inline.enter_context(self._database.listening())
        self._obey(runs.save_moment(self._conn, *self._run, self._moment(self._latest)))
        self._watch_time(self._conn)

    def _loop(self) -> None:
        wait_to_read([self._wake_read], _FIRST_S)
        while not self._ended.is_set():
            try:
                with self._database.listening() as conn:
                    runs.listen(conn)
                    self._follow(conn)
            except DatabaseError as error:  # it is away; the run itself will notice if that lasts
                log.info("progress of run %s cannot be saved: %s", self._run[0], error.message)
                self._ended.wait(_RETRY_S)

    def _follow(self, conn: Connection) -> None:
        told: Progress | None = None
        beaten_s = -HEARTBEAT_S
        while not self._ended.is_set():
            now = time.monotonic()
            asked: bool | None = False
            if self._latest is not None and self._latest is not told:
                told = self._latest
                asked, beaten_s = runs.save_moment(conn, *self._run, self._moment(told)), now
            elif now - beaten_s >= HEARTBEAT_S:
                asked, beaten_s = runs.beat(conn, *self._run), now
            self._obey(asked)
            self._watch_time(conn)
            if self.timed_out and not self.lost and time.monotonic() - self._moved_s > self._limit_s + GRACE_S:
                self._abandon()
            self._wait(conn, _TELL_S)

    def _obey(self, asked: bool | None) -> None:
        if asked is None:
            self.lost = True
        self.cancelled |= bool(asked)
        if asked or asked is None:
            self._stop.set()

    def _wait(self, conn: Connection, seconds: float) -> None:
        """Wait until time is up, or the run is told to stop or ends."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0 and not self._ended.is_set():
            wait_to_read([conn.fileno(), self._wake_read], left)
            heard = list(conn.notifies(timeout=0))
            if any(one.payload.startswith(self._run[0]) and one.pid != conn.info.backend_pid for one in heard):
                self._obey(runs.beat(conn, *self._run))

    def _watch_time(self, conn: Connection) -> None:
        silent = time.monotonic() - self._moved_s
        if not self._limit_s or silent < self._limit_s or self.timed_out:
            return
        if rescue.is_working(conn, self._index_name):
            self._moved_s = time.monotonic()
            return
        self.timed_out = True
        self._stop.set()

    def _abandon(self) -> None:
        """End the run without its work, which does not look up; what that has not committed is lost."""
        with self._database.writing() as conn:
            runs.hold_all(conn)
            rescue.abandon(conn, *self._run, described(self.no_progress()))
        self.lost = True
        log.error("run %s does not stop: %s", self._run[0], self.no_progress().message)
        self._stuck()

    def _moment(self, progress: Progress) -> Moment:
        """The progress as it is stored; a run that was stopped finishes without having read all files."""
        read = progress.bytes_done / progress.bytes_total if progress.bytes_total else 0.0
        percent = int(_PARSED * min(read, 1.0))
        if progress.bytes_done >= progress.bytes_total:
            percent = _AFTER_PARSING.get(progress.stage, percent)
        counts = (progress.files_done, progress.files_total, progress.bytes_done, progress.bytes_total)
        return Moment(progress.stage, *counts, percent, sorted(progress.in_hand)[:_MOST_IN_HAND])
