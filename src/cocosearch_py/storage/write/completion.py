"""Copies of large indexes by two connections at once.

One process of the server uses one processor, and while an index is copied nobody else has work. What the two make is
committed: it belongs to tables that only this build knows.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from threading import Event

import psycopg

Work = Callable[[psycopg.Connection, str], None]  # the second is a table
_CANCEL_S = 0.2


def complete(
    first: psycopg.Connection,
    second: psycopg.Connection,
    tables: Iterable[str],
    work: Work,
    last: Callable[[psycopg.Connection], None],
) -> None:
    """Do the work of each table, by whichever connection has none.

    Args:
        last: done by each connection after its last table.
    """
    left, failed = iter(tables), Event()

    def do_some(conn: psycopg.Connection) -> None:
        try:
            for table in left:
                if failed.is_set():
                    return
                work(conn, table)
            last(conn)
        except BaseException:
            failed.set()  # the other one need not begin what is for nothing
            raise

    with ThreadPoolExecutor(1, thread_name_prefix="indexes") as thread:
        share = thread.submit(do_some, second)
        try:
            do_some(first)
            share.result()
        except BaseException:
            _cancel(second, share)
            raise


def _cancel(conn: psycopg.Connection, share: Future[None]) -> None:
    while not wait([share], _CANCEL_S).done:
        with suppress(psycopg.Error):  # the server has gone
            conn.cancel_safe()
