"""Worker processes for preparing files: tree-sitter holds the GIL, so threads would not help.

A process without other threads, as a command is, forks them for its first run, with everything imported and the
grammars of its files loaded. In a server, whose threads may hold locks that a fork would copy, they start from a fork
server that has imported everything once. Both are kept, with the words and grammars that they have learned since.
A forked one of a large run by a command ends when it knows as many words as it keeps, and a new one takes its place:
what large files leave is never given back otherwise.

Each has a pipe of its own, so that one which dies in the middle of a message (a crash in a grammar, the memory killer),
or is killed because it takes too long, harms nobody else, and costs only the file that did it. `concurrent.futures`
shares one pipe among all: closing it then waits for ever.
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
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any

from cocosearch_py.embedding.models import open_embedder
from cocosearch_py.embedding.options import EmbeddingOptions
from cocosearch_py.embedding.static_table import StaticTable
from cocosearch_py.errors import CocosearchError
from cocosearch_py.indexing import scratch
from cocosearch_py.indexing.options import WorkerLimits
from cocosearch_py.indexing.outcome import OUT_OF_MEMORY
from cocosearch_py.indexing.prepare import PreparedBatch
from cocosearch_py.indexing.tasks import KILLED, BatchTask
from cocosearch_py.indexing.worker import EXIT_FULL, EXIT_MEMORY, READY, serve, serve_forked
from cocosearch_py.model.machine import usable_cores
from cocosearch_py.parsing.parsers import load_grammar

_TASKS_EACH = 2  # enough to keep a worker busy, few enough to bound memory
_MAX_BREAKS_IN_A_ROW = 20  # of workers that did not start or that the system killed: no file can be the reason
_MB = 1_000_000
_UNWATCHED_S = 20.0  # a batch takes well under a second; past this its files are tried one by one, with patience
_START_TIMEOUT_S = 120.0  # until a worker is ready: a second, unless the machine is very busy
_END_TIMEOUT_S = 5.0  # of a killed process; only a dead disk delays it
IDLE_S = 0.25  # between two calls of a caller that waits for workers
_SHARED_MODULES = ("cocosearch_py.indexing.words", "numpy")  # what every worker imports and the parent may not have

_STARTING = threading.Lock()  # two runs of a server would hide and show the main module in turns


@dataclass(frozen=True, slots=True)
class Lost:
    """Result of a file that killed or hung its workers; `reason` in words."""

    reason: str


Result = tuple[BatchTask, PreparedBatch | Lost]


@dataclass(slots=True, eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    memory_bytes: int  # that it may have
    tasks: deque[BatchTask] = field(default_factory=deque)  # the oldest is the one it works on
    ready: bool = False
    since: float = field(default_factory=time.monotonic)  # when it last said something, or began to work
    timed_out: bool = False

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

    def __init__(
        self, workers: int | None, embedding: EmbeddingOptions | None, limits: WorkerLimits | None = None
    ) -> None:
        self.workers = workers or usable_cores()
        self._limits = limits or WorkerLimits()
        self._embedding = embedding
        self._unused: list[_Worker] = []
        self._lock = threading.Lock()  # of the list of these

    def run(
        self,
        tasks: Iterable[BatchTask],
        most: int | None = None,
        limits: WorkerLimits | None = None,
        *,
        languages: Callable[[], Iterable[str]] = tuple,
        idle: Callable[[], None] = lambda: None,
        idle_s: float = IDLE_S,
    ) -> Iterator[Result]:
        """Yield each task with its result, in the order of completion; `Lost` when it killed or hung its worker.

        A task whose worker dies is repeated file by file, so that only a file that does it again is lost. Closing the
        iterator drops what is not done.

        Args:
            most: maximum number of workers for this run; `limits`: time and memory of each. Default: those of the pool.
            languages: languages of the files; their grammars are loaded before processes are forked.
            idle: called every `idle_s` seconds while no worker has done anything.
        """
        limits = limits or self._limits
        self._end([one for one in self._unused if one.memory_bytes != limits.memory_bytes])
        if _may_fork() and not self._unused:
            _load_for_all(languages(), self._embedding)
        run = _Run(partial(self._take, limits), self._keep, iter(tasks), limits, most or self.workers, (idle, idle_s))
        try:
            yield from run.results()
        finally:
            run.end()

    @property
    def is_warm(self) -> bool:
        """Whether a process is ready for work."""
        return bool(self._unused)

    @property
    def is_quick(self) -> bool:
        """Whether one is, or is made in about ten milliseconds."""
        return self.is_warm or _may_fork()

    def _take(self, limits: WorkerLimits) -> _Worker:
        """Return an unused worker that lives, else a new one.

        A file given to two that were killed while they had no work would be taken for the reason.
        """
        while True:
            with self._lock:
                fitting = (one for one in self._unused if one.memory_bytes == limits.memory_bytes)
                worker = next(fitting, None)
                if worker is not None:
                    self._unused.remove(worker)
            if worker is None:
                return self._new(limits.memory_bytes)
            if worker.process.is_alive():
                return worker
            worker.close()

    def _keep(self, worker: _Worker) -> None:
        with self._lock:
            if not worker.tasks and len(self._unused) < self.workers:
                self._unused.append(worker)
                return
        worker.close()

    def _end(self, workers: Iterable[_Worker]) -> None:
        for worker in workers:
            with self._lock:
                if worker not in self._unused:  # another thread has it
                    continue
                self._unused.remove(worker)
            worker.close()

    def close(self) -> None:
        """End the processes; a later `run` starts new ones."""
        self._end(list(self._unused))

    def _new(self, memory_bytes: int) -> _Worker:
        return self._fork(memory_bytes) if _may_fork() else self._start(memory_bytes)

    def _start(self, memory_bytes: int) -> _Worker:
        context: Any = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
        if os.name != "nt":
            context.set_forkserver_preload([serve.__module__, *_SHARED_MODULES])
            scratch.claim()
            resource_tracker.ensure_running()  # now: whenever it starts its process it lets interrupts in again
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self._embedding, memory_bytes), daemon=True)
        try:
            with _STARTING, _main_hidden(), _held(signal.SIGINT):
                process.start()
        except (EOFError, OSError) as error:  # the process that starts them ended meanwhile, or the system refused
            ours.close()
            raise CocosearchError(
                f"no worker process can be started: {error}", hint="free some memory, then run it again"
            ) from error
        finally:
            theirs.close()
        return _Worker(process, ours, memory_bytes)

    def _fork(self, memory_bytes: int) -> _Worker:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve_forked, args=(theirs, self._embedding, memory_bytes), daemon=True)
        with _held(signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process.start()
        theirs.close()
        return _Worker(process, ours, memory_bytes)


def _may_fork() -> bool:
    """Whether no child can find a lock that a thread of ours holds; macOS has threads of its own in libraries."""
    return sys.platform == "linux" and threading.active_count() == 1


def _load_for_all(languages: Iterable[str], embedding: EmbeddingOptions | None) -> None:
    """Load what each worker would have to load for itself."""
    for module in _SHARED_MODULES:
        importlib.import_module(module)
    for language in languages:
        load_grammar(language)
    if embedding is not None and isinstance(model := open_embedder(embedding), StaticTable):
        model.load()


class _Run:
    """The work of one run, handed out to workers; further workers are taken as they are needed.

    Args:
        take: returns a worker.
        give_back: gets a worker that the run no longer needs, with or without work left.
    """

    def __init__(
        self,
        take: Callable[[], _Worker],
        give_back: Callable[[_Worker], None],
        source: Iterator[BatchTask],
        limits: WorkerLimits,
        most: int,
        idle: tuple[Callable[[], None], float],
    ) -> None:
        self._workers: list[_Worker] = []
        self._idle, self._idle_s = idle
        self._take, self._give_back = take, give_back
        self._source, self._limits, self._most = source, limits, most
        self._again: deque[BatchTask] = deque()
        self._suspects: set[int] = set()  # file ids of tasks that a worker has died of
        self._breaks = 0

    def results(self) -> Iterator[Result]:
        while True:
            self._hand_out()
            busy = [worker for worker in self._workers if worker.tasks]
            if not busy:
                return
            for worker in self._speaking(busy):
                yield from self._hear(worker)

    def end(self) -> None:
        """Give back all workers."""
        while self._workers:
            self._give_back(self._workers.pop())

    def _hand_out(self) -> None:
        while len(self._workers) < self._most or any(len(worker.tasks) < _TASKS_EACH for worker in self._workers):
            task = self._again.popleft() if self._again else next(self._source, None)
            if task is None:
                return
            self._least_busy().give(task)

    def _least_busy(self) -> _Worker:
        """Return the worker for the next task: a further one while all have work."""
        worker = min(self._workers, key=lambda one: len(one.tasks), default=None)
        if worker is None or (worker.tasks and len(self._workers) < self._most):
            worker = self._take()
            self._workers.append(worker)
        return worker

    def _speaking(self, busy: list[_Worker]) -> list[_Worker]:
        """Wait for workers that have something to say or are dead; those that say nothing for too long are killed."""
        ends = {worker.process.pid: worker.since + self._patience(worker) for worker in busy}
        timeout_s = max(min(ends.values()) - time.monotonic(), 0)
        heard = wait([worker.pipe for worker in busy], min(timeout_s, self._idle_s))
        if heard:
            return [worker for worker in busy if worker.pipe in heard]
        self._idle()
        silent = [worker for worker in busy if ends[worker.process.pid] <= time.monotonic()]
        for worker in silent:
            worker.timed_out = True
            worker.kill()
        return silent

    def _patience(self, worker: _Worker) -> float:
        """How many seconds a worker may take for what it is at."""
        if not worker.ready:
            return _START_TIMEOUT_S
        task = worker.tasks[0]
        seconds = self._limits.seconds if task.watched else min(self._limits.seconds, _UNWATCHED_S)
        return seconds * (1 + sum(file.size_bytes for file in task.files) / _MB / 3)

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

    def _reason(self, worker: _Worker) -> tuple[str, bool]:
        """Why a worker ended, in words, and whether it may be no file's fault."""
        if worker.timed_out:
            return f"it took longer than {self._patience(worker):.0f} s (indexing.fileTimeout)", not worker.ready
        code = worker.process.exitcode
        if code == EXIT_MEMORY:
            return OUT_OF_MEMORY, False
        if code is None or code >= 0:
            return "its worker process ended", True
        if -code == signal.SIGKILL:
            return KILLED, True
        return f"its worker process crashed ({signal.strsignal(-code) or -code})", False

    def _bury(self, worker: _Worker) -> Iterator[Result]:
        """Do elsewhere what a dead worker had to do; tell of a file that has killed two."""
        self._workers.remove(worker)
        worker.close()
        if worker.process.exitcode == EXIT_FULL:
            self._again.extend(worker.tasks)
            return
        reason, is_by_system = self._reason(worker)
        tried_again = worker.ready and worker.tasks[0].files[0].killed_worker  # by itself, and its fault
        self._breaks += (is_by_system and not tried_again) or not worker.ready
        if self._breaks > _MAX_BREAKS_IN_A_ROW:  # without ever finishing a batch
            raise CocosearchError(
                f"the worker processes keep ending: {reason}",
                hint="free some memory, or run with --jobs 1; if that does not help, report this with the system's log",
            )
        if worker.ready:
            task = worker.tasks.popleft()
            if len(task.files) == 1 and (tried_again or task.files[0].file_id in self._suspects):
                yield task, Lost(reason)
            else:
                self._suspects.update(file.file_id for file in task.files)
                self._again.extend(replace(task, files=(file,), watched=True) for file in task.files)
        self._again.extend(worker.tasks)


@contextmanager
def _held(*signals: signal.Signals) -> Iterator[None]:
    """Hold signals back while a process is started, which begins deaf to them.

    Ctrl-C would reach it before it can ignore that, and print a traceback. What a signal raises in the midst of a fork
    is lost, and the run would go on.
    """
    if os.name == "nt":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
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
