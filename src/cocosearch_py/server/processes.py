"""Searches in processes of their own, for a server that many clients ask at once.

The interpreter runs one thread at a time, so one process answers no more with eight cores than with one. Each process
here has an engine of its own on the same database; the model's table is shared by all through the page cache. They
start when calls wait for each other and end when they have had nothing to do for a while, so a server whose clients
ask one after the other is one process.
"""

import gc
import logging
import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from logging.handlers import QueueHandler
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING, Any

from cocosearch_py.errors import CocosearchError, ServiceError
from cocosearch_py.model.indexes import IndexRecord
from cocosearch_py.server.engines import EnginePool
from cocosearch_py.server.options import COLLECT_AFTER
from cocosearch_py.storage.server.stopping import Work, current_work, stoppable

if TYPE_CHECKING:  # brings psycopg and numpy, which `initialize` does without
    from cocosearch_py.config.settings import Settings
    from cocosearch_py.model.search import SearchReport, SearchRequest

    Answer = tuple[IndexRecord, SearchReport]

log = logging.getLogger(__name__)

_KEPT_S = 60.0  # without work; starting one takes half a second of a core
_READY_S = 30.0  # a machine so busy that an import takes longer needs no further process
_RETRY_S = 60.0  # after one that could not start
_ANSWER_S = 60.0  # and the time limit of a statement; past this it hangs, and would hold up the calls of all
_END_S = 2.0  # to close its connections


@dataclass(frozen=True, slots=True)
class Question:
    """One search, and the settings that its engine is under."""

    settings: "Settings"
    request: "SearchRequest"
    index_name: str
    use_cache: bool


class SearchProcesses:
    """At most `most` processes, each with one question at a time. Safe for threads."""

    def __init__(self, environ: Mapping[str, str], most: int) -> None:
        self._environ = environ
        self.most = most
        self._idle: list[_Process] = []  # the last one used first, so that those that are too many become old
        self._ready = 0
        self._next_start_s = 0.0
        self._changed = Condition()

    @property
    def running(self) -> int:
        """How many there are."""
        return self._ready

    def search(self, question: Question) -> "Answer | None":
        """The answer of a process, waiting until one is free; None when there is none yet.

        Raises:
            CocosearchError: that of the search; ServiceError when the process died of it or hung.
        """
        with self._lent() as process:
            return process.ask(question) if process is not None else None

    def end_idle(self) -> None:
        """End the processes that have had nothing to do for a while."""
        self._end(lambda process: time.monotonic() - process.last_used_s > _KEPT_S)

    def close(self) -> None:
        """End all processes; those that search end when they have answered."""
        self.most = 0
        self._end(lambda _: True)

    @contextmanager
    def _lent(self) -> "Iterator[_Process | None]":
        self._end(lambda process: not process.lives)
        with self._changed:
            if not self._idle and self._ready < self.most and time.monotonic() >= self._next_start_s:
                self._next_start_s = time.monotonic() + _RETRY_S  # unless it becomes ready before
                with suppress(RuntimeError):  # no further thread
                    Thread(target=self._start, name="search process", daemon=True).start()
            self._changed.wait_for(lambda: self._idle or not self._ready)
            process = self._idle.pop() if self._idle else None
        try:
            yield process
        finally:
            if process is not None:
                self._take_back(process)

    def _end(self, chosen: "Callable[[_Process], bool]") -> None:
        """End those of the idle ones that are chosen."""
        with self._changed:
            ended = [process for process in self._idle if chosen(process)]
            self._idle = [process for process in self._idle if process not in ended]
            self._ready -= len(ended)
        _end_all(ended)

    def _take_back(self, process: "_Process") -> None:
        with self._changed:
            keep = process.lives and self.most > 0
            if keep:
                self._idle.append(process)
            else:
                self._ready -= 1
            self._changed.notify_all()
        if not keep:
            _end_all([process])

    def _start(self) -> None:
        try:
            process = _Process(self._environ)
        except (OSError, EOFError) as error:  # no memory, no more processes allowed, killed at once
            log.warning("no additional search process started: %s", str(error) or type(error).__name__)
            return
        with self._changed:
            self._next_start_s = 0.0
            self._ready += 1
        self._take_back(process)


