"""Worker processes for preparing files: tree-sitter holds the GIL, so threads would not help.

Workers start from a fork server that has imported everything once, share its memory, and ignore Ctrl-C: the parent
decides. A worker that dies (a crash in a grammar, the memory killer) costs only the file that killed it.
"""

import multiprocessing
import os
import signal
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread
from types import ModuleType

from cocosearch_py.embedding.models import open_embedder
from cocosearch_py.embedding.options import EmbeddingOptions
from cocosearch_py.errors import CocosearchError
from cocosearch_py.indexing.prepare import BatchTask, PreparedBatch, prepare_batch
from cocosearch_py.model.machine import usable_cores
from cocosearch_py.model.ports import Embedder

_BATCHES_AHEAD = 2  # per worker; enough to keep them busy, few enough to bound memory
_MAX_BREAKS_IN_A_ROW = 20  # more files than this that crash a grammar one after the other were never seen
_BATCH_TIMEOUT_S = 120.0  # a batch takes well under a second; past this a grammar loops for ever

_embedder: Embedder | None = None  # one per worker process, set by its initialiser


def _start_worker(embedding: EmbeddingOptions | None) -> None:
    global _embedder
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _embedder = open_embedder(embedding) if embedding is not None else None


def _end_with_parent() -> None:
    """End this worker when the process it works for is gone, however it went."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _prepare(task: BatchTask) -> PreparedBatch:
    return prepare_batch(task, _embedder)


class WorkerPool:
    """Lazily started processes, kept for the next run. `embedding` None leaves vectors to the caller."""

    def __init__(self, workers: int | None, embedding: EmbeddingOptions | None) -> None:
        self.workers = workers or usable_cores()
        self._embedding = embedding
        self._executor: ProcessPoolExecutor | None = None
        self._breaks = 0

    def run(self, tasks: Iterable[BatchTask]) -> Iterator[tuple[BatchTask, PreparedBatch | None]]:
        """Yield each task with its result, in the order of completion; None when it killed or hung its worker.

        A task that fails with others in flight is retried file by file, so only the guilty file is lost. Closing
        the iterator drops what has not been started.
        """
        source = iter(tasks)
        again: deque[BatchTask] = deque()
        flying: dict[Future[PreparedBatch], BatchTask] = {}
        ahead = self.workers * _BATCHES_AHEAD
        try:
            while True:
                limit = 1 if again else ahead  # retries run alone, so that a crash names its file
                while len(flying) < limit and (task := again.popleft() if again else next(source, None)) is not None:
                    flying[self._submit(task)] = task
                if not flying:
                    return
                done, _ = wait(flying, timeout=_BATCH_TIMEOUT_S, return_when=FIRST_COMPLETED)
                if not done or any(isinstance(future.exception(), BrokenProcessPool) for future in done):
                    yield from self._recover(flying, again)
                    flying.clear()
                    continue
                for future in done:
                    self._breaks = 0
                    yield flying.pop(future), future.result()
        finally:
            for future in flying:
                future.cancel()

    def close(self) -> None:
        """End the processes; a later `run` starts new ones."""
        if self._executor is not None:
            for process in list((self._executor._processes or {}).values()):
                process.terminate()
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None

    def _recover(
        self, flying: dict[Future[PreparedBatch], BatchTask], again: deque[BatchTask]
    ) -> Iterator[tuple[BatchTask, PreparedBatch | None]]:
        self._count_break()
        self.close()
        for future, task in flying.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                yield task, future.result()
            elif len(flying) == 1 and len(task.files) == 1:
                yield task, None
            else:
                again.extend(replace(task, files=(file,)) for file in task.files)

    def _submit(self, task: BatchTask) -> Future[PreparedBatch]:
        if self._executor is None:
            context = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
            if os.name != "nt":
                context.set_forkserver_preload([__name__, "cocosearch_py.embedding.static_table"])
            self._executor = ProcessPoolExecutor(
                self.workers, mp_context=context, initializer=_start_worker, initargs=(self._embedding,)
            )
        try:
            with _main_hidden():
                return self._executor.submit(_prepare, task)
        except BrokenProcessPool:  # a worker died while nothing was waited for; what else flies fails by itself
            self._count_break()
            self.close()
            return self._submit(task)

    def _count_break(self) -> None:
        """Give up when workers die again and again without ever finishing a batch: no file can be the reason."""
        self._breaks += 1
        if self._breaks > _MAX_BREAKS_IN_A_ROW:
            self.close()
            raise CocosearchError(
                "the worker processes end as soon as they start",
                hint="free some memory, or run with --jobs 1; then report this with the system's log",
            )


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Start processes without importing the caller's main module again: it may be a script without a guard."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
