"""Several runs by one call, which overlap; see `overlap`."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextvars import copy_context
from typing import TypeVar

from cocosearch_py.indexing.overlap import MOST_AT_ONCE, Overlap, Turn

T = TypeVar("T")

CONNECTIONS = 3 * MOST_AT_ONCE  # a run writes, says how far it is, and reads


def in_turns(works: Iterable[Callable[[Turn], T]], may_overlap: Callable[[], bool]) -> list[T]:
    """Do works that each make a run, in their order, and return what they return.

    Args:
        works: what one of them raises is raised here when the others have ended.
        may_overlap: whether there are workers, and whatever else two runs need. Until then one run is made after the
            other, in this thread: a process without other threads can fork its workers.
    """
    done: list[T] = []
    begun: list[Future[T]] = []
    overlap = Overlap()
    works = list(works)
    try:
        for number, work in enumerate(works, 1):
            is_last = number == len(works)
            if not begun and not may_overlap():
                done.append(work(Turn(is_last=is_last)))
            else:
                begun.append(_begun(work, overlap.begin(is_last=is_last)))
        overlap.wait_for_all()
    except BaseException:
        overlap.abort()
        raise
    return [*done, *(one.result() for one in begun)]


def _begun(work: Callable[[Turn], T], turn: Turn) -> Future[T]:
    """Do a work in a thread that the end of the process does not wait for: who aborts need not wait for an endpoint."""
    made: Future[T] = Future()

    def do() -> None:
        try:
            made.set_result(turn.take(work))
        except BaseException as error:  # noqa: BLE001 - the edge of a thread: who waits for it raises it
            made.set_exception(error)

    threading.Thread(target=copy_context().run, args=(do,), name="run", daemon=True).start()
    return made