class _Process:
    """One process and the pipe to it. It ends with the pipe, so also with the server, however that ends."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Start it and wait until it is ready. Raises OSError or EOFError when it does not become so."""
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that other threads hold
        self._pipe, theirs = context.Pipe()
        logged, their_log = context.Pipe(duplex=False)
        self._sending = Lock()
        given = (theirs, their_log, logging.getLogger().level, dict(environ))
        self._process = context.Process(target=_serve, args=given, name="search", daemon=True)
        self._process.start()
        theirs.close()
        their_log.close()
        Thread(target=_log_all, args=(logged,), name="search process log", daemon=True).start()
        try:
            if not self._pipe.poll(_READY_S):
                raise TimeoutError("it did not become ready in time")
            self._pipe.recv()
        except (OSError, EOFError):
            _end_all([self])
            raise
        self._broken = False
        self.last_used_s = time.monotonic()

    @property
    def lives(self) -> bool:
        """Whether it can be asked."""
        return not self._broken and self._process.is_alive()

    def ask(self, question: Question) -> "Answer":
        work = current_work()
        try:
            with work.holding(self) if work else nullcontext():
                self._send(question)
                statement_s = question.settings.database.statement_timeout_ms / 1000
                if statement_s and not self._pipe.poll(_ANSWER_S + statement_s):
                    raise TimeoutError
                answer = self._pipe.recv()
        except (OSError, EOFError) as error:
            self._broken = True
            what = "does not respond" if isinstance(error, TimeoutError) else "has ended unexpectedly"
            # Not searched again here: what broke one process would break this one too.
            raise ServiceError(
                f"the search process {what}", hint="call again; see the system's log if it recurs"
            ) from error
        self.last_used_s = time.monotonic()
        if isinstance(answer, BaseException):
            raise answer
        return answer  # type: ignore[no-any-return]

    def cancel_safe(self, *, timeout: float = 0.0) -> None:
        """Stop the search that runs, as `storage.stopping` stops a statement."""
        with suppress(OSError):  # it is gone; whoever waits for its answer learns so
            self._send(None)

    def hang_up(self) -> None:
        """Let it end."""
        self._pipe.close()

    def end(self, deadline_s: float) -> None:
        """Wait until it has ended, then make it end."""
        self._process.join(max(0.0, deadline_s - time.monotonic()))
        self._process.kill()
        self._process.join()

    def _send(self, message: Question | None) -> None:
        with self._sending:
            self._pipe.send(message)


def _end_all(processes: "Sequence[_Process]") -> None:
    for process in processes:
        process.hang_up()
    deadline_s = time.monotonic() + _END_S
    for process in processes:
        process.end(deadline_s)


class _Sent(QueueHandler):
    """Lets the server log what is logged here, so that its log file has it and one process turns that over."""

    queue: Any

    def enqueue(self, record: logging.LogRecord) -> None:
        self.queue.send(record)


def _log_all(logged: Connection) -> None:
    """Log what a process sends, until it ends."""
    with logged, suppress(OSError, EOFError):
        while True:
            record = logged.recv()
            logging.getLogger(record.name).handle(record)


def _serve(pipe: Connection, log_pipe: Any, log_level: int, environ: Mapping[str, str]) -> None:
    """Answer one question after the other, until the pipe ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # terminals and service managers tell all; the server decides
        signal.signal(number, signal.SIG_IGN)
    gc.set_threshold(*COLLECT_AFTER)
    logging.basicConfig(level=log_level, handlers=[_Sent(log_pipe)], format="%(message)s")  # the server adds the rest
    logging.raiseExceptions = False  # the server has gone, and its log with it
    import cocosearch_py.app  # noqa: F401  # what takes long, before it is said to be ready

    engines = EnginePool(environ)
    asked: SimpleQueue[tuple[Question, Work] | None] = SimpleQueue()
    Thread(target=_receive, args=(pipe, asked), daemon=True).start()
    with suppress(OSError):  # the server has gone
        pipe.send(None)
        log.info("ready to search")
        while (item := asked.get()) is not None:
            pipe.send(_answer(engines, *item))
    engines.close()


def _receive(pipe: Connection, asked: "SimpleQueue[tuple[Question, Work] | None]") -> None:
    """Take questions, and stop the last one when told so or when nobody waits any more."""
    work = Work()
    try:
        while True:
            question = pipe.recv()
            if question is None:
                work.stop()
            else:
                work = Work()
                asked.put((question, work))
    except (OSError, EOFError):
        pass
    finally:  # whatever it was: without this thread the process would wait for ever
        asked.put(None)
        work.stop()


def _answer(engines: EnginePool, question: Question, work: Work) -> "Answer | Exception":
    try:
        with stoppable(work):
            app = engines.under(question.settings)
            return app.searches.search(question.request, question.index_name, use_cache=question.use_cache)
    except CocosearchError as error:
        return error
    except Exception:  # noqa: BLE001  # the edge of a process: the server logs it
        return RuntimeError(f"in a process that searches:\n{traceback.format_exc()}")
