"""Connections to one database, embedded or by DSN: checks its schema, lends read-only snapshots, opens writers."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Self, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from cocosearch_py.model.redaction import redact
from cocosearch_py.storage import migrate
from cocosearch_py.storage.connection import connect, set_limit
from cocosearch_py.storage.queries import announcements
from cocosearch_py.storage.schema.registry import GIN_MIN_CHUNKS
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.faults import is_full, is_passing, require_readable, translated
from cocosearch_py.storage.server.idle import IdleConnections
from cocosearch_py.storage.server.stopping import current_work

T = TypeVar("T")

_RESTART_WAIT_S = 10.0  # how long a server that answered before may take to come back, or to have a free connection
_RETRY_S = 0.05
_READ_ATTEMPTS = 3  # a server that one of its processes crashed in may take a session before it ends them all
_SESSION_LIMIT_S = 30  # of what an edit waits for


@dataclass(frozen=True, slots=True)
class DatabaseOptions:
    """Which server to use.

    `url` None means the embedded server in `data_folder`. `statement_timeout_ms` bounds every reading statement.
    `may_start` False: one that somebody stopped stays so; one that died, or was idle, is started again in any case.
    """

    data_folder: Path
    url: str | None = field(default=None, repr=False)
    pool_size: int = 4
    statement_timeout_ms: int = 30_000
    idle_stop_s: int = embedded.DEFAULT_IDLE_STOP_S
    may_start: bool = True


class Database:
    """Connections to one checked database, for any number of threads. Use as a context manager, or call `close`.

    Attributes:
        own_leaf_chunks: size from which an index gets leaves of its own: large enough for search indexes of its own.
        reader_patience_s: how long to wait for readers of an index before it is removed: the longest statement of a
            search. Who reads for longer has forgotten a transaction.
    """

    def __init__(self, options: DatabaseOptions) -> None:
        self.own_leaf_chunks = GIN_MIN_CHUNKS
        self.reader_patience_s = 30.0
        self._options = options
        self._idle = IdleConnections()
        self._sessions = IdleConnections()
        self._checked = IdleConnections()  # that a start has looked at the schema with: whoever comes next takes it
        self._started = False
        self._starting = Lock()
        self._readers = BoundedSemaphore(options.pool_size)
        self.server = None if options.url else embedded.locate(options.data_folder, options.idle_stop_s)
        self.dsn = options.url or (self.server.dsn() if self.server else "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def options(self) -> DatabaseOptions:
        """Which server it is."""
        return self._options

    def by_itself(self) -> "Database":
        """Return this database for background work, which does not start a server that somebody stopped."""
        other = copy(self)
        other._options = replace(self._options, may_start=False)
        return other

    @property
    def description(self) -> str:
        """Return the place of the data for a person; never a password."""
        return f"embedded, {self.server.home}" if self.server else redact(self._options.url or "")

    @property
    def is_there(self) -> bool:
        """Whether there may be something to read: False while no embedded database was ever made."""
        return self.server is None or embedded.is_initialised(self.server)

    def require_room(self, more_bytes: int = 0) -> None:
        """Raise DatabaseFullError if the embedded server's disk is nearly full, or would be with so much more.

        Other servers tell when they have no room.
        """
        if self.server:
            embedded.require_room(self.server, more_bytes)

    def start(self) -> None:
        """Make the server run (if embedded) and its schema be there; cheap when both are so."""
        with translated(self.description):
            self._start()

    def read(self, work: Callable[[psycopg.Connection], T]) -> T:
        """Return what `work` reads in one read-only snapshot; statements time out.

        A server that goes away meanwhile, ends the session, or drops what `work` was about to read, costs time and no
        error: `work` then runs again, on a new connection.
        """
        failed = 0
        with translated(self.description), self._readers:
            while True:
                conn = self._connect_reader()  # which is patient itself
                try:
                    with self._snapshot(conn):
                        return work(conn)
                except psycopg.Error as error:
                    failed += 1
                    if failed == _READ_ATTEMPTS or not is_passing(error):
                        raise
                self._idle.clear()  # the others may be about to end as well

    @contextmanager
    def reading(self) -> Iterator[psycopg.Connection]:
        """Lend a connection inside one read-only snapshot, for what cannot be repeated as `read` does."""
        with translated(self.description), self._readers, self._snapshot(self._connect_reader()) as conn:
            yield conn

    @contextmanager
    def writing(self) -> Iterator[psycopg.Connection]:
        """Open a connection of its own inside one transaction without time limit; commits at the end."""
        with translated(self.description), self._patiently(self._connect) as conn:
            yield conn

    @property
    def has_many_connections(self) -> bool:
        """Whether nobody misses one more: somebody's server, or a role there, may have few."""
        return self.server is not None

    @contextmanager
    def writing_beside(self) -> Iterator[psycopg.Connection | None]:
        """Lend a writer a second connection, with a transaction of its own; None if none is to be had."""
        with translated(self.description):
            try:
                conn = self._connect()
            except psycopg.OperationalError:
                yield None
                return
            with conn:
                yield conn

    @contextmanager
    def listening(self) -> Iterator[psycopg.Connection]:
        """Open a connection of its own without transaction or time limit, each statement of which commits at once."""
        with translated(self.description), closing(self._patiently(self._connect)) as conn:
            conn.autocommit = True
            yield conn

    def borrow(self) -> psycopg.Connection:
        """Lend a connection for as long as the caller likes, each statement of which commits at once; see `give_back`.

        Whoever waits for a lock on it, or for a statement, does so for `_SESSION_LIMIT_S` at most.
        """
        with translated(self.description):
            return self._patiently(lambda: self._sessions.take() or self._connect_session())

    def explained(self) -> AbstractContextManager[None]:
        """Turn errors of PostgreSQL into ours, on a lent connection."""
        return translated(self.description)

    def give_back(self, conn: psycopg.Connection) -> None:
        """Take a lent connection back; one that is broken, or in the middle of something, is closed."""
        self._sessions.give_back(conn, self._sessions.generation)

    @contextmanager
    def hearing(self) -> Iterator[Callable[[float], bool]]:
        """Lend a function that waits for word of a change, so many seconds at most; see `announcements.wait`."""
        with self.listening() as conn:
            announcements.listen(conn)
            yield lambda timeout_s: announcements.wait(conn, timeout_s)

    def close(self) -> None:
        """Close what is idle now, and what is lent when it comes back; the next use opens anew."""
        for connections in (self._idle, self._sessions, self._checked):
            connections.clear()

    def _connect_reader(self) -> psycopg.Connection:
        return self._patiently(lambda: self._idle.take() or self._connect_to_read())

    @contextmanager
    def _snapshot(self, conn: psycopg.Connection) -> Iterator[psycopg.Connection]:
        with self._held(conn), conn.transaction():
            yield conn

    @contextmanager
    def _held(self, conn: psycopg.Connection) -> Iterator[None]:
        work = current_work()
        lent_at = self._idle.generation
        try:
            with work.holding(conn) if work else nullcontext():
                yield
        finally:
            self._idle.give_back(conn, lent_at)

    def _patiently(self, connect: Callable[[], psycopg.Connection]) -> psycopg.Connection:
        """Connect, if need be again and again while a server that has answered before is away.

        The embedded server is started again when it has gone.
        """
        deadline = time.monotonic() + _RESTART_WAIT_S
        while True:
            try:
                if not self._started:
                    self._start()
                return connect()
            except psycopg.errors.ConnectionTimeout:  # it is not away, but hangs
                raise
            except psycopg.OperationalError as error:
                if is_full(error) or time.monotonic() > deadline or not (self._started or self.server):
                    raise
            if self.server:
                self._started = False
            time.sleep(_RETRY_S)

    def _start(self) -> None:
        with self._starting:  # one thread of a crowd
            if self._started:
                return
            if self.server:
                embedded.ensure_running(self.server, unless_stopped=not self._options.may_start)
            else:
                require_readable(self.dsn)
            generation = self._checked.generation
            conn = self._connect()
            try:
                migrate.ensure_schema(conn, self.dsn, may_upgrade=self.server is not None)
            except BaseException:
                conn.close()
                raise
            self._checked.give_back(conn, generation)
            self._started = True

    def _connect(self, settings: str = "", *, autocommit: bool = False) -> psycopg.Connection:
        if (conn := self._checked.take()) is None:
            return connect(self.dsn, settings, autocommit=autocommit)
        try:
            conn.autocommit = True
            if settings:
                conn.execute(settings.encode())
            conn.autocommit = autocommit
        except psycopg.Error:
            conn.close()
            raise
        return conn

    def _connect_session(self) -> psycopg.Connection:
        limits = f"SET lock_timeout = '{_SESSION_LIMIT_S}s'; SET statement_timeout = '{_SESSION_LIMIT_S}s'"
        conn = self._connect(limits, autocommit=True)
        set_limit(conn, _SESSION_LIMIT_S)
        return conn

    def _connect_to_read(self) -> psycopg.Connection:
        settings = (
            f"SET statement_timeout = {int(self._options.statement_timeout_ms)};"
            "SET default_transaction_isolation = 'repeatable read';"  # one snapshot for all legs of a search
            "SET default_transaction_read_only = on;"
            "SET jit = off"  # compiling costs more than any of our statements
        )
        conn = self._connect(settings, autocommit=True)
        set_limit(conn, self._options.statement_timeout_ms / 1000)
        return conn


def psql_environment(dsn: str) -> dict[str, str]:
    """Environment variables of libpq for a DSN, so that no password stands on a command line."""
    names = {
        option.keyword.decode(): option.envvar.decode()
        for option in psycopg.pq.Conninfo.get_defaults()
        if option.envvar is not None
    }
    given = conninfo_to_dict(dsn)
    return {names[key]: str(value) for key, value in given.items() if key in names and value is not None}
