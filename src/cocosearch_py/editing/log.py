"""The log of changes: what is about to happen to a file is committed before it happens, and afterwards that it has."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from secrets import token_hex
from threading import Lock
from typing import TypeVar

from cocosearch_py.editing import recovery
from cocosearch_py.errors import CocosearchError, WorkspaceError
from cocosearch_py.model.changes import Change, ChangeRequest, Image, Intent, Pending
from cocosearch_py.model.process import is_gone, place_of, process_mark, this_host
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries import changes
from cocosearch_py.storage.server.database import Database

T = TypeVar("T")
_PRUNED_EACH = 20  # changes of a folder
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Open:
    """Connections whose sessions hold the files of pending changes, by the number of the change."""

    lock: Lock = field(default_factory=Lock)
    sessions: dict[int, Connection] = field(default_factory=dict)
    ids: set[int] = field(default_factory=set)  # also of those whose session is gone


class ChangeLog:
    """The changes of all folders, in one database. For any number of threads.

    An edit is `begin`, the exchange of the file, then `finish`; or `abandon` if the file is as it was. Meanwhile nobody
    else begins a change of the same file through any log of the database. Whoever dies in between leaves an intent,
    which the next edit in the folder, or the next run over it, settles by what is on disk.
    """

    def __init__(self, database: Database, keep_days: int = 30, keep_bytes: int = 256 * 2**20) -> None:
        self._database, self._keep_days, self._keep_bytes = database, keep_days, keep_bytes
        self._open = _Open()

    def read(self, root: str, request: ChangeRequest) -> tuple[list[Change], int]:
        """Changes of a folder, the oldest first, and the number of the last one that there is.

        Whoever asks again with the number of the last change that was read, or with that of the last one that there is
        where all were read, misses none.
        """

        def read(conn: Connection) -> tuple[list[Change], int]:
            last = changes.last_seq(conn, root)
            if request.since_seq is None and request.since_time is None:
                return changes.newest(conn, root, sources=request.sources, most=request.most), last
            since, at = request.since_seq or 0, request.since_time
            return changes.since(conn, root, seq=since, time=at, sources=request.sources, most=request.most), last

        return self._database.read(read)

    def image(self, root: str, seq: int) -> Image | None:
        """Return the bytes that a change replaced; None when they are no longer stored, or never were."""
        return self._database.read(lambda conn: changes.image(conn, root, seq))

    def last_seq(self, root: str) -> int:
        """The number of the last change of a folder; 0 if none was ever logged."""
        return self._database.read(lambda conn: changes.last_seq(conn, root))

    def recover(self, root: str) -> list[Change]:
        """Settle the changes of a folder whose processes died; what was made and is in the log from now on.

        Of those that cannot be looked at now, because a folder cannot be read for instance, nothing is said.
        """
        left = self._database.read(lambda conn: changes.unfinished(conn, root, this_host()))
        if not left:
            return []
        conn = self._database.borrow()
        try:
            with self._database.explained():
                found = [self._recover(conn, root, one, waits=True) for one in left]
                return [change for change in found if change is not None]
        finally:
            self._database.give_back(conn)

    def recover_all(self) -> None:
        """`recover` in all folders, as a server does that begins."""
        for root in self._database.read(lambda conn: changes.unfinished_roots(conn, this_host())):
            self.recover(root)

    def _may_live(self, one: changes.Unfinished) -> bool:
        """Whether the process of an intent may still be at it, apart from holding the file."""
        mark, mine = one.claim.process, process_mark()
        if mark == mine and mine:
            return one.change_id in self._open.ids
        if is_gone(mark):
            return False
        return place_of(mark) == place_of(mine) or one.is_recent  # elsewhere, or before the machine was started again

    def _recover(self, conn: Connection, root: str, one: changes.Unfinished, *, waits: bool) -> Change | None:
        if self._may_live(one):
            return None
        if waits and is_gone(one.claim.process):
            changes.hold_file(conn, root, one.path)  # the server may not know yet that its client is gone
        elif not changes.try_to_hold_file(conn, root, one.path):
            return None
        try:
            image = changes.image_of_intent(conn, one.change_id)
            if image is None:  # settled by now
                return None
            intent = Intent(root, one.path, one.op, one.author, image.before, image.after, image.mode, one.undoes)
            outcome = recovery.settle(Pending(one.change_id, one.claim.token, intent))
            if outcome is recovery.Outcome.NOT_MADE:
                changes.drop_intent(conn, one.change_id)
                return None
            return changes.settle(conn, root, one.change_id, sure=outcome is recovery.Outcome.MADE)
        except OSError as error:
            log.warning("cannot determine the outcome of a change to %s: %s", one.path, error)
            return None
        finally:
            changes.release_file(conn, root, one.path)

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
                claim = changes.Claim(this_host(), process_mark(), token)
                change_id, others = changes.begin(conn, intent, claim)
                for one in others:
                    self._recover(conn, intent.root, one, waits=one.path == intent.path)  # which is held already
        except BaseException:
            conn.close()  # which lets go of the file
            raise
        with self._open.lock:
            self._open.sessions[change_id] = conn
            self._open.ids.add(change_id)
        return Pending(change_id, token, intent)

    def finish(self, pending: Pending) -> Change:
        """Write that the change has been made; from now on the log shows it.

        Raises:
            DatabaseError: the file is changed, and the log will say so as soon as it can be written.
        """
        intent = pending.intent

        def settle(conn: Connection) -> Change:
            change = changes.finish(conn, intent, pending.change_id)
            if change is None:  # another process took this one for dead
                change = changes.settled(conn, pending.change_id)
            if change is None:  # and the file for unchanged
                claim = changes.Claim(this_host(), process_mark(), pending.token)
                change = changes.settle(conn, intent.root, changes.add_intent(conn, intent, claim))
            assert change is not None
            if change.seq % _PRUNED_EACH == 0:
                changes.prune(conn, intent.root, self._keep_days, self._keep_bytes)
            return change

        return self._end(pending, settle)

    def abandon(self, pending: Pending) -> None:
        """Forget a change that was not made: the file is as it was, and no file of the change is left.

        Raises:
            DatabaseError: the intent stays, and is forgotten when it is settled by what is on disk.
        """
        self._end(pending, lambda conn: changes.withdraw(conn, pending.intent, pending.change_id))

    @contextmanager
    def carried_out(self, pending: Pending) -> Iterator[None]:
        """Around what changes the file: abandons a change that is refused, and leaves one that breaks off to recovery.

        Raises:
            DatabaseError: the intent of a refused change stays; see `abandon`.
            WorkspaceError: the system failed in the midst of it.
        """
        try:
            yield
        except CocosearchError:
            self.abandon(pending)
            raise
        except OSError as error:
            self._let_go(pending)
            raise WorkspaceError(
                f"writing {pending.intent.path} was interrupted: {error.strerror}; the file has either its old or its "
                "new content",
                hint="check the disk, then read the file; list_changes shows the outcome",
            ) from error
        except BaseException:
            self._let_go(pending)
            raise

    def content(self, root: str, path: str, content_hash: str) -> bytes | None:
        """Return the content of a file when it had a hash, as far as that is stored."""
        return self._database.read(lambda conn: changes.content_of(conn, root, path, content_hash))

    def last(self, root: str, path: str) -> Change | None:
        """The last change of a file."""
        return self._database.read(lambda conn: changes.last_of(conn, root, path))

    def _let_go(self, pending: Pending) -> None:
        """Leave an intent to whoever recovers next."""
        with self._open.lock:
            held = self._open.sessions.pop(pending.change_id, None)
            self._open.ids.discard(pending.change_id)
        if held is not None:
            with suppress(CocosearchError):
                self._on(held, lambda conn: changes.release_file(conn, pending.intent.root, pending.intent.path))

    def _end(self, pending: Pending, work: Callable[[Connection], T]) -> T:
        """Let go of the file with it, on the session that holds the file, or on a new one if that is gone."""
        with self._open.lock:
            held = self._open.sessions.pop(pending.change_id, None)
        try:
            if held is not None:
                with suppress(CocosearchError):
                    return self._on(held, work)
            return self._on(self._database.borrow(), work)
        finally:
            with self._open.lock:
                self._open.ids.discard(pending.change_id)

    def _on(self, conn: Connection, work: Callable[[Connection], T]) -> T:
        try:
            with self._database.explained():
                done = work(conn)
        except BaseException:
            conn.close()
            raise
        self._database.give_back(conn)
        return done
