"""Several runs by one call, which overlap; see `overlap`."""

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from cocosearch_py.indexing.overlap import MOST_AT_ONCE, Overlap, Turn

T = TypeVar("T")


def in_turns(works: Iterable[Callable[[Turn], T]], is_warm: Callable[[], bool]) -> list[T]:
    """Do works that each make a run, in their order, and return what they return.

    Args:
        works: what one of them raises is raised here when the others have ended.
        is_warm: whether workers are ready. Until they are, one run is made after the other, in this thread: a process
            without other threads can fork them.
    """
    done: list[T] = []
    begun: list[Future[T]] = []
    overlap = Overlap()
    with ThreadPoolExecutor(MOST_AT_ONCE) as threads:
        try:
            for work in works:
                if not begun and not is_warm():
                    done.append(work(Turn()))
                    continue
                turn = overlap.begin()
                begun.append(threads.submit(copy_context().run, turn.take, work))
            overlap.wait_for_all()
        except BaseException:
            overlap.abort()
            raise
    return [*done, *(one.result() for one in begun)]
