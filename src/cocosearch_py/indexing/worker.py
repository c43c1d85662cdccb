"""A worker process: prepares the batches that come through a pipe of its own, one after the other.

It ignores Ctrl-C, since its parent decides, and ends when the other end of its pipe is gone, however that went.
"""

import gc
import os
import signal
import sys
from itertools import count
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from cocosearch_py.embedding.models import open_embedder
from cocosearch_py.embedding.options import EmbeddingOptions
from cocosearch_py.indexing.memory import trim
from cocosearch_py.indexing.prepare import PreparedBatch, prepare_batch
from cocosearch_py.indexing.tasks import BatchTask

if TYPE_CHECKING:  # brings numpy, and the parent imports this module
    from cocosearch_py.indexing.words import WordTable

READY = "ready"  # said once, before the first result
_FIRST_FILE = 3  # behind the standard streams
_TRIM_BATCHES = 8  # until freed memory goes back: a batch frees a few megabytes here and there
EXIT_MEMORY = 77  # exit code of one that needs more than it may have
EXIT_FULL = 78  # of one that gives way to a new one: large files leave memory in pieces, as much again as is used


def serve(pipe: Connection, embedding: EmbeddingOptions | None, memory_bytes: int, *, forked: bool = False) -> None:
    """Send READY, then for each BatchTask its PreparedBatch or the exception that it raised, in order."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory_bytes)
    tasks: SimpleQueue[BatchTask] = SimpleQueue()
    Thread(target=_receive, args=(pipe, tasks), daemon=True).start()
    from cocosearch_py.indexing.words import WordTable

    words = WordTable(open_embedder(embedding) if embedding is not None else None)
    # A batch makes a million values and no cycles: looking for some all the time would take a tenth of it, and would
    # copy all pages that a fork shares.
    gc.freeze()
    gc.disable()
    try:
        pipe.send(READY)
        for number in count(1):
            task = tasks.get()
            pipe.send(_prepare(task, words))
            if forked and task.renews and words.is_full:
                os._exit(EXIT_FULL)
            gc.collect()
            gc.freeze()  # what stays, as words, is not looked through again
            if number % _TRIM_BATCHES == 0:
                trim()
    except OSError:
        os._exit(1)
    except MemoryError:
        os._exit(EXIT_MEMORY)


def _limit_memory(most_bytes: int) -> None:
    """Let the process have so much data of its own; what it shares with others does not count."""
    if sys.platform == "linux":  # macOS does not keep such a limit, Windows has none
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes if hard < 0 else min(most_bytes, hard), hard))


def serve_forked(pipe: Connection, embedding: EmbeddingOptions | None, memory_bytes: int) -> None:
    """`serve` in a copy of the parent: without its connections, locks and files, and its ways to end."""
    own = pipe.fileno()
    os.closerange(_FIRST_FILE, own)
    os.closerange(own + 1, os.sysconf("SC_OPEN_MAX"))
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGHUP})
    serve(pipe, embedding, memory_bytes, forked=True)


def _receive(pipe: Connection, tasks: "SimpleQueue[BatchTask]") -> None:
    """Take tasks as they come: a parent that had to wait until one is read could not read our results meanwhile."""
    code = 1
    try:
        while True:
            tasks.put(pipe.recv())
    except MemoryError:
        code = EXIT_MEMORY
    finally:  # whatever it was: without this thread the process would wait for ever
        os._exit(code)


def _prepare(task: BatchTask, words: "WordTable") -> PreparedBatch | Exception:
    try:
        batch = prepare_batch(task, words)
        batch.join_rows()
        return batch
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a process's edge: the parent raises it
        return error
