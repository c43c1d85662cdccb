"""The log of changes: what is about to happen to a file is committed before it happens, and afterwards that it has."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from threading import Lock
from typing import TypeVar

from cocosearch_py.errors import CocosearchError
from cocosearch_py.model.changes import Change, Intent, Pending
from cocosearch_py.model.process import process_mark, this_host
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import changes
from cocosearch_py.storage.server.database import Database

T = TypeVar("T")


@dataclass(slots=True)
class _Open:
    """Connections whose sessions hold the files of pending changes, by the number of the change."""

    lock: Lock = field(default_factory=Lock)
    sessions: dict[int, Connection] = field(default_factory=dict)


class ChangeLog:
    """The changes of all folders, in one database. For any number of threads.

    An edit is `begin`, the exchange of the file, then `finish`; or `abandon` if the file is as it was. Meanwhile nobody
    else begins a change of the same file through any log of the database. Whoever dies in between leaves an intent,
    which `recovery` settles by what is on disk.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._open = _Open()

    def begin(self, intent: Intent) -> Pending:
        """Commit what is about to be done, with what the file holds; the file may be changed when this returns.

        Raises:
            BusyError: another process has been changing the file for long.
            DatabaseError: without the log nothing may be changed.
        """
        token = token_hex(8)
        conn = self._database.borrow()
        try:
            with self._database.explained():
                changes.hold_file(conn, intent.root, intent.path)
                claim = changes.Claim(this_host(), process_mark(), token)
                change_id = changes.add_intent(conn, intent, claim)
        except BaseException:
            conn.close()  # which lets go of the file
            raise
        with self._open.lock:
            self._open.sessions[change_id] = conn
        return Pending(change_id, token, intent)

    def finish(self, pending: Pending) -> Change:
        """Write that the change has been made; from now on the log shows it.

        Raises:
            DatabaseError: the file is changed, and the log will say so as soon as it can be written.
        """
        intent = pending.intent

        def settle(conn: Connection) -> Change:
            change = changes.settle(conn, intent.root, pending.change_id)
            if change is None:  # another process took this one for dead
                change = changes.settled(conn, pending.change_id)
            if change is None:  # and the file for unchanged
                claim = changes.Claim(this_host(), process_mark(), pending.token)
                change = changes.settle(conn, intent.root, changes.add_intent(conn, intent, claim))
            assert change is not None
            return change

        return self._end(pending, settle)

    def abandon(self, pending: Pending) -> None:
        """Forget a change that was not made: the file is as it was, and no file of the change is left.

        Raises:
            DatabaseError: the intent stays, and is forgotten when it is settled by what is on disk.
        """
        self._end(pending, lambda conn: changes.drop_intent(conn, pending.change_id))

    def _end(self, pending: Pending, work: Callable[[Connection], T]) -> T:
        """Do it on the session that holds the file, or on a new one if that is gone; then let go of the file."""
        intent = pending.intent
        with self._open.lock:
            held = self._open.sessions.pop(pending.change_id, None)
        if held is not None:
            with suppress(CocosearchError):
                return self._on(held, intent, work)
        return self._on(self._database.borrow(), intent, work)

    def _on(self, conn: Connection, intent: Intent, work: Callable[[Connection], T]) -> T:
        try:
            with self._database.explained():
                done = work(conn)
                changes.release_file(conn, intent.root, intent.path)
        except BaseException:
            conn.close()
            raise
        self._database.give_back(conn)
        return done
