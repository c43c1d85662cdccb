"""The tables of a large build, completed by two connections at once: keys, search indexes, statistics.

One process of the server uses one processor, and at the end of a run nobody else has work. What the second connection
makes is committed by itself: it belongs to tables that only this build knows, and a run that goes on with the build
finds it there.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Event

import psycopg

Work = Callable[[psycopg.Connection, str], None]  # the second is a table
Beside = Callable[[], AbstractContextManager[psycopg.Connection | None]]
_CANCEL_S = 0.2


def complete(
    conn: psycopg.Connection,
    tables: Iterable[str],
    work: Work,
    beside: Beside,
    last: Callable[[psycopg.Connection], None] = lambda _: None,
) -> None:
    """Do the work of each table, by whichever connection has none.

    Args:
        beside: lends the second connection, or None: then the first one does all.
        last: done by each connection after its last table.
    """
    left, failed = iter(tables), Event()

    def do_some(one: psycopg.Connection) -> None:
        try:
            for table in left:
                if failed.is_set():
                    return
                work(one, table)
            last(one)
        except BaseException:
            failed.set()  # the other one need not begin what is for nothing
            raise

    with beside() as other, ThreadPoolExecutor(1, thread_name_prefix="indexes") as thread:
        share = thread.submit(do_some, other) if other else None
        try:
            do_some(conn)
            if share:
                share.result()
        except BaseException:
            _cancel(other, share)
            raise


@contextmanager
def completing(tables: Iterable[str], work: Work, beside: Beside) -> Iterator[bool]:
    """Do the work of each table by a second connection, and commit it, while the caller does something else.

    Args:
        beside: lends that connection, or None: then nothing is done, and False lent.
    """
    with beside() as other, ThreadPoolExecutor(1, thread_name_prefix="indexes") as thread:

        def do_all(one: psycopg.Connection) -> None:
            for table in tables:
                work(one, table)
            one.commit()

        share = thread.submit(do_all, other) if other else None
        try:
            yield share is not None
            if share:
                share.result()
        except BaseException:
            _cancel(other, share)
            raise


def _cancel(conn: psycopg.Connection | None, share: Future[None] | None) -> None:
    while conn and share and not wait([share], _CANCEL_S).done:
        with suppress(psycopg.Error):  # the server has gone
            conn.cancel_safe()
