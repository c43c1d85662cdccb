"""What a large build lacks once its rows are there, made by two connections at once: keys, search indexes, statistics.

One process of the server uses one processor, and at the end of a run nobody else has work. What the second connection
makes is committed by itself: it belongs to tables that only this build knows, and a run that goes on with the build
finds it there.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, suppress
from threading import Event

import psycopg

from cocosearch_py.storage.write import leaves

Beside = Callable[[], AbstractContextManager[psycopg.Connection | None]]
_CANCEL_S = 0.2


def complete(conn: psycopg.Connection, index_id: int, chunk_count: int, prepared: int, beside: Beside) -> None:
    """Give the committed tables of a build all but their place; arguments as of `leaves.settle`.

    Args:
        beside: lends the second connection, or None: then the first one makes all.
    """
    tables, failed = iter(leaves.dearest_first(conn, index_id, chunk_count, prepared)), Event()

    def complete_some(one: psycopg.Connection) -> None:
        try:
            for table in tables:
                if failed.is_set():
                    return
                leaves.complete(one, table, index_id, chunk_count, prepared)
        except BaseException:
            failed.set()  # the other one need not begin what is for nothing
            raise

    with beside() as other, ThreadPoolExecutor(1, thread_name_prefix="indexes") as thread:
        share = thread.submit(complete_some, other) if other else None
        try:
            complete_some(conn)
            if share:
                share.result()
        except BaseException:
            while other and share and not wait([share], _CANCEL_S).done:
                with suppress(psycopg.Error):  # the server has gone
                    other.cancel_safe()
            raise
