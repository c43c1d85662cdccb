"""Worker processes for preparing files: tree-sitter holds the GIL, so threads would not help.

A process without other threads, as a command is, forks them for each run, with everything imported and the grammars of
its files loaded. In a server, whose threads may hold locks that a fork would copy, they start from a fork server that
has imported everything once, and are kept.

Each has a pipe of its own, so that one which dies in the middle of a message (a crash in a grammar, the memory killer)
harms nobody else, and costs only the file that killed it. `concurrent.futures` shares one pipe among all: closing it
then waits for ever.
"""

import importlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

from cocosearch_py.embedding.options import EmbeddingOptions
from cocosearch_py.errors import CocosearchError
from cocosearch_py.indexing import scratch
from cocosearch_py.indexing.prepare import BatchTask, PreparedBatch, languages_of
from cocosearch_py.indexing.worker import READY, serve, serve_forked
from cocosearch_py.model.machine import usable_cores
from cocosearch_py.parsing import has_grammar

_TASKS_EACH = 2  # enough to keep a worker busy, few enough to bound memory
_MAX_BREAKS_IN_A_ROW = 20  # more files than this that crash a grammar one after the other were never seen
_BATCH_TIMEOUT_S = 120.0  # a batch takes well under a second; past this a grammar loops for ever
_END_TIMEOUT_S = 5.0  # of a killed process; only a dead disk delays it
_SHARED_MODULES = ("cocosearch_py.indexing.words", "numpy")  # what every worker imports and the parent may not have

Result = tuple[BatchTask, PreparedBatch | None]


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    tasks: deque[BatchTask] = field(default_factory=deque)  # the oldest is the one it works on
    ready: bool = False
    since: float = field(default_factory=time.monotonic)  # when it last said something, or began to work

    def give(self, task: BatchTask) -> None:
        if not self.tasks:
            self.since = time.monotonic()
        self.tasks.append(task)
        with suppress(OSError):  # it is dead, which reading from it shows
            self.pipe.send(task)

    def kill(self) -> None:
        self.process.kill()
        self.process.join(_END_TIMEOUT_S)

    def close(self) -> None:
        self.kill()
        self.pipe.close()


class WorkerPool:
    """Processes that start when first needed. `embedding` None leaves vectors to the caller."""

    def __init__(self, workers: int | None, embedding: EmbeddingOptions | None) -> None:
        self.workers = workers or usable_cores()
        self._embedding = embedding
        self._unused: list[_Worker] = []

    def run(self, tasks: Iterable[BatchTask]) -> Iterator[Result]:
        """Yield each task with its result, in the order of completion; None when it killed or hung its worker.

        A task whose worker dies is repeated file by file, so that only a file that does it again is lost. Closing the
        iterator drops what is not done.
        """
        forks = _may_fork()
        if forks:
            tasks = list(tasks)
            _load_for_all(tasks)
        workers, self._unused = self._unused, []
        try:
            yield from _Run(workers, self.workers, self._fork if forks else self._start, iter(tasks)).results()
        finally:
            for worker in workers:
                if forks or worker.tasks or len(self._unused) >= self.workers:
                    worker.close()
                else:
                    self._unused.append(worker)

    def close(self) -> None:
        """End the processes; a later `run` starts new ones."""
        workers, self._unused = self._unused, []
        for worker in workers:
            worker.close()

    def _start(self) -> _Worker:
        context: Any = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
        if os.name != "nt":
            context.set_forkserver_preload([serve.__module__, *_SHARED_MODULES])
            scratch.claim()
            resource_tracker.ensure_running()  # now: whenever it starts its process it lets interrupts in again
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self._embedding), daemon=True)
        with _main_hidden(), _interrupts_held():
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _fork(self) -> _Worker:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve_forked, args=(theirs, self._embedding), daemon=True)
        with _interrupts_held():
            process.start()
        theirs.close()
        return _Worker(process, ours)


def _may_fork() -> bool:
    """Whether no child can find a lock that a thread of ours holds; macOS has threads of its own in libraries."""
    return sys.platform == "linux" and threading.active_count() == 1


def _load_for_all(tasks: Iterable[BatchTask]) -> None:
    """Load what each worker would have to load for itself."""
    for module in _SHARED_MODULES:
        importlib.import_module(module)
    for language in set().union(*map(languages_of, tasks)):
        has_grammar(language)


class _Run:
    """The work of one run, handed out to `workers`, which more are added to as they are needed."""

    def __init__(
        self, workers: list[_Worker], most: int, start: Callable[[], _Worker], source: Iterator[BatchTask]
    ) -> None:
        self._workers, self._most, self._start, self._source = workers, most, start, source
        self._again: deque[BatchTask] = deque()
        self._suspects: set[int] = set()  # file ids of tasks that a worker has died of
        self._breaks = 0

    def results(self) -> Iterator[Result]:
        while True:
            self._hand_out()
            busy = [worker for worker in self._workers if worker.tasks]
            if not busy:
                return
            for worker in _speaking(busy):
                yield from self._hear(worker)

    def _hand_out(self) -> None:
        while len(self._workers) < self._most or any(len(worker.tasks) < _TASKS_EACH for worker in self._workers):
            task = self._again.popleft() if self._again else next(self._source, None)
            if task is None:
                return
            worker = min(self._workers, key=lambda worker: len(worker.tasks), default=None)
            if worker is None or (worker.tasks and len(self._workers) < self._most):
                worker = self._start()
                self._workers.append(worker)
            worker.give(task)

    def _hear(self, worker: _Worker) -> Iterator[Result]:
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            yield from self._bury(worker)
            return
        worker.since = time.monotonic()
        if said == READY:
            worker.ready = True
            return
        self._breaks = 0
        task = worker.tasks.popleft()
        if isinstance(said, Exception):
            raise said
        yield task, said

    def _bury(self, worker: _Worker) -> Iterator[Result]:
        """Do elsewhere what a dead worker had to do; tell of a file that has killed two."""
        self._workers.remove(worker)
        worker.close()
        self._breaks += 1
        if self._breaks > _MAX_BREAKS_IN_A_ROW:  # without ever finishing a batch: no file can be the reason
            raise CocosearchError(
                "the worker processes end as soon as they start",
                hint="free some memory, or run with --jobs 1; then report this with the system's log",
            )
        if worker.ready:
            task = worker.tasks.popleft()
            if len(task.files) == 1 and task.files[0].file_id in self._suspects:
                yield task, None
            else:
                self._suspects.update(file.file_id for file in task.files)
                self._again.extend(replace(task, files=(file,)) for file in task.files)
        self._again.extend(worker.tasks)


def _speaking(busy: list[_Worker]) -> list[_Worker]:
    """Wait for workers that have something to say or are dead; those that say nothing for too long are killed."""
    patience = min(worker.since for worker in busy) + _BATCH_TIMEOUT_S - time.monotonic()
    heard = wait([worker.pipe for worker in busy], max(patience, 0))
    if heard:
        return [worker for worker in busy if worker.pipe in heard]
    silent = [worker for worker in busy if worker.since + _BATCH_TIMEOUT_S <= time.monotonic()]
    for worker in silent:
        worker.kill()
    return silent


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Start processes deaf to Ctrl-C, which would reach them before they can ignore it, and print a traceback."""
    if os.name == "nt":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Start processes without importing the caller's main module again: it may be a script without a guard."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
