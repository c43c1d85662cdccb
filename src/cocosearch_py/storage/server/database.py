"""Connections: find the server (embedded or by DSN), check its schema, lend pooled connections, translate faults."""

import select
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Self

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolTimeout

from cocosearch_py.errors import (
    CocosearchError,
    ConfigurationError,
    DatabaseError,
    DatabaseFullError,
    DatabaseTimeoutError,
    DatabaseUnreachableError,
    PermissionDeniedError,
    SchemaOutdatedError,
)
from cocosearch_py.model.redaction import redact
from cocosearch_py.storage import migrate
from cocosearch_py.storage.server import embedded
from cocosearch_py.storage.server.stopping import current_work

_CONNECT_TIMEOUT_S = 10  # a firewall that drops packets must not hang a command for minutes
_RESTART_AFTER_S = 2  # how long a dead embedded server may look like a busy one
_BESIDE_WAIT_S = 0.25  # the search then takes as long again; the pool goes on connecting, for the next one
_URL_HINT = "form: postgresql://user:password@host:5432/name, with @ : / ? # % of a password written as %40 %3A %2F ..."


@dataclass(frozen=True, slots=True)
class DatabaseOptions:
    """Which server to use.

    `url` None means the embedded server in `data_folder`. `statement_timeout_ms` bounds every reading statement.
    """

    data_folder: Path
    url: str | None = field(default=None, repr=False)
    pool_size: int = 4
    statement_timeout_ms: int = 30_000
    idle_stop_s: int = embedded.DEFAULT_IDLE_STOP_S


def require_readable(dsn: str) -> None:
    """Check the form of a DSN before libpq does, whose messages quote pieces of a password it cut wrongly.

    Raises:
        ConfigurationError: not a DSN, or a URL whose user or password holds a bare @ or /.
    """
    detail = ""
    try:
        conninfo_to_dict(dsn)
    except psycopg.ProgrammingError as error:
        detail = f": {' '.join(str(error).split())}" if redact(dsn) == dsn and "@" not in dsn else ""
    else:
        before_host, found, after = dsn.partition("://")[2].partition("@")
        if not found or not ("/" in before_host or "@" in after.partition("?")[0]):
            return
    raise ConfigurationError(f"the database URL cannot be read{detail}", hint=_URL_HINT)


class Database:
    """A pool of connections to one checked database. Use as a context manager, or call `close`."""

    def __init__(self, options: DatabaseOptions) -> None:
        self._options = options
        self._pool: ConnectionPool | None = None
        self._opening = Lock()
        self._readers = BoundedSemaphore(options.pool_size)
        self.server = None if options.url else embedded.locate(options.data_folder, options.idle_stop_s)
        self.dsn = options.url or (self.server.dsn() if self.server else "")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def description(self) -> str:
        """What a person may be told of the place of the data; never a password."""
        return f"embedded, {self.server.home}" if self.server else redact(self._options.url or "")

    def start(self) -> None:
        """Make the server run (if embedded) and its schema be there; cheap when both are so."""
        with translated(self.description):
            if self.server:
                embedded.ensure_running(self.server)
            else:
                require_readable(self.dsn)
            with psycopg.connect(self.dsn, connect_timeout=_CONNECT_TIMEOUT_S) as conn:
                migrate.ensure_schema(conn, self.dsn, may_upgrade=self.server is not None)

    @contextmanager
    def reading(self) -> Iterator[psycopg.Connection]:
        """Lend a pooled connection inside one read-only snapshot; statements time out."""
        with translated(self.description), self._readers, self._lend() as conn, conn.transaction():
            yield conn

    @contextmanager
    def beside(self) -> Iterator[psycopg.Connection | None]:
        """Lend a reader a second connection, whose statements have snapshots of their own; None if none is to be had.

        A server or a role may have few connections, and other processes may hold them.
        """
        # Not counted as a reader: waiting behind others for a place could lock all up.
        with ExitStack() as lent:
            try:
                conn = lent.enter_context(self._lend(_BESIDE_WAIT_S))
            except PoolTimeout:
                conn = None
            yield conn

    @contextmanager
    def writing(self) -> Iterator[psycopg.Connection]:
        """Open a connection of its own inside one transaction without time limit; commits at the end."""
        with translated(self.description):
            if self._pool is None:
                self.start()
            with psycopg.connect(self.dsn, connect_timeout=_CONNECT_TIMEOUT_S) as conn:
                yield conn

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    @contextmanager
    def _lend(self, wait_s: float | None = None) -> Iterator[psycopg.Connection]:
        pool = self._open_pool()
        try:
            conn = pool.getconn(timeout=wait_s or (_RESTART_AFTER_S if self.server else _CONNECT_TIMEOUT_S))
        except PoolTimeout:
            if self.server is None or embedded.is_alive(self.server):
                raise
            # Somebody stopped the embedded server under us: start it again, once.
            self.close()
            pool = self._open_pool()
            conn = pool.getconn(timeout=_CONNECT_TIMEOUT_S)
        work = current_work()
        try:
            with work.holding(conn) if work else nullcontext():
                yield conn
        finally:
            pool.putconn(conn)

    def _open_pool(self) -> ConnectionPool:
        with self._opening:
            if self._pool is None:
                self.start()
                self._pool = ConnectionPool(
                    self.dsn,
                    min_size=1,
                    max_size=2 * self._options.pool_size,  # each reader may have one beside it
                    configure=self._configure,
                    check=_check,
                    kwargs={"connect_timeout": _CONNECT_TIMEOUT_S, "autocommit": True},
                    open=True,
                )
            return self._pool

    def _configure(self, conn: psycopg.Connection) -> None:
        conn.execute(f"SET statement_timeout = {int(self._options.statement_timeout_ms)}")
        conn.execute("SET default_transaction_isolation = 'repeatable read'")  # one snapshot for all legs of a search
        conn.execute("SET default_transaction_read_only = on")
        conn.execute("SET jit = off")  # compiling costs more than any of our statements


