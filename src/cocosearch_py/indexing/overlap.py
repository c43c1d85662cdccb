"""Runs of several folders that overlap: while one is put in its place, the next one is read already.

A run begins when the one before it has handed its last file to a worker. Both use the same workers, of which one that
has no more work for the earlier run goes to the later one (docs/adr/0022).
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from cocosearch_py.errors import OperationCancelled
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.server.stopping import Work

T = TypeVar("T")
File = tuple[int, int]  # file_id, size in bytes

MOST_AT_ONCE = 2  # one that reads and one that ends: more would hold more memory, and the workers are busy with these
_MANY = 0.1  # share of a run's files that another run has as well, from which copying them pays
_SLICE_S = 1.0  # of waiting for another run, after which the run says that it lives, and looks whether it is to stop
_ABORT_S = 10.0  # a thread may wait for an endpoint; the process is not to wait for that as well

GoesOn = Callable[[], bool]  # called after each slice of a wait: whether to wait on


class Overlap:
    """What runs have in common that overlap. Safe for threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._workers = 0
        self._going: list[Turn] = []
        self._work = Work()
        self.aborted = False

    def take_worker(self, most: int) -> bool:
        """Count another worker, unless all of them together have so many."""
        with self._changed:
            is_free = self._workers < most
            self._workers += is_free
            return is_free

    def give_worker_back(self) -> None:
        with self._changed:
            self._workers -= 1
            self._changed.notify_all()

    def wait_for_worker(self, most: int, goes_on: GoesOn) -> bool:
        """Wait until `take_worker` may count one; False if the run is not to go on."""
        return self._wait(lambda: self._workers < most, goes_on)

    def begin(self, *, is_last: bool) -> "Turn":
        """A further run, when the one before it has handed out its files and there is room for it."""
        self._wait(lambda: len(self._going) < MOST_AT_ONCE and all(one._handed_on for one in self._going))
        with self._changed:  # only this thread adds any
            self._going.append(turn := Turn(self, is_last=is_last))
            return turn

    def wait_for_all(self) -> None:
        """Wait until no run goes on."""
        self._wait(lambda: not self._going)

    def abort(self) -> None:
        """End all runs; they keep nothing. Returns when they have ended, and after `_ABORT_S` in any case."""
        with self._changed:
            self.aborted = True
            self._changed.notify_all()
        threading.Thread(target=self._work.stop, daemon=True).start()  # it is patient, too
        with self._changed:
            self._changed.wait_for(lambda: not self._going, _ABORT_S)

    def _wait(self, done: Callable[[], bool], goes_on: GoesOn = lambda: True) -> bool:
        """Wait until `done`; False if the run is not to go on before."""
        while True:
            with self._changed:
                if self._changed.wait_for(done, _SLICE_S):
                    return True
            if not goes_on():
                return False


class Turn:
    """One run among those that overlap; by itself it waits for nobody.

    `is_last`: no further run is to have the workers.
    """

    def __init__(self, overlap: Overlap | None = None, *, is_last: bool = True) -> None:
        self.overlap = overlap or Overlap()
        self.is_last = is_last
        self._key: int | None = None
        self._files: frozenset[File] = frozenset()
        self._handed_on = False
        self.is_alone = overlap is None

    @property
    def aborted(self) -> bool:
        return self.overlap.aborted

    def fence(self) -> None:
        """Called before each commit; raises OperationCancelled when the runs were aborted."""
        if self.aborted:
            raise OperationCancelled("aborted: the index is unchanged", hint="run the same command again")

    def hand_on(self) -> None:
        """Let the next run begin: the last file is handed out."""
        with self.overlap._changed:
            self._handed_on = True
            self.overlap._changed.notify_all()

    @contextmanager
    def of_index(self, key: int, goes_on: GoesOn) -> Iterator[None]:
        """Write the index with this key, when no other run does.

        Args:
            key: the same for what one lock keeps apart.
            goes_on: whether to wait on.

        Raises:
            OperationCancelled: it is not to go on.
        """
        if not self.overlap._wait(lambda: all(one._key != key for one in self._others()), goes_on):
            self.fence()
            raise OperationCancelled("stopped before it started; nothing changed", hint="run the same command again")
        self._key = key  # those that began before have theirs
        yield

    @contextmanager
    def holding(self, conn: Connection) -> Iterator[None]:
        """End statements of a connection inside when the runs are aborted."""
        if self.is_alone:  # an interrupt ends them
            yield
            return
        with self.overlap._work.holding(conn):
            yield

    def meet(self, files: Iterable[File], goes_on: GoesOn) -> None:
        """Tell which files the run is about to read; first wait for a run with many of the same, to copy its rows.

        Args:
            files: all of them.
            goes_on: whether to wait on.
        """
        if self.is_alone:
            return
        self._files = frozenset(files)

        def has_many(other: Turn) -> bool:
            return len(other._files & self._files) > _MANY * len(self._files)

        self.overlap._wait(lambda: not any(has_many(one) for one in self._others()), goes_on)

    def _others(self) -> "list[Turn]":
        """Runs that began before this one and go on."""
        going = self.overlap._going
        return going[: going.index(self)] if self in going else []

    def take(self, work: "Callable[[Turn], T]") -> T:
        """Do the work of this run, and end it."""
        try:
            return work(self)
        finally:
            with self.overlap._changed:
                self.overlap._going.remove(self)
                self.overlap._changed.notify_all()