def _check(conn: psycopg.Connection) -> None:
    """Ask the server whether a pooled connection lives, if it may not: the socket of one that does is silent.

    Raises:
        psycopg.OperationalError: it does not.
    """
    if hasattr(select, "poll"):  # not on Windows
        socket = select.poll()
        socket.register(conn.fileno(), select.POLLIN)
        if not socket.poll(0):
            return
    ConnectionPool.check_connection(conn)


@contextmanager
def translated(where: str) -> Iterator[None]:
    """Turn psycopg's errors into ours, with a remedy and without secrets."""
    try:
        yield
    except CocosearchError:
        raise
    except (psycopg.Error, PoolTimeout) as error:
        raise _explain(error, where) from None if "password" in str(error) else error


def _explain(error: Exception, where: str) -> CocosearchError:
    text = redact(" ".join(str(error).split()))[:500]
    match error:
        case psycopg.errors.DiskFull() | psycopg.errors.OutOfMemory():
            return DatabaseFullError(
                f"PostgreSQL ({where}) has no room left: {text}", hint="free disk space, then retry"
            )
        case psycopg.errors.InsufficientPrivilege():
            return PermissionDeniedError(
                f"the database user lacks a right: {text}",
                hint="grant CREATE on the database to this user, or let an owner run `cocosearch-py db upgrade`",
            )
        case psycopg.errors.QueryCanceled():
            return DatabaseTimeoutError(
                f"a statement took longer than allowed: {text}",
                hint="narrow the search or raise database.statementTimeoutMs",
            )
        case psycopg.errors.UndefinedTable() | psycopg.errors.UndefinedColumn():
            return SchemaOutdatedError(f"the schema does not fit: {text}", hint="run `cocosearch-py db upgrade`")
        case psycopg.errors.LockNotAvailable():
            return DatabaseTimeoutError(
                f"a lock was not free in time: {text}", hint="retry when the other program is done"
            )
        case psycopg.ProgrammingError() if "conninfo" in text or "missing" in text or "invalid" in text:
            return ConfigurationError(f"the database URL cannot be read: {text}", hint=_URL_HINT)
        case psycopg.OperationalError() | PoolTimeout():
            return _unreachable(text, where)
    return DatabaseError(f"PostgreSQL ({where}) refused: {text}", hint="run `cocosearch-py doctor`")


def _unreachable(text: str, where: str) -> DatabaseUnreachableError:
    hint = "check that the server runs and the URL is right, or unset COCOSEARCH_DATABASE_URL for the embedded server"
    if "authentication" in text or "password" in text:
        hint = "check user and password in COCOSEARCH_DATABASE_URL"
    elif "does not exist" in text:
        hint = "create the database first: createdb NAME"
    return DatabaseUnreachableError(f"no connection to PostgreSQL ({where}): {text}", hint=hint)


def psql_environment(dsn: str) -> dict[str, str]:
    """Environment variables of libpq for a DSN, so that no password stands on a command line."""
    names = {
        option.keyword.decode(): option.envvar.decode()
        for option in psycopg.pq.Conninfo.get_defaults()
        if option.envvar is not None
    }
    given = conninfo_to_dict(dsn)
    return {names[key]: str(value) for key, value in given.items() if key in names and value is not None}
